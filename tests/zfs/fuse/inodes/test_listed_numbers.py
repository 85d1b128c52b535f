"""Blocks in order of age: entries of the newest names, and the oldest names to be forgotten."""

from __future__ import annotations

import pytest

from tests.zfs.fuse.inodes.test_inode_table import Version
from zarrfs.fuse.inodes import listed_numbers
from zarrfs.fuse.inodes.block import BLOCK, Block
from zarrfs.fuse.inodes.listed_names import ListedNames
from zarrfs.fuse.inodes.listed_numbers import ListedNumbers
from zarrfs.fuse.inodes.reserved_numbers import StaleNumberError


def with_blocks(count: int) -> tuple[ListedNumbers, list[Block]]:
    numbers, names = ListedNumbers(), ListedNames()
    blocks = []
    for start in range(BLOCK, BLOCK * (1 + count), BLOCK):
        blocks.append(block := numbers.add(names, 1, start))
        for place in range(3):
            assert numbers.append(block, f"{block.start + place}", Version("1"), 0.0) == block.start + place
            assert numbers.count(block.start + place)
    return numbers, blocks


def test_references_are_counted_and_the_last_one_frees_a_block() -> None:
    numbers, (block,) = with_blocks(1)
    assert len(numbers) == 3
    for place in range(3):
        numbers.forget(block.start + place, 1)
    assert (len(numbers), numbers.nbytes, numbers.get(block.start)) == (0, 0, None)
    with pytest.raises(StaleNumberError):
        numbers.forget(block.start, 1)


def test_more_references_than_a_byte_counts_need_a_record() -> None:
    numbers, (block,) = with_blocks(1)
    counted = sum(numbers.count(block.start) for _ in range(300))
    assert counted == 253


def test_entries_of_the_newest_names_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed_numbers, "ENTRIES_MAX", 6)
    _, blocks = with_blocks(4)
    assert [block.entries is not None for block in blocks] == [False, False, True, True]


def test_the_oldest_names_are_offered_once() -> None:
    numbers, blocks = with_blocks(3)
    keep = numbers.nbytes - 1
    assert numbers.oldest(keep) == [(1, f"{blocks[0].start + place}") for place in range(3)]
    assert numbers.oldest(keep) == []
    assert len(numbers.oldest(0)) == 6


def test_a_number_that_was_not_reported_is_free_again() -> None:
    numbers, (block,) = with_blocks(1)
    number = numbers.append(block, "new", Version("1"), 0.0)
    numbers.drop_uncounted(number)
    assert (numbers.get(number), len(block.texts())) == (None, 3)
