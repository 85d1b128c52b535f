"""The line of text about a search of all sources."""

from __future__ import annotations

import numpy as np

from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.session.hierarchies import search, source_of
from zarrbrowser.session.search import Search


def test_the_summary_counts_results_and_searched_groups() -> None:
    root = FakeGroup({"a": FakeArray(np.zeros(1)), "b": FakeGroup()})
    source, others = source_of(root), Search()
    found, last = search(others.inventory(source), "a")
    others.latest[id(source)] = last
    assert others.summary(len(found), 1, running=False, stopped=False) == "1 found  ·  2 groups searched"
    others.keep_only([])
    assert others.summary(0, 0, running=True, stopped=False) == "searching…  ·  0 groups searched…"
