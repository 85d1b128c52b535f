"""Names that are only in the mount: empty directories, and files that are not closed."""

from __future__ import annotations

import pytest

from zarrfs.trees.entry import File, OpenFile
from zarrfs.trees.keys import unstored as module
from zarrfs.trees.keys.unstored import Unstored


class Nothing(File):
    """A file that is never opened."""

    size = 0
    mtime_s = None

    def open(self, wait: bool) -> OpenFile:
        raise AssertionError


def test_a_name_is_found_below_its_prefix_until_it_is_removed() -> None:
    unstored, file = Unstored(), Nothing()
    assert unstored.add("a/b", file)
    assert unstored.add("a/c")
    assert (unstored.find("a/b"), unstored.find("a/c"), unstored.find("a/d")) == ((file,), (None,), None)
    assert unstored.listed("a/") == {"b": file, "c": None}
    unstored.remove("a/b")
    unstored.remove("a/b")
    assert unstored.listed("a/") == {"c": None}
    assert unstored.listed("") == {"a": None}


def test_a_stored_key_ends_the_directories_above_it_and_an_erased_one_leaves_them() -> None:
    unstored = Unstored()
    unstored.erased("a/b/c")
    assert (unstored.find("a/b"), unstored.find("a"), unstored.find("a/b/c")) == ((None,), (None,), None)
    unstored.stored("a/b/c")
    assert (unstored.find("a/b"), unstored.find("a")) == (None, None)


def test_directories_above_other_names_stay_when_a_key_is_stored() -> None:
    """Another program may erase that key, and the other names must still be found."""
    unstored = Unstored()
    assert unstored.add("a/b/made")
    unstored.stored("a/b/key")
    assert (unstored.listed(""), unstored.listed("a/")) == ({"a": None}, {"b": None})
    unstored.remove("a/b/made")
    unstored.stored("a/b/key")
    assert (unstored.listed(""), unstored.listed("a/")) == ({}, {})


def test_names_are_bounded_and_room_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX", 2)
    unstored = Unstored()
    assert (unstored.add("a"), unstored.add("b"), unstored.add("c"), unstored.add("a")) == (
        True,
        True,
        False,
        True,
    )
    unstored.remove("a")
    assert unstored.add("c")
