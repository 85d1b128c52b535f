"""Inode numbers: counted, computed, forgotten."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrfs.fuse.inodes.inode_table import ROOT, InodeTable
from zarrfs.fuse.inodes.reserved_numbers import StaleNumberError
from zarrfs.trees.entry import Content, Directory, Entry, File, Numbering, OpenFile


class Folder(Directory):
    mtime_s = None

    def lookup(self, name: str, wait: bool) -> Entry | None:
        return None

    def entries(self) -> Iterator[tuple[str, Entry]]:
        return iter(())


class Many(Numbering):
    def __init__(self, key: str, count: int) -> None:
        self.key = key
        self.count = count

    def entry(self, place: int) -> Entry:
        return OneOfMany(self, place)


class OneOfMany(Folder):
    def __init__(self, numbering: Many, place: int) -> None:
        self._numbered = (numbering, place)

    @property
    def numbered(self) -> tuple[Numbering, int]:
        return self._numbered


def looked_up(table: InodeTable, parent: int, name: str, entry: Entry) -> int:
    number = table.assign(parent, name, entry, 0.0)
    table.count(number)
    return number


def test_a_name_keeps_its_number_until_it_is_forgotten() -> None:
    table = InodeTable(Folder())
    first = looked_up(table, ROOT, "a", Folder())
    again = Folder()
    assert looked_up(table, ROOT, "a", again) == first
    assert table.entry(first) is again
    table.forget(first, 1)
    assert table.entry(first) is again
    table.forget(first, 1)
    with pytest.raises(StaleNumberError):
        table.entry(first)
    assert len(table) == 1


def test_numbers_not_reported_to_the_kernel_are_dropped() -> None:
    table = InodeTable(Folder())
    table.drop_uncounted(table.assign(ROOT, "a", Folder(), 0.0))
    assert len(table) == 1
    number = looked_up(table, ROOT, "a", Folder())
    table.drop_uncounted(table.assign(ROOT, "a", Folder(), 0.0))
    assert table.entry(number)


def test_computed_numbers_take_no_memory_and_are_released() -> None:
    table = InodeTable(Folder())
    many = Many("m", 10**9)
    number = looked_up(table, 7, "5", many.entry(5))
    other = looked_up(table, 7, "999999999", many.entry(10**9 - 1))
    assert other - number == 10**9 - 6
    assert len(table) == 1
    entry = table.entry(other)
    assert isinstance(entry, OneOfMany)
    assert entry.numbered[1] == 10**9 - 1
    assert looked_up(table, 7, "5", Many("m", 10**9).entry(5)) == number
    table.forget(number, 2)
    table.forget(other, 1)
    with pytest.raises(StaleNumberError):
        table.entry(number)


def test_numbers_of_too_large_a_numbering_are_remembered() -> None:
    table = InodeTable(Folder())
    number = looked_up(table, ROOT, "5", Many("m", 2**64).entry(5))
    assert len(table) == 2
    table.forget(number, 1)
    assert len(table) == 1


def test_the_oldest_unused_names_are_offered_for_forgetting() -> None:
    table = InodeTable(Folder())
    numbers = []
    for index in range(10):
        numbers.append(table.assign(ROOT, str(index), Folder(), 0.0))
        table.count(numbers[-1], listed=True)
    table.touch(numbers[0])
    looked_up(table, ROOT, "1", Folder())
    assert list(table.only_listed(keep=3)) == [(ROOT, str(index)) for index in range(2, 7)]
    assert list(table.only_listed(keep=3)) == []


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.booleans()), max_size=60))
def test_no_record_outlives_its_lookups(steps: list[tuple[str, bool]]) -> None:
    table = InodeTable(Folder())
    told: dict[str, list[int]] = {}
    for name, forget in steps:
        numbers = told.setdefault(name, [])
        if forget and numbers:
            table.forget(numbers.pop(), 1)
        elif not forget:
            numbers.append(looked_up(table, ROOT, name, Folder()))
            assert len(set(numbers)) == 1
    assert len(table) == 1 + sum(bool(numbers) for numbers in told.values())
    assert sorted(name for name, _ in table.children(ROOT)) == sorted(name for name in told if told[name])


class Version(File):
    mtime_s = None
    size = 1

    def __init__(self, version: str) -> None:
        self._version = version

    @property
    def version(self) -> str:
        return self._version

    def open(self, wait: bool) -> OpenFile:
        return Content(b"x")


def test_another_version_gets_another_number_while_the_old_is_open() -> None:
    table = InodeTable(Folder())
    number = looked_up(table, ROOT, "a", Version("1"))
    assert looked_up(table, ROOT, "a", Version("2")) == number
    assert table.open(number, "2")
    assert table.open(number, "2")
    assert not table.open(number, "3")
    other = looked_up(table, ROOT, "a", Version("3"))
    assert other != number
    assert looked_up(table, ROOT, "a", Version("3")) == other
    table.close(number)
    table.close(number)
    table.forget(number, 2)
    assert looked_up(table, ROOT, "a", Version("4")) == other


def test_entries_in_use_are_listed_from_the_bottom_up() -> None:
    table = InodeTable(Folder())
    one = looked_up(table, ROOT, "a", Folder())
    two = looked_up(table, one, "b", Folder())
    files = [looked_up(table, two, name, Version(None)) for name in "cde"]
    looked_up(table, one, "unused", Folder())
    assert table.in_use() == []
    for number in files[:2]:
        assert table.open(number, None)
    assert table.in_use() == [(two, "c"), (two, "d"), (one, "b")]
    table.close(files[0])
    assert table.in_use() == [(two, "d"), (one, "b")]
