"""The line of text about a search of all sources."""

from __future__ import annotations

import numpy as np
import pytest

from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.session.hierarchies import search, source_of
from zarrbrowser.session.inventory import Findings
from zarrbrowser.session.search import Search


def test_the_summary_counts_results_and_searched_groups() -> None:
    root = FakeGroup({"a": FakeArray(np.zeros(1)), "b": FakeGroup()})
    source, others = source_of(root), Search()
    found, last = search(others.inventory(source), "b")
    others.latest[id(source)] = last
    assert others.summary(len(found), 1, running=False, stopped=False) == "1 found  ·  2 groups searched"
    others.keep_only([])
    assert others.summary(0, 0, running=True, stopped=False) == "searching…  ·  0 groups searched…"


@pytest.mark.parametrize(
    ("found", "shown", "running", "stopped", "text"),
    [
        (0, 0, False, False, "nothing found  ·  7 groups searched  ·  1 group cannot be listed"),
        (0, 0, True, False, "searching…  ·  7 groups searched…  ·  1 group cannot be listed"),
        (
            20_000,
            10_000,
            True,
            False,
            "20,000 found, the first 10,000 shown  ·  7 groups searched…  ·  1 group cannot be listed",
        ),
        (1, 1, False, True, "1 found  ·  7 groups searched  ·  1 group cannot be listed  ·  stopped"),
    ],
)
def test_the_progress_in_all_sources_is_one_line(
    found: int, shown: int, running: bool, stopped: bool, text: str
) -> None:
    search_ = Search(latest={1: Findings((), 3, 9, 1), 2: Findings((), 4, 2, 0)})
    assert search_.summary(found, shown, running=running, stopped=stopped) == text


def test_progress_counts_names_and_says_what_is_left_out() -> None:
    search_ = Search(latest={1: Findings((), 3, 9, 0, 90_000, 11), 2: Findings((), 4, 2, 0, 5, 5)})
    text = search_.summary(0, 0, running=True, stopped=False)
    assert text == "searching…  ·  7 groups searched…  ·  16 of 90,005 names read"
    cut = Search(latest={1: Findings((), 1, 0, 0, 9, 9, is_cut=True)})
    assert "first 1,000,000 names" in cut.summary(1, 1, running=False, stopped=False)


def test_an_inventory_is_kept_until_its_source_is_closed() -> None:
    one, two = (source_of(FakeGroup({name: FakeArray(np.zeros(1))})) for name in "ab")
    everything = Search()
    inventory = everything.inventory(one)
    assert everything.inventory(one) is inventory
    assert everything.inventory(two) is not inventory
    everything.keep_only([two])
    assert everything.inventory(one) is not inventory
