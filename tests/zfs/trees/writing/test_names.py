"""``--read-write``: any sequence of creating, renaming and removing names has the same result as on disk."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.zfs.conftest import Mount, Mounter
from zarrcore.errors import StoreError
from zarrcore.stores import MemoryStore
from zarrcore.stores.interface import BytesLike, StoreEntry, StoreStat
from zarrfs.trees.entry import Directory, File
from zarrfs.trees.errors import RefusedError
from zarrfs.trees.freshness import Freshness
from zarrfs.trees.keys.tree import KeysTree
from zarrfs.trees.keys.watched_store import WatchedStore
from zarrfs.trees.keys.writer import KeyWriter
from zarrfs.trees.writing.spool import SpoolMemory

PATHS = st.sampled_from(["a", "b", "c", "a/b", "a/c", "b/a", "a/b/c", "c/a/b"])
COURSES = st.lists(
    st.tuples(
        st.sampled_from(["write", "append", "unlink", "mkdir", "rmdir", "rename", "move", "link"]),
        PATHS,
        PATHS,
    ),
    max_size=20,
)
NUMBERS = count()


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory, mounter: Mounter) -> tuple[Path, Mount]:
    path = tmp_path_factory.mktemp("names")
    return path, mounter(path, "--read-write")


def do(root: Path, what: str, path: str, other: str) -> str:
    """Do one step; returns the error's name, or nothing."""
    place = root / path
    try:
        if what in {"write", "append"}:
            with open(place, "wb" if what == "write" else "ab") as file:
                file.write(other.encode())
        elif what == "move":
            # A move of a directory that is not empty: programs copy and erase if the file system cannot rename it.
            subprocess.run(["mv", "-T", place, root / other], check=True, capture_output=True)
        elif what in {"rename", "link"}:
            getattr(os, what)(place, root / other)
        else:
            getattr(place, what)()
    except subprocess.CalledProcessError:
        return "mv"
    except OSError as error:
        return type(error).__name__ if what != "rename" else "OSError"
    return ""


def part_links(root: Path, other: str) -> None:
    """Copy a linked file: a written value replaces the value under its own name only."""
    (root / other).with_name("copy").write_bytes((root / other).read_bytes())
    (root / other).with_name("copy").replace(root / other)


def content(root: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else None for path in root.rglob("*")
    }


@given(course=COURSES)
@example(course=[("mkdir", "a", ""), ("rename", "a", "b"), ("write", "b/a", "1"), ("move", "b", "c")])
@example(course=[("write", "a", "1"), ("link", "a", "b"), ("append", "a", "2"), ("append", "b", "3")])
@settings(max_examples=30)
def test_names_in_a_mount(
    places: tuple[Path, Mount], tmp_path_factory: pytest.TempPathFactory, course: list[tuple[str, str, str]]
) -> None:
    name = str(next(NUMBERS))
    mounted, stored = places[1].keys / name, places[0] / name
    model = tmp_path_factory.mktemp("model")
    mounted.mkdir()
    for what, path, other in course:
        if what == "rename" and (model / path).is_dir() and any((model / path).iterdir()):
            continue  # impossible there, and tested elsewhere
        result = do(model, what, path, other)
        assert do(mounted, what, path, other) == result, (what, path, other)
        if what == "link" and not result:
            part_links(model, other)
    assert content(mounted) == content(model)  # not before, since looking a name up refreshes it
    keys = {path: value for path, value in content(model).items() if value is not None}
    assert {path: value for path, value in content(stored).items() if value is not None} == keys
    shutil.rmtree(mounted)
    assert not mounted.exists()
    assert not stored.exists()


class Far(MemoryStore):
    """A store that is marked as remote, so that its answers are remembered."""

    is_remote = True
    requests_in_flight = 4


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
        file = above.create(name, True) if entry is None else entry.open_to_write(True, True)  # type: ignore[union-attr]
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


def walk(directory: Any, *names: str) -> Any:
    for name in names:
        directory = directory.lookup(name, True)
    return directory


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


class Slow(MemoryStore):
    """A store that is slow to store, and may fail to answer."""

    def __init__(self) -> None:
        super().__init__()
        self.storing, self.stored = threading.Event(), threading.Event()
        self.fails, self.failing = False, "failing"

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        self.storing.set()
        self.stored.wait(20)
        done = super().set(key, value, if_absent=if_absent)
        self.fails = key == self.failing
        return done

    def stat(self, key: str) -> StoreStat | None:
        if self.fails:
            self.fails = False
            raise StoreError("no answer")
        return super().stat(key)


@pytest.mark.parametrize("new", ["b", "failing"])
def test_a_key_that_is_closed_while_it_is_renamed_can_be_written_again(new: str) -> None:
    store = Slow()
    writer = KeyWriter(WatchedStore(store, lambda _: None), SpoolMemory(1 << 20))
    store.stored.set()
    written = writer.create("a")
    written.write(0, b"value", True)
    written.store(closing=True)
    store.storing.clear()
    store.stored.clear()
    with ThreadPoolExecutor(1) as threads:
        renaming = threads.submit(writer.rename, "a", new, replace=True)
        assert store.storing.wait(20)
        written.close()
        store.stored.set()
        renaming.result()
    store.failing = ""
    again = writer.reopen(new, False, True)
    again.write(0, b"V", True)
    again.store(closing=True)
    again.close()
    assert store.get(new) == b"Value"
    assert store.get("a") is None


def test_writing_to_an_open_file_whose_name_was_removed_begins_with_its_value() -> None:
    store = MemoryStore(values={"a": b"value"})
    writer = KeyWriter(WatchedStore(store, lambda _: None), SpoolMemory(1 << 20))
    written = writer.reopen("a", False, True)
    writer.erase("a")
    store.set("a", b"another")
    written.write(0, b"V", True)
    assert written.read(0, 9, True) == b"Value"
    assert not written.holds_changes
    written.close()
    assert store.get("a") == b"another"
