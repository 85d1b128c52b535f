"""A check of a node in batches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import zarrcore as zc
from zarrbrowser.nodes.read_cost import Cancelled
from zarrbrowser.session.checking import EXAMPLES, Check, Checked, Kind, Tallies, kind_of
from zarrcore.operations.check import Finding


@pytest.fixture
def damaged(tmp_path: Path) -> str:
    root = zc.create(tmp_path / "a.zarr", format="v3")
    root.create_array("raw", data=np.ones((4, 6), "u2"), chunks=(2, 2))
    root.create_array("fine", data=np.ones(3))
    for key, value in (("c/0/1", b"broken"), ("notes.txt", b"x")):
        (tmp_path / "a.zarr/raw" / key).write_bytes(value)
    (tmp_path / "a.zarr/raw/c/1/2").unlink()
    return str(tmp_path / "a.zarr")


def checked(address: str, path: str = "/") -> tuple[Tallies, list[Finding]]:
    tallies, parts = Tallies(), list[Checked]()
    parts.append(Check(zc.open_hierarchy(address), path, lambda: False, parts.append).run())
    for part in parts:
        tallies.add(part)
    return tallies, [finding for part in parts for finding in part.findings]


def test_chunks_are_counted_by_what_is_wrong_with_them(damaged: str) -> None:
    tallies, found = checked(damaged)
    assert tallies.kinds == {Kind.BAD: 1, Kind.MISSING: 1, Kind.STRAY: 1}
    assert (tallies.arrays, tallies.chunks) == (2, 6)
    assert tallies.kinds.total() == len(found), "each is one row of the list"
    assert tallies.summary == "1 error, 1 warning, 1 note  ·  6 stored chunks of 2 arrays"
    assert {kind_of(one): (one.key, one.index) for one in found if one.key} == {
        Kind.BAD: ("raw/c/0/1", (0, 1)),
        Kind.MISSING: ("raw/c/1/2", (1, 2)),
        Kind.STRAY: ("raw/notes.txt", None),
    }
    assert checked(damaged, "/fine")[0].summary == "nothing wrong  ·  1 stored chunk of 1 array"


def test_a_million_missing_chunks_are_counted_and_a_few_are_listed(tmp_path: Path) -> None:
    root = zc.create(tmp_path / "a.zarr", format="v3")
    root.create_array("raw", shape=(1000, 1000), dtype="u1", chunks=(1, 1))
    tallies, found = checked(str(tmp_path / "a.zarr"))
    assert tallies.kinds == {Kind.MISSING: 1_000_000}
    assert len(found) == EXAMPLES + 1


def test_a_check_can_be_cancelled_within_an_array(damaged: str) -> None:
    asked: list[bool] = []

    def cancelled() -> bool:
        asked.append(len(asked) > 1)
        return asked[-1]

    with pytest.raises(Cancelled):
        Check(zc.open_hierarchy(damaged), "/", cancelled, lambda _: None).run()
    assert asked == [False, False, True]


def test_nodes_that_cannot_be_read_are_no_bad_chunks() -> None:
    assert kind_of(Finding("error", "unreadable", "/a", "")) is Kind.OTHER
    assert kind_of(Finding("error", "unreadable", "/a", "", "a/c/0", index=(0,))) is Kind.BAD
    assert kind_of(Finding("error", "unsupported", "/a", "and 5 more like these", count=5)) is Kind.BAD
