"""Collections: hierarchies of all formats below one prefix, as one tree."""

from __future__ import annotations

import io
import os
import pickle
import shutil
import zipfile
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zarrcore
from tests.core.stores.as_nobody import as_nobody, place_for_all
from tests.hierarchies import write_collection
from tests.hierarchies.collection import NODES, VALUES
from tests.servers import NGINX, S3Server, fault_server, nginx_server
from zarrcore import Collection, Format, Hierarchy
from zarrcore.errors import (
    AccessDeniedError,
    HierarchyNotFoundError,
    MetadataError,
    NodeExistsError,
    NodeNotFoundError,
    ReadOnlyError,
    StoreError,
)
from zarrcore.stores import LocalStore, MemoryStore, ReadableStore, StoreEntry
from zarrcore.stores.wrapper.statistics import StatisticsStore

GROUP = b'{"zarr_format": 3, "node_type": "group"}'
V2_GROUP = b'{"zarr_format": 2}'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("collection")
    write_collection(path)
    return path


@pytest.fixture(scope="module")
def bucket(s3: S3Server, folder: Path) -> str:
    s3.upload(folder, "bucket/collection")
    return "s3://bucket/collection"


@pytest.fixture(scope="module")
def web(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if not os.path.exists(NGINX):
        pytest.skip("nginx is not installed")
    with nginx_server(folder, tmp_path_factory.mktemp("nginx")) as server:
        yield server.url


@pytest.fixture(params=["folder", "bucket", "web", "zip"])
def collection(request: pytest.FixtureRequest, folder: Path, tmp_path: Path) -> Hierarchy:
    """The same collection in a folder, a bucket, on the web, in a zip file."""
    if request.param == "web":
        return zarrcore.open_hierarchy(request.getfixturevalue("web"))
    if request.param == "bucket":
        s3 = request.getfixturevalue("s3")
        return zarrcore.open_hierarchy(request.getfixturevalue("bucket"), anonymous=True, **s3.options)
    if request.param == "zip":
        return zarrcore.open_hierarchy(shutil.make_archive(os.fspath(tmp_path / "all"), "zip", folder))
    return zarrcore.open_hierarchy(folder)


def places(hierarchy: Hierarchy, path: str = "/") -> list[tuple[str, str]]:
    return [(node.path, node.kind) for node in hierarchy.walk(path)]


def names(hierarchy: Hierarchy, path: str = "/") -> list[str]:
    return [node.name for node in hierarchy.children(path)]


def memory(*keys: str) -> MemoryStore:
    return MemoryStore(values={key: V2_GROUP if key.endswith(".zgroup") else GROUP for key in keys})


def test_hierarchies_of_all_formats_are_one_tree(collection: Hierarchy) -> None:
    assert isinstance(collection, Collection)
    known = [place for place in NODES if place[0] != "/notes/empty"]  # a bucket has no empty folders
    assert [place for place in places(collection) if place[0] != "/notes/empty"] == known
    for path, kind in known:
        node = collection.node(path)
        assert (node.path, node.kind, node.name) == (path, kind, path.rpartition("/")[2])
        assert path in collection
        if kind == "array":
            assert np.array_equal(collection[path][...], VALUES)
    formats = {path: collection.node(path).hierarchy.format.name for path, _ in known if path.count("/") == 1}
    assert formats == {
        "/": "collection", "/2020": "draft-2020-10", "/broken.zarr": "v3", "/notes": "collection",
        "/sites": "collection", "/v3.zarr": "v3", "/zipped.zip": "v3",
    }  # fmt: skip
    assert collection.node("/sites/south.n5/g/b").hierarchy.format is Format.N5


def test_zip_files_of_ome_ngff_are_members_too(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "x.ozx").write_bytes((folder / "zipped.zip").read_bytes())
    (tmp_path / "x.zip.txt").write_bytes(b"no hierarchy")
    collection = zarrcore.open_hierarchy(tmp_path)
    assert [node.path for node in collection.walk()] == ["/", "/x.ozx", "/x.ozx/b"]
    assert np.array_equal(collection["/x.ozx/b"][...], VALUES)


def test_missing_paths_are_named(collection: Hierarchy) -> None:
    for path in (
        "/nothing",
        "/sites/nothing",
        "/readme.txt",
        "/notes/today.md",
        "/v3.zarr/c",
        "/broken.zarr/b",
    ):
        assert path not in collection
        with pytest.raises(NodeNotFoundError, match=f"no node {path} in"):
            collection[path]
    with pytest.raises(MetadataError, match=r"zarr\.json"):
        collection["/broken.zarr"]


def test_a_nodes_own_address_opens_it(folder: Path) -> None:
    collection = zarrcore.open_hierarchy(folder)
    for path in ("/v3.zarr/b", "/sites/south.n5/g/b", "/zipped.zip/b"):
        url, _, within = collection.node(path).uri.partition("#")
        assert np.array_equal(zarrcore.open_hierarchy(url)[within][...], VALUES)
    assert collection.node("/v3.zarr/b").metadata_key == "b/zarr.json"


def test_groups_and_collections_are_walked_alike(folder: Path) -> None:
    collection = zarrcore.open_hierarchy(folder)
    assert list(collection["sites"]) == ["north", "south.n5"]
    assert collection["sites"]["south.n5/g"]["b"].path == "/sites/south.n5/g/b"
    assert names(collection, "/sites/south.n5") == ["g"]
    assert places(collection, "/sites/north")[1:] == [
        ("/sites/north/v2.zarr", "group"),
        ("/sites/north/v2.zarr/b", "array"),
    ]
    root = collection.root
    assert (dict(root.attributes), root.metadata_document(), root.stored_document(), root.mtime_s) == (
        {},
        {},
        {},
        None,
    )
    with collection.branch("/", 1) as top:
        assert [branch.node.name for branch in top] == [
            path[1:] for path, _ in NODES[1:] if path.count("/") == 1
        ]
    assert ".cache" in collection  # opens by name, and is not listed


def test_a_collection_is_read_only(folder: Path) -> None:
    collection = zarrcore.open_hierarchy(folder)
    for change in (
        lambda: collection.create_group("/new"),
        lambda: collection.create_array("/v3.zarr/new", shape=(1,), dtype="int8"),
        lambda: collection.erase("/v3.zarr"),
        collection.consolidate,
        lambda: setattr(collection["/sites"], "attributes", {"a": 1}),
        lambda: setattr(collection["/v3.zarr"], "attributes", {"a": 1}),
        lambda: collection["/v3.zarr/b"].__setitem__(0, 1),
    ):
        with pytest.raises(ReadOnlyError, match=r"with mode 'r\+'|name one of them"):
            change()
    for place in (folder, folder / "sites"):
        for mode in ("r+", "a", "w-"):
            with pytest.raises(ReadOnlyError, match="is a collection of hierarchies"):
                zarrcore.open_hierarchy(place, mode)
        with pytest.raises(NodeExistsError, match="is not a hierarchy and is not overwritten"):
            zarrcore.open_hierarchy(place, "w")
    assert not (folder / "zarr.json").exists()


def test_a_named_format_counts(folder: Path) -> None:
    assert not isinstance(zarrcore.open_hierarchy(folder, format="v3"), zarrcore.Collection)


def test_collections_and_their_nodes_pickle(folder: Path) -> None:
    collection = pickle.loads(pickle.dumps(zarrcore.open_hierarchy(folder)))
    assert places(collection) == NODES
    assert collection.format is zarrcore.open_hierarchy(folder).format
    for path in ("/zipped.zip/b", "/sites/north/v2.zarr/b"):
        array = pickle.loads(pickle.dumps(collection[path]))
        assert (array.path, array[1].tolist()) == (path, VALUES[1].tolist())
    assert names(pickle.loads(pickle.dumps(collection["/sites"])).hierarchy, "/sites") == [
        "north",
        "south.n5",
    ]


def test_chunks_of_all_are_kept_together(folder: Path) -> None:
    cache = zarrcore.ChunkCache(1 << 20)
    collection = zarrcore.open_hierarchy(folder, chunk_cache=cache)
    for path in ("/v3.zarr/b", "/sites/north/v2.zarr/b", "/zipped.zip/b"):
        collection[path].read()
    assert cache.nbytes >= 3 * VALUES.nbytes


class TestImplicitGroups:
    def test_one_format_below_is_a_group_of_that_format(self) -> None:
        found = zarrcore.open_hierarchy(memory("a/zarr.json", "b/zarr.json", "c/d/zarr.json"))
        assert found.format is Format.V3
        assert places(found) == [
            ("/", "group"),
            ("/a", "group"),
            ("/b", "group"),
            ("/c", "group"),
            ("/c/d", "group"),
        ]

    def test_two_formats_make_a_collection_and_hide_nothing(self) -> None:
        found = zarrcore.open_hierarchy(memory("a/zarr.json", "b/.zgroup"))
        assert places(found) == [("/", "collection"), ("/a", "group"), ("/b", "group")]

    def test_a_late_child_of_another_format_is_not_hidden(self) -> None:
        store = memory(*(f"a{n}/zarr.json" for n in range(40)), "z/.zgroup")
        assert zarrcore.open_hierarchy(store).node("/z").hierarchy.format is Format.V2
        assert names(zarrcore.open_hierarchy(store))[-1] == "z"

    def test_a_folder_of_n5_containers_is_not_a_group(self, tmp_path: Path) -> None:
        for name in ("a.n5", "b.n5"):
            zarrcore.create(tmp_path / name, "n5").create_array("x", shape=(2,), dtype="int8")
        found = zarrcore.open_hierarchy(tmp_path)
        assert found.format.name == "collection"
        (tmp_path / "a.n5/attributes.json").unlink()  # its root without a version: what is in it tells
        found = zarrcore.open_hierarchy(tmp_path)
        assert [node.hierarchy.format.name for node in found.walk()] == ["collection", "n5", "n5", "n5", "n5"]

    def test_deeper_levels_are_not_read_ahead(self) -> None:
        values = {f"{'/'.join(way)}/zarr.json": GROUP for way in product("abc", "def", "ghi", "jkl", ["x"])}
        values |= {f"{'/'.join(way)}/x/zarr.json": GROUP for way in product("abc", "def", "ghi")}
        values |= {f"{'/'.join(way)}/x/zarr.json": GROUP for way in product("abc", "def")}
        store = StatisticsStore(MemoryStore(values={**values, "x/zarr.json": GROUP, "a/x/zarr.json": GROUP}))
        assert zarrcore.open_hierarchy(store).root.kind == "group"
        assert store.statistics()["get"].requests < 120
        assert len(places(zarrcore.open_hierarchy(store))) == 2 + 3 + 1 + 2 * (9 + 27 + 81)

    def test_a_file_of_a_hierarchy_beside_groups_makes_a_collection(self, tmp_path: Path) -> None:
        """A document at the root would hide the file."""
        zarrcore.create(tmp_path / "a.zarr")
        zarrcore.create(tmp_path / "b.zip").close()
        assert places(zarrcore.open_hierarchy(tmp_path)) == [
            ("/", "collection"),
            ("/a.zarr", "group"),
            ("/b.zip", "group"),
        ]
        for mode in ("r+", "a", "w-"):
            with pytest.raises(ReadOnlyError, match="is a collection of hierarchies"):
                zarrcore.open_hierarchy(tmp_path, mode)
        assert not (tmp_path / "zarr.json").exists()

    def test_writing_goes_to_the_group_itself(self) -> None:
        store = memory("a/zarr.json")
        zarrcore.open_hierarchy(store, "r+").create_group("b")
        assert names(zarrcore.open_hierarchy(store)) == ["a", "b"]


class TestNothingThere:
    def test_a_few_folders_without_a_hierarchy_are_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(HierarchyNotFoundError, match=r"is there$"):
            zarrcore.open_hierarchy(tmp_path)
        (tmp_path / "a/b").mkdir(parents=True)
        (tmp_path / "a/text.txt").write_text("")
        with pytest.raises(
            HierarchyNotFoundError, match=r"none of zarr.json.* is there, nor in the 2 folders below it"
        ):
            zarrcore.open_hierarchy(tmp_path)
        (tmp_path / "a/b/x").mkdir()
        (tmp_path / "a/b/x/zarr.json").write_bytes(GROUP)
        assert len(places(zarrcore.open_hierarchy(tmp_path))) == 4

    def test_many_folders_without_a_hierarchy_open_as_a_collection(self, tmp_path: Path) -> None:
        for n in range(30):
            (tmp_path / f"{n}").mkdir()
        assert names(zarrcore.open_hierarchy(tmp_path)) == sorted(str(n) for n in range(30))

    def test_a_zip_file_without_a_hierarchy_is_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "x").mkdir()
        (tmp_path / "x/zarr.json").write_bytes(GROUP)
        with zipfile.ZipFile(tmp_path / "papers.zip", "w") as file:
            file.writestr("a/paper.pdf", "%PDF")
        with zipfile.ZipFile(tmp_path / "folder.zip", "w") as file:
            file.writestr("inner/y.zarr/zarr.json", GROUP)
        (tmp_path / "torn.zip").write_bytes(b"PK\3\4")
        kinds = dict(places(zarrcore.open_hierarchy(tmp_path)))
        assert kinds["/folder.zip/inner/y.zarr"] == "group"
        assert kinds["/torn.zip"] == "broken"
        assert not any(path.startswith("/papers.zip") for path in kinds)


