"""Inode numbers: counted, computed, forgotten."""

from __future__ import annotations

from collections.abc import Iterator

import pyfuse3
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrfs.fuse.inodes.inode_table import ROOT, InodeTable
from zarrfs.fuse.inodes.reserved_numbers import FIRST_RESERVED, StaleNumberError
from zarrfs.trees.caching import CHANGING, DEFAULT, UNCACHED, Caching
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

    def entry(self, place: int) -> OneOfMany:
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


def test_the_first_computed_number_is_like_the_others() -> None:
    table = InodeTable(Folder())
    many = Many("m", 3)
    first = looked_up(table, ROOT, "0", many.entry(0))
    assert first == FIRST_RESERVED
    table.drop_uncounted(first)
    assert table.entry(first), "the kernel knows it"
    assert not table.remembers(first)
    assert table.remembers(ROOT)
    told = many.entry(0)
    assert table.told(first, told) is told
    assert isinstance(table.entry(first), OneOfMany)
    table.drop_uncounted(table.assign(ROOT, "1", many.entry(1), 0.0))
    assert isinstance(table.entry(first), OneOfMany)
    table.forget(first, 1)
    with pytest.raises(StaleNumberError):
        table.entry(first)
    unreported = table.assign(ROOT, "0", many.entry(0), 0.0)
    table.drop_uncounted(unreported)
    with pytest.raises(StaleNumberError):
        table.entry(unreported)


def test_the_first_computed_number_is_released_if_it_is_not_reported() -> None:
    table = InodeTable(Folder())
    number = table.assign(ROOT, "0", Many("m", 3).entry(0), 0.0)
    table.drop_uncounted(number)
    with pytest.raises(StaleNumberError):
        table.entry(number)


def test_numbers_of_too_large_a_numbering_are_remembered() -> None:
    table = InodeTable(Folder())
    number = looked_up(table, ROOT, "5", Many("m", 2**64).entry(5))
    assert len(table) == 2
    table.forget(number, 1)
    assert len(table) == 1


def test_numbers_are_not_used_again_and_the_root_keeps_its_own() -> None:
    table = InodeTable(Folder())
    root = table.entry(pyfuse3.ROOT_INODE)
    first, second = (looked_up(table, ROOT, name, Folder()) for name in "ab")
    assert len({0, ROOT, first, second}) == 4
    table.forget(second, 1)
    assert looked_up(table, ROOT, "b", Folder()) not in {0, ROOT, first, second}
    table.forget(ROOT, 1)
    assert table.entry(ROOT) is root


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

    def __init__(
        self,
        version: str | None,
        size: int = 1,
        caching: Caching = DEFAULT,
        is_sized: bool = True,
        written_as: str | None = None,
    ) -> None:
        self._version = version
        self.size = size
        self.caching = caching
        self.is_sized = is_sized
        self._written_as = written_as

    @property
    def version(self) -> str | None:
        return self._version

    @property
    def written_as(self) -> str | None:
        return self._written_as

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


def test_a_file_in_place_of_a_directory_gets_another_number() -> None:
    table = InodeTable(Folder())
    folder = looked_up(table, ROOT, "a", Folder())
    file = looked_up(table, ROOT, "a", Version(None))
    assert file != folder
    assert looked_up(table, ROOT, "a", Folder()) not in {file, folder}


def test_a_file_of_another_size_gets_another_number_since_the_kernel_keeps_the_first_size() -> None:
    table = InodeTable(Folder())

    def number(size: int, caching: Caching = DEFAULT, is_sized: bool = True) -> int:
        return looked_up(table, ROOT, "a", Version(None, size, caching, is_sized))

    first = number(1)
    longer = number(2)
    assert longer != first
    assert number(2) == longer
    assert number(3, is_sized=False) == longer, "the size is not known yet"
    assert number(4) == longer
    assert number(5, UNCACHED) == longer, "the kernel does not keep its bytes"
    table.resized(longer)
    assert table.is_expired(longer)
    assert number(6) == longer, "the kernel has changed the size itself"
    assert not table.is_expired(longer)
    assert number(7) not in {first, longer}


class Follower(Folder):
    """A directory that remembers what the kernel knew of it."""

    def __init__(self, known: Entry | None = None) -> None:
        self.known = known

    def after(self, known: Entry) -> Entry:
        return Follower(known)


def test_the_kernel_is_told_what_follows_from_what_it_knows() -> None:
    table = InodeTable(Folder())
    known = Folder()
    number = looked_up(table, ROOT, "a", known)
    told = table.told(number, Follower())
    assert isinstance(told, Follower)
    assert told.known is known
    assert looked_up(table, ROOT, "a", Follower()) == number
    kept = table.entry(number)
    assert isinstance(kept, Follower)
    assert kept.known is known


def test_a_lookup_renews_the_time_of_an_entry() -> None:
    table = InodeTable(Folder())
    number = table.assign(ROOT, "a", Folder(), 5.0)
    assert table.inode(number).taken_s == 5.0
    assert table.assign(ROOT, "a", Folder(), 6.0) == number
    assert table.inode(number).taken_s == 6.0
    table.expire(number)
    assert table.is_expired(number)
    assert table.assign(ROOT, "a", Folder(), 7.0) == number
    assert not table.is_expired(number)
    table.expire(99)
    assert not table.is_expired(99)


