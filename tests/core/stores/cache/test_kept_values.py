"""The entries of a cache: facts about keys, and pieces of values."""

from __future__ import annotations

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.stores.cache.distant import Distant
from tests.servers import S3Server
from zarrcore.stores import (
    MemoryStore,
    StoreStat,
    open_store,
)
from zarrcore.stores.cache.directory import CacheDirectory
from zarrcore.stores.cache.kept_values import KeptValues, Known
from zarrcore.stores.cache.shared import SharedCache
from zarrcore.stores.cache.store import CacheStore


def test_stores_of_different_identity_share_no_entries(tmp_path: Path) -> None:
    directory = CacheDirectory(tmp_path, 1 << 30)
    stores = [Distant("one", {"a": b"1"}), Distant("two", {"a": b"2"}), MemoryStore(values={"a": b"3"})]
    for _ in range(2):
        assert [CacheStore(store, directory).get("a") for store in stores] == [b"1", b"2", b"3"]
    assert CacheStore(MemoryStore(values={"a": b"4"}), directory).get("a") == b"4"


def test_entries_are_not_shared_between_credentials(
    s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    s3.put("bucket/kept/y", b"old")
    options = {**s3.options, "cache_dir": tmp_path}
    first = open_store("s3://bucket/kept", **options)
    assert first.get("y") == b"old"
    s3.put("bucket/kept/y", b"new")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "somebody else")
    second = open_store("s3://bucket/kept", **options)
    assert second.identity != first.identity
    assert "somebody" not in repr(second.identity)
    assert second.get("y") == b"new"


VALUE = bytes(range(60))

places = st.integers(0, len(VALUE))


@settings(max_examples=20)
@given(
    st.lists(st.tuples(places, places), max_size=6),
    st.lists(st.tuples(places, places), min_size=1, max_size=8),
    st.booleans(),
)
def test_a_part_is_read_exactly_if_kept_pieces_cover_it(
    pieces: list[tuple[int, int]], wanted: list[tuple[int, int]], on_disk: bool
) -> None:
    with TemporaryDirectory() as place:
        entries = CacheDirectory(place, 1 << 24) if on_disk else SharedCache(MemoryStore())
        kept = KeptValues(entries, "a store")
        for start, stop in pieces:
            kept.keep("a", "1", start, VALUE[start:stop], len(VALUE))
        covered = {at for start, stop in pieces for at in range(start, stop)}
        for start, stop in wanted:
            found = kept.read("a", "1", start, stop, len(VALUE))
            expected = VALUE[start:stop] if covered.issuperset(range(start, stop)) else None
            assert (None if found is None else bytes(found)) == expected


@pytest.fixture
def directory(tmp_path: Path) -> CacheDirectory:
    return CacheDirectory(tmp_path, 1 << 24)


def test_bytes_of_another_version_or_key_are_not_found(directory: CacheDirectory) -> None:
    kept = KeptValues(directory, "a store")
    kept.keep("a", "1", 0, b"old", 3)
    assert bytes(kept.read("a", "1", 0, 3, 3) or b"") == b"old"
    assert kept.read("a", "2", 0, 3, 3) is None
    assert kept.read("b", "1", 0, 3, 3) is None
    assert kept.read("b", "1", 3, 3, 3) == b""


@pytest.mark.parametrize(
    "stat",
    [
        None,
        StoreStat(3),
        StoreStat(3, 1.5),
        StoreStat(2**40, None, 'W/"größe"'),
        StoreStat(0, 1e9 + 1 / 3, ""),
    ],
)
def test_facts_about_a_key_outlive_the_process(directory: CacheDirectory, stat: StoreStat | None) -> None:
    known = Known(stat, 1e9 + 0.1)
    first, other = KeptValues(directory, ("a store", 1)), KeptValues(directory, ("a store", 1))
    first.note("größe/0", known)
    assert first.remembered("größe/0") == known
    assert other.remembered("größe/0") is None
    assert other.known("größe/0") == known
    assert other.remembered("größe/0") == known
    assert known.version == (None if stat is None else stat.version)


