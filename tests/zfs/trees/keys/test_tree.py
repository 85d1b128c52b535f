"""``keys/`` without a kernel: its entries, its requests to the store, and its caches."""

from __future__ import annotations

import contextlib
import gzip
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given

from tests.servers import S3Server
from tests.zfs.trees.entries import Clock, Remote, content, fresh, names, walk
from tests.zfs.trees.writing.courses import COURSES, Far
from zarrcore.errors import ListingUnsupportedError
from zarrcore.stores import MemoryStore, open_store
from zarrcore.stores.interface import ReadableStore, StoreEntry, StoreStat
from zarrfs.trees.entry import Directory, File
from zarrfs.trees.errors import RefusedError, WouldBlockError
from zarrfs.trees.freshness import Freshness
from zarrfs.trees.keys.tree import KeysTree
from zarrfs.trees.keys.watched_store import WatchedStore
from zarrfs.trees.keys.writer import KeyWriter
from zarrfs.trees.writing.spool import SpoolMemory

KEYS = {
    "a": b"A",
    "a/b": b"AB",
    "a//c": b"empty",
    "d/../e": b"up",
    "z": b"",
    "n\0l": b"nul",
    "%2E": b"percent",
}


@pytest.fixture(params=[MemoryStore, Remote])
def store(request: pytest.FixtureRequest) -> ReadableStore:
    return MemoryStore(values=dict(KEYS)) if request.param is MemoryStore else Remote(dict(KEYS))


def test_directories_win_and_odd_segments_are_spelled(store: ReadableStore) -> None:
    root = KeysTree(store, fresh()).root()
    assert sorted(names(root)) == ["%252E", "a", "d", "n%00l", "z"]
    assert sorted(names(walk(root, "a"))) == ["%", "b"]
    assert content(walk(root, "a", "b")) == b"AB"
    assert content(walk(root, "a", "%", "c")) == b"empty"
    assert content(walk(root, "d", "%2E%2E", "e")) == b"up"
    assert content(walk(root, "n%00l")) == b"nul"
    assert content(walk(root, "%252E")) == b"percent"
    assert walk(root, "%2E") is None
    assert walk(root, "nothing") is None


def test_keys_first_shows_the_key(store: ReadableStore) -> None:
    root = KeysTree(store, fresh(), keys_first=True).root()
    assert content(walk(root, "a")) == b"A"
    assert isinstance(walk(root, "d"), Directory)
    assert isinstance(dict(root.entries())["a"], File)


def test_a_remote_store_is_asked_once_within_the_time_to_live() -> None:
    clock = Clock()
    store = Remote({"a/b": b"1", "c": b"22"})
    root = KeysTree(store, fresh(60.0, clock)).root()
    with pytest.raises(WouldBlockError):
        root.lookup("c", wait=False)
    assert root.lookup("c", wait=True) is not None
    store.asked.clear()
    assert root.lookup("c", wait=False) is not None
    assert store.asked == []
    clock.s += 61
    with pytest.raises(WouldBlockError):
        root.lookup("c", wait=False)


def test_a_listing_answers_for_absent_names() -> None:
    store = Remote({"a/b": b"1", "c": b"22"})
    root = KeysTree(store, fresh()).root()
    assert names(root) == ["a", "c"]
    store.asked.clear()
    assert root.lookup("nothing", wait=False) is None
    assert isinstance(root.lookup("a", wait=False), Directory)
    assert store.asked == []


def test_refreshing_forgets() -> None:
    freshness = fresh(float("inf"))
    store = Remote({"c": b"22"})
    root = KeysTree(store, freshness).root()
    assert names(root) == ["c"]
    store.values["d"] = b""
    assert root.lookup("d", wait=False) is None
    freshness.refresh()
    assert names(root) == ["c", "d"]


def test_sizes_missing_from_a_listing_are_requested() -> None:
    root = KeysTree(Remote({"c": b"22", "d": b"333"}, sizes=False), fresh()).root()
    assert [entry.size for _, entry in root.entries() if isinstance(entry, File)] == [2, 3]


def test_a_store_without_listings_is_walked_by_name() -> None:
    store = Remote({"foo/zarr.json": b"{}", "v1.0/zarr.json": b"{}"}, listable=False)
    root = KeysTree(store, fresh(), is_node=lambda path: path == "/v1.0").root()
    assert content(walk(root, "foo", "zarr.json")) == b"{}"
    assert content(walk(root, "v1.0", "zarr.json")) == b"{}"
    assert walk(root, "zarr.json") is None
    with pytest.raises(ListingUnsupportedError):
        names(root)


