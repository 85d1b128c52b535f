"""Planning a pyramid."""

from __future__ import annotations

from typing import Any

import pytest

import zarrcore as zc
from zarrcore.errors import MetadataError, SelectionError, UnsupportedError
from zarrcore.operations.pyramid import Wanted, plan_pyramid
from zarrcore.stores.memory import MemoryStore


def hierarchy(shape: tuple[int, ...] = (3, 5000, 40), format_: str = "v3", **options: Any) -> Any:
    made = zc.create(MemoryStore(), format_)
    made.create_array("/g/s0", shape=shape, dtype=options.pop("dtype", "u2"), **options)
    return made


def shapes(made: Any, path: str = "/g/s0", **wanted: Any) -> dict[str, tuple[int, ...]]:
    return {level.path: level.metadata.shape for level in plan_pyramid(made, path, Wanted(**wanted)).levels}


def test_levels_end_when_no_spatial_axis_is_long() -> None:
    assert shapes(hierarchy()) == {
        "/g/s1": (2, 2500, 20), "/g/s2": (1, 1250, 10), "/g/s3": (1, 625, 5), "/g/s4": (1, 313, 3)
    }  # fmt: skip
    assert shapes(hierarchy((512, 512))) == {}


def test_only_spatial_axes_are_reduced() -> None:
    made = hierarchy((3, 2000, 1000), dimension_names=("c", "y", "x"))
    assert shapes(made) == {"/g/s1": (3, 1000, 500), "/g/s2": (3, 500, 250)}
    assert shapes(made, factors=(1, 4, 2), levels=1) == {"/g/s1": (3, 500, 500)}
    for factors in ((2, 2, 2), (2, 2)):
        with pytest.raises(SelectionError):
            shapes(made, factors=factors)


def test_levels_that_are_asked_for_end_when_nothing_is_left_to_reduce() -> None:
    assert len(shapes(hierarchy((4, 4)), levels=9)) == 2
    assert shapes(hierarchy((4, 4)), factors=(1,), levels=3) == {}


def test_levels_keep_chunks_and_codecs() -> None:
    made = hierarchy((1000, 1000), chunks=(50, 50), shards=(100, 100), codecs=["gzip"], fill_value=7)
    level = plan_pyramid(made, "/g/s0").levels[0].metadata
    before = made["/g/s0"].metadata
    assert (level.chunk_grid, level.codecs, level.fill_value) == (before.chunk_grid, before.codecs, 7)
    assert level.dimension_names == ("y", "x")


def test_the_method_suits_the_image() -> None:
    assert plan_pyramid(hierarchy(), "/g/s0").method == "mean"
    assert plan_pyramid(hierarchy(dtype="bool"), "/g/s0").method == "mode"
    with pytest.raises(UnsupportedError):
        plan_pyramid(hierarchy(dtype="float32"), "/g/s0", Wanted(method="mode"))


def test_what_cannot_have_levels_is_refused() -> None:
    made = hierarchy()
    made.create_array("/g/other", shape=(4, 4), dtype="u1")
    with pytest.raises(SelectionError, match="without an image"):
        plan_pyramid(made, "/g")
    step = [{"type": "scale", "scale": [1, 1]}]
    axes = [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}]
    entry = {"axes": axes, "datasets": [{"path": "other", "coordinateTransformations": step}]}
    made["/g"].attributes = {"ome": {"version": "0.5", "multiscales": [entry]}}
    with pytest.raises(SelectionError, match="another image"):
        plan_pyramid(made, "/g/s0")
    with pytest.raises(SelectionError, match="omit --scale"):
        plan_pyramid(made, "/g", Wanted(scale=(1.0, 1.0)))
    entry["datasets"][0]["path"] = "s0"
    made["/g"].attributes = {"ome": {"version": "0.5", "multiscales": [entry]}}
    with pytest.raises(MetadataError, match="2 axes"):
        plan_pyramid(made, "/g")
    with pytest.raises(UnsupportedError):
        plan_pyramid(hierarchy(format_="n5"), "/g/s0")
    root = zc.create(MemoryStore())
    root.create_array("/", shape=(4, 4), dtype="u1", overwrite=True)
    with pytest.raises(SelectionError, match="must be in a group"):
        plan_pyramid(root, "/")
