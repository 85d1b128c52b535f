"""Attributes of entries in the form that the kernel expects."""

from __future__ import annotations

import stat
from itertools import product

import pyfuse3
import pytest

from tests.zfs.fuse.serving import attributes_of
from zarrfs.fuse.attributes import CommonAttributes, ListedAttributes
from zarrfs.trees.caching import CHANGING, CHANGING_KEY, DEFAULT, KEY, Caching
from zarrfs.trees.entry import Entry, File, OpenFile
from zarrfs.trees.root import NamedTrees


class Sized(File):
    """A file that is never opened."""

    def __init__(self, size: int, mtime_s: float | None = None, *, caching: Caching = DEFAULT) -> None:
        self.size = size
        self.mtime_s = mtime_s
        self.caching = caching

    def open(self, wait: bool) -> OpenFile:
        raise AssertionError


def filled(common: CommonAttributes, entry: Entry) -> pyfuse3.EntryAttributes:
    attributes = common.new()
    common.fill(attributes, 5, entry, 60.0)
    return attributes


@pytest.mark.parametrize(("size", "blocks"), [(0, 0), (1, 1), (512, 1), (513, 2), (1 << 60, 1 << 51)])
def test_a_file_with_content_has_blocks(size: int, blocks: int) -> None:
    found = filled(attributes_of(), Sized(size))
    assert (found.st_ino, found.st_size, found.st_blocks, found.st_nlink) == (5, size, blocks, 1)
    assert (found.st_uid, found.st_gid) == (12, 34)


def test_the_umask_takes_permissions_from_files_and_directories() -> None:
    common = attributes_of(umask=0o027)
    file, directory = filled(common, Sized(1)), filled(common, NamedTrees({}, None))
    assert (stat.S_ISREG(file.st_mode), file.st_mode & 0o777) == (True, 0o440)
    assert (stat.S_ISDIR(directory.st_mode), directory.st_mode & 0o777) == (True, 0o550)
    assert (directory.st_size, directory.st_blocks) == (0, 0)


def test_an_entry_without_a_time_has_the_time_of_the_mount() -> None:
    common = attributes_of(mtime_s=7.0)
    assert filled(common, Sized(1)).st_mtime_ns == 7_000_000_000
    found = filled(common, Sized(1, 0.5))
    assert found.st_mtime_ns == found.st_ctime_ns == found.st_atime_ns == 500_000_000
    assert filled(common, Sized(1, 0.0)).st_mtime_ns == 0
    assert filled(common, Sized(1, -1.5)).st_mtime_ns == -1_500_000_000


@pytest.mark.parametrize(
    ("caching", "is_changed_here", "attributes_s", "name_s"),
    [
        (DEFAULT, False, 60.0, 60.0),
        (DEFAULT, True, 60.0, 0.0),
        (KEY, True, 60.0, 60.0),
        (CHANGING, False, 0.0, 0.0),
        (CHANGING_KEY, True, 0.0, 0.0),
    ],
)
def test_the_kernel_keeps_what_does_not_change_unnoticed(
    caching: Caching, is_changed_here: bool, attributes_s: float, name_s: float
) -> None:
    found = filled(attributes_of(is_changed_here=is_changed_here), Sized(1, caching=caching))
    assert (found.attr_timeout, found.entry_timeout) == (attributes_s, name_s)


def test_the_kernel_does_not_keep_a_size_that_is_a_guess() -> None:
    guessed = Sized(1)
    guessed.is_sized = False
    found = filled(attributes_of(), guessed)
    assert (found.attr_timeout, found.entry_timeout) == (0.0, 0.0)


def test_a_listing_tells_the_same_attributes_as_a_look_up() -> None:
    guessed = Sized(1)
    guessed.is_sized = False
    entries = [
        Sized(1),
        Sized(600, 2.5),
        Sized(7, 2.5),
        NamedTrees({}, 2.5),
        NamedTrees({}, None),
        Sized(1, caching=CHANGING),
        guessed,
        Sized(1, -1.5),
    ]
    common = attributes_of()
    listed = ListedAttributes(common)
    for number, (entry, left_s) in enumerate(product(entries, (60.0, 7.0, 0.0)), 1):
        expected = common.new()
        common.fill(expected, number, entry, left_s)
        assert listed.filled(number, entry, left_s).__getstate__() == expected.__getstate__()
