"""Names that were only listed: few bytes each, and the same numbers as ever."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Iterable

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.zfs.fuse.inodes.test_inode_table import Folder, Follower, Version, looked_up
from zarrfs.fuse.inodes import block, inode_table, listed_names, listed_numbers
from zarrfs.fuse.inodes.block import BLOCK
from zarrfs.fuse.inodes.inode_table import ROOT, InodeTable
from zarrfs.fuse.inodes.listed_names import Cursor
from zarrfs.fuse.inodes.reserved_numbers import StaleNumberError
from zarrfs.trees.caching import CHANGING
from zarrfs.trees.entry import Entry

MANY = [f"{number}" for number in range(3 * BLOCK + 7)]


def listed(
    table: InodeTable, names: Iterable[str], parent: int = ROOT, taken_s: float = 0.0, size: int = 1
) -> list[int]:
    """The numbers of files in the order of a listing."""
    cursor, numbers = Cursor(parent), []
    for name in names:
        number, _ = table.assign_listed(cursor, name, Version("1", size), taken_s)
        table.count(number)
        numbers.append(number)
    return numbers


def test_a_listed_name_takes_few_bytes_also_with_an_index(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = 20_000
    monkeypatch.setattr("zarrfs.fuse.inodes.listed_numbers.ENTRIES_MAX", kept)
    table = InodeTable(Folder())
    names = (f"{number}" for number in range(10**9))
    cursor = Cursor(ROOT)

    def list_some(count: int) -> None:
        for _ in range(count):
            table.count(table.assign_listed(cursor, next(names), Version("1"), 0.0)[0])

    list_some(kept)  # the newest keep their entries
    tracemalloc.start()
    try:
        list_some(kept)
        assert tracemalloc.get_traced_memory()[0] / kept < 300
        before = tracemalloc.get_traced_memory()[0]
        list_some(kept)
        assert (tracemalloc.get_traced_memory()[0] - before) / kept < 50
        before = tracemalloc.get_traced_memory()[0]
        assert looked_up(table, ROOT, "5", Version("1"))
        assert (tracemalloc.get_traced_memory()[0] - before) / (3 * kept) < 10
    finally:
        tracemalloc.stop()


def test_a_second_listing_gives_the_same_numbers_in_any_order() -> None:
    table = InodeTable(Folder())
    numbers = listed(table, MANY)
    assert len(set(numbers)) == len(MANY)
    assert listed(table, MANY) == numbers
    assert listed(table, reversed(MANY)) == numbers[::-1]
    assert listed(table, MANY[300:]) == numbers[300:]
    longer = listed(table, ["new", *MANY[:9], "newer", *MANY[10:]])
    assert longer[1:10] + longer[11:] == numbers[:9] + numbers[10:]
    assert listed(table, ["new", *MANY[:9], "newer", *MANY[10:]]) == longer
    assert len({*longer, *numbers}) == len(MANY) + 2
    assert len(table) == 1 + len(MANY) + 2


def test_two_listings_at_the_same_time_give_the_same_numbers() -> None:
    table = InodeTable(Folder())
    cursors, numbers = [Cursor(ROOT), Cursor(ROOT)], dict[str, int]()
    for which, start in (
        (0, 0),
        (1, 0),
        (0, 50),
        (1, 50),
        (1, 100),
        (0, 100),
        (0, 150),
        (1, 150),
        (1, 200),
        (0, 200),
    ):
        for name in MANY[start : start + 50]:
            number, _ = table.assign_listed(cursors[which], name, Version("1"), 0.0)
            table.count(number)
            assert numbers.setdefault(name, number) == number
    assert len(table) == 1 + len(numbers) == 251


def test_many_new_names_are_found_among_many_listed_ones() -> None:
    table = InodeTable(Folder())
    numbers = listed(table, MANY)
    news = [f"new {number}" for number in range(5000)]
    again = listed(table, [*news, *MANY])
    assert again[5000:] == numbers
    assert listed(table, [*MANY, *reversed(news)]) == [*numbers, *again[4999::-1]]
    assert len(table) == 1 + len(MANY) + len(news)


def test_a_listed_name_that_is_used_keeps_number_entry_and_age() -> None:
    table = InodeTable(Folder())
    numbers = listed(table, MANY, taken_s=5.0)
    assert table.inode(numbers[1]).taken_s == 5.0
    assert table.entry(numbers[1]).version == "1"
    assert looked_up(table, ROOT, MANY[2], Version("2")) == numbers[2]
    assert listed(table, MANY, taken_s=6.0) == numbers
    assert (table.inode(numbers[1]).lookups, table.inode(numbers[2]).lookups) == (2, 3)
    assert table.inode(numbers[3]).taken_s == 6.0
    assert sorted(table.children(ROOT)) == sorted(zip(MANY, numbers, strict=True))


def test_of_old_names_the_kind_and_size_are_kept_and_they_must_be_looked_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listed_numbers, "ENTRIES_MAX", 2 * BLOCK)
    table = InodeTable(Folder())
    folder, _ = table.assign_listed(Cursor(ROOT), "folder", Folder(), 5.0)
    table.count(folder)
    numbers = listed(table, MANY, taken_s=5.0, size=7)
    assert (table.entry(folder).kind, table.entry(folder).mtime_s) == (Folder().kind, None)
    old, new = table.inode(numbers[0]), table.inode(numbers[-1])
    assert (old.entry.size, old.entry.kind, old.entry.is_writable) == (7, Version("1").kind, False)
    assert table.is_expired(numbers[0])
    assert not table.is_expired(numbers[-1])
    assert not table.is_expired(numbers[2 * BLOCK])
    assert new.taken_s == 5.0
    assert looked_up(table, ROOT, MANY[1], Version("1", 7)) == numbers[1]
    assert looked_up(table, ROOT, MANY[2], Version("1", 8)) != numbers[2]
    assert table.is_expired(numbers[3])
    assert listed(table, MANY[4:6], taken_s=6.0, size=7) == numbers[4:6]
    assert not table.is_expired(numbers[4])
    assert table.is_expired(numbers[6])


def test_a_file_of_another_size_is_listed_under_another_number() -> None:
    table = InodeTable(Folder())
    numbers = listed(table, MANY, size=1)
    others = listed(table, MANY, size=2)
    assert not {*numbers} & {*others}
    assert listed(table, MANY, size=2) == others
    for number in numbers:
        table.forget(number, 1)
    assert len(table) == 1 + len(MANY)
    assert listed(table, MANY, size=2) == others
    with pytest.raises(StaleNumberError):
        table.entry(numbers[0])


def test_a_listing_tells_the_kernel_what_follows_from_what_it_knows() -> None:
    table = InodeTable(Folder())
    for known in range(2):
        number, told = table.assign_listed(Cursor(ROOT), "a", Version("1", 5, is_sized=not known), 0.0)
        assert (told.size, told.is_sized) == (5, not known)
        table.count(number)
    _, told = table.assign_listed(Cursor(ROOT), "a", Version("1", 6, is_sized=False), 0.0)
    assert told.size == 6
    table.count(table.assign_listed(Cursor(ROOT), "d", Folder(), 0.0)[0])
    looked_up(table, ROOT, "d", Folder())
    _, followed = table.assign_listed(Cursor(ROOT), "d", Follower(), 0.0)
    assert isinstance(followed, Follower)
    assert isinstance(followed.known, Folder)


def test_a_name_listed_very_often_is_counted_exactly() -> None:
    table = InodeTable(Folder())
    numbers = {number for _ in range(600) for number in listed(table, ["a"])}
    (number,) = numbers
    table.forget(number, 599)
    assert table.entry(number)
    table.forget(number, 1)
    assert len(table) == 1


def test_forgotten_names_leave_nothing_and_the_listing_continues() -> None:
    table = InodeTable(Folder())
    numbers = listed(table, MANY)
    for number in numbers[1:]:
        table.forget(number, 1)
    assert (len(table), table.children(ROOT)) == (2, [(MANY[0], numbers[0])])
    assert listed(table, MANY)[0] == numbers[0]
    for number in {number for _, number in table.children(ROOT)}:
        table.forget(number, 2 if number == numbers[0] else 1)
    assert len(table) == 1
    for number in (numbers[0], numbers[-1]):
        with pytest.raises(StaleNumberError):
            table.forget(number, 1)
    assert table.only_listed(0) == []


def test_a_listing_goes_on_after_the_names_where_it_is_were_forgotten() -> None:
    table = InodeTable(Folder())
    numbers = listed(table, MANY)
    cursor = Cursor(ROOT)
    table.count(table.assign_listed(cursor, MANY[0], Version("1"), 0.0)[0])
    for number in numbers:
        table.forget(number, 1 + (number == numbers[0]))
    listed(table, ["other"])
    for name in MANY[1:]:
        number = table.assign_listed(cursor, name, Version("1"), 0.0)[0]
        assert number not in numbers
        table.count(number)
    assert len(table) == len(MANY) + 1


def test_a_name_that_did_not_fit_into_the_reply_leaves_nothing() -> None:
    table = InodeTable(Folder())
    cursor = Cursor(ROOT)
    first = table.assign_listed(cursor, "a", Version("1"), 0.0)[0]
    table.drop_uncounted(first)
    assert (len(table), table.children(ROOT), table.only_listed(0)) == (1, [], [])
    for name in MANY:
        table.drop_uncounted(table.assign_listed(cursor, name, Version("1"), 0.0)[0])
        table.count(table.assign_listed(cursor, name, Version("1"), 0.0)[0])
    numbers = [number for _, number in table.children(ROOT)]
    assert len(set(numbers)) == len(MANY)
    assert numbers[BLOCK - 1] - numbers[0] == BLOCK - 1, "the name that did not fit got the number"
    table.drop_uncounted(numbers[0])
    assert listed(table, MANY) == numbers


def test_the_oldest_names_beyond_a_memory_are_offered_for_forgetting_once() -> None:
    table = InodeTable(Folder())
    listed(table, MANY)
    folder = looked_up(table, ROOT, "folder", Folder())
    listed(table, MANY[: BLOCK + 1], folder)
    listed(table, MANY[:BLOCK], taken_s=1.0)  # the oldest are now the newest
    looked_up(table, ROOT, MANY[BLOCK], Version("1"))
    offered = table.only_listed(19_000)
    assert offered == [(ROOT, name) for name in MANY[BLOCK + 1 : 3 * BLOCK]]
    rest = table.only_listed(0)
    assert sorted({*offered, *rest}) == sorted([*offered, *rest])
    assert len(offered) + len(rest) == len(MANY) - 1 + BLOCK + 1
    assert rest[-BLOCK:] == [(ROOT, name) for name in MANY[:BLOCK]]
    listed(table, MANY[:3])
    assert len(table.only_listed(0)) == BLOCK, "it was listed again"


def test_removed_and_renamed_names_leave_their_numbers() -> None:
    table = InodeTable(Folder())
    numbers = listed(table, MANY)
    table.removed(ROOT, MANY[0])
    table.moved(ROOT, MANY[1], ROOT, "new name")
    table.moved(ROOT, MANY[2], ROOT, MANY[3])
    again = listed(table, [MANY[0], MANY[1], "new name", *MANY[3:]])
    assert again[2:4] == [numbers[1], numbers[2]]
    assert again[4:] == numbers[4:]
    assert not {*again[:2]} & {*numbers}
    assert table.path(numbers[1]) == "new name"
    table.forget(numbers[0], 1)
    table.forget(numbers[1], 2)
    assert listed(table, [MANY[0], MANY[1]]) == again[:2]
    assert listed(table, ["new name"])[0] not in numbers


def test_a_name_is_not_listed_under_the_number_that_another_one_took_away() -> None:
    table = InodeTable(Folder())
    numbers = listed(table, MANY)
    table.moved(ROOT, MANY[0], ROOT, "new name")
    again = listed(table, MANY)
    assert again[0] not in numbers
    table.forget(numbers[0], 1)
    assert listed(table, MANY) == again


def test_files_being_written_and_sizes_beyond_all_get_records() -> None:
    table = InodeTable(Folder())
    table.is_changed_here = True
    cursor = Cursor(ROOT)
    (number,) = listed(table, ["a"])
    assert table.assign_listed(cursor, "a", Version("1", caching=CHANGING), 0.0)[0] != number
    assert table.open(number, "w")
    table.show(number, Version("w", size=5))
    assert table.assign_listed(cursor, "moved", Version("w"), 0.0)[0] == number
    huge, told = table.assign_listed(cursor, "huge", Version("1", size=(1 << 63) - 1), 0.0)
    assert table.inode(huge).entry is told


class Kernel(RuleBasedStateMachine):
    """A kernel that counts its references, and checks each number that it is given."""

    names = st.sampled_from("abcdefgh")
    sizes = st.sampled_from([None, 1, 1, 1, 2])

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        for module in (block, inode_table, listed_numbers):
            self.patch.setattr(module, "BLOCK", 4)
            self.patch.setattr(module, "IN_USE", 4)
        self.patch.setattr(listed_numbers, "ENTRIES_MAX", 6)
        self.patch.setattr(listed_names, "_RECENT_MIN", 2)
        self.table = InodeTable(Folder())
        self.references: dict[int, int] = {}
        self.known: dict[int, int | None] = {}
        self.numbers: dict[str, int] = {}
        self.cursors = [Cursor(ROOT), Cursor(ROOT)]
        self.passed: list[set[str]] = [set(), set()]
        self.time_s = 0.0

    def teardown(self) -> None:
        self.patch.undo()

    def entry(self, size: int | None) -> Entry:
        return Folder() if size is None else Version("1", size)

    def received(self, name: str, size: int | None, number: int) -> None:
        before = self.numbers.get(name)
        if before is not None and self.known[before] == size:
            assert number == before
        else:
            assert number not in self.references
        self.numbers[name] = number
        self.known[number] = size
        self.references[number] = self.references.get(number, 0) + 1

    @rule(name=names, size=sizes)
    def look_up(self, name: str, size: int | None) -> None:
        self.received(name, size, looked_up(self.table, ROOT, name, self.entry(size)))

    @rule(
        listing=st.lists(st.tuples(names, sizes, st.booleans()), unique_by=lambda item: item[0]),
        which=st.integers(0, 1),
        is_new=st.booleans(),
        is_later=st.booleans(),
    )
    def list_names(
        self, listing: list[tuple[str, int | None, bool]], which: int, is_new: bool, is_later: bool
    ) -> None:
        self.time_s += is_later
        if is_new:
            self.cursors[which], self.passed[which] = Cursor(ROOT), set()
        for name, size, fits in listing:
            if name in self.passed[which]:
                continue
            self.passed[which].add(name)
            number, told = self.table.assign_listed(self.cursors[which], name, self.entry(size), self.time_s)
            assert (told.kind, told.size) == (self.entry(size).kind, size or 0)
            if not fits:
                # The reply was full, and the next one begins with the name.
                self.table.drop_uncounted(number)
                number, _ = self.table.assign_listed(self.cursors[which], name, self.entry(size), self.time_s)
            self.table.count(number)
            self.received(name, size, number)

    @precondition(lambda self: self.references)
    @rule(data=st.data(), some=st.booleans())
    def forget(self, data: st.DataObject, some: bool) -> None:
        number = data.draw(st.sampled_from(sorted(self.references)))
        count = 1 if some else self.references[number]
        self.table.forget(number, count)
        self.references[number] -= count
        if not self.references[number]:
            del self.references[number]
            self.numbers = {name: other for name, other in self.numbers.items() if other != number}

    @precondition(lambda self: self.references)
    @rule(data=st.data())
    def use(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.references)))
        entry = self.table.entry(number)
        assert (entry.kind, entry.size) == (
            self.entry(self.known[number]).kind,
            self.known[number] or 0,
        )
        assert self.table.taken_s(number) in (-math.inf, *map(float, range(int(self.time_s) + 1)))

    @rule(name=names)
    def remove(self, name: str) -> None:
        self.table.removed(ROOT, name)
        self.numbers.pop(name, None)

    @rule(name=names, new_name=names)
    def rename(self, name: str, new_name: str) -> None:
        if name != new_name:
            self.table.moved(ROOT, name, ROOT, new_name)
            self.numbers.pop(new_name, None)
            if name in self.numbers:
                self.numbers[new_name] = self.numbers.pop(name)

    @rule(keep=st.sampled_from([0, 700, 1500]))
    def trim(self, keep: int) -> None:
        assert {name for _, name in self.table.only_listed(keep)} <= {*self.numbers}

    @invariant()
    def it_has_what_the_kernel_knows(self) -> None:
        assert len(self.table) == 1 + len(self.references)
        assert dict(self.table.children(ROOT)) == self.numbers
        assert len(self.table.children(ROOT)) == len(self.numbers)


TestKernel = Kernel.TestCase


def test_the_kernel_of_the_test_refuses_a_wrong_number() -> None:
    kernel = Kernel()
    try:
        kernel.look_up("a", 1)
        with pytest.raises(AssertionError):
            kernel.received("a", 1, kernel.numbers["a"] + 1)
        with pytest.raises(AssertionError):
            kernel.received("b", 1, kernel.numbers["a"])
    finally:
        kernel.teardown()