def test_forbidden_folders_do_not_hide_others() -> None:
    class Denying(MemoryStore):
        def get(self, key: str, *arguments: Any, **keywords: Any) -> Any:
            if key.startswith("secret/"):
                raise AccessDeniedError(f"{key} in {self.url}: denied", key=key, url=self.url)
            return super().get(key, *arguments, **keywords)

    store = Denying(values={"secret/x": b"", "a/zarr.json": GROUP, "z/.zgroup": V2_GROUP})
    found = zarrcore.open_hierarchy(store)
    assert places(found) == [("/", "collection"), ("/a", "group"), ("/secret", "broken"), ("/z", "group")]
    with pytest.raises(StoreError, match="denied"):
        found["/secret"]


def test_forbidden_directories_do_not_hide_others() -> None:
    with place_for_all() as place:
        for name in ("a", "secret/x", "z"):
            (place / name).mkdir(parents=True)
            (place / name / "zarr.json").write_bytes(GROUP)
        (place / "secret").chmod(0)
        lines = f"""
            found = zarrcore.hierarchy.open_hierarchy({str(place)!r})
            print([(node.path, node.kind) for node in found.walk()])
            found["/secret"]
        """
        # The user nobody may not be able to read Python's own files, so late imports must happen before.
        nodes, error = as_nobody("zarrcore.hierarchy, encodings.utf_8_sig", lines).splitlines()
        assert nodes == "[('/', 'group'), ('/a', 'group'), ('/secret', 'broken'), ('/z', 'group')]"
        assert error.startswith("AccessDeniedError")


