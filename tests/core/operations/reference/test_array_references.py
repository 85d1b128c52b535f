"""Places of the chunks of an array."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

import zarrcore as zc
from tests.core.operations.reference.readers import written
from zarrcore.errors import UnsupportedError
from zarrcore.operations.reference.array_references import ArrayReferences
from zarrcore.stores import LocalStore, ReadableStore


def test_places_are_in_the_order_of_chunks(records: ReadableStore, tmp_path: Path) -> None:
    array = zc.open_hierarchy(records)["x"]
    references = ArrayReferences(array, "/x", {}, array.chunk_key_encoding)
    places = references.places(0)
    assert places.numbers.tolist() == [0, 1, 2, 4, 5]
    assert places.starts.tolist() == [8, 48, 88, 168, 0]
    assert places.sizes.tolist()[:4] == [40] * 4
    assert [*places.inlined] == [5]
    assert [*references.places(40).inlined] == [0, 1, 2, 4, 5]


def test_keys_outside_of_the_array_are_no_chunks(tmp_path: Path) -> None:
    with zc.create(tmp_path / "a.zarr") as hierarchy:
        array = hierarchy.create_array("/x", shape=(4,), chunks=(2,), dtype="int8")
        array[...] = 1
    for name in ("c/2", "c/x", "other"):
        LocalStore(tmp_path / "a.zarr").set(f"x/{name}", b"ab")
    found = zc.open_hierarchy(tmp_path / "a.zarr")["x"]
    assert ArrayReferences(found, "/x", {}, found.chunk_key_encoding).places(0).numbers.tolist() == [0, 1]


def test_chunks_for_which_szip_was_skipped_are_refused(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        made = file.create_dataset("x", (64,), "<i4", chunks=(64,), compression="szip")
        made.id.write_direct_chunk((0,), np.arange(64, dtype="<i4").tobytes(), 1)
    assert zc.open_hierarchy(tmp_path / "a.h5")["x"][...].tolist() == [*range(64)]
    with pytest.raises(
        UnsupportedError, match=r"'/x' cannot be described.* does not read chunks for which HDF5 skipped it"
    ):
        written(tmp_path / "a.h5", 2)
