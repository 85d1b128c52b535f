"""Attributes in object headers, and in heaps when there are many."""

from __future__ import annotations

import io
import struct

import h5py
import numpy as np
import pytest

from tests.core.stores.hdf5.written import node, opened, written
from zarrcore.stores.hdf5.conventions import shown_attributes
from zarrcore.stores.virtual.file_reader import BrokenFileError
from zarrcore.stores.virtual.unreadable_node import reason_of, unreadable_value


@pytest.mark.parametrize("options", [{}, {"libver": "latest"}])
@pytest.mark.parametrize("count", [0, 3, 60])
def test_attributes_have_their_names_and_order(count: int, options: dict) -> None:
    names = [f"{(7 * number) % 61:02}" for number in range(count)]

    def write(file: h5py.File) -> None:
        group = file.create_group("g", track_order=True)
        for number, name in enumerate(names):
            group.attrs[name] = number

    file = written(write, **options)
    found = node(file, "g").attributes
    assert {name: attribute.json(file.heaps) for name, attribute in found.items()} == {
        name: number for number, name in enumerate(names)
    }
    assert [*found] == names


@pytest.mark.parametrize("mark", ["encoding-type", "neurodata_type"])
def test_a_list_of_one_text_stays_one_where_the_writer_tells_it_from_a_text(mark: str) -> None:
    """``column-order`` of AnnData and ``colnames`` of HDMF: a copy whose list became a text is not read any more."""

    def write(file: h5py.File) -> None:
        file.attrs.update({mark: "x", "several": ["gene"], "number": [5]})
        file.attrs["fixed"] = np.array(["gene"], "S4")
        file.create_group("netcdf").attrs["several"] = ["gene"]

    file = written(write)
    assert shown_attributes(file, node(file, "")) == {
        mark: "x",
        "several": ["gene"],
        "number": 5,
        "fixed": ["gene"],
    }
    assert shown_attributes(file, node(file, "netcdf")) == {"several": "gene"}


def test_an_attribute_of_a_committed_type() -> None:
    def write(file: h5py.File) -> None:
        file["type"] = h5py.h5t.NATIVE_INT16.dtype
        file.attrs.create("a", 5, dtype=file["type"])

    file = written(write)
    assert node(file, "").attributes["a"].json(file.heaps) == 5


def test_an_attribute_of_a_committed_type_in_an_old_file() -> None:
    """Version 1 of a shared message, which no library of today writes: h5py reads it, too."""
    content = io.BytesIO()
    with h5py.File(content, "w") as file:
        file["type"] = h5py.h5t.NATIVE_INT16.dtype
        file.attrs.create("n" * 20, 5, dtype=file["type"])
    old = bytearray(content.getvalue())
    name = old.index(b"n" * 20)  # then a zero, and a shared message of version 2: 2 bytes and the address
    address = old[name + 23 : name + 31]
    old[name : name + 31] = b"n" * 6 + b"\0" + bytes([1, 0]) + bytes(6 + 8) + address
    old[name - 6 : name - 2] = struct.pack("<HH", 7, 24)  # the lengths of the name and of the type
    with h5py.File(io.BytesIO(old)) as file:
        assert dict(file.attrs) == {"nnnnnn": 5}
    ours = opened(bytes(old))
    assert node(ours, "").attributes["nnnnnn"].json(ours.heaps) == 5


def test_many_references_to_one_long_text_are_refused_instead_of_repeated() -> None:
    texts = 4000

    def write(file: h5py.File) -> None:
        file.attrs.create("a", ["x" * 60_000, *["y"] * (texts - 1)], dtype=h5py.string_dtype())

    file = written(write)
    attribute = node(file, "").attributes["a"]
    repeated = attribute._replace(data=attribute.data[:16] * texts)
    with pytest.raises(BrokenFileError, match="the attributes of an object take more than 64 MiB"):
        repeated.json(file.heaps)
    assert len(attribute.json(file.heaps)) == texts


def test_many_elements_with_a_long_name_of_a_field_are_refused() -> None:
    count, name = 2000, "n" * 50_000

    def write(file: h5py.File) -> None:
        file.attrs.create("a", np.zeros(2, [(name, "i1")]))

    file = written(write)
    attribute = node(file, "").attributes["a"]
    assert attribute.json(file.heaps) == [{name: 0}] * 2
    longer = attribute._replace(shape=(count,), data=bytes(count))
    with pytest.raises(BrokenFileError, match="the attributes of an object take more than 64 MiB"):
        longer.json(file.heaps)


def test_a_broken_attribute_of_a_group_hides_nothing_else() -> None:
    memory = io.BytesIO()
    with h5py.File(memory, "w") as file:
        file.attrs["first"], file.attrs["middle"], file.attrs["last"] = 1, 2, 3
        file["data"] = [4]
        file["data"].attrs["middle"] = 2
    content = bytearray(memory.getvalue())
    for _ in range(2):  # of the group, of the dataset
        content[content.index(b"middle\0") - 6] = 255  # the length of its name
        content[content.index(b"middle\0")] ^= 1
    changed = opened(bytes(content))
    shown = shown_attributes(changed, node(changed, ""))
    assert (shown["first"], shown["last"]) == (1, 3)
    why = "its name, type and shape have 275 bytes, more than are stored"
    assert shown["broken attribute 1"] == unreadable_value(why)
    found = changed.find("data")
    assert found is not None
    assert why.partition(" have ")[0] in (reason_of(changed.document("data", found)) or "")
