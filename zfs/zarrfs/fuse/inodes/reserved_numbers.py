"""Inode numbers by arithmetic: a range for each numbering, so that a million names need no memory."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final

from zarrfs.trees.entry import Entry, Numbering

FIRST_RESERVED: Final = 1 << 40
_END: Final = 1 << 63


class StaleNumberError(Exception):
    """A number without an entry."""


@dataclass(slots=True)
class _Reserved:
    """A range of numbers."""

    start: int
    numbering: Numbering
    taken_s: float
    """When the oldest answer that its numbering was made from was requested."""
    lookups: int = 0


class ReservedNumbers:
    """The ranges from `FIRST_RESERVED` on. A range is kept as long as the kernel knows one of its numbers."""

    def __init__(self) -> None:
        self._by_key: dict[Hashable, _Reserved] = {}
        self._starts: list[int] = []
        self._ranges: list[_Reserved] = []
        self._next = FIRST_RESERVED

    def start(self, numbering: Numbering, taken_s: float) -> int | None:
        """The start of the range of a numbering requested at ``taken_s``; None if there are not enough numbers left."""
        reserved = self._by_key.get(numbering.key)
        if reserved is not None:
            reserved.numbering, reserved.taken_s = numbering, taken_s
            return reserved.start
        if self._next + numbering.count > _END:
            return None
        reserved = _Reserved(self._next, numbering, taken_s)
        self._next += numbering.count
        self._by_key[numbering.key] = reserved
        self._starts.append(reserved.start)
        self._ranges.append(reserved)
        return reserved.start

    def entry(self, number: int) -> Entry:
        """The entry of a number.

        Raises:
            StaleNumberError: the number has none.
        """
        found = self._range(number)
        return found.numbering.entry(number - found.start)

    def taken_s(self, number: int) -> float:
        """When the entry of a number was requested.

        Raises:
            StaleNumberError: the number has no entry.
        """
        return self._range(number).taken_s

    def count(self, number: int, lookups: int) -> None:
        """Add references of the kernel to a number, or subtract them. A range without references is freed.

        Raises:
            StaleNumberError: the number has no entry.
        """
        found = self._range(number)
        found.lookups += lookups
        if found.lookups <= 0:
            index = bisect_right(self._starts, found.start) - 1
            del self._starts[index], self._ranges[index], self._by_key[found.numbering.key]

    def _range(self, number: int) -> _Reserved:
        index = bisect_right(self._starts, number) - 1
        if index < 0 or number - self._starts[index] >= self._ranges[index].numbering.count:
            raise StaleNumberError(f"no inode {number}")
        return self._ranges[index]
