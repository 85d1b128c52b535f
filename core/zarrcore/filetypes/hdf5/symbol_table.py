"""Symbol tables, which hold the content of a group ordered by name, and the superblock, which refers to the root group's.

Specification: HDF5, "File Format Specification Version 3.0", II.A (superblock version 0), III.A.1 (B-trees version 1), III.B
(symbol table nodes), III.C (their entries), III.D (local heaps). A heap has the names, nodes have some entries each, and a tree
refers to the nodes: its keys are the last names before and in each child.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from zarrcore.filetypes.hdf5.metadata import Metadata
from zarrcore.filetypes.hdf5.object_header import UNDEFINED_ADDRESS, padded

_LEAF_K: Final = 4
_INTERNAL_K: Final = 16
"""Half of the entries of a full node, and half of the children of a full node of the tree."""
_ENTRY_NBYTES: Final = 40
_NODE_NBYTES: Final = 8 + 2 * _LEAF_K * _ENTRY_NBYTES
_TREE_NODE_NBYTES: Final = 24 + (4 * _INTERNAL_K + 1) * 8
_HEAP_HEAD_NBYTES: Final = 32
_NO_FREE_ROOM: Final = 1
_SIGNATURE: Final = b"\x89HDF\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class Link:
    """The target of a name."""

    address: int
    """The address of the object's header."""
    table: tuple[int, int] | None = None
    """For a group, the addresses of its B-tree and its heap."""


def superblock(root: Link, size: int) -> bytes:
    """The superblock of a file of ``size`` bytes, including elements."""
    versions_and_widths = bytes((0, 0, 0, 0, 0, 8, 8, 0))
    numbers = struct.pack("<HHI", _LEAF_K, _INTERNAL_K, 0)
    addresses = struct.pack("<4Q", 0, UNDEFINED_ADDRESS, size, UNDEFINED_ADDRESS)
    return _SIGNATURE + versions_and_widths + numbers + addresses + _entry(0, root)


def write_symbol_table(links: Mapping[bytes, Link], metadata: Metadata) -> tuple[int, int]:
    """Write the content of a group; returns the addresses of the B-tree and the heap."""
    names = sorted(links)
    segment = bytearray(8)  # the empty name, before all others
    entries = []
    for name in names:
        entries.append((len(segment), links[name]))
        segment += padded(name + b"\0")
    place = metadata.end + _HEAP_HEAD_NBYTES
    heap = metadata.append(struct.pack("<4sB3xQQQ", b"HEAP", 0, len(segment), _NO_FREE_ROOM, place) + segment)
    children = []
    for start in range(0, len(entries), 2 * _LEAF_K):
        part = entries[start : start + 2 * _LEAF_K]
        node = struct.pack("<4sBxH", b"SNOD", 1, len(part)) + b"".join(_entry(*entry) for entry in part)
        children.append((metadata.append(node.ljust(_NODE_NBYTES, b"\0")), part[-1][0]))
    return _write_tree(children, metadata), heap


def _entry(name: int, link: Link) -> bytes:
    """An entry; ``name`` is the offset of the name in the heap."""
    return struct.pack("<QQI4xQQ", name, link.address, link.table is not None, *(link.table or (0, 0)))


def _write_tree(children: Sequence[tuple[int, int]], metadata: Metadata) -> int:
    """Write the levels of a tree, the lowest first; returns the root's address.

    Args:
        children: the address of each child, and the offset of its last name in the heap.
        metadata: the metadata to write to.
    """
    level, width = 0, 2 * _INTERNAL_K
    while True:
        parents = []
        before = 0
        for start in range(0, max(1, len(children)), width):
            part = children[start : start + width]
            left = metadata.end - _TREE_NODE_NBYTES if start else UNDEFINED_ADDRESS
            right = metadata.end + _TREE_NODE_NBYTES if start + width < len(children) else UNDEFINED_ADDRESS
            told = [before]
            for child in part:
                told += child
            before = told[-1]
            node = struct.pack(f"<4sBBHQQ{len(told)}Q", b"TREE", 0, level, len(part), left, right, *told)
            parents.append((metadata.append(node.ljust(_TREE_NODE_NBYTES, b"\0")), before))
        if len(parents) == 1:
            return parents[0][0]
        children, level = parents, level + 1
