"""Grids of files: each file has a place, and each place gives the file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrfs.trees.arrays.grid import Grid, GridDirectory
from zarrfs.trees.entry import Content, Directory, Entry, File, Numbering, OpenFile


class Cell(File):
    """A file of a grid."""

    mtime_s = None
    size = 1

    def __init__(self, grid: Grid, index: tuple[int, ...], ending: str) -> None:
        self.grid, self.index, self.ending = grid, index, ending

    @property
    def numbered(self) -> tuple[Numbering, int]:
        return self.grid, self.grid.place(self.index, self.ending)

    def open(self, wait: bool) -> OpenFile:
        return Content(b"x")


class Cells(Grid):
    """A grid with two endings; listings show the first."""

    key = "cells"

    def __init__(self, lengths: tuple[int, ...]) -> None:
        super().__init__(lengths, (".a", ".b"), None)

    def shown(self) -> Sequence[str]:
        return (".a",)

    def file(self, index: tuple[int, ...], ending: str, wait: bool) -> File | None:
        return Cell(self, index, ending) if ending in (".a", ".b") else None


def walked(directory: Directory) -> list[Entry]:
    found: list[Entry] = []
    for _, entry in directory.entries():
        found.append(entry)
        if isinstance(entry, Directory):
            found += walked(entry)
    return found


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_every_entry_has_its_own_place_which_gives_the_entry(lengths: list[int]) -> None:
    grid = Cells(tuple(lengths))
    entries = walked(grid.root())
    entries += [Cell(grid, index, ".b") for index in product(*map(range, lengths))]
    places = [entry.numbered[1] for entry in entries if entry.numbered is not None]
    assert sorted(places) == list(range(grid.count))
    for entry, place in zip(entries, places, strict=True):
        again = grid.entry(place)
        assert (type(again), again.numbered) == (type(entry), entry.numbered)


def test_names_are_indices_without_leading_zeros_and_within_the_grid() -> None:
    root = Cells((12, 3)).root()
    eleven = root.lookup("11", wait=False)
    assert isinstance(eleven, GridDirectory)
    assert [name for name, _ in eleven.entries()] == ["0.a", "1.a", "2.a"]
    assert [name for name, _ in eleven.entries_from(1)] == ["1.a", "2.a"]
    assert isinstance(eleven.lookup("2.b", wait=False), Cell)
    for name in ("12", "011", "-1", "1.a", "x", "", "1\n"):
        assert root.lookup(name, wait=False) is None
    for name in ("3.a", "0", "0.c", "00.a"):
        assert eleven.lookup(name, wait=False) is None


def test_a_place_outside_the_grid_has_no_file() -> None:
    class Empty(Cells):
        def file(self, index: tuple[int, ...], ending: str, wait: bool) -> File | None:
            return None

    with pytest.raises(LookupError, match="no file has place 1"):
        Empty((2,)).entry(1)
