"""Walks over a bucket after the time limit: what one listing answers, and what is read again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import zarrcore
from tests.core.hierarchy.stores import ARRAY, GROUP, V2_ARRAY, V2_GROUP, Remote
from zarrcore.errors import AccessDeniedError, NodeNotFoundError
from zarrcore.stores import StoreEntry
from zarrcore.stores.interface import StoreStat

V3 = {
    "zarr.json": GROUP,
    "g/zarr.json": GROUP,
    "g/x/zarr.json": ARRAY,
    "g/x/c/0": b"12",
    "g/y/zarr.json": ARRAY,
    "h/zarr.json": GROUP,
}
V2 = {
    ".zgroup": V2_GROUP,
    "g/.zgroup": V2_GROUP,
    "g/x/.zarray": V2_ARRAY,
    "g/x/.zattrs": b"{}",
    "g/x/0": b"12",
    "implied/y/.zarray": V2_ARRAY,
}


class Bucket(Remote):
    """States versions, in its listings too, and counts these listings."""

    lists_flat = states_versions = True
    requests_in_flight = 4
    listed_etag: Callable[[str], str | None] = staticmethod(lambda etag: f'"{etag}"')  # type: ignore[assignment]
    is_denied = False

    def __init__(self, values: dict[str, bytes]) -> None:
        self.flat: list[str] = []
        super().__init__(values)

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        self.flat.append(prefix)
        if self.is_denied:
            raise AccessDeniedError("no", key=prefix, url=self.url)
        for entry in sorted(super().list_prefix(prefix), key=lambda entry: entry.key):
            stat = self.stat(entry.key)
            assert stat is not None
            assert stat.etag is not None
            yield replace(entry, etag=self.listed_etag(stat.etag))

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        self.listed.append(prefix)
        names = Remote.list_dir(Remote(dict.fromkeys(self._values.by_key, b"-")), prefix)
        return iter(sorted(names, key=lambda entry: entry.key))

    def asked(self) -> tuple[list[str], list[str], list[str]]:
        """The documents that were read, the prefixes that were listed flat, and those that were listed by level."""
        found = sorted(self.got), [*self.flat], sorted(self.listed)
        self.got.clear()
        self.flat.clear()
        self.listed.clear()
        return found


class Clock:
    """One that stands still; other modules note when the root was requested by the real one."""

    def __init__(self) -> None:
        self.now_s = time.monotonic()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in ("listings", "node_loader", "kept_nodes", "revalidated"):
        monkeypatch.setattr(
            f"zarrcore.hierarchy.{module}.time",
            SimpleNamespace(monotonic=lambda: clock.now_s, sleep=lambda _: None),
        )
    return clock


def walked(store: Bucket, clock: Clock, **options: Any) -> Callable[[], list[str]]:
    """Opens and walks twice, so that all is known, then returns what walks again when all is too old."""
    hierarchy = zarrcore.open_hierarchy(
        store, options.pop("mode", "r"), **{"metadata_max_age_s": 60.0, **options}
    )

    def walk() -> list[str]:
        clock.now_s += 61
        return [node.path for node in hierarchy.walk()]

    walk()
    walk()
    store.asked()
    return walk


def below_root(keys: list[str]) -> list[str]:
    return [key for key in keys if "/" in key]


@pytest.mark.parametrize(
    ("values", "paths"),
    [
        (V3, ["/", "/g", "/g/x", "/g/y", "/h"]),
        (V2, ["/", "/g", "/g/x", "/implied", "/implied/y"]),
    ],
    ids=["v3", "v2"],
)
def test_unchanged_documents_are_not_read_again(
    clock: Clock, values: dict[str, bytes], paths: list[str]
) -> None:
    store = Bucket(values)
    walk = walked(store, clock)
    assert walk() == paths
    got, flat, listed = store.asked()
    assert (below_root(got), flat, listed) == ([], [""], []), (
        "the root is needed before it is known that a walk begins"
    )


def test_what_changed_is_read_and_what_is_new_or_gone_is_seen(clock: Clock) -> None:
    store = Bucket(V3)
    walk = walked(store, clock)
    store.set("g/x/zarr.json", ARRAY.replace(b"[4]", b"[6]"))
    store.set("h/new/zarr.json", ARRAY)
    store.erase("g/y/zarr.json")
    assert walk() == ["/", "/g", "/g/x", "/h", "/h/new"]
    got, flat, listed = store.asked()
    assert (below_root(got), flat, listed) == (["g/x/zarr.json", "h/new/zarr.json"], [""], [])


def test_a_changed_document_has_its_new_content(clock: Clock) -> None:
    store = Bucket(V2)
    hierarchy = zarrcore.open_hierarchy(store, metadata_max_age_s=60.0)
    for attributes in (b'{"n": 1}', b'{"n": 2}', b'{"n": 3}'):
        store.set("g/x/.zattrs", attributes)
        clock.now_s += 61
        store.asked()
        found = {node.path: node for node in hierarchy.walk()}
        assert f'{{"n": {found["/g/x"].attributes["n"]}}}'.encode() == attributes
    got, flat, _ = store.asked()
    assert (below_root(got), flat) == (["g/x/.zattrs"], [""]), "not the other document of the node"


@pytest.mark.parametrize("told", [lambda _: None, lambda etag: f'W/"{etag}"', lambda _: '""'])
def test_an_etag_that_identifies_nothing_means_that_it_is_read(
    clock: Clock, told: Callable[[str], str | None]
) -> None:
    store = Bucket(V3)
    walk = walked(store, clock)
    store.listed_etag = told  # type: ignore[method-assign]
    walk()
    assert below_root(store.asked()[0]) == sorted(
        key for key in V3 if "/" in key and key.endswith("zarr.json")
    )


def test_an_etag_that_all_values_have_does_not_hide_a_change_of_size(clock: Clock) -> None:
    class Same(Bucket):
        def stat(self, key: str) -> StoreStat | None:
            found = super().stat(key)
            return found and replace(found, etag="e")

        def get_with_stat(self, key: str, *arguments: Any, **keywords: Any) -> Any:
            found = super().get_with_stat(key, *arguments, **keywords)
            return found and (found[0], replace(found[1], etag="e"))

    store = Same(V3)
    walk = walked(store, clock)
    store.set("g/x/zarr.json", ARRAY + b" ")
    walk()
    assert below_root(store.asked()[0]) == ["g/x/zarr.json"]


def test_a_listing_is_used_until_the_time_limit_or_refresh(clock: Clock) -> None:
    store = Bucket(V3)
    hierarchy = zarrcore.open_hierarchy(store, metadata_max_age_s=60.0)
    list(hierarchy.walk())
    clock.now_s += 61
    list(hierarchy.walk())
    store.set("later/zarr.json", ARRAY)
    clock.now_s += 59
    with pytest.raises(NodeNotFoundError):
        hierarchy["later"]
    clock.now_s += 1
    assert hierarchy["later"].shape == (4,)
    list(hierarchy.walk())
    store.set("latest/zarr.json", ARRAY)
    hierarchy.refresh()
    assert hierarchy["latest"].shape == (4,)


def test_nodes_are_as_old_as_the_listing(clock: Clock) -> None:
    store = Bucket(V3)
    walked(store, clock)
    hierarchy = zarrcore.open_hierarchy(store, metadata_max_age_s=60.0)
    list(hierarchy.walk())
    clock.now_s += 61
    nodes = hierarchy.walk()
    assert [next(nodes).path, next(nodes).path] == ["/", "/g"]
    list(nodes)
    store.set("g/x/zarr.json", ARRAY.replace(b"[4]", b"[6]"))
    clock.now_s += 59
    assert hierarchy["g/x"].shape == (4,)
    clock.now_s += 1
    assert hierarchy["g/x"].shape == (6,)


def test_a_listing_that_is_too_long_is_given_up(clock: Clock) -> None:
    """Chunks of one array fill more pages than the documents are worth; groups beside it still are listed with all below them."""
    store = Bucket(V3 | {f"big/c/{number}": b"-" for number in range(1000)} | {"big/zarr.json": ARRAY})
    hierarchy = zarrcore.open_hierarchy(store, metadata_max_age_s=60.0)
    asked = []
    for _ in range(3):
        assert [node.path for node in hierarchy.walk()] == ["/", "/big", "/g", "/g/x", "/g/y", "/h"]
        clock.now_s += 61
        asked.append(store.asked())
    assert [flat for _, flat, _ in asked] == [[], ["", "g/"], ["g/"]]
    assert [listed for _, _, listed in asked] == [["", "g/", "h/"], ["", "h/"], ["", "h/"]]
    assert [key for key in asked[2][0] if key.startswith("g/")] == ["g/zarr.json"]


GROUPS = {f"{group}/{name}": value for group in "gh" for name, value in V3.items()}
TOO_MANY = {"zarr.json": GROUP, "big/zarr.json": ARRAY} | {f"big/c/{number}": b"-" for number in range(1000)}


def test_groups_are_listed_at_once_where_all_is_too_much(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each keeps its own listing, so that none is read again because another one was listed meanwhile."""
    store = Bucket(TOO_MANY | GROUPS)
    hierarchy = zarrcore.open_hierarchy(store, metadata_max_age_s=60.0)
    for _ in range(2):
        list(hierarchy.walk())
        clock.now_s += 61
    store.asked()
    both = threading.Barrier(2)
    listed = store.list_prefix

    def meeting(prefix: str) -> Iterator[StoreEntry]:
        both.wait(10)
        return listed(prefix)

    monkeypatch.setattr(store, "list_prefix", meeting)
    with ThreadPoolExecutor() as threads:
        for nodes in threads.map(lambda path: list(hierarchy.walk(path)), ("/g", "/h")):
            assert len(nodes) == 5
    got, flat, by_level = store.asked()
    assert (below_root(got), sorted(flat), by_level) == (["g/zarr.json", "h/zarr.json"], ["g/", "h/"], [])


