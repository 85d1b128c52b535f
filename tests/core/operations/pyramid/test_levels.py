"""Making the levels of an image."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.memory import forget_peak, peak_nbytes
from zarrcore.conventions import image_of
from zarrcore.errors import NodeExistsError, ReadOnlyError, StoreError
from zarrcore.operations.pyramid import Wanted, build, plan_pyramid
from zarrcore.operations.pyramid.levels import UNFINISHED, LevelBlock
from zarrcore.operations.pyramid.reduce import reduce
from zarrcore.stores.memory import MemoryStore

VALUES = np.random.default_rng(3).integers(0, 1000, (3, 37, 53)).astype("u2")
NAMES = ("c", "y", "x")


def hierarchy(store: Any, format_: str = "v3", **options: Any) -> Any:
    made = zc.create(store, format_)
    made.create_array("/g/0", shape=VALUES.shape, dtype="u2", **{"dimension_names": NAMES, **options})[
        ...
    ] = VALUES
    return made


def made_levels(made: Any, **wanted: Any) -> Any:
    plan = plan_pyramid(made, "/g/0", Wanted(**{"levels": 3, **wanted}))
    build(made, plan)
    return plan


@pytest.mark.sampled(5)
@pytest.mark.parametrize("method", ["mean", "mode", "nearest"])
@pytest.mark.parametrize(
    ("format_", "options"),
    [
        ("v3", {"chunks": (1, 10, 7), "shards": (2, 20, 14)}),
        ("v3", {"chunks": (3, 5, 60)}),
        ("v2", {"chunks": (2, 8, 8)}),
    ],
)
def test_elements_of_every_level(tmp_path: Path, method: str, format_: str, options: dict[str, Any]) -> None:
    made_levels(hierarchy(tmp_path / "a", format_, **options), method=method)
    expected = VALUES
    for name in ("1", "2", "3"):
        expected = reduce(expected, (1, 2, 2), method)
        found = zarr.open_array(tmp_path / "a/g" / name, mode="r")
        assert np.array_equal(found[...], expected)
        assert UNFINISHED not in found.attrs


@pytest.mark.parametrize("format_", ["v3", "v2"])
@pytest.mark.parametrize(("method", "shift"), [("mean", 0.5), ("nearest", 0.0)])
def test_positions_are_those_of_the_centres(format_: str, method: str, shift: float) -> None:
    made = hierarchy(MemoryStore(), format_)
    made_levels(made, method=method, factors=(1, 2, 4), levels=2, scale=(1.0, 0.5, 2.0))
    image = image_of(made["/g"], lambda path: made[path])
    assert image.spacing == (1.0, 0.5, 2.0)
    assert [level.factors for level in image.levels] == [(1, 1, 1), (1, 2, 4), (1, 4, 16)]
    if method == "mean":
        # The centre of element 0 is that of the elements that it stands for.
        assert [level.offsets for level in image.levels[1:]] == [(0.0, shift, 1.5), (0.0, 1.5, 7.5)]
    else:
        assert [level.offsets for level in image.levels[1:]] == [None, None]


def test_more_levels_are_added_to_an_image() -> None:
    made = hierarchy(MemoryStore())
    made_levels(made, levels=1)
    build(made, plan_pyramid(made, "/g", Wanted(levels=1)))
    datasets = made["/g"].attributes["ome"]["multiscales"][0]["datasets"]
    assert [dataset["path"] for dataset in datasets] == ["0", "1", "2"]
    assert np.array_equal(made["/g/2"][...], reduce(reduce(VALUES, (1, 2, 2), "mean"), (1, 2, 2), "mean"))


def test_the_first_level_gets_the_names_that_ome_zarr_demands() -> None:
    made = hierarchy(MemoryStore(), dimension_names=None, attributes={"a": 1})
    made_levels(made, axes=NAMES)
    assert made["/g/0"].dimension_names == NAMES
    assert made["/g/0"].attributes == {"a": 1}
    assert np.array_equal(made["/g/0"][...], VALUES)


def test_nothing_is_replaced() -> None:
    made = hierarchy(MemoryStore())
    made.create_array("/g/2", shape=(1,), dtype="i1")
    with pytest.raises(NodeExistsError):
        made_levels(made)
    assert "/g/1" not in made
    assert made["/g"].attributes == {}
    opened = zc.open_hierarchy(made.store)
    with pytest.raises(ReadOnlyError):
        made_levels(opened)


class Failing(MemoryStore):
    """A store that fails after some values, until it is told not to."""

    left = 1 << 30
    stored: list[str]

    def set(self, key: str, value: Any, *, if_absent: bool = False) -> bool:
        if "/c/" in key:
            self.left -= 1
            if self.left < 0:
                raise StoreError("disk failure", key=key, url=self.url)
            self.stored.append(key)
        return super().set(key, value, if_absent=if_absent)


def interrupted() -> tuple[Failing, Any]:
    """A pyramid that was interrupted in its second level."""
    store = Failing()
    store.stored = []
    made = hierarchy(store, chunks=(1, 8, 8), codecs=["bytes"])
    chunks = 3 * 3 * 4
    store.left = chunks + 5
    with pytest.raises(StoreError):
        made_levels(made)
    store.left, store.stored = 1 << 30, []
    assert made["/g"].attributes == {}
    return store, zc.open_hierarchy(store, "r+")


def check(made: Any) -> None:
    expected = VALUES
    for path in ("/g/1", "/g/2", "/g/3"):
        expected = reduce(expected, (1, 2, 2), "mean")
        assert np.array_equal(made[path][...], expected)
        assert made[path].attributes == {}


def test_an_interrupted_pyramid_is_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrcore.operations.pyramid.levels._BLOCK_NBYTES", 1)
    store, made = interrupted()
    made_levels(made)
    check(made)
    assert not any(key.startswith("g/1/") for key in store.stored)
    assert len([key for key in store.stored if key.startswith("g/2/")]) < 3 * 2 * 2


def test_a_pyramid_of_changed_elements_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrcore.operations.pyramid.levels._BLOCK_NBYTES", 1)
    store, made = interrupted()
    made["/g/0"][...] = 0
    made["/g/0"][...] = VALUES
    store.stored = []
    made_levels(made)
    check(made)
    assert any(key.startswith("g/1/") for key in store.stored)


def test_work_for_other_processes_can_be_pickled(tmp_path: Path) -> None:
    made = hierarchy(tmp_path / "a")
    seen: list[Any] = []

    def run_work(pairs: Any) -> Any:
        for work, box in pairs:
            assert work.witnesses
            seen.append(box)
            yield pickle.loads(pickle.dumps(work))(box)

    told: list[tuple[str, int, int]] = []
    plan = plan_pyramid(made, "/g/0", Wanted(levels=3))
    build(made, plan, progress=lambda *words: told.append(words), run_work=run_work)
    check(made)
    assert len(seen) == 3
    assert told[0] == ("/g/1", made["/g/1"].nbytes, made["/g/1"].nbytes)


def test_memory_is_bounded_for_large_shards() -> None:
    made = zc.create(MemoryStore()).create_array(
        "/g/0", shape=(256, 1024, 1024), dtype="u1", chunks=(64, 64, 64), shards=(256, 512, 512)
    )
    level = zc.create(MemoryStore()).create_array(
        "/g/1", shape=(128, 512, 512), dtype="u1", chunks=(64, 64, 64), shards=(128, 512, 512)
    )
    before = forget_peak()
    LevelBlock(made, level, (2, 2, 2), "mean")(tuple(slice(0, length) for length in level.shape))
    assert peak_nbytes() - before < 400 << 20
