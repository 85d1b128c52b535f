"""Messages in the file's table, which h5py writes only if the HDF5 library is told to."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import zarrcore
from tests.core.stores.hdf5 import files
from tests.core.stores.hdf5.written import opened, written
from zarrcore.stores.hdf5.object_header import (
    ATTRIBUTE,
    DATASPACE,
    DATATYPE,
    FILL_VALUE,
    FILTERS,
    shared_message,
)
from zarrcore.stores.virtual.file_reader import BrokenFileError


def library() -> ctypes.CDLL:
    """The HDF5 library that h5py uses: other packages bring their own."""
    return ctypes.CDLL(h5py.h5p.__file__)


def write(path: Path, **options: Any) -> None:
    """Fifty datasets that share all messages that can be shared."""
    hdf5, number = library(), ctypes.c_int64
    created = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    hdf5.H5Pset_shared_mesg_nindexes(number(created.id), 2)
    kinds = ((DATATYPE, DATASPACE), (ATTRIBUTE, FILL_VALUE, FILTERS))
    for index, some in enumerate(kinds):
        hdf5.H5Pset_shared_mesg_index(number(created.id), index, sum(1 << kind for kind in some), 1)
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    if options:
        access.set_libver_bounds(h5py.h5f.LIBVER_LATEST, h5py.h5f.LIBVER_LATEST)
    with h5py.File(h5py.h5f.create(bytes(path), h5py.h5f.ACC_TRUNC, created, access)) as file:
        for number_ in range(50):
            made = file.create_dataset(
                f"d{number_:02}",
                data=np.arange(6).reshape(2, 3) + number_,
                chunks=(1, 3),
                compression="gzip",
                fillvalue=5,
            )
            for other in range(12 if number_ % 2 else 3):  # many are in a heap
                made.attrs[f"a{other}"] = [other % 3, number_ % 4]
            made.attrs["text"] = "ü"
        file["group/record"] = np.zeros(2, [("a", "i1"), ("b", ">f8")])


@pytest.mark.parametrize("options", [{}, {"libver": "latest"}])
def test_shared_types_shapes_filters_and_attributes(tmp_path: Path, options: dict) -> None:
    write(tmp_path / "a.h5", **options)
    assert files.assert_same(tmp_path / "a.h5") == 51
    with zarrcore.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        for name in ("d06", "d07"):
            number = int(name[1:])
            expected = {f"a{i}": [i % 3, number % 4] for i in range(12 if number % 2 else 3)}
            assert hierarchy[name].attributes == {**expected, "text": "ü"}
            assert hierarchy[name].fill_value == 5


def test_a_file_without_a_table_and_a_broken_one_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(BrokenFileError, match="no shared messages of type 3"):
        shared_message(written(lambda file: file.create_group("g")).reader, DATATYPE, bytes(8))
    write(tmp_path / "a.h5")
    content = (tmp_path / "a.h5").read_bytes()
    at = content.index(b"SMTB")
    broken = content[: at + 9] + b"\xff" + content[at + 10 :]
    with pytest.raises(BrokenFileError, match="checksum of the table of shared messages differs"):
        shared_message(opened(broken).reader, DATATYPE, bytes(8))