def test_who_lists_something_else_does_not_wait(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Bucket(V3)
    hierarchy = zarrcore.open_hierarchy(store, metadata_max_age_s=60.0)
    for path in ("g", "h"):
        _ = hierarchy[path]
    list(hierarchy.walk(depth=1))
    clock.now_s += 61
    has_begun, may_end = threading.Event(), threading.Event()
    listed = store.list_prefix

    def slow(prefix: str) -> Iterator[StoreEntry]:
        has_begun.set()
        assert may_end.wait(10)
        return listed(prefix)

    monkeypatch.setattr(store, "list_prefix", slow)
    with ThreadPoolExecutor() as threads:
        walk = threads.submit(lambda: list(hierarchy.walk(depth=1)))
        assert has_begun.wait(10)
        assert [node.path for node in hierarchy.walk("/g")] == ["/g", "/g/x", "/g/y"], "never listed before"
        assert not walk.done()
        may_end.set()
        assert len(walk.result()) == 3


def test_a_listing_that_began_before_refresh_is_not_used(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Bucket(V3)
    hierarchy = zarrcore.open_hierarchy(store, metadata_max_age_s=60.0)
    list(hierarchy.walk())
    clock.now_s += 61
    listed = store.list_prefix

    def refreshing(prefix: str) -> Iterator[StoreEntry]:
        yield from [*listed(prefix)]
        store.set("later/zarr.json", ARRAY)
        hierarchy.refresh()

    monkeypatch.setattr(store, "list_prefix", refreshing)
    list(hierarchy.walk())
    assert hierarchy["later"].shape == (4,)


def test_a_listing_that_takes_longer_than_the_time_limit_is_not_repeated(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Bucket(V3)
    walk = walked(store, clock)
    listed = store.list_prefix

    def slow(prefix: str) -> Iterator[StoreEntry]:
        yield from listed(prefix)
        clock.now_s += 61 * (not prefix)

    monkeypatch.setattr(store, "list_prefix", slow)
    walk()
    assert store.asked()[1] == ["", "g/"]
    assert walk() == ["/", "/g", "/g/x", "/g/y", "/h"]
    assert store.asked()[1] == ["g/"]


def test_listings_in_memory_are_bounded(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrcore.hierarchy.revalidated._PAGES_MAX", 1)
    monkeypatch.setattr("zarrcore.hierarchy.revalidated._PAGE", 8)
    store = Bucket(TOO_MANY | GROUPS)
    hierarchy = zarrcore.open_hierarchy(store, metadata_max_age_s=60.0)
    for path in ("/g", "/h") * 2:
        list(hierarchy.walk(path))
        clock.now_s += 31
    assert store.asked()[1] == ["g/", "h/"]
    assert list(hierarchy.walk("/h"))
    assert store.asked()[1:] == ([], []), "it is recent"
    assert list(hierarchy.walk("/g"))
    assert store.asked()[1] == ["g/"], "its keys and those of the other one are too many"


def test_an_empty_value_may_mark_a_folder(clock: Clock) -> None:
    """Of a folder that is only such a marker, only its own listing shows that it is one."""
    store = Bucket(V3 | {"g/folder": b""})
    walk = walked(store, clock)
    walk()
    assert store.asked()[2] == ["g/"], "the others are known"


def test_without_permission_to_list_all_keys_nodes_are_read(clock: Clock) -> None:
    store = Bucket(V3)
    walk = walked(store, clock)
    store.is_denied = True
    assert walk() == ["/", "/g", "/g/x", "/g/y", "/h"]
    got, _, listed = store.asked()
    assert (len(got), listed) == (5, ["", "g/", "h/"])
    walk()
    assert store.asked()[1] == [], "a refused flat listing is not requested again"


@pytest.mark.parametrize(
    "options", [{"mode": "r+"}, {"metadata_max_age_s": None}, {"metadata_max_age_s": 0.0}]
)
def test_writable_hierarchies_and_those_without_an_age_limit_list_by_level(
    clock: Clock, options: dict[str, Any]
) -> None:
    store = Bucket(V3)
    walked(store, clock, **options)()
    assert store.asked()[1:] == ([], ["", "g/", "h/"])


def test_a_cache_answers_itself(clock: Clock) -> None:
    store = Bucket(V3)
    store.remembers = True
    walked(store, clock)()
    assert store.asked()[1] == []


def test_consolidated_metadata_need_no_listing(clock: Clock) -> None:
    store = Bucket(dict(V3))
    zarrcore.open_hierarchy(store, "r+").consolidate()
    walk = walked(store, clock)
    assert walk() == ["/", "/g", "/g/x", "/g/y", "/h"]
    assert store.asked() == (["zarr.json"], [], [])


def test_documents_in_memory_are_bounded(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrcore.hierarchy.revalidated._HELD_NBYTES", 2 * (len(ARRAY) + 512))
    store = Bucket(V3)
    walk = walked(store, clock)
    assert walk() == ["/", "/g", "/g/x", "/g/y", "/h"]
    assert 0 < len(below_root(store.asked()[0])) < 4
