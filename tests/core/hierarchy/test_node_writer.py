"""Making, changing and erasing nodes; consolidated metadata."""

from __future__ import annotations

import json
import pickle
import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import zarrcore
from tests.core.hierarchy.written import array, paths
from tests.servers import S3Server
from tests.waiting import PATIENCE_S
from zarrcore.array import Array
from zarrcore.errors import (
    ChangedError,
    MetadataError,
    NodeExistsError,
    NodeNotFoundError,
    SelectionError,
    StoreError,
    UnsupportedError,
    ZarrError,
)
from zarrcore.hierarchy import Group
from zarrcore.hierarchy.new_array import CHUNK_NBYTES, default_chunk_shape
from zarrcore.stores import BytesLike, MemoryStore, StoreStat, open_store


def keys(hierarchy: zarrcore.Hierarchy) -> set[str]:
    store = hierarchy.store
    assert isinstance(store, MemoryStore)
    return {entry.key for entry in store.list()}


class TestCreating:
    def test_groups_above_are_made(self, hierarchy: zarrcore.Hierarchy) -> None:
        array(hierarchy, "/a/b/x")
        hierarchy.create_group("c", attributes={"unit": "nm"})
        assert paths(hierarchy) == ["/", "/a", "/a/b", "/a/b/x", "/c"]
        assert hierarchy["c"].attributes == {"unit": "nm"}
        names = {key.rpartition("/")[2] for key in keys(hierarchy)}
        documents = {"v3": {"zarr.json"}, "v2": {".zarray", ".zgroup", ".zattrs"}, "n5": {"attributes.json"}}
        assert names == documents[hierarchy.format.name]

    def test_existing_nodes_are_not_replaced(self, hierarchy: zarrcore.Hierarchy) -> None:
        array(hierarchy, "/a/x", attributes={"kept": 1})
        for make in (array, lambda h, path: h.create_group(path)):
            with pytest.raises(NodeExistsError, match=r"/a/x in .* already exists, as an array"):
                make(hierarchy, "/a/x")
            with pytest.raises(NodeExistsError, match="already exists, as a group"):
                make(hierarchy, "/a")
            with pytest.raises(NodeExistsError, match="is an array: /a/x/y cannot be below it"):
                make(hierarchy, "/a/x/y")
        assert hierarchy["a/x"].attributes == {"kept": 1}

    def test_overwriting_erases_all_below(self, hierarchy: zarrcore.Hierarchy) -> None:
        array(hierarchy, "/a/x")[...] = 1
        made = array(hierarchy, "/a", overwrite=True)
        assert not np.asarray(made[...]).any()
        assert paths(hierarchy) == ["/", "/a"]
        assert not any(key.startswith("a/x") for key in keys(hierarchy))

    def test_orphaned_chunks_do_not_become_part_of_a_new_array(self, hierarchy: zarrcore.Hierarchy) -> None:
        hierarchy.store.set("x/c/0/0", b"left by an accident")  # type: ignore[attr-defined]
        if hierarchy.format.implicit_groups:
            hierarchy.store.set("y", b"")  # type: ignore[attr-defined]
        with pytest.raises(NodeExistsError):
            array(hierarchy)
        array(hierarchy, overwrite=True)
        assert "x/c/0/0" not in keys(hierarchy)

    def test_one_of_two_writers_of_the_same_node_fails(self, hierarchy: zarrcore.Hierarchy) -> None:
        class Contested(MemoryStore):
            """Where another writer is faster by a hair."""

            def set(self, key: str, value: Any, *, if_absent: bool = False) -> bool:
                if key.startswith("x/") and if_absent:
                    super().set(key, value)
                return super().set(key, value, if_absent=if_absent)

        contested = zarrcore.create(Contested(), hierarchy.format)
        with pytest.raises(NodeExistsError, match=r"/x in .* was made by another writer meanwhile"):
            array(contested)
        array(contested, overwrite=True)

    def test_groups_above_are_made_from_the_root_down(self, hierarchy: zarrcore.Hierarchy) -> None:
        class Ordered(MemoryStore):
            """Records what is stored; groups below the root are stored at once, and wait for one another."""

            is_remote = True

            def __init__(self) -> None:
                super().__init__()
                self.stored: list[str] = []
                self.together = threading.Barrier(2, timeout=PATIENCE_S)

            def set(self, key: str, value: Any, *, if_absent: bool = False) -> bool:
                if key.startswith("a/") and "x" not in key:
                    self.together.wait()
                self.stored.append(key)
                return super().set(key, value, if_absent=if_absent)

        store = Ordered()
        made = zarrcore.create(store, hierarchy.format)
        array(made, "/x", attributes={})
        root = store.stored[0]
        store.erase(root)
        store.stored.clear()
        opened = zarrcore.open_hierarchy(store, "r+", hierarchy.format)
        array(opened, "/a/b/x")
        assert store.stored[0] == root
        assert sorted(store.stored[1:3]) == sorted([f"a/{root}", f"a/b/{root}"])
        assert store.stored[3].startswith("a/b/x/")

    def test_a_group_above_that_cannot_be_stored_leaves_no_node(self) -> None:
        class Full(MemoryStore):
            is_remote = True

            def set(self, key: str, value: Any, *, if_absent: bool = False) -> bool:
                if key == "a/b/zarr.json":
                    raise StoreError("full")
                return super().set(key, value, if_absent=if_absent)

        store = Full()
        hierarchy = zarrcore.create(store)
        with pytest.raises(StoreError, match="full"):
            array(hierarchy, "/a/b/c/x")
        assert store.get("a/b/c/x/zarr.json") is None

    def test_without_threads_requests_follow_one_another(
        self, hierarchy: zarrcore.Hierarchy, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: Any) -> None:
            raise RuntimeError("cannot schedule new futures after interpreter shutdown")

        monkeypatch.setattr("zarrcore.threads.ThreadPool.submit", refuse)
        store = MemoryStore()
        for store.is_remote in (True, False):
            array(zarrcore.create(store, hierarchy.format, overwrite=True), "/a/b/x")
            assert paths(hierarchy) == ["/"]
            store.is_remote = False
            assert paths(zarrcore.open_hierarchy(store)) == ["/", "/a", "/a/b", "/a/b/x"]

    def test_local_stores_need_no_threads(
        self, tmp_path: Path, hierarchy: zarrcore.Hierarchy, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("zarrcore.threads.ThreadPool.submit", None)
        made = zarrcore.create(tmp_path, hierarchy.format)
        array(made, "/a/b/x")
        made.erase("a/b")
        assert paths(zarrcore.open_hierarchy(tmp_path)) == ["/", "/a"]

    @pytest.mark.parametrize("is_remote", [False, True])
    def test_broken_documents_are_not_replaced(self, hierarchy: zarrcore.Hierarchy, is_remote: bool) -> None:
        store = hierarchy.store
        assert isinstance(store, MemoryStore)
        store.is_remote = is_remote
        name = hierarchy.format.document_keys("/")[0]
        for key, value in ((f"empty/{name}", b""), (f"broken/{name}", b"{")):
            store.set(key, value)
            path = key.partition("/")[0]
            for make in (array, lambda h, path: h.create_group(path)):
                with pytest.raises(NodeExistsError, match="already exists, as though broken"):
                    make(hierarchy, path)
                with pytest.raises(MetadataError):
                    make(hierarchy, f"{path}/x")
            assert store.get(key) == value

    @pytest.mark.parametrize("is_remote", [False, True])
    def test_broken_attributes_matter_to_an_implicit_group(self, is_remote: bool) -> None:
        store = MemoryStore()
        store.is_remote = is_remote
        hierarchy = zarrcore.create(store, "v2")
        array(hierarchy, "/a/x")
        store.erase("a/.zgroup")
        for prefix in ("a", "b"):
            store.set(f"{prefix}/.zattrs", b"{")
        with pytest.raises(MetadataError, match="zattrs"):
            array(hierarchy, "/a/y")
        array(hierarchy, "/b/y")

    def test_an_array_replaces_an_empty_root(self, hierarchy: zarrcore.Hierarchy) -> None:
        array(hierarchy, "/")[...] = 3
        again = zarrcore.open_hierarchy(hierarchy.store)
        assert again.format == hierarchy.format
        assert (np.asarray(again.root) == 3).all()
        with pytest.raises(NodeExistsError):
            array(again if not again.read_only else zarrcore.open_hierarchy(hierarchy.store, "r+"), "/x")

    @pytest.mark.parametrize("path", ["a/../b", "a/..."])
    def test_an_invalid_path_is_refused(self, hierarchy: zarrcore.Hierarchy, path: str) -> None:
        with pytest.raises(SelectionError):
            array(hierarchy, path)

    def test_names_that_version_3_reserves_are_refused(self) -> None:
        with pytest.raises(SelectionError, match="__hidden"):
            array(zarrcore.create(MemoryStore()), "__hidden")

    @pytest.mark.parametrize(
        ("wishes", "sentence"),
        [
            ({"shape": (4, -1)}, "shape: expected integers of at least 0"),
            ({"shape": 4.5}, "shape: expected integers, one per dimension"),
            ({"shape": (4.5, 1)}, "shape: expected integers"),
            ({"shape": (float("inf"), 1)}, "shape: expected integers"),
            ({"chunks": (2,)}, "chunks: expected 2 lengths, found 1"),
            ({"chunks": (2, 0)}, "chunks: expected integers of at least 1"),
            ({"chunks": (3, 3), "shards": (4, 4)}, "expected a shape that divides"),
            ({"dtype": "float33"}, "data type 'float33'"),
            ({"dtype": "M8[parsec]"}, "data type"),
            ({"fill_value": "much"}, "fill_value: expected an element"),
            ({"fill_value": 2**40}, "fill_value: expected an element"),
            ({"codecs": ["brotli9"]}, "codec 'brotli9' is not supported"),
            ({"codecs": [{"name": "zstd", "configuration": {"level": "high"}}]}, "level"),
            ({"codecs": ["zstd", "bytes"]}, "breaks this order"),
            ({"codecs": ["bytes", 3]}, r"codecs\[1\]: expected an object with a name, found the number 3"),
            ({"codecs": 3}, "codecs: expected a codec, or several in order, found 3"),
            ({"dimension_names": ["y"]}, "dimension_names: expected 2 names, found 1"),
            ({"attributes": {"when": object()}}, "attributes"),
        ],
    )
    def test_contradictory_arguments_are_refused(self, wishes: dict[str, Any], sentence: str) -> None:
        hierarchy = zarrcore.create(MemoryStore())
        with pytest.raises(ZarrError, match=sentence):
            hierarchy.create_array("x", **{"shape": (4, 4), "dtype": "int16", **wishes})
        assert keys(hierarchy) == {"zarr.json"}

    @pytest.mark.parametrize(
        ("format_name", "wishes", "sentence"),
        [
            ("v2", {"shards": (4, 4)}, "codec 'sharding_indexed' cannot be expressed in Zarr v2"),
            ("n5", {"shards": (4, 4)}, "codec 'sharding_indexed' cannot be expressed in N5"),
            ("n5", {"codecs": ["crc32c"]}, "cannot be expressed in N5"),
            ("v2", {"dtype": "bfloat16"}, "data type 'bfloat16'"),
        ],
    )
    def test_arguments_that_a_format_cannot_fulfil_are_refused(
        self, format_name: str, wishes: dict[str, Any], sentence: str
    ) -> None:
        hierarchy = zarrcore.create(MemoryStore(), format_name)
        with pytest.raises(UnsupportedError, match=sentence):
            array(hierarchy, **wishes)

    @pytest.mark.parametrize("codec", ["gzip", "zstd", "blosc"])
    def test_compressors_that_every_format_has(self, hierarchy: zarrcore.Hierarchy, codec: str) -> None:
        array(hierarchy, codecs=[codec])[...] = 5
        again = zarrcore.open_hierarchy(hierarchy.store)["x"]
        assert isinstance(again, Array)
        assert (again[...] == 5).all()
        assert codec in str(again.codecs)

    def test_default_chunks_have_two_to_four_mebibytes(self) -> None:
        for shape, itemsize in [
            ((2000, 2000, 2000), 4),
            ((10**9,), 2),
            ((1, 3, 5000, 5000), 1),
            ((7, 10**6), 8),
        ]:
            nbytes = int(np.prod(default_chunk_shape(shape, itemsize), dtype="i8")) * itemsize
            assert CHUNK_NBYTES // 2 - CHUNK_NBYTES // 50 < nbytes <= CHUNK_NBYTES
        assert default_chunk_shape((), 8) == ()
        assert default_chunk_shape((0, 5), 8) == (1, 5)

    def test_other_readers_read_the_defaults(self, tmp_path: Path) -> None:
        tensorstore = pytest.importorskip("tensorstore")
        values = np.random.default_rng(1).normal(size=(70, 80)).astype("f4")
        for format_name, driver in (("v3", "zarr3"), ("v2", "zarr")):
            hierarchy = zarrcore.create(tmp_path / format_name, format_name)
            made = [
                hierarchy.create_array(
                    "plain", shape=values.shape, dtype=values.dtype, dimension_names=["y", "x"]
                )
            ]
            if format_name == "v3":
                made.append(hierarchy.create_array("shards", shape=values.shape, dtype="f4", shards=(64, 64)))
            for one in made:
                one[...] = values
                np.testing.assert_array_equal(
                    zarr.open(tmp_path / format_name, mode="r")[one.name][...], values
                )
                spec = {
                    "driver": driver,
                    "kvstore": {"driver": "file", "path": f"{tmp_path / format_name / one.name}/"},
                }
                np.testing.assert_array_equal(tensorstore.open(spec).result().read().result(), values)
                assert zarrcore.open_hierarchy(tmp_path / format_name)[one.path].metadata == one.metadata
        assert zarr.open(tmp_path / "v3", mode="r")["plain"].metadata.dimension_names == ("y", "x")


class TestChanging:
    def test_attributes(self, hierarchy: zarrcore.Hierarchy) -> None:
        node, group = array(hierarchy, "/g/x", attributes={"old": 1}), hierarchy["g"]
        node.attributes = {"new": [1, {"deep": None}], "small": np.float32(0.5)}
        assert isinstance(group, Group)
        group.attributes = {"title": "grün"}
        again = zarrcore.open_hierarchy(hierarchy.store)
        for opened in (hierarchy, again):
            assert opened["g/x"].attributes == {"new": [1, {"deep": None}], "small": 0.5}
            assert opened["g"].attributes == {"title": "grün"}
        assert node.attributes == again["g/x"].attributes
        with pytest.raises(MetadataError, match="attributes"):
            group.attributes = {"function": len}
        assert group.attributes == {"title": "grün"}

    def test_an_array_that_was_erased_meanwhile_does_not_become_a_group(
        self, hierarchy: zarrcore.Hierarchy
    ) -> None:
        node = array(hierarchy)
        zarrcore.open_hierarchy(hierarchy.store, "r+").erase("x")
        node[0, 0] = 1  # leaves a chunk that belongs to no array
        for change in (lambda: setattr(node, "attributes", {"a": 1}), lambda: node.resize((1, 1))):  # type: ignore[attr-defined]
            with pytest.raises(NodeNotFoundError):
                change()

    def test_unknown_members_survive(self) -> None:
        store = MemoryStore()
        array(zarrcore.create(store))
        document = json.loads(bytes(store.get("x/zarr.json") or b""))
        document["other"] = {"must_understand": False, "name": "theirs"}
        store.set("x/zarr.json", json.dumps(document).encode())
        node = zarrcore.open_hierarchy(store, "r+")["x"]
        assert isinstance(node, Array)
        node.attributes = {"a": 1}
        node.resize((8, 2))
        changed = json.loads(bytes(store.get("x/zarr.json") or b""))
        assert changed == {**document, "attributes": {"a": 1}, "shape": [8, 2]}

    def test_a_concurrent_change_is_kept(self, hierarchy: zarrcore.Hierarchy) -> None:
        node = array(hierarchy)
        other = zarrcore.open_hierarchy(hierarchy.store, "r+")["x"]
        other.resize((8, 8))
        node.attributes = {"a": 1}
        assert node.shape == (8, 8)

    def test_a_concurrent_reader_does_not_keep_old_metadata(self) -> None:
        class Slow(MemoryStore):
            meanwhile: Any = None

            def get(self, key: str, *more: Any, **options: Any) -> Any:
                value, meanwhile, self.meanwhile = super().get(key, *more, **options), self.meanwhile, None
                if meanwhile is not None:
                    meanwhile()
                return value

        store = Slow()
        hierarchy = zarrcore.create(store)
        node = array(hierarchy)
        hierarchy.refresh()
        store.meanwhile = lambda: node.resize((8, 8))  # type: ignore[attr-defined]
        assert hierarchy["x"].metadata.shape == (4, 4)
        assert hierarchy["x"].metadata.shape == (8, 8)

    def test_shrinking_erases_or_keeps(self, hierarchy: zarrcore.Hierarchy) -> None:
        for erase in (True, False):
            node = array(hierarchy, overwrite=True)
            node[...] = 1
            node.resize((1, 3), erase_chunks=erase)  # type: ignore[attr-defined]
            assert sum(key[-1].isdigit() for key in keys(hierarchy)) == (2 if erase else 4)
            node.resize((4, 4))  # type: ignore[attr-defined]
            assert int(np.asarray(node[...]).sum()) == (3 if erase else 16)
        with pytest.raises(MetadataError, match="expected 2 lengths, found 1"):
            node.resize((4,))  # type: ignore[attr-defined]
        with pytest.raises(MetadataError, match="at least 0"):
            node.resize((4, -1))  # type: ignore[attr-defined]

    def test_resizing_again_erases_what_a_failed_attempt_left(self, hierarchy: zarrcore.Hierarchy) -> None:
        node = array(hierarchy)
        node[...] = 1
        node.resize((1, 3), erase_chunks=False)  # type: ignore[attr-defined]
        node.resize((1, 3))  # type: ignore[attr-defined]
        assert sum(key[-1].isdigit() for key in keys(hierarchy)) == 2
        node.resize((4, 4))  # type: ignore[attr-defined]
        assert int(np.asarray(node[...]).sum()) == 3
        node.resize((0, 3), erase_chunks=False)  # type: ignore[attr-defined]
        node.resize((0, 3))  # type: ignore[attr-defined]
        assert not any(key[-1].isdigit() for key in keys(hierarchy))

    def test_erasing(self, hierarchy: zarrcore.Hierarchy) -> None:
        array(hierarchy, "/a/b/x")[...] = 1
        hierarchy.erase("/a/b/x")
        assert paths(hierarchy) == ["/", "/a", "/a/b"]
        hierarchy.erase("a")
        assert paths(hierarchy) == ["/"]
        assert len(keys(hierarchy)) == 1
        with pytest.raises(NodeNotFoundError):
            hierarchy.erase("a")

    def test_an_implicit_parent_outlives_its_last_child(self) -> None:
        store = MemoryStore()
        hierarchy = zarrcore.create(store)
        array(hierarchy, "/a/b/x")
        store.erase("a/zarr.json")
        store.erase("a/b/zarr.json")
        hierarchy.refresh()
        hierarchy.erase("/a/b/x")
        assert paths(zarrcore.open_hierarchy(store)) == ["/", "/a", "/a/b"]

    def test_cached_chunks_end_with_their_array(self, hierarchy: zarrcore.Hierarchy) -> None:
        hierarchy.chunk_cache = zarrcore.ChunkCache(1 << 20)
        array(hierarchy)[...] = 1
        assert np.asarray(hierarchy["x"]).all()
        hierarchy.erase("x")
        assert not np.asarray(array(hierarchy)).any()

    def test_pickled_hierarchies_write_on(self, tmp_path: Path) -> None:
        hierarchy = pickle.loads(pickle.dumps(zarrcore.create(tmp_path)))
        array(hierarchy)[...] = 2
        assert (np.asarray(zarrcore.open_hierarchy(tmp_path)["x"]) == 2).all()


def test_a_zip_file_is_complete_once_its_hierarchy_is_closed(tmp_path: Path) -> None:
    with zarrcore.create(tmp_path / "a.zip", "v2") as hierarchy:
        array(hierarchy, "/g/x")[...] = 4
    with zarr.storage.ZipStore(tmp_path / "a.zip", mode="r") as store:
        assert (zarr.open_group(store, mode="r")["g/x"][...] == 4).all()
    with zarrcore.open_hierarchy(tmp_path / "a.zip", "r+") as hierarchy:
        node = hierarchy["g/x"]
        assert isinstance(node, Array)
        node[1] = 5
    assert np.asarray(zarrcore.open_hierarchy(tmp_path / "a.zip")["g/x"]).tolist() == [
        [4] * 4,
        [5] * 4,
        [4] * 4,
        [4] * 4,
    ]


class TestConsolidating:
    @pytest.mark.parametrize("format_name", ["v3", "v2"])
    @pytest.mark.filterwarnings("ignore")
    def test_other_readers_use_it_and_a_change_removes_it(self, tmp_path: Path, format_name: str) -> None:
        hierarchy = zarrcore.create(tmp_path, format_name)
        array(hierarchy, "/a/x", attributes={"unit": "K"})
        hierarchy.consolidate()
        found = zarr.open_consolidated(tmp_path)
        assert {path for path, _ in found.members(max_depth=None)} == {"a", "a/x"}
        assert dict(found["a/x"].attrs) == {"unit": "K"}
        array(hierarchy, "/a/y")
        with pytest.raises((ValueError, KeyError), match=r"onsolidated|\.zmetadata"):
            zarr.open_consolidated(tmp_path)
        assert "y" in zarr.open_group(tmp_path, mode="r")["a"]

    def test_it_is_removed_again_when_another_writer_restored_it(self, tmp_path: Path) -> None:
        hierarchy = zarrcore.create(tmp_path)
        array(hierarchy, "/a")
        zarrcore.open_hierarchy(tmp_path, "r+").consolidate()
        array(hierarchy, "/b")
        assert set(zarr.open_group(tmp_path, mode="r")) == {"a", "b"}

    def test_a_failed_change_leaves_consolidated_metadata(self, hierarchy: zarrcore.Hierarchy) -> None:
        if hierarchy.format.name == "n5":
            return
        array(hierarchy, "/g/a")
        hierarchy.consolidate()
        before = {key: bytes(hierarchy.store.get(key) or b"") for key in keys(hierarchy)}
        for change in (
            lambda: array(hierarchy, "/g/a"),
            lambda: array(hierarchy, "/g/a/b", overwrite=True),
            lambda: hierarchy.create_group("/new/../x"),
            lambda: setattr(hierarchy["/g"], "attributes", {"function": len}),
            lambda: hierarchy.erase("/h"),
        ):
            with pytest.raises(ZarrError):
                change()
        assert {key: bytes(hierarchy.store.get(key) or b"") for key in keys(hierarchy)} == before

    def test_that_of_version_2_is_only_erased_if_it_exists(self) -> None:
        class Erased(MemoryStore):
            erased: tuple[str, ...] = ()

            def erase(self, key: str) -> None:
                self.erased += (key,)
                super().erase(key)

        store = Erased()
        hierarchy = zarrcore.create(store, "v2")
        array(hierarchy, "/x")
        assert store.erased == ()
        hierarchy.consolidate()
        array(hierarchy, "/y")
        assert store.erased == (".zmetadata",)

    def test_n5_has_no_consolidated_metadata(self) -> None:
        with pytest.raises(UnsupportedError, match="format 'n5' has no consolidated metadata"):
            zarrcore.create(MemoryStore(), "n5").consolidate()
        with pytest.raises(UnsupportedError, match="fill value '7' cannot be expressed in N5"):
            array(zarrcore.create(MemoryStore(), "n5"), fill_value=7)


def change_many(open_one: Callable[[], zarrcore.Hierarchy], letter: str, barrier: threading.Barrier) -> None:
    hierarchy = open_one()
    barrier.wait()
    for number in range(4):
        hierarchy["g"].attributes[f"{letter}{number}"] = number
        hierarchy.attributes[f"{letter}{number}"] = number


@pytest.mark.sampled
@pytest.mark.parametrize("format_", ["v3", "v2"])
@pytest.mark.parametrize("kind", ["memory", "s3"])
def test_writers_in_several_processes_lose_no_attribute(
    kind: str, format_: str, s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their processes are threads here, which share no lock."""
    monkeypatch.setattr("zarrcore.hierarchy.node_writer._locks", _NoLocks())
    memory = MemoryStore(values={})
    place = f"s3://bucket/{uuid.uuid4()}"
    store = memory if kind == "memory" else open_store(place, **s3.options)
    made = zarrcore.create(store, format=format_)
    made.create_group("g")
    made.consolidate()

    def open_one() -> zarrcore.Hierarchy:
        return zarrcore.open_hierarchy(memory if kind == "memory" else open_store(place, **s3.options), "r+")

    barrier = threading.Barrier(3)
    with ThreadPoolExecutor(3) as pool:
        for done in [pool.submit(change_many, open_one, letter, barrier) for letter in "abc"]:
            done.result()
    expected = {f"{letter}{number}": number for letter in "abc" for number in range(4)}
    found = open_one()
    assert dict(found["g"].attributes) == dict(found.attributes) == expected


class _NoLocks(dict[Any, Any]):
    def setdefault(self, key: Any, default: Any = None) -> Any:
        return default


def test_a_change_that_never_gets_through_is_an_error() -> None:
    class Contended(MemoryStore):
        def replace(self, key: str, value: BytesLike, stat: StoreStat) -> bool:
            return False

    store = Contended(values={})
    hierarchy = zarrcore.create(store)
    with pytest.raises(ChangedError, match=r"^zarr.json .*another writer"):
        hierarchy.attributes["a"] = 1
    assert dict(zarrcore.open_hierarchy(store).attributes) == {}