def test_links_to_parents_do_not_loop(tmp_path: Path) -> None:
    for name in ("a/x", "b/y"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "zarr.json").write_bytes(GROUP)
    (tmp_path / "a/up").symlink_to("..")
    (tmp_path / "a/b").symlink_to("../b")
    (tmp_path / "b/a").symlink_to("../a")
    for follow in (False, True):
        paths = [
            path for path, _ in places(zarrcore.open_hierarchy(LocalStore(tmp_path, follow_links=follow)))
        ]
        assert paths == ["/", "/a", "/a/b", "/a/b/y", "/a/x", "/b", "/b/a", "/b/a/x", "/b/y"]


def test_changes_are_seen_after_a_refresh(tmp_path: Path) -> None:
    (tmp_path / "a/x").mkdir(parents=True)
    (tmp_path / "a/x/zarr.json").write_bytes(GROUP)
    (tmp_path / "b").mkdir()
    found = zarrcore.open_hierarchy(tmp_path)
    inner = found["/a"]
    assert (found.node("/b").kind, found.node("/a/x").kind) == ("collection", "group")
    shutil.copy(tmp_path / "a/x/zarr.json", tmp_path / "b/zarr.json")
    (tmp_path / "a/x/zarr.json").write_bytes(b"{")
    assert (found.node("/b").kind, found.node("/a/x").kind) == ("collection", "group")
    found.refresh()
    assert (found.node("/b").kind, found.node("/a/x").kind) == ("group", "broken")
    assert [child.kind for child in inner.children()] == ["broken"]


