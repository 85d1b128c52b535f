"""Object and region references, as the paths that they lead to.

HDF5 File Format Specification, "Class specific information for the Reference class (Class 7)", "Global Heap". A reference is the
address of an object, and an object may have many paths, or none: the shortest one is shown.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any, Final

from zarrcore.stores.hdf5.datatype import Datatype
from zarrcore.stores.hdf5.elements import UnshownError
from zarrcore.stores.hdf5.elsewhere.selection import Line, Steps, parse_selection
from zarrcore.stores.virtual.file_reader import UNDEFINED, unsigned

OBJECT: Final = 0
REGION: Final = 1
_MOST_OBJECTS: Final = 1 << 20
"""The objects that are looked at to find one."""


class References:
    """The references of a file. Thread-safe.

    Args:
        file: the `Hdf5File`, which has them.
    """

    def __init__(self, file: Any) -> None:
        self._file = file
        self._paths: dict[int, str] = {}
        self._search: Iterator[tuple[int, str]] | None = None
        self._lock = threading.Lock()

    def text(self, kind: Datatype, data: bytes) -> str:
        """The path of the object that a reference leads to, with the selection of a region; "" for a null reference.

        Raises:
            BrokenFileError: its region is broken.
            StoreError: the store failed.
        """
        address = unsigned(data, 0, 8)
        if address in (0, UNDEFINED):
            return ""
        if kind.bits & 15 == OBJECT:
            return self._path(address)
        region = self._file.heaps.object(address, unsigned(data, 8, 4))
        return self._path(unsigned(region, 0, 8)) + _selected(region)

    def _path(self, address: int) -> str:
        with self._lock:
            if self._search is None:
                self._search = self._objects()
            while address not in self._paths:
                found = next(self._search, None)
                if found is None:
                    return f"an object without a path, at byte {self._file.reader.base + address:,}"
                self._paths.setdefault(*found)
            return self._paths[address]

    def _objects(self) -> Iterator[tuple[int, str]]:
        """The addresses of the objects of this file, and their paths, from the root downwards."""
        root = self._file.root_address
        yield root, "/"
        groups, seen = [(root, "")], {root}
        while groups:
            below: list[tuple[int, str]] = []
            for address, path in groups:
                try:
                    links = self._file.node(address).links
                except (ValueError, LookupError):
                    continue  # a broken group hides what only it leads to
                for name, link in links.items():
                    if link.address is None or link.address in seen or len(seen) >= _MOST_OBJECTS:
                        continue
                    seen.add(link.address)
                    below.append((link.address, f"{path}/{name}"))
            yield from below
            groups = below


def _selected(region: bytes) -> str:
    """The selection of a region, as an index of Python; ``[…]`` for one that slices cannot express."""
    try:
        lines, _ = parse_selection(region, 8)
    except UnshownError:
        return "[…]"
    if lines is None:
        return "[...]"
    slices = [_slice(line) for line in lines]
    return "[…]" if None in slices else f"[{','.join(map(str, slices))}]"


def _slice(line: Line) -> str | None:
    if not isinstance(line, Steps) or line.is_unlimited:
        return None
    if line.count == 1 or line.block == line.stride:
        return f"{line.start}:{line.start + line.count * line.block}"
    if line.block > 1:
        return None
    return f"{line.start}:{line.start + (line.count - 1) * line.stride + 1}:{line.stride}"
