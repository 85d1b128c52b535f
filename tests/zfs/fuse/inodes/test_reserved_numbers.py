"""Inode numbers by arithmetic."""

from __future__ import annotations

import pytest

from zarrfs.fuse.inodes.reserved_numbers import FIRST_RESERVED, ReservedNumbers, StaleNumberError
from zarrfs.trees.entry import Entry, Numbering
from zarrfs.trees.root import NamedTrees


class Many(Numbering):
    """A numbering whose entries contain their place."""

    def __init__(self, key: str, count: int) -> None:
        self.key = key
        self.count = count

    def entry(self, place: int) -> Entry:
        return NamedTrees({}, float(place))


def test_each_numbering_has_a_range_until_the_kernel_forgets_its_numbers() -> None:
    numbers = ReservedNumbers()
    assert numbers.start(Many("a", 10), 0.0) == FIRST_RESERVED
    assert numbers.start(Many("b", 5), 0.0) == FIRST_RESERVED + 10
    assert numbers.start(Many("a", 10), 0.0) == FIRST_RESERVED, "equal keys share a range"
    assert numbers.entry(FIRST_RESERVED + 12).mtime_s == 2.0
    numbers.count(FIRST_RESERVED + 3, 2)
    numbers.count(FIRST_RESERVED + 4, -2)
    with pytest.raises(StaleNumberError, match="no inode"):
        numbers.entry(FIRST_RESERVED + 3)
    assert numbers.entry(FIRST_RESERVED + 10).mtime_s == 0.0
    assert numbers.start(Many("a", 10), 0.0) == FIRST_RESERVED + 15, "a number is never used again"


def test_numbers_outside_all_ranges_are_stale_and_ranges_are_limited() -> None:
    numbers = ReservedNumbers()
    assert numbers.start(Many("all", 1 << 63), 0.0) is None
    numbers.start(Many("a", 10), 0.0)
    for number in (FIRST_RESERVED - 1, FIRST_RESERVED + 10):
        with pytest.raises(StaleNumberError):
            numbers.entry(number)


def test_numbers_are_positive_for_programs_that_take_them_for_signed() -> None:
    numbers = ReservedNumbers()
    assert numbers.start(Many("rest", (1 << 63) - FIRST_RESERVED), 0.0) == FIRST_RESERVED
    assert numbers.entry((1 << 63) - 1)
    assert numbers.start(Many("one more", 1), 0.0) is None
