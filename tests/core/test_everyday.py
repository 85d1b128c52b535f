"""A typed client does its everyday tasks; mypy checks it with the other modules, and strictly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.core import everyday

DATA = np.arange(24, dtype="int16").reshape(2, 3, 4)


def test_the_everyday_tasks(tmp_path: Path) -> None:
    place = tmp_path / "a.zarr"
    tree, *names = everyday.made(place, DATA)
    assert names == ["copy", "empty", "images", "old"]
    assert "    └── stack  3 × 3 × 4  int16  72 bytes" in tree.replace("│", " ").splitlines()
    kinds = everyday.listed(place)
    assert (kinds["/images/stack"], kinds["copy"], kinds["images"], kinds["images?"]) == (
        "array",
        "int16",
        "stack",
        "nm",
    )
    plane, title, chunks = everyday.read(place)
    theirs = zarr.open_group(place, mode="r")
    assert np.array_equal(plane, theirs["images/stack"][1, :, 0:2])
    assert (title, chunks) == (theirs.attrs["title"], theirs["images/stack"].chunks)
    assert theirs["empty"].shape == (8,)
    assert everyday.copied(place, tmp_path / "b.n5") == "n5"
    assert np.array_equal(zc.open_array(tmp_path / "b.n5", "deep/copy")[:2], DATA)
    with pytest.raises(TypeError, match="did you mean 'chunks'"):
        everyday.refused(zc.create(tmp_path / "c.zarr").group("/"), place)
