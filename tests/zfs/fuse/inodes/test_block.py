"""Blocks: names, references, and what the kernel knows."""

from __future__ import annotations

from tests.zfs.fuse.inodes.test_inode_table import Folder, Version
from zarrfs.fuse.inodes.block import BLOCK, IN_USE, Block
from zarrfs.fuse.inodes.listed_names import ListedNames

NAMES = [f"ä{number}" for number in range(20)]


def filled() -> Block:
    block = Block(4 * BLOCK, 1, ListedNames())
    for name in NAMES:
        block.append(name, Version("1"))
    return block


def test_a_sealed_block_has_the_same_names() -> None:
    block = filled()
    assert block.texts() == NAMES
    block.seal()
    assert block.texts() == [block.text(place) for place in range(len(NAMES))] == NAMES


def test_the_last_name_can_be_taken_back() -> None:
    block = filled()
    before = block.nbytes
    block.append("more", Folder())
    assert block.nbytes > before
    block.pop()
    assert (block.texts(), block.nbytes, len(block.lookups)) == (NAMES, before, len(NAMES))


def test_it_is_unknown_without_references_and_reports_names_without_records() -> None:
    block = filled()
    assert block.is_unknown()
    block.lookups[3], block.lookups[4] = 2, IN_USE
    assert not block.is_unknown()
    assert [name for name, _ in block.reported()] == [NAMES[3]]
