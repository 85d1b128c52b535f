"""Walks through ``keys/`` of a bucket: few listings, the same names, and no more than twice the pages where they do not help."""

from __future__ import annotations

import os
import subprocess
from bisect import bisect_left
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from tests.servers.distant import DistantServer, distant_server
from tests.zfs.conftest import Mounter
from tests.zfs.trees.entries import Clock, Remote, fresh, names, walk
from zarrcore.errors import StoreError
from zarrcore.stores.interface import StoreEntry
from zarrfs.trees.entry import Directory
from zarrfs.trees.freshness import Freshness
from zarrfs.trees.keys import walks
from zarrfs.trees.keys.tree import KeysTree


class Bucket(Remote):
    """A bucket, which counts the pages of its listings; each has four keys."""

    lists_flat = True
    page = 4

    def __init__(self, values: dict[str, bytes]) -> None:
        super().__init__(values)
        self.sorted: list[str] = []
        self.pages: list[tuple[str, bool]] = []
        self.odd: list[str] = []
        self.fails = False

    def skipped_keys(self) -> list[str]:
        return self.odd

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        return self._paged(prefix, True, super().list_prefix(prefix))

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        seen = dict.fromkeys(
            prefix + name + slash
            for key in self.below(prefix)
            for name, slash, _ in [key[len(prefix) :].partition("/")]
        )
        entries = (StoreEntry(key, None if key[-1] == "/" else len(self.values[key]), 5.0) for key in seen)
        return self._paged(prefix, False, entries)

    def below(self, prefix: str) -> Iterator[str]:
        """The keys that begin with a prefix, in order, without a look at the others; a test only adds keys."""
        if len(self.sorted) != len(self.values):
            self.sorted = sorted(self.values)
        start = bisect_left(self.sorted, prefix)
        stop = bisect_left(self.sorted, f"{prefix}\U0010ffff", start)
        return (self.sorted[number] for number in range(start, stop))

    def _paged(self, prefix: str, is_flat: bool, entries: Iterator[StoreEntry]) -> Iterator[StoreEntry]:
        if self.fails:
            raise StoreError("no", url=self.url)
        self.pages.append((prefix, is_flat))
        for number, entry in enumerate(entries):
            if number and number % self.page == 0:
                self.pages.append((prefix, is_flat))
            yield entry


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrfs.trees.keys.tree.PAGE", Bucket.page)
    monkeypatch.setattr(walks, "PAGE", Bucket.page)


def found(directory: Directory, path: str = "") -> Iterator[str]:
    """The paths below a directory, depth first as ``find`` shows them."""
    for name, entry in directory.entries():
        yield path + name
        if isinstance(entry, Directory):
            yield from found(entry, f"{path}{name}/")


def paths(values: dict[str, bytes]) -> set[str]:
    return {"/".join(key.split("/")[:depth]) for key in values for depth in range(1, key.count("/") + 2)}


def test_a_walk_lists_few_pages() -> None:
    store = Bucket({f"g{g}/a{a}/zarr.json": b"{}" for g, a in product(range(8), range(3))})
    root = KeysTree(store, fresh()).root()
    assert set(found(root)) == paths(store.values)
    # The root, a group, the root again with all below it in 2, 4 and 8 pages, and the groups before these were enough.
    assert len(store.pages) < 3 + 24 // 4 * 3 < 1 + 8 + 24
    store.pages.clear()
    assert set(found(root)) == paths(store.values)
    assert walk(root, "g3", "nothing") is None
    assert (store.pages, store.asked[-1][0]) == ([], "list")


@pytest.mark.sampled(5)
@pytest.mark.parametrize("wide", [1, 5, 40])
@pytest.mark.parametrize("deep", [1, 2, 3])
def test_large_directories_cost_little_more(wide: int, deep: int) -> None:
    store = Bucket({"/".join(f"{i:02}" for i in path): b"1" for path in product(range(wide), repeat=deep)})
    listed = KeysTree(store, fresh()).root()
    assert set(found(listed)) == paths(store.values)
    walked = len(store.pages)
    store.pages.clear()
    store.lists_flat = False
    assert set(found(KeysTree(store, fresh()).root())) == paths(store.values)
    assert walked <= 2 * len(store.pages) + 1


