"""Groups of any size: the HDF5 library finds exactly their names."""

from __future__ import annotations

import io
import struct

import h5py
import pytest
from h5py import h5o
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.filetypes.hdf5.metadata import Metadata
from zarrcore.filetypes.hdf5.object_header import group_messages, object_header
from zarrcore.filetypes.hdf5.symbol_table import Link, superblock, write_symbol_table

NAMES = st.text(
    st.characters(exclude_characters="\0/", exclude_categories=("Cs",)), min_size=1, max_size=30
).filter(lambda name: name != ".")


def opened(names: list[str]) -> h5py.File:
    """A file whose root has many names for two groups; every second name is the first group."""
    metadata = Metadata()

    def group(links: dict[bytes, Link]) -> Link:
        table = write_symbol_table(links, metadata)
        return Link(metadata.append(object_header(group_messages(*table))), table)

    first = group({})
    second = group({b"first": first})
    root = group({name.encode(): (first, second)[number % 2] for number, name in enumerate(names)})
    metadata.put(0, superblock(root, metadata.end))
    return h5py.File(io.BytesIO(metadata.content), "r")


def check(names: list[str]) -> None:
    with opened(names) as file:
        assert list(file) == [name.decode() for name in sorted(name.encode() for name in names)]
        found = {(h5o.get_info(file.id, f"/{name}".encode()).addr, i % 2) for i, name in enumerate(names)}
        assert len(found) == len(names[:2])
        for number, name in enumerate(names[:2]):
            assert list(file[f"/{name}"]) == ["first"] * number
        assert "not there" not in file


@given(names=st.lists(NAMES, unique=True, max_size=300))
def test_groups_have_any_names(names: list[str]) -> None:
    check(names)


@pytest.mark.parametrize("count", [8, 9, 16, 256, 257, 264, 8192, 8193, 8201])
def test_groups_have_any_number_of_names(count: int) -> None:
    """The counts at which a node and a level of the tree are full, and one entry more."""
    check([f"{number * 7919 % count}" for number in range(count)])


def test_siblings_refer_to_each_other() -> None:
    """Links that only programs use which change the file."""
    metadata = Metadata()
    tree, _ = write_symbol_table(
        {f"{number:05}".encode(): Link(8) for number in range(8 * 32 * 3 + 1)}, metadata
    )
    undefined = (1 << 64) - 1
    assert struct.unpack_from("<4sBBHQQ", metadata.content, tree) == (
        b"TREE", 0, 1, 4, undefined, undefined
    )  # fmt: skip
    children = struct.unpack_from("<9Q", metadata.content, tree + 24)[1::2]
    for position, child in enumerate(children):
        _, _, level, used, left, right = struct.unpack_from("<4sBBHQQ", metadata.content, child)
        assert (level, used) == (0, 32 if position < 3 else 1)
        assert left == (children[position - 1] if position else undefined)
        assert right == (children[position + 1] if position < 3 else undefined)
