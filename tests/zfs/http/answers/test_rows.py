"""Rows of listings: sizes that are known, that must be computed, and that cannot be."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.zfs.trees.entries import walk
from zarrcore.errors import ZarrError
from zarrfs.http.answers.rows import Row, batches, row
from zarrfs.http.workers import Client, Workers
from zarrfs.trees.entry import Directory
from zarrfs.trees.opening import open_trees
from zarrfs.trees.store_trees import TreeOptions


@pytest.fixture
def root(ocean: Path) -> Directory:
    return open_trees(ocean, TreeOptions()).root()


async def _nothing() -> Any:
    await asyncio.Event().wait()


def listed(directory: Directory) -> list[Row]:
    async def collect() -> list[Row]:
        workers, client = Workers(2), Client(_nothing)
        try:
            return [each async for batch in batches(directory, client, workers) for each in batch]
        finally:
            client.release()
            workers.stop(1)

    return asyncio.run(collect())


def test_rows_are_the_entries_in_their_order(root: Directory) -> None:
    directory = walk(root, "arrays", "sea", "wave")
    assert [each.name for each in listed(directory)] == [name for name, _ in directory.entries()]
    assert {each.name: each.is_directory for each in listed(walk(root, "arrays", "sea"))}["wave"]


def test_the_size_of_a_file_that_must_be_made_is_told(root: Directory) -> None:
    entry = walk(root, "hdf5", "__all__.h5")
    assert not entry.is_sized
    found = row("__all__.h5", entry)
    assert found.size == entry.open(True).size
    assert not found.is_directory


def test_a_size_that_cannot_be_computed_is_unknown(root: Directory, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = walk(root, "hdf5", "__all__.nc")

    def fail(wait: bool) -> Any:
        raise ZarrError("too many nodes")

    monkeypatch.setattr(type(entry), "sized", lambda self, wait: fail(wait))
    assert row("__all__.nc", entry).size is None