def test_answers_about_several_keys_are_in_memory(directory: CacheDirectory) -> None:
    kept = KeptValues(directory, "a store")
    for key in "abc":
        kept.note(key, Known(StoreStat(ord(key)), 1.0))
    assert [kept.remembered(key) for key in "abc"] == [Known(StoreStat(ord(key)), 1.0) for key in "abc"]


def test_memory_is_bounded(tmp_path: Path) -> None:
    kept = KeptValues(CacheDirectory(tmp_path, 0), "a store")
    known = Known(None, 1.0)
    for number in range(1 << 16):
        kept.note(str(number), known)
    assert kept.remembered("0") is kept.remembered("65535") is known
    kept.note("one more", known)
    assert kept.remembered("0") is None
    assert kept.remembered("one more") is known


def test_later_versions_find_the_entries(directory: CacheDirectory, tmp_path: Path) -> None:
    """Another layout needs another name of its folder."""
    kept = KeptValues(directory, ("a store", 1))
    kept.note("a/zarr.json", Known(None, 1.0, "era"))
    kept.keep("a/c/0", "v", 5, b"value", 20)
    found = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert found == [
        "zarrscope-cache-2/6c8/0f68e453964fe256bff907ea81e66fd88be33.5-10",
        "zarrscope-cache-2/ef4/eacfe2c416fe73b0cca88849aea99890b27ff",
    ]


def test_no_bytes_take_no_file(directory: CacheDirectory, tmp_path: Path) -> None:
    kept = KeptValues(directory, "a store")
    kept.keep("a", "1", 5, b"", 6)
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]
    kept.keep("a", "1", 5, b"x", 6)
    assert kept.read("a", "1", 5, 6, 6) == b"x"


def test_a_forgotten_answer_is_unknown_to_all(directory: CacheDirectory) -> None:
    first, other = KeptValues(directory, "a store"), KeptValues(directory, "a store")
    first.note("a", Known(None, 1.0))
    first.forget("a")
    assert first.remembered("a") is first.known("a") is other.known("a") is None
    first.forget("absent")


def test_entries_of_an_identity_made_of_objects_belong_to_one_cache_alone(directory: CacheDirectory) -> None:
    identity = ("a store", (object(),))
    first, other = KeptValues(directory, identity), KeptValues(directory, identity)
    first.note("a", Known(None, 1.0))
    assert first.known("a") is not None
    assert other.known("a") is None


def test_a_refresh_reaches_other_processes(directory: CacheDirectory) -> None:
    first, other = KeptValues(directory, "a store"), KeptValues(directory, "a store")
    before = first.era
    assert other.era == before
    now = first.refresh()
    assert first.era == KeptValues(directory, "a store").era == now != before
    assert KeptValues(directory, "another store").era not in (before, now)
    first.note("a", Known(None, 1.0, now))
    assert other.era == before
    assert other.known("a") == Known(None, 1.0, now)
    assert other.era == now, "learned from an entry of the new era"


def test_no_file_of_the_cache_names_a_key(directory: CacheDirectory, tmp_path: Path) -> None:
    kept = KeptValues(directory, "geheim")
    kept.note("secret/key", Known(StoreStat(6, etag="v"), 1.0))
    kept.keep("secret/key", "v", 0, b"values", 6)
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(files) == 2
    for file in files:
        assert not {"secret", "key", "geheim"} & {*file.relative_to(tmp_path).parts}
        assert b"secret" not in file.read_bytes()


def test_threads_begin_one_era(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = CacheDirectory(tmp_path, 1 << 30)
    kept = KeptValues(directory, "store")
    get, together = directory.get, threading.Barrier(2)

    def get_together(name: str) -> object:
        with contextlib.suppress(threading.BrokenBarrierError):
            together.wait(0.5)
        return get(name)

    monkeypatch.setattr(directory, "get", get_together)
    with ThreadPoolExecutor(2) as pool:
        eras = {pool.submit(lambda: kept.era) for _ in range(2)}
    assert len({era.result() for era in eras}) == 1
