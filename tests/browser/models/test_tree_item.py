"""Rows of the tree: their order, their ranges, and what is fetched."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.browser.fakes import FakeArray, FakeGroup
from zarrbrowser.models import tree_item
from zarrbrowser.models.tree_item import Fetching, TreeItem, natural_key, next_page


@pytest.mark.parametrize(("left", "right"), [("a2", "a10"), ("B", "c"), ("x", "x1"), ("1", "a")])
def test_names_sort_in_natural_order(left: str, right: str) -> None:
    assert natural_key(left) < natural_key(right)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 10**6), min_size=2), st.sampled_from(["", "scan_", "Größe "]))
def test_numbers_in_names_sort_by_value(numbers: list[int], before: str) -> None:
    ordered = sorted((f"{before}{number}.zarr" for number in numbers), key=natural_key)
    assert ordered == [f"{before}{number}.zarr" for number in sorted(numbers)]


def test_a_name_of_any_length_has_a_place() -> None:
    names = ["9" * 5000, "1" + "0" * 5000, "x", "", "1", "007", "²"]
    ordered = sorted(names, key=natural_key)
    assert ordered[:2] == ["", "1"]
    assert ordered.index("9" * 5000) < ordered.index("1" + "0" * 5000)


def test_pages_end_at_their_size_and_the_last_one_says_so() -> None:
    nodes = [FakeArray(np.zeros(number)) for number in range(5)]
    stream = iter(nodes)
    assert next_page(stream, 3) == (nodes[:3], False, None)
    assert next_page(stream, 3) == (nodes[3:], True, None)
    assert next_page(stream, 3) == ([], True, None)


def test_a_page_of_a_slow_store_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_item, "PAGE_TIME_S", -1.0)
    stream = iter([FakeArray(np.zeros(1)) for _ in range(5)])
    page, is_last, _ = next_page(stream, 3)
    assert (len(page), is_last) == (1, False), "at least one row, or it would never go on"


def test_only_groups_may_have_children() -> None:
    group, array, note = (
        TreeItem(None, FakeGroup()),
        TreeItem(None, FakeArray(np.zeros(1))),
        TreeItem(None, note="x"),
    )
    assert [one.may_have_children for one in (group, array, note)] == [True, False, False]
    group.fetching = Fetching.WHOLLY
    assert not group.may_have_children, "it is empty"
    group.children = [TreeItem(group, FakeArray(np.zeros(1)))]
    assert group.may_have_children


def test_the_note_is_not_counted_as_a_node() -> None:
    group = TreeItem(None, FakeGroup())
    group.children = [TreeItem(group, FakeArray(np.zeros(1))), TreeItem(group, note="More…")]
    assert [one.is_note for one in group.children] == [False, True]
    assert group.node_count == 1
    assert TreeItem(None).node_count == 0
