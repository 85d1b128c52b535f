"""Handles: directories listed in parts, from any position."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from zarrfs.fuse.handles import DirectoryHandle, HandleTable
from zarrfs.trees.entry import Directory, Entry
from zarrfs.trees.root import NamedTrees


class Numbers(Directory):
    """A directory with a thousand names, whose listing fails at one of them."""

    mtime_s = None

    def __init__(self, fails_at: int | None = None) -> None:
        self.fails_at = fails_at

    def lookup(self, name: str, wait: bool) -> Entry | None:
        return None

    def entries(self) -> Iterator[tuple[str, Entry]]:
        for number in range(1000):
            if number == self.fails_at:
                raise OSError("no answer")
            yield str(number), NamedTrees({}, None)


def taken(handle: DirectoryHandle) -> list[str]:
    names = []
    while handle.waiting or handle.fill(0.0):
        names.append(handle.waiting[0][0])
        handle.taken()
    return names


def test_a_directory_is_listed_from_any_position() -> None:
    handle = DirectoryHandle(2, Numbers())
    assert taken(handle) == [str(number) for number in range(1000)]
    handle.seek(1000)
    assert not handle.fill(0.0)
    handle.seek(997)
    assert taken(handle) == ["997", "998", "999"]


def test_entries_before_a_failure_are_returned_before_the_error_is_raised() -> None:
    directory = Numbers(fails_at=600)
    handle = DirectoryHandle(2, directory)
    assert handle.fill(0.0)
    assert len(handle.waiting) == 512
    for _ in range(512):
        handle.taken()
    assert handle.fill(0.0)
    assert len(handle.waiting) == 88
    for _ in range(88):
        handle.taken()
    with pytest.raises(OSError, match="no answer"):
        handle.fill(0.0)
    directory.fails_at = None
    assert taken(handle) == [str(number) for number in range(600, 1000)]


def test_handles_are_numbered_and_counted() -> None:
    table = HandleTable()
    numbers = [table.add_directory(DirectoryHandle(5, Numbers())) for _ in range(2)]
    assert len(set(numbers)) == 2
    assert table.directory(numbers[0]).number == 5
    table.remove_directory(numbers[0])
    assert (table.open_directories, table.open_files, table.numbers(), table.unstored()) == (
        1,
        0,
        set(),
        set(),
    )
