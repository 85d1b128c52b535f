"""Object headers of both versions, dataspaces and shared messages."""

from __future__ import annotations

import struct
from pathlib import Path

import h5py
import pytest

import zarrcore
from tests.core.stores.hdf5.written import node, written
from zarrcore.errors import UnreadableNodeError
from zarrcore.stores.hdf5.object_header import DATATYPE, Message, ObjectHeader, dataspace, shared
from zarrcore.stores.virtual.file_reader import BrokenFileError


@pytest.mark.parametrize("options", [{}, {"libver": "latest"}])
def test_headers_that_continue_elsewhere(options: dict) -> None:
    def write(file: h5py.File) -> None:
        group = file.create_group("g")
        for number in range(7):
            group.attrs[f"a{number}"] = "x" * 100
            file.create_group(f"between {number}")

    file = written(write, **options)
    assert [*node(file, "g").attributes] == [f"a{number}" for number in range(7)]


def test_dataspaces() -> None:
    assert dataspace(bytes((2, 2, 0, 1)) + (3).to_bytes(8, "little") + (4).to_bytes(8, "little")) == (3, 4)
    assert dataspace(bytes((1, 1, 0, 0, 0, 0, 0, 0)) + (3).to_bytes(8, "little")) == (3,)
    assert dataspace(bytes((2, 0, 0, 2))) is None
    for data in (
        bytes((3, 0, 0, 0)),
        bytes((2, 33, 0, 1)),
        bytes((2, 1, 0, 1)),
        bytes((2, 1, 0, 1)) + b"\xff" * 8,
        bytes((2, 1, 1, 1)) + b"\1".ljust(8, b"\0"),
    ):
        with pytest.raises(BrokenFileError):
            dataspace(data)
    limited = bytes((2, 2, 1, 1)) + struct.pack("<QQ", 3, 4)
    assert dataspace(limited + struct.pack("<QQ", 2**64 - 1, 4)) == (3, 4)
    with pytest.raises(BrokenFileError, match=r"the shape \(3, 4\), beyond its maximum \(3, 2\)"):
        dataspace(limited + struct.pack("<QQ", 3, 2))


def test_no_header_and_what_is_not_supported_are_sentences() -> None:
    file = written(lambda file: file.create_group("g"))
    with pytest.raises(BrokenFileError, match="no object header is at byte 8"):
        ObjectHeader(file.reader, 8)
    with pytest.raises(BrokenFileError, match="no shared messages of type 3"):
        shared(file.reader, Message(DATATYPE, 2, bytes((3, 1)) + bytes(8)))


@pytest.mark.parametrize(("flags", "opens"), [(0x00, True), (0x08, True), (0x80, False)])
@pytest.mark.parametrize("kind", [0x09, 0x1A, 0xFFFF])
def test_a_message_that_must_be_understood_but_is_unknown_makes_an_object_unreadable(
    tmp_path: Path, kind: int, flags: int, opens: bool
) -> None:
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=7, track_times=True)
        address = h5py.h5o.get_info(file["x"].id).addr
    data, at = bytearray(path.read_bytes()), address + 16
    while data[at : at + 2] != b"\x12\0":  # the time of the last change
        at += 8 + int.from_bytes(data[at + 2 : at + 4], "little")
    data[at : at + 5] = struct.pack("<HHB", kind, int.from_bytes(data[at + 2 : at + 4], "little"), flags)
    path.write_bytes(data)
    hierarchy = zarrcore.open_hierarchy(path)
    with h5py.File(path) as file:
        if opens:
            assert hierarchy["x"][()] == file["x"][()] == 7
            return
        with pytest.raises(KeyError, match="fail if unknown"):
            file["x"]
    with pytest.raises(UnreadableNodeError, match=f"the unknown type {kind}, which a reader must understand"):
        hierarchy["x"]
