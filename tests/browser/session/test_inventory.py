"""Searches of a hierarchy give the same results as a walk and a plain comparison."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.browser.fakes import FakeArray, FakeGroup, FakeHierarchy, Flaky
from tests.browser.session.hierarchies import search, source_of
from zarrbrowser.session.inventory import Entry, Inventory, matcher
from zarrcore.errors import UnreachableError

NAMES = st.text("abAB01", min_size=1, max_size=3)
TREES = st.recursive(
    st.just(None), lambda children: st.dictionaries(NAMES, children, max_size=4), max_leaves=20
)


def group_of(tree: dict[str, object] | None) -> FakeGroup:
    children = {
        name: FakeArray(np.zeros(2)) if below is None else group_of(below)
        for name, below in (tree or {}).items()
    }
    return FakeGroup(children)


@given(TREES.filter(bool), st.lists(st.text("ab01/", max_size=2), max_size=2))
def test_a_search_finds_entries_that_contain_all_words(tree: dict[str, object], words: list[str]) -> None:
    root = group_of(tree)
    inventory = Inventory(source_of(root))
    paths = [node.path for node in FakeHierarchy(root).walk("/")]
    wanted = [
        path
        for path in paths
        if path != "/" and all(part in path.lower() for word in words for part in word.split())
    ]
    found, last = search(inventory, " ".join(words))
    assert found == wanted
    assert inventory.complete
    assert search(inventory, " ".join(words))[0] == wanted, "the second search uses the known nodes"
    assert last.groups + last.arrays == len(paths)


@pytest.mark.parametrize(
    ("query", "path", "meant"),
    [
        ("t?", "/raw/t1", True),
        ("t?", "/raw/t12", False),
        ("*1", "/raw/T1", True),
        ("/raw/*", "/raw/t1", True),
        ("raw t1", "/t1/raw", True),
        ("raw", "/", False),
        ("[", "/a[0]", True),
    ],
)
def test_patterns_match_names_or_paths(query: str, path: str, meant: bool) -> None:
    assert matcher(query)(Entry(path, "array")) is meant


def test_a_search_continues_where_the_last_was_cancelled() -> None:
    asked: list[str] = []
    root = FakeGroup({name: FakeGroup({"x": FakeArray(np.zeros(1))}) for name in "abc"})
    for name in "abc":
        root.find(f"/{name}").before_listing = lambda name=name: asked.append(name)
    inventory = Inventory(source_of(root))
    inventory.search("x", lambda: len(asked) >= 2, lambda _part: None)
    assert (asked, inventory.complete) == (["a", "b"], False)
    assert search(inventory, "x")[0] == ["/a/x", "/b/x", "/c/x"]
    assert asked == ["a", "b", "c"], "each group was listed once"


def test_a_search_that_failed_can_be_tried_again() -> None:
    root, flaky = FakeGroup({"a": FakeArray(np.zeros(1))}), Flaky()
    root.before_listing = flaky
    inventory = Inventory(source_of(root))
    with pytest.raises(UnreachableError):
        search(inventory, "a")
    flaky.mended = True
    assert search(inventory, "a")[0] == ["/a"]


def test_groups_that_cannot_be_listed_are_counted() -> None:
    root = FakeGroup({"a": FakeGroup({"x": FakeArray(np.zeros(1))}), "b": FakeArray(np.zeros(1))})
    root.find("/a").before_listing = Flaky()
    inventory = Inventory(source_of(root))
    found, last = search(inventory, "b")
    assert (found, last.unlisted, last.groups, last.arrays) == (["/b"], 1, 2, 1)
