"""One dataset as an array."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from tests.core.stores.hdf5.written import node, written
from zarrcore.stores.virtual.file_reader import BrokenFileError


def test_the_document_says_types_chunks_and_codecs() -> None:
    file = written(
        lambda file: file.create_dataset(
            "a", (10, 6), ">i2", chunks=(5, 3), compression=4, shuffle=True, fillvalue=-1
        )
    )
    document = node(file, "a").dataset.document({"x": 1}, ["y", None])
    assert document["chunk_grid"]["configuration"]["chunk_shape"] == [5, 3]
    assert (document["data_type"], document["fill_value"]) == ("int16", -1)
    assert [codec["name"] for codec in document["codecs"]] == ["bytes", "numcodecs.shuffle", "numcodecs.zlib"]
    assert (document["attributes"], document["dimension_names"]) == ({"x": 1}, ["y", None])


def test_a_chunk_outside_of_the_dataset_is_absent() -> None:
    file = written(lambda file: file.create_dataset("a", data=np.arange(6)))
    dataset = node(file, "a").dataset
    assert dataset.chunk((1,)) is None
    assert dataset.chunk((0,)) is not None


def test_a_dataset_that_was_never_written_has_no_chunks() -> None:
    def write(file: h5py.File) -> None:
        file.create_dataset("whole", (4,), "i4")
        file.create_dataset("chunks", (4,), "i4", chunks=(2,))

    file = written(write)
    for name in ("whole", "chunks"):
        dataset = node(file, name).dataset
        assert dataset.chunk((0,)) is None
        assert [*dataset.chunks()] == []


def test_a_broken_type_of_a_dataset_is_a_sentence() -> None:
    file = written(lambda file: file.create_group("g"))
    with pytest.raises(BrokenFileError, match="no type, no shape or no layout"):
        _ = node(file, "g").dataset