def test_listing_one_directory_lists_no_others() -> None:
    store = Bucket({f"g{g}/a{a}/zarr.json": b"{}" for g, a in product(range(8), range(3))})
    root = KeysTree(store, fresh()).root()
    assert len(names(walk(root, "g1"))) == 3
    assert store.pages[-1] == ("g1/", False)
    assert len(names(walk(KeysTree(store, fresh()).root(), "g1", "a0"))) == 1
    assert store.pages[-1] == ("g1/a0/", False)


def test_it_is_as_old_as_its_listing() -> None:
    clock = Clock()
    store = Bucket({f"g{g}/{a}": b"1" for g, a in product(range(2), range(2))})
    root = KeysTree(store, Freshness(60.0, clock)).root()
    assert len([*found(root)]) == 6
    store.values["g1/new"] = b"1"
    clock.s += 59
    assert len([*found(root)]) == 6
    clock.s += 2
    assert len([*found(root)]) == 7


def test_markers_odd_keys_and_failures_hide_nothing() -> None:
    store = Bucket({"g0/a": b"1", "g0/marker": b"", "g0/b/c": b"1", "g0/b": b"both"})
    root = KeysTree(store, fresh()).root()
    assert sorted(found(root)) == ["g0", "g0/a", "g0/b", "g0/b/c", "g0/marker"]
    assert ("g0/", False) in store.pages, "an empty value may be the marker of a directory"
    store.odd = ["g0//x"]
    other = KeysTree(store, fresh()).root()
    assert sorted(found(other)) == ["g0", "g0/a", "g0/b", "g0/b/c", "g0/marker"]
    assert ("g0/b/", False) in store.pages
    failing = KeysTree(store, fresh()).root()
    assert names(failing) == ["g0"]
    store.fails = True
    with pytest.raises(StoreError):
        names(walk(failing, "g0"))
    store.fails = False
    assert sorted(found(failing))[1:] == ["g0/a", "g0/b", "g0/b/c", "g0/marker"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DistantServer]:
    root: Path = tmp_path_factory.mktemp("walks")
    for group, array in product(range(8), range(26)):
        folder = root / f"bucket/h/g{group}/a{array}"
        (folder / "c").mkdir(parents=True)
        for key in ("zarr.json", "c/0", "c/1"):
            (folder / key).write_text("1")
    with distant_server(root) as server:
        yield server


def find(folder: Path) -> int:
    done = subprocess.run(["find", folder], capture_output=True, text=True, timeout=100, check=True)
    return len(done.stdout.splitlines())


def test_requests_of_find_in_a_bucket(server: DistantServer, mount: Mounter) -> None:
    options = ["--endpoint-url", server.url, "--region", "us-east-1", "--anonymous"]
    mounted = mount("s3://bucket/h", *options)
    server.forget()
    assert find(mounted.keys) == 1 + 8 * (1 + 26 * 5)
    assert len(server.requests) <= 3, server.requests
    server.forget()
    assert find(mounted.keys) == 1 + 8 * (1 + 26 * 5)
    assert server.requests == []


def test_requests_of_a_missing_name(server: DistantServer, mount: Mounter) -> None:
    options = ["--endpoint-url", server.url, "--region", "us-east-1", "--anonymous"]
    mounted = mount("s3://bucket/h", *options)
    server.forget()
    for name in ("missing", "g0"):
        assert (mounted.keys / name).exists() is (name == "g0")
        listings = [target for _, target in server.requests if "?" in target]
        assert len(listings) == 1
        assert "max-keys=1" in listings[0]
        server.forget()
    os.listdir(mounted.keys / "g0")
    server.forget()
    assert not (mounted.keys / "g0/missing").exists()
    assert server.requests == []


def test_a_web_server_is_asked_for_a_listing_once(server: DistantServer, mount: Mounter) -> None:
    mounted = mount(f"{server.url}/bucket/h")
    server.forget()
    assert len(os.listdir(mounted.keys / "g0/a0")) == 2
    listings = [(method, target) for method, target in server.requests if target.endswith("/a0/")]
    assert listings.count(("GET", "/bucket/h/g0/a0/")) == 1
    assert ("GET", "/bucket/h/g0/a0") not in server.requests
    assert len(set(server.requests)) == len(server.requests)