class Many(ReadableStore):
    """A remote place of 100,000 hierarchies, that tells how far its listing was read."""

    url = "test://many"
    is_remote = True
    requests_in_flight = 8

    def __init__(self) -> None:
        self.listed = 0

    def get(self, key: str, *_: Any, **__: Any) -> bytes | None:
        return GROUP if key.endswith("/zarr.json") and key.count("/") == 1 else None


class ManyListed(Many, zarrcore.stores.interface.ListableStore):
    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        for n in range(100_000 if not prefix else 0):
            self.listed += 1
            yield StoreEntry(f"{n:06}/")


def test_many_hierarchies_are_listed_lazily() -> None:
    store = ManyListed()
    children = zarrcore.open_hierarchy(store).children("/")
    assert [next(children).name for _ in range(3)] == ["000000", "000001", "000002"]
    assert store.listed < 1000
    children.close()  # type: ignore[attr-defined]


def test_requests_are_few(s3: S3Server, bucket: str) -> None:
    store = StatisticsStore(zarrcore.open_store(bucket, anonymous=True, **s3.options))

    def asked(act: Callable[[], object]) -> int:
        before = sum(kind.requests for kind in store.statistics().values())
        act()
        return sum(kind.requests for kind in store.statistics().values()) - before

    collection = Collection(store)
    assert asked(lambda: collection.node("/v3.zarr")) == 1
    assert asked(lambda: collection.node("/v3.zarr")) == 0
    assert asked(lambda: collection.node("/v3.zarr/b")) == 1
    # Of what is asked for together not all is waited for. A folder of references would have one more key.
    assert asked(lambda: collection.node("/sites/south.n5")) <= 5 + 2 * 2 + 6 + 1
    assert asked(lambda: collection.node("/sites/south.n5/g/b")) <= 1 + 3
    assert asked(lambda: collection.node("/sites/north/v2.zarr")) <= 5 + 2 + 5 + 1
    assert asked(lambda: "/sites/nothing" in collection) <= 5 + 3 + 1


def test_a_file_on_a_server_that_has_no_hierarchy_is_recognized_once() -> None:
    """Its name does not say that it is an archive."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        archive.writestr("readme.txt", "nothing")
    with fault_server() as server:
        server.values["blob"] = memory.getvalue()
        with pytest.raises(HierarchyNotFoundError, match="/blob holds no hierarchy"):
            zarrcore.open(f"{server.url}/blob")
    assert sum("range" in headers for _, _, headers in server.requests) < 20
