"""Walking: the order of nodes, and the requests to a remote store."""

from __future__ import annotations

import zarrcore
from tests.core.hierarchy.stores import (
    ARRAY,
    GROUP,
    V2_GROUP,
    V2_NODES,
    V2_WITHOUT_GROUPS,
    Remote,
    memory,
)
from zarrcore.stores import MemoryStore


def test_walking_is_depth_first_and_parents_come_first() -> None:
    store = memory(
        **{
            "zarr.json": GROUP,
            "b/zarr.json": GROUP,
            "b/x/zarr.json": ARRAY,
            "a/zarr.json": ARRAY,
            "b/x/c/0": b"\1\2",
        }
    )
    hierarchy = zarrcore.open_hierarchy(store)
    assert [node.path for node in hierarchy.walk()] == ["/", "/a", "/b", "/b/x"]
    assert hierarchy.root.attributes == {"a": 1}
    assert hierarchy["b"]["x"][...].tolist() == [1, 2, 5, 5]
    assert hierarchy["/b/x/"].uri.endswith("#/b/x")
    assert "/b" in hierarchy
    assert "/c" not in hierarchy


def test_requests_of_a_walk_over_a_remote_store_of_version_2() -> None:
    store = Remote(V2_WITHOUT_GROUPS)
    hierarchy = zarrcore.open_hierarchy(store)
    store.got.clear()
    assert sorted(node.path for node in hierarchy.walk()) == V2_NODES
    asked = {
        name: [key for key in store.got if key.rpartition("/")[0] == name] for name in ("A/1/0", "b", "A")
    }
    assert sorted(asked["A/1/0"]) == ["A/1/0/.zarray", "A/1/0/.zattrs"]
    assert sorted(asked["b"]) == ["b/.zarray", "b/.zattrs", "b/.zgroup"]
    assert sorted(asked["A"]) == ["A/.zarray", "A/.zattrs", "A/.zgroup"]
    listed = {prefix: store.listed.count(prefix) for prefix in store.listed}
    assert listed == dict.fromkeys(("", "b/", "A/", "A/1/", "b/__x/", "junk/"), 1)
    assert [*hierarchy.child_names("/A")] == ["1"]
    store.set("A/2/.zgroup", V2_GROUP)
    assert [*hierarchy.child_names("/A")] == ["1", "2"], "a listing that has begun serves once"
    hierarchy.refresh()
    assert hierarchy["A"].kind == "group"
    store.set("A/3/.zgroup", V2_GROUP)
    hierarchy.forget("/A")
    assert [*hierarchy.child_names("/A")] == ["1", "2", "3"]


def test_a_listed_name_that_no_node_can_have_hides_no_other() -> None:
    store = MemoryStore()
    zarrcore.create(store).create_group("b")
    group = bytes(store.get("b/zarr.json") or b"")
    hierarchy = zarrcore.open_hierarchy(
        MemoryStore(values={"zarr.json": group, "\0/zarr.json": group, "b/zarr.json": group})
    )
    assert [node.path for node in hierarchy.walk()] == ["/", "/b"]
