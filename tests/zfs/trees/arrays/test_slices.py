"""The planes of an array as files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import zarr

from tests.zfs.trees.entries import arrays, content, names, walk


def test_slices_are_computed(small: Path) -> None:
    slices = walk(arrays(small), "cube", "slices")
    expected = np.arange(360, dtype="<i4").reshape(3, 4, 5, 6)
    assert names(slices) == ["0", "1", "2"]
    assert names(walk(slices, "1")) == [f"{z}.{kind}" for z in range(4) for kind in ("raw", "npy")]
    assert content(walk(slices, "1", "3.raw")) == expected[1, 3].tobytes()
    assert walk(slices, "1", "3.png") is not None
    for parts in (("3",), ("01",), ("-1",), ("1.raw",), ("1", "4.raw"), ("1", "3"), ("1", "3.jpg"), ("x",)):
        assert walk(slices, *parts) is None
    assert [name for name, _ in walk(slices, "1").entries_from(5)] == ["2.npy", "3.raw", "3.npy"]


def test_places_of_slices_are_unique_and_reversible(small: Path) -> None:
    slices = walk(arrays(small), "cube", "slices")
    places = []
    for name, level in slices.entries():
        found = [(name, level), *((f"{name}/{file}", entry) for file, entry in level.entries())]
        for path, entry in found:
            numbering, place = entry.numbered
            places.append(place)
            assert 0 <= place < numbering.count
            again = numbering.entry(place)
            assert type(again) is type(entry), path
            assert again.numbered == (numbering, place)
    assert len(set(places)) == len(places) == 3 + 3 * 4 * 2


def test_millions_of_slices_list_at_once(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "a.zarr", shape=(10**9, 10**8, 4, 5), chunks=(1, 1, 4, 5), dtype="u1")
    slices = walk(arrays(tmp_path / "a.zarr"), "slices")
    assert next(slices.entries_from(10**9 - 1))[0] == str(10**9 - 1)
    assert next(walk(slices, "7").entries_from(2 * 10**8 - 1))[0] == f"{10**8 - 1}.npy"
    assert walk(slices, "7", f"{10**8 - 1}.raw").size == 20
