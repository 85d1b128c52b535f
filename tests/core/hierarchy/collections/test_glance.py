"""A look at one page of a listing: keys that it rules out are not requested."""

from __future__ import annotations

import zarrcore
from tests.core.hierarchy.stores import GROUP, V2_GROUP, Remote
from zarrcore.hierarchy.collections.glance import Glance
from zarrcore.stores import MemoryStore


def places(hierarchy: zarrcore.Hierarchy) -> list[tuple[str, str]]:
    return [(node.path, node.kind) for node in hierarchy.walk()]


def test_a_long_listing_rules_nothing_out() -> None:
    class Remote(MemoryStore):
        is_remote = True

    chunks = {f"a/0.{n:04}": b"" for n in range(1200)}
    found = zarrcore.open_hierarchy(
        Remote(values={**chunks, "a/.zgroup": V2_GROUP, "b/x": b"", "c/zarr.json": GROUP})
    )
    assert places(found) == [("/", "collection"), ("/a", "group"), ("/b", "collection"), ("/c", "group")]
    assert "/d" not in found


def test_the_first_key_is_requested_and_later_ones_only_if_the_listing_has_them() -> None:
    store = Remote({"a/b": b"1", "c": b"2", ".hidden": b"3"})
    glance = Glance(store)
    assert glance.get("missing") is None
    assert (store.got, store.listed) == (["missing"], [])
    assert [glance.get(key) for key in ("other", "c", "d/e", "a/b", "a", ".hidden", ".gone")] == [
        None, b"2", None, b"1", None, b"3", None,
    ]  # fmt: skip
    assert store.got == ["missing", "c", "a/b", ".hidden", ".gone"]
    assert store.listed == [""]


def test_one_listing_answers_for_the_first_level() -> None:
    store = Remote({"a/b": b"1", "c": b"2"})
    glance = Glance(store)
    assert not glance.is_empty
    assert sorted(entry.key for entry in glance.list_dir("")) == ["a/", "c"]
    assert (glance.has_prefix("d/"), [*glance.list_dir("d/")], glance.stat("e")) == (False, [], None)
    assert store.listed == [""]
    assert glance.has_prefix("a/")
    assert [entry.key for entry in glance.list_dir("a/")] == ["a/b"]
    stat = glance.stat("c")
    assert stat is not None
    assert stat.size == 1
    assert Glance(Remote({})).is_empty


def test_more_than_a_page_of_names_rules_no_key_out() -> None:
    store = Remote({f"{number:04}": b"" for number in range(1000)})
    glance = Glance(store)
    assert glance.get("first") is None
    assert glance.get("second") is None
    assert store.got == ["first", "second"]
    assert len([*glance.list_dir("")]) == 1000
