"""Version 2 B-trees of several levels."""

from __future__ import annotations

import h5py
import pytest

from tests.core.stores.hdf5.written import node, written
from zarrcore.stores.hdf5.btree2 import records
from zarrcore.stores.virtual.file_reader import BrokenFileError


@pytest.mark.parametrize("count", [20, 500, 12_000])
def test_all_records_are_found(count: int) -> None:
    def write(file: h5py.File) -> None:
        group = file.create_group("g")
        target = file.create_group("target")
        for number in range(count):
            group[f"name {number}"] = target

    file = written(write, libver="latest")
    assert {*node(file, "g").links} == {f"name {number}" for number in range(count)}


def test_no_tree_is_one_sentence() -> None:
    file = written(lambda file: file.create_group("g"))
    with pytest.raises(BrokenFileError, match="the checksum of the header of a B-tree differs"):
        [*records(file.reader, 0, 5)]
