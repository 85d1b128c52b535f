"""Searches of a hierarchy give the same results as a walk and a plain comparison."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from tests.browser.fakes import FakeArray, FakeGroup, FakeHierarchy, Flaky
from tests.browser.session.hierarchies import search, source_of
from tests.core.hierarchy.stores import ARRAY, GROUP, V2_NODES, V2_WITHOUT_GROUPS, Remote
from zarrbrowser.session.inventory import Findings, Inventory, matcher
from zarrbrowser.session.sources import Source, SourceRequest
from zarrcore.errors import UnreachableError
from zarrcore.stores import MemoryStore

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
    # The root matches by the name of its source.
    wanted += ["/"] * all(part in "fake.zarr" for word in words for part in word.split())
    assert sorted(found) == sorted(wanted)
    assert inventory.complete
    assert search(inventory, " ".join(words))[0] == found, "the second search uses the known nodes"
    assert last.groups + last.arrays == len(paths)
    assert last.names == last.read == len(paths) - 1


@pytest.mark.parametrize(
    ("query", "path", "meant"),
    [
        ("t?", "/raw/t1", True),
        ("t?", "/raw/t12", False),
        ("*1", "/raw/T1", True),
        ("/raw/*", "/raw/t1", True),
        ("raw t1", "/t1/raw", True),
        ("[", "/a[0]", True),
    ],
)
def test_patterns_match_names_or_paths(query: str, path: str, meant: bool) -> None:
    assert matcher(query)(path) is meant


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
        search(inventory, "/a")
    flaky.mended = True
    assert search(inventory, "/a")[0] == ["/a"]


def test_groups_that_cannot_be_listed_are_counted() -> None:
    root = FakeGroup({"a": FakeGroup({"x": FakeArray(np.zeros(1))}), "b": FakeArray(np.zeros(1))})
    root.find("/a").before_listing = Flaky()
    inventory = Inventory(source_of(root))
    found, last = search(inventory, "b")
    assert (found, last.unlisted, last.groups, last.arrays) == (["/b"], 1, 2, 1)


def many(arrays: int) -> tuple[Remote, Source]:
    """A source over a network with a large group before a small one."""
    values = dict.fromkeys(("zarr.json", "a/zarr.json", "b/zarr.json"), GROUP)
    values["b/scan_7/zarr.json"] = ARRAY
    values |= {f"a/scan_{number}/zarr.json": ARRAY for number in range(arrays)}
    store = Remote(values)
    hierarchy = zarrcore.open_hierarchy(store)
    return store, Source(SourceRequest("many.zarr"), hierarchy, hierarchy.node("/"))


def test_a_name_in_a_large_group_is_found_without_reading_the_nodes_before_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("zarrbrowser.session.inventory._TELL_S", 0)
    (store, source), found = many(3000), list[str]()
    inventory = Inventory(source)

    def tell(part: Findings) -> None:
        found.extend(entry.path for entry in part.hits)

    store.got.clear()
    store.listed.clear()
    # /a/scan_7, /a/scan_70 to 79, 700 to 799, and the other group's.
    part = inventory.search("scan_7", lambda: len(found) >= 112, tell)
    assert len(set(found)) == 112
    assert all("/scan_7" in path for path in found)
    assert (part.names, part.read) == (3003, 114)
    assert len(store.got) <= 3 * (112 + 5), "requests follow the hits, not the names"
    assert sorted(store.listed) == ["", "a/", "b/"]


def test_names_that_are_no_nodes_are_not_found() -> None:
    hierarchy = zarrcore.open_hierarchy(MemoryStore(values=V2_WITHOUT_GROUPS))
    found, last = search(Inventory(Source(SourceRequest("memory:"), hierarchy, hierarchy.node("/"))), "/")
    assert sorted(found) == V2_NODES[1:]
    assert last.names == last.read > len(found), "junk is listed"


def test_a_source_is_found_by_its_name() -> None:
    inventory = Inventory(source_of(FakeGroup({"a": FakeArray(np.zeros(1))})))
    (hit,) = inventory.search("*.zarr", lambda: False, lambda _part: None).hits
    assert (hit.path, hit.name) == ("/", "fake.zarr")


def test_the_number_of_names_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrbrowser.session.inventory.NAMES_MOST", 10)
    inventory = Inventory(many(50)[1])
    found, last = search(inventory, "scan")
    assert len(found) == 8
    assert (last.names, last.read, last.is_cut, inventory.complete) == (10, 10, True, True)