def test_lookups_of_a_file_that_a_mount_is_writing_get_numbers_of_their_own() -> None:
    table = InodeTable(Folder())
    number = looked_up(table, ROOT, "a", Version(None))
    assert looked_up(table, ROOT, "a", Version(None, caching=CHANGING)) == number
    table.is_changed_here = True
    assert looked_up(table, ROOT, "a", Version(None)) == number
    assert looked_up(table, ROOT, "a", Version(None, caching=CHANGING)) != number


def test_a_file_is_open_until_its_last_handle_is_closed() -> None:
    table = InodeTable(Folder())
    folder = looked_up(table, ROOT, "d", Folder())
    number = looked_up(table, folder, "a", Version("1"))
    assert not table.is_open(folder, "a")
    assert table.open(number, "1")
    assert table.open(number, None)
    for parent, name in ((ROOT, "d"), (folder, "b"), (number, "a"), (99, "a")):
        assert not table.is_open(parent, name)
    table.close(number)
    assert table.is_open(folder, "a")
    assert table.open(number, "1"), "a handle without a version does not change the one that is open"
    assert table.open(number, None)
    assert not table.open(number, "2")
    assert not table.is_open(folder, "a"), "the name leads to another file"
    assert table.open(99, "1")
    table.close(99)


def test_the_first_handle_decides_which_version_is_open() -> None:
    table = InodeTable(Folder())
    number = looked_up(table, ROOT, "a", Version("1"))
    assert table.open(number, "1")
    assert table.open(number, "1")
    table.close(number)
    assert not table.open(number, "2")
    table.close(number)
    assert table.open(number, None)
    assert not table.open(number, "1"), "the open handle may have another version"
    assert table.is_expired(number)


def test_a_file_being_written_is_shown_under_its_number_until_it_is_closed() -> None:
    table = InodeTable(Folder())
    folder = looked_up(table, ROOT, "d", Folder())
    number = looked_up(table, folder, "a", Version("1"))
    assert table.open(number, "w")
    shown = Version("w", size=5)
    table.show(number, shown)
    assert table.entry(number) is shown
    assert looked_up(table, folder, "a", Version("w", size=6)) == number
    assert looked_up(table, folder, "moved", Version("w")) == number, "the version counts, not the name"
    assert looked_up(table, folder, "a", Version(None, size=5)) == number
    assert table.entry(number) is shown, "whatever its name leads to"
    stored = looked_up(table, folder, "b", Version("1", written_as="w"))
    assert table.written_as(stored) == number
    assert table.written_as(number) == number
    assert not table.leave_to_readers(number), "its writers must keep the name"
    assert not table.open(number, "2")
    assert not table.is_expired(number)
    assert table.open(number, "w")
    table.close(number)
    assert table.inode(number).is_shown
    table.close(number)
    assert not table.inode(number).is_shown
    assert table.is_expired(number)
    assert table.written_as(stored) == stored
    assert looked_up(table, folder, "c", Version("w")) != number


def test_a_file_that_was_resized_while_it_was_written_takes_no_other_size_later() -> None:
    table = InodeTable(Folder())
    number = looked_up(table, ROOT, "a", Version("1"))
    assert table.open(number, "w")
    table.show(number, Version("w", size=5))
    table.resized(number)
    table.close(number)
    assert looked_up(table, ROOT, "a", Version(None, size=6)) != number


def test_a_name_can_leave_the_file_that_its_readers_hold() -> None:
    table = InodeTable(Folder())
    number = looked_up(table, ROOT, "a", Version("1"))
    assert not table.leave_to_readers(number)
    assert not table.leave_name(number)
    assert not table.leave_to_readers(99)
    assert not table.leave_name(99)
    assert looked_up(table, ROOT, "a", Version("1")) == number
    assert table.open(number, None)
    assert not table.leave_to_readers(number), "no version tells the readers' file from another one"
    table.close(number)
    assert table.open(number, "1")
    assert table.leave_to_readers(number)
    other = looked_up(table, ROOT, "a", Version("1"))
    assert other != number
    assert table.open(other, None)
    assert table.leave_name(other)
    assert looked_up(table, ROOT, "a", Version("1")) not in {number, other}


def test_removed_names_leave_their_numbers_valid() -> None:
    table = InodeTable(Folder())
    first = looked_up(table, ROOT, "a", Version("1"))
    second = looked_up(table, ROOT, "b", Version("1"))
    table.removed(ROOT, "a")
    table.removed(ROOT, "unknown")
    table.removed(99, "a")
    assert table.children(ROOT) == [("b", second)]
    assert table.entry(first)
    assert looked_up(table, ROOT, "a", Version("1")) != first
    assert table.children(first) == []


def test_renamed_entries_keep_their_numbers_and_have_new_paths() -> None:
    table = InodeTable(Folder())
    old, new = (looked_up(table, ROOT, name, Folder()) for name in ("old", "new"))
    number = looked_up(table, old, "a", Folder())
    below = looked_up(table, number, "x", Version("1"))
    replaced = looked_up(table, new, "b", Folder())
    assert (table.path(below), table.path(ROOT), table.path(99)) == ("old/a/x", "", "")
    table.moved(old, "a", new, "b")
    assert table.path(below) == "new/b/x"
    assert (table.children(old), table.children(new)) == ([], [("b", number)])
    assert table.is_expired(number)
    assert looked_up(table, new, "b", Folder()) == number
    table.forget(replaced, 1)
    assert table.children(new) == [("b", number)]
    table.moved(old, "unknown", new, "b")
    table.moved(99, "unknown", new, "c")
    assert table.children(new) == []
    table.moved(ROOT, "new", 99, "elsewhere")
    assert table.children(ROOT) == [("old", old)]
