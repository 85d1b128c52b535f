"""The names of the dimensions of a level, which Zarr v2 has only in its image."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zarrcore as zc
from tests.command import run_inside
from zarrcore.conventions import names_along

AXES = [{"name": "c", "type": "channel"}, *({"name": name, "type": "space"} for name in "yx")]
NUMBERS = np.arange(3 * 4 * 6, dtype="u2").reshape(3, 4, 6)


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """An image of two levels, and an array that is none of them."""
    scales = [{"type": "scale", "scale": [1, factor, factor]} for factor in (1, 2)]
    datasets: list[Any] = [
        {"path": path, "coordinateTransformations": [scale]}
        for path, scale in zip(("s0", "down/s1"), scales, strict=True)
    ]
    root = zc.create(tmp_path / "image.zarr", format="v2")
    root.attributes["multiscales"] = [{"version": "0.4", "axes": AXES, "datasets": datasets}]
    for path, data in (("s0", NUMBERS), ("down/s1", NUMBERS[:, ::2, ::2]), ("other", NUMBERS)):
        root.create_array(path, shape=data.shape, dtype="u2", chunks=(1, 2, 3))[...] = data
    return tmp_path / "image.zarr"


def test_a_level_has_the_names_of_the_axes_of_its_image(image: Path) -> None:
    root = zc.open_hierarchy(image)
    told = {path: names_along(root.array(path), root.node) for path in ("s0", "down/s1", "other")}
    assert told == {"s0": ["c", "y", "x"], "down/s1": ["c", "y", "x"], "other": None}
    assert names_along(zc.open_hierarchy(image / "s0").array("/"), root.node) is None


def test_own_names_count_first_and_metadata_in_disorder_name_nothing(image: Path) -> None:
    root = zc.open_hierarchy(image, mode="r+")
    named = root.create_array("named", shape=(2,), dtype="u2", dimension_names=["t"])
    assert names_along(named, root.node) == ("t",)
    root.attributes["multiscales"] = [{"version": "0.4", "axes": "no list", "datasets": [{"path": "s0"}]}]
    assert names_along(root.array("s0"), root.node) is None


def test_commands_select_by_these_names(image: Path, tmp_path: Path) -> None:
    shown = run_inside("cat", image, "s0", "--select", "c=2,x=1:3,y=0", "--as", "csv")
    assert (shown.status, shown.text.split()) == (0, [str(one) for one in NUMBERS[2, 0, 1:3]])
    refused = run_inside("cat", image, "other", "--select", "c=2")
    assert (refused.status, "have no names" in refused.stderr) == (2, True)
    assert run_inside("copy", image, tmp_path / "part.zarr", "--select", "c=1:2", "--quiet").status == 0
    part = zc.open_hierarchy(tmp_path / "part.zarr")
    assert np.array_equal(part.array("s0")[...], NUMBERS[1:2])
    assert np.array_equal(part.array("down/s1")[...], NUMBERS[1:2, ::2, ::2])
    assert np.array_equal(part.array("other")[...], NUMBERS)
