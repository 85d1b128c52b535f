"""Hierarchies: detection, implicit groups, broken nodes, freshness."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import zarr

import zarrcore
from zarrcore.errors import (
    AccessDeniedError,
    HierarchyNotFoundError,
    MetadataError,
    NodeNotFoundError,
    UnsupportedError,
    ZarrError,
)
from zarrcore.stores import ByteRange, BytesLike, LocalStore, MemoryStore, ReadableStore, StoreEntry

GROUP = b'{"zarr_format": 3, "node_type": "group", "attributes": {"a": 1}}'
ARRAY = json.dumps(
    {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4],
        "data_type": "int8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 5,
        "codecs": ["bytes"],
    }
).encode()
V2_GROUP = b'{"zarr_format": 2}'


def memory(**values: bytes) -> MemoryStore:
    store = MemoryStore()
    for key, value in values.items():
        store.set(key, value)
    return store


class Unlistable(ReadableStore):
    """Only what can be read by key."""

    url = "test://unlistable"

    def __init__(self, inner: ReadableStore) -> None:
        self._inner = inner

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        return self._inner.get(key, byte_range)


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
    hierarchy = zarrcore.open(store)
    assert [node.path for node in hierarchy.walk()] == ["/", "/a", "/b", "/b/x"]
    assert hierarchy.root.attributes == {"a": 1}
    assert hierarchy["b"]["x"][...].tolist() == [1, 2, 5, 5]
    assert hierarchy["/b/x/"].uri.endswith("#/b/x")
    assert "/b" in hierarchy
    assert "/c" not in hierarchy


def test_a_root_array() -> None:
    hierarchy = zarrcore.open(memory(**{"zarr.json": ARRAY, "c/1": b"\1\2"}))
    assert hierarchy.root[...].tolist() == [5, 5, 1, 2]
    assert [node.path for node in hierarchy.walk()] == ["/"]


def test_implicit_groups_are_listed_and_opened() -> None:
    hierarchy = zarrcore.open(
        memory(**{"a/b/x/zarr.json": ARRAY, "zarr.json": GROUP, "__hidden/zarr.json": ARRAY})
    )
    assert [(node.path, node.kind) for node in hierarchy.walk()] == [
        ("/", "group"),
        ("/a", "group"),
        ("/a/b", "group"),
        ("/a/b/x", "array"),
    ]
    assert hierarchy["a/b"].attributes == {}


V2_ARRAY = json.dumps(
    {
        "zarr_format": 2,
        "shape": [2],
        "chunks": [2],
        "dtype": "|i1",
        "compressor": None,
        "fill_value": 5,
        "order": "C",
        "filters": None,
    }
).encode()
V2_WITHOUT_GROUPS = {
    ".zgroup": V2_GROUP,
    "A/.zattrs": b'{"who": "me"}',
    "A/1/0/.zarray": V2_ARRAY,
    "A/1/0/0": b"\1\2",
    "b/.zgroup": V2_GROUP,
    "b/__x/y/.zarray": V2_ARRAY,
    "junk/a": b"no node",
}
V2_NODES = ["/", "/A", "/A/1", "/A/1/0", "/b", "/b/__x", "/b/__x/y"]


def test_version_2_has_implicit_groups_below_its_root() -> None:
    hierarchy = zarrcore.open(memory(**V2_WITHOUT_GROUPS))
    assert [node.path for node in hierarchy.walk()] == V2_NODES
    assert (hierarchy["A/1"].kind, hierarchy["A/1"].attributes) == ("group", {})
    assert hierarchy["A"].attributes == {"who": "me"}
    assert hierarchy["A"]["1/0"][...].tolist() == [1, 2]
    assert "junk" not in hierarchy
    assert "A/2" not in hierarchy


class Remote(MemoryStore):
    """Counts what is asked of it over its network."""

    is_remote = True

    def __init__(self, values: dict[str, bytes]) -> None:
        super().__init__(values=values)
        self.got: list[str] = []
        self.listed: list[str] = []

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        self.got.append(key)
        return super().get(key, byte_range)

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        self.listed.append(prefix)
        return super().list_dir(prefix)


def test_requests_of_a_walk_over_a_remote_store_of_version_2() -> None:
    store = Remote(V2_WITHOUT_GROUPS)
    hierarchy = zarrcore.open(store)
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


def test_broken_attributes_of_an_implicit_group_are_reported() -> None:
    hierarchy = zarrcore.open(memory(**{**V2_WITHOUT_GROUPS, "A/.zattrs": b"["}))
    with pytest.raises(MetadataError, match="zattrs"):
        hierarchy["A"]
    assert "/A" in [node.path for node in hierarchy.walk() if node.kind == "broken"]


def test_an_implicit_group_of_version_2_becomes_a_group_when_it_is_changed() -> None:
    store = memory(**V2_WITHOUT_GROUPS)
    hierarchy = zarrcore.open(store, "r+")
    hierarchy["A/1"].attributes = {"new": 1}
    assert json.loads(store.get("A/1/.zgroup") or b"") == {"zarr_format": 2}
    hierarchy.create_array("A/1/new", shape=(2,), data_type="int8")
    assert store.get("A/.zgroup") is not None
    opened = zarrcore.open(store)
    assert (opened["A"].attributes, opened["A/1"].attributes) == ({"who": "me"}, {"new": 1})


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("kind", [Remote, MemoryStore])
def test_consolidated_metadata_imply_groups_without_a_listing(zarr_format: int, kind: type) -> None:
    if zarr_format == 2:
        metadata = {".zgroup": json.loads(V2_GROUP), "A/1/0/.zarray": json.loads(V2_ARRAY)}
        consolidated = {"zarr_consolidated_format": 1, "metadata": metadata}
        values = {**V2_WITHOUT_GROUPS, ".zmetadata": json.dumps(consolidated).encode()}
    else:
        told = {"kind": "inline", "must_understand": False, "metadata": {"A/1/0": json.loads(ARRAY)}}
        group = json.dumps({**json.loads(GROUP), "consolidated_metadata": told}).encode()
        values = {"zarr.json": group, "A/1/0/zarr.json": ARRAY}

    class Unlisted(kind):  # type: ignore[misc, valid-type]
        def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
            raise zarrcore.ListingUnsupportedError("cannot be listed", url=self.url)

        list_dir = list_prefix

    hierarchy = zarrcore.open(Unlisted(values=values))
    assert [node.path for node in hierarchy.walk()] == ["/", "/A", "/A/1", "/A/1/0"]
    assert hierarchy["A/1"].kind == "group"


def test_a_root_without_a_document() -> None:
    hierarchy = zarrcore.open(memory(**{"x/zarr.json": ARRAY}))
    assert hierarchy.format is zarrcore.Format.V3
    assert [node.path for node in hierarchy.walk()] == ["/", "/x"]


def test_the_newer_of_two_formats_wins() -> None:
    assert zarrcore.open(memory(**{"zarr.json": GROUP, ".zgroup": V2_GROUP})).format is zarrcore.Format.V3
    assert zarrcore.open(memory(**{".zgroup": V2_GROUP})).format is zarrcore.Format.V2
    assert zarrcore.open(memory(**{"zarr.json": GROUP, ".zgroup": V2_GROUP}), format="v2").format.name == "v2"


def test_the_error_without_a_hierarchy_names_the_keys_that_were_tried() -> None:
    with pytest.raises(
        HierarchyNotFoundError,
        match=r"none of zarr.json, .zarray, .zgroup, .zattrs, attributes.json, meta, meta/root.array, meta/root.group is there",
    ):
        zarrcore.open(memory(**{"readme.txt": b"hello"}))
    with pytest.raises(HierarchyNotFoundError):
        zarrcore.open(MemoryStore())
    with pytest.raises(UnsupportedError, match="format 'v9' is unknown; known are v3, v2"):
        zarrcore.open(MemoryStore(), format="v9")


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        (b"{", MetadataError),
        (b"[]", MetadataError),
        (ARRAY.replace(b"int8", b"int9"), UnsupportedError),
        (ARRAY.replace(b'"bytes"', b'"mystery"'), UnsupportedError),
        (ARRAY.replace(b"[2]", b"[0]"), MetadataError),
        (b'{"zarr_format": 3, "node_type": "blob"}', MetadataError),
    ],
)
def test_broken_nodes_are_nodes_with_a_reason(document: bytes, kind: type[ZarrError]) -> None:
    hierarchy = zarrcore.open(memory(**{"zarr.json": GROUP, "x/zarr.json": document, "y/zarr.json": ARRAY}))
    nodes = {node.path: node for node in hierarchy.walk()}
    broken = nodes["/x"]
    assert isinstance(broken, zarrcore.BrokenNode)
    assert isinstance(broken.error, kind)
    assert isinstance(nodes["/y"], zarrcore.Array)
    assert broken.stored_bytes() == document
    assert isinstance(broken.stored_document(), dict)
    assert isinstance(broken.attributes, dict)
    with pytest.raises(kind):
        hierarchy["x"]


def test_an_outage_is_never_an_empty_group() -> None:
    class Denying(MemoryStore):
        def get(
            self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
        ) -> BytesLike | None:
            if key.startswith("x/"):
                raise AccessDeniedError("refused", key=key, url=self.url)
            return super().get(key, byte_range)

    store = Denying()
    store.set("zarr.json", GROUP)
    store.set("x/zarr.json", ARRAY)
    with pytest.raises(AccessDeniedError):
        zarrcore.open(store)["x"]
    found = list(zarrcore.open(store).walk())
    assert [(node.path, node.kind) for node in found] == [("/", "group"), ("/x", "broken")]
    assert isinstance(found[1].error, AccessDeniedError)


def test_stores_that_cannot_list() -> None:
    hierarchy = zarrcore.open(Unlistable(memory(**{"zarr.json": GROUP, "x/zarr.json": ARRAY})))
    assert hierarchy["x"].shape == (4,)
    with pytest.raises(zarrcore.ListingUnsupportedError, match="name the path of a node"):
        list(hierarchy.root.children())
    with pytest.raises(HierarchyNotFoundError):
        zarrcore.open(Unlistable(MemoryStore()))


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_consolidated_metadata_stands_in_for_a_listing(tmp_path: Path, zarr_format: int) -> None:
    root = zarr.create_group(tmp_path / "a.zarr", zarr_format=zarr_format)
    root.create_group("a").create_group("b").create_array("x", data=np.arange(5))
    root.create_array("y", data=np.arange(3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        zarr.consolidate_metadata(root.store)
    root.create_array("later", data=np.arange(2))  # which the consolidated metadata does not know
    for name in ("zarr.json", ".zarray"):
        (tmp_path / "a.zarr/y" / name).unlink(missing_ok=True)
    listed = zarrcore.open(tmp_path / "a.zarr")
    assert {node.path for node in listed.walk()} >= {"/", "/a", "/a/b", "/a/b/x", "/later"}
    hierarchy = zarrcore.open(Unlistable(LocalStore(tmp_path / "a.zarr")))
    assert [node.path for node in hierarchy.walk()] == ["/", "/a", "/a/b", "/a/b/x"], (
        "y's own document is gone"
    )
    assert hierarchy["a/b/x"][...].tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("consolidated", [b"5", b'{"metadata": []}', b"[]", b"null"])
def test_broken_consolidated_metadata(consolidated: bytes) -> None:
    document = b'{"zarr_format": 3, "node_type": "group", "consolidated_metadata": ' + consolidated + b"}"
    hierarchy = zarrcore.open(Unlistable(memory(**{"zarr.json": document})))
    with pytest.raises((MetadataError, zarrcore.ListingUnsupportedError)):
        list(hierarchy.walk())


def test_metadata_is_kept_until_refresh_or_age() -> None:
    store = memory(**{"zarr.json": GROUP, "x/zarr.json": ARRAY})
    kept, fresh = zarrcore.open(store), zarrcore.open(store, metadata_max_age_s=0.0)
    assert kept["x"].shape == fresh["x"].shape == (4,)
    store.set("x/zarr.json", ARRAY.replace(b"[4]", b"[6]"))
    assert kept["x"].shape == (4,)
    assert fresh["x"].shape == (6,)
    kept.refresh()
    assert kept["x"].shape == (6,)


@pytest.mark.parametrize("path", ["../x", "x/../../y", "x/./y", "x\0"])
def test_invalid_paths_are_refused(path: str) -> None:
    with pytest.raises(ZarrError):
        zarrcore.open(memory(**{"zarr.json": GROUP}))[path]


def test_absent_nodes() -> None:
    hierarchy = zarrcore.open(memory(**{"zarr.json": GROUP}))
    with pytest.raises(NodeNotFoundError, match="no node /x/y in memory://"):
        hierarchy["x/y"]


def test_version_2_attributes_and_xarray_dimensions() -> None:
    array = {
        "zarr_format": 2,
        "shape": [2, 3],
        "chunks": [2, 3],
        "dtype": "<i2",
        "compressor": None,
        "fill_value": None,
        "order": "C",
        "filters": None,
    }
    store = memory(
        **{
            ".zgroup": V2_GROUP,
            ".zattrs": b'{"title": "t"}',
            "x/.zarray": json.dumps(array).encode(),
            "x/.zattrs": b'{"_ARRAY_DIMENSIONS": ["y", "x"]}',
            "notes/readme.txt": b"no node",
        }
    )
    hierarchy = zarrcore.open(store)
    assert hierarchy.root.attributes == {"title": "t"}
    assert hierarchy["x"].dimension_names == ("y", "x")
    assert [node.path for node in hierarchy.walk()] == ["/", "/x"]
    assert hierarchy["x"].stored_document()[".zattrs"] == {"_ARRAY_DIMENSIONS": ["y", "x"]}
    assert (hierarchy["x"].metadata_key, hierarchy.root.metadata_key) == ("x/.zarray", ".zgroup")


class Counting(MemoryStore):
    """Counts what is asked of it."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        self.asked.append(key)
        return super().get(key, byte_range)