def remembering() -> tuple[KeysTree, Far]:
    """An empty store, and its tree of keys, which remembers all answers."""
    store = Far(values={})
    views: list[KeysTree] = []

    def changed(key: str) -> None:
        for view in views:
            view.changed(key)

    views.append(
        KeysTree(
            store, Freshness(1000.0), writer=KeyWriter(WatchedStore(store, changed), SpoolMemory(1 << 20))
        )
    )
    return views[0], store


def shown(directory: Directory, path: str = "") -> dict[str, bytes | None]:
    found: dict[str, bytes | None] = {}
    for name, entry in directory.entries():
        looked_up = directory.lookup(name, True)
        assert type(looked_up) is type(entry)
        if isinstance(entry, File) and isinstance(looked_up, File):
            file = entry.open(True)
            found[path + name] = bytes(file.read(0, file.size, True))
            assert looked_up.size == file.size
        elif isinstance(entry, Directory):
            found[path + name] = None
            found |= shown(entry, f"{path}{name}/")
    return found


def step(view: KeysTree, what: str, path: str, other: str) -> None:
    """Do one step as the kernel would, with lookups of the names."""
    above: Directory = view.root()
    *folders, name = path.split("/")
    for folder in folders:
        entry = above.lookup(folder, True)
        if not isinstance(entry, Directory):
            return
        above = entry
    entry = above.lookup(name, True)
    if what == "write" and not isinstance(entry, Directory):
        assert entry is None or isinstance(entry, File)
        file = above.create(name, True) if entry is None else entry.open_to_write(True, True)
        file.write(0, other.encode(), True)
        file.store(closing=True)
        file.close()
    elif what == "append" and isinstance(entry, File):
        file = entry.open_to_write(False, True)
        file.write(file.size, other.encode(), True)
        file.store(closing=True)
        file.close()
    elif what == "unlink" and isinstance(entry, File):
        above.remove(name, True)
    elif what == "mkdir" and entry is None:
        above.make_directory(name, True)
    elif what == "rmdir" and isinstance(entry, Directory):
        above.remove_directory(name, True)
    elif (
        what == "rename"
        and isinstance(entry, File)
        and not isinstance(view.root().lookup("b", True), Directory)
    ):
        above.rename(name, view.root(), "b", True, True)


@given(course=COURSES)
def test_remembered_answers_of_a_remote_store_are_right(course: list[tuple[str, str, str]]) -> None:
    view, store = remembering()
    for what, path, other in course:
        with contextlib.nullcontext() if what != "rmdir" else contextlib.suppress(RefusedError):
            step(view, what, path, other)
        seen = shown(view.root())
        assert shown(KeysTree(store, Freshness(0.0)).root()).items() <= seen.items()
        keys = {entry.key: bytes(store.get(entry.key) or b"") for entry in store.list()}
        assert {path: value for path, value in seen.items() if value is not None} == keys


class Interrupted(Far):
    """A store to which something is written between its answer and the moment when the answer is remembered."""

    between: Callable[[], object] | None = None

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        yield from list(super().list_dir(prefix))
        self._interrupt()

    def stat(self, key: str) -> StoreStat | None:
        found = super().stat(key)
        self._interrupt()
        return found

    def _interrupt(self) -> None:
        between, self.between = self.between, None
        if between is not None:
            between()


@pytest.mark.parametrize("asks", ["lists", "looks"])
def test_answers_to_requests_before_a_change_are_not_remembered(asks: str) -> None:
    """S32: "It opens for reading once its value is stored", even during a listing."""
    store = Interrupted(values={"a/old": b"1"})
    view = KeysTree(
        store,
        Freshness(1000.0),
        writer=KeyWriter(WatchedStore(store, lambda key: view.changed(key)), SpoolMemory(0)),
    )

    def write() -> None:
        file = walk(view.root(), "a").create("new", True)
        file.write(0, b"22", True)
        file.store(closing=True)
        file.close()

    store.between = write
    if asks == "lists":
        assert "old" in dict(walk(view.root(), "a").entries())
    else:
        walk(view.root(), "a").lookup("new", True)
    found = walk(view.root(), "a", "new")
    assert isinstance(found, File)
    assert bytes(found.open(True).read(0, 2, True)) == b"22"


def test_a_file_has_the_size_of_its_decoded_value(s3: S3Server) -> None:
    """A bucket lists the sizes that it stores. They are not asked for if its values are stored as they are."""
    text = b'{"zarr_format": 3}' * 100
    for name in ("zarr.json", "other"):
        s3.request("PUT", f"bucket/sizes/{name}", gzip.compress(text), {"Content-Encoding": "gzip"})
    store = open_store("s3://bucket/sizes", **s3.options)
    root = KeysTree(store, fresh(60.0)).root()
    assert store.get("zarr.json") == text
    sizes = {name: entry.size for name, entry in root.entries() if isinstance(entry, File)}
    assert sizes == {"zarr.json": len(text), "other": len(text)}
    assert content(walk(root, "other")) == text
