"""Datatype messages."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.stores.hdf5.written import node, written
from zarrcore.stores.hdf5.datatype import Kind, parse_datatype
from zarrcore.stores.hdf5.object_header import DATATYPE
from zarrcore.stores.virtual.file_reader import BrokenFileError


@pytest.mark.parametrize("options", [{}, {"libver": "v108"}, {"libver": "latest"}])
def test_structures_and_enumerations_of_all_versions(options: dict) -> None:
    dtype = np.dtype(
        [("first", "i1"), ("second", ">f8", (2, 3)), ("long name of a field", [("x", "u2")])], align=True
    )

    def write(file: h5py.File) -> None:
        file.create_dataset("a", (1,), dtype)
        file.create_dataset("e", (1,), h5py.enum_dtype({f"n{i}": i - 5 for i in range(300)}, basetype="i2"))

    file = written(write, **options)
    found = node(file, "a").dataset.type
    assert [(f.name, f.offset) for f in found.fields] == [
        (name, dtype.fields[name][1]) for name in dtype.names
    ]
    assert found.fields[1].type.shape == (2, 3)
    members = node(file, "e").dataset.type.members
    assert dict(members) == {f"n{i}": i - 5 for i in range(300)}


@given(st.binary(max_size=80))
def test_any_bytes_are_a_type_or_refused(data: bytes) -> None:
    try:
        assert parse_datatype(data).kind in Kind
    except BrokenFileError as error:
        sentence = str(error)
        assert sentence


def test_fields_that_overlap_are_refused() -> None:
    compound = np.dtype({"names": ["a", "b"], "formats": ["i4", "i4"], "offsets": [0, 4]})

    def write(file: h5py.File) -> None:
        file.create_dataset("a", (1,), compound)

    message = node(written(write, libver="latest"), "a").header.first(DATATYPE)
    assert message is not None
    place = message.index(b"b\0") + 2
    assert message[place] == 4
    with pytest.raises(BrokenFileError, match="the fields 'a' and 'b' overlap"):
        parse_datatype(message[:place] + b"\x03" + message[place + 1 :])
