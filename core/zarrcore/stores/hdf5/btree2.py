"""Version 2 B-trees: records of any kind.

HDF5 File Format Specification, "Version 2 B-trees".
"""

from __future__ import annotations

from collections.abc import Iterator

from zarrcore.stores.virtual.file_reader import BrokenFileError, FileReader, unsigned


def records(reader: FileReader, address: int, kind: int) -> Iterator[bytes]:
    """All records of the tree at an address; in their order, except those of inner nodes.

    Raises:
        BrokenFileError: there is no such tree, or it is broken.
    """
    yield from (part for _, parts in nodes(reader, address, kind) for part in parts)


def nodes(reader: FileReader, address: int, kind: int) -> Iterator[tuple[int, list[bytes]]]:
    """The size of a record, and the records, node by node."""
    head = reader.read_checked(address, 38, "the header of a B-tree")
    if head[:4] != b"BTHD" or head[5] != kind:
        raise BrokenFileError(f"no B-tree of type {kind} is at byte {reader.base + address:,}")
    node_nbytes, nbytes, depth = unsigned(head, 6, 4), unsigned(head, 10, 2), unsigned(head, 12, 2)
    root, count = unsigned(head, 16, 8), unsigned(head, 24, 2)
    if not nbytes or node_nbytes < 10 + nbytes or depth > 32:
        raise BrokenFileError("the header of a B-tree is broken")
    if not count:
        return
    most, pointers, width = _capacities(node_nbytes, nbytes, depth)
    pending, seen = [(root, count)], set[int]()
    for level in range(depth, -1, -1):
        following = []
        reader.prepare((place, node_nbytes) for place, _ in pending)
        for place, used in pending:
            if place in seen or used > most[level]:
                raise BrokenFileError("a B-tree is broken: its nodes form a loop, or one is too large")
            seen.add(place)
            size = 6 + used * nbytes + (used + 1) * pointers[level]
            node = reader.read_checked(place, size + 4, "a node of a B-tree")
            if node[:4] != (b"BTIN" if level else b"BTLF") or node[5] != kind:
                raise BrokenFileError(f"no node of a B-tree is at byte {reader.base + place:,}")
            yield nbytes, [node[6 + i * nbytes : 6 + (i + 1) * nbytes] for i in range(used)]
            for child in range(used + 1) if level else ():
                start = 6 + used * nbytes + child * pointers[level]
                following.append((unsigned(node, start, 8), unsigned(node, start + 8, width)))
        pending = following


def _capacities(node_nbytes: int, nbytes: int, depth: int) -> tuple[list[int], list[int], int]:
    """By level: the most records of a node, and the bytes of a pointer to a child; last, the bytes of a node's own count.

    The counts of what a node, and all nodes below it, can have take as few bytes as possible.
    """
    most, pointers = [(node_nbytes - 10) // nbytes], [0]
    below, width = most[0], _width(most[0])
    for level in range(1, depth + 1):
        pointers.append(8 + width + (_width(below) if level > 1 else 0))
        most.append((node_nbytes - 10 - pointers[level]) // (nbytes + pointers[level]))
        below = (most[level] + 1) * below + most[level]
    return most, pointers, width


def _width(number: int) -> int:
    return max(1, (number.bit_length() + 7) // 8)