def test_documents_are_requested_once() -> None:
    store = Counting()
    for key, value in {"zarr.json": GROUP, "x/zarr.json": ARRAY, "y/zarr.json": ARRAY}.items():
        store.set(key, value)
    hierarchy = zarrcore.open(store)
    nodes = list(hierarchy.walk())
    assert nodes[1].stored_document()["shape"] == [4]
    assert nodes[1].metadata_key == "x/zarr.json"
    assert sorted(store.asked) == ["x/zarr.json", "y/zarr.json", "zarr.json"]


def test_version_2_only_requests_documents_that_can_matter() -> None:
    store = Counting()
    for key, value in {".zgroup": V2_GROUP, "x/.zgroup": V2_GROUP, "junk/a": b""}.items():
        store.set(key, value)
    list(zarrcore.open(store).walk())
    assert sorted(store.asked) == sorted(
        [
            "zarr.json",
            ".zarray",
            ".zgroup",
            ".zattrs",
            "x/.zarray",
            "x/.zgroup",
            "x/.zattrs",
            "junk/.zarray",
            "junk/.zgroup",
        ]
    )


def test_the_error_of_a_broken_node_does_not_collect_frames() -> None:
    hierarchy = zarrcore.open(memory(**{"zarr.json": GROUP, "x/zarr.json": b"{"}))
    depths = []
    for _ in range(5):
        with pytest.raises(MetadataError) as caught:
            hierarchy["x"]
        depths.append(len(caught.traceback))
    assert len(set(depths)) == 1


def test_an_unforeseen_error_makes_one_broken_node(monkeypatch: pytest.MonkeyPatch) -> None:
    def surprise(document: object) -> None:
        raise ZeroDivisionError("surprise")

    hierarchy = zarrcore.open(memory(**{"zarr.json": GROUP, "x/zarr.json": ARRAY}))
    monkeypatch.setattr("zarrcore.formats.v3.format.parse_node", surprise)
    with pytest.raises(
        MetadataError, match=r"x/zarr.json: cannot be understood \(ZeroDivisionError: surprise\)"
    ):
        hierarchy["x"]


def test_the_class_can_still_be_called_with_a_warning() -> None:
    store = MemoryStore(values={"zarr.json": b'{"zarr_format": 3, "node_type": "group"}'})
    with pytest.warns(DeprecationWarning, match="zarrcore.open"):
        hierarchy = zarrcore.Hierarchy(store, zarrcore.Format.V3)  # type: ignore[abstract, call-arg]
    assert isinstance(hierarchy, zarrcore.Hierarchy)
    assert hierarchy.root.kind == "group"
