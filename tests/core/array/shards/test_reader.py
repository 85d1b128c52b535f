"""Reading from shards: replaced or damaged ones, and the requests that it takes."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import google_crc32c
import numpy as np
import pytest

import zarrcore
from tests.core.array.test_rectilinear import document, shards
from tests.core.stores.cache.distant import Distant
from tests.servers import S3Server
from zarrcore.errors import ChangedError, CodecError
from zarrcore.stores import ByteRange, BytesLike, LocalStore, MemoryStore, StoreStat
from zarrcore.stores.cache.directory import CacheDirectory
from zarrcore.stores.cache.store import CacheStore

NESTED = {
    "name": "sharding_indexed",
    "configuration": {
        "chunk_shape": [2, 2],
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
    },
}
ZSTD = {"name": "zstd", "configuration": {"level": 1}}
OLD = np.arange(1, 65, dtype="i4").reshape(8, 8)
NEW = OLD + 100
NEW[:2, :2] = 0  # a missing inner chunk, so that all others are at other positions


class Replaced(MemoryStore):
    """A store that replaces a shard after its n-th read."""

    def __init__(self) -> None:
        super().__init__()
        self.replace: Callable[[], Any] = lambda: None
        self.after = -1

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        value = super().get(key, byte_range, max_nbytes=max_nbytes)
        if "/c/" in key:
            self.after -= 1
            if self.after == 0:
                self.replace()
        return value


class Stating(Replaced):
    """The same, distant, with the version of each answer."""

    is_remote = True
    states_versions = True

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> tuple[BytesLike, StoreStat] | None:
        stat = super().stat(key)
        value = self.get(key, byte_range, max_nbytes=max_nbytes)
        return None if value is None or stat is None else (value, stat)

    def stat(self, key: str) -> StoreStat | None:
        assert "/c/" not in key, "this would be a request of its own"
        return super().stat(key)


KINDS = pytest.mark.parametrize("kind", [Replaced, Stating])


def made(
    codecs: list[Any], cache: zarrcore.ChunkCache | None = None, kind: type[Replaced] = Replaced
) -> tuple[Replaced, Any]:
    store = kind()
    inner = (4, 4) if codecs == [NESTED] else (2, 2)
    zarrcore.create(store).create_array(
        "a", shape=(8, 8), dtype="int32", chunks=inner, shards=(8, 8), codecs=codecs
    )[...] = OLD
    array, other = (
        zarrcore.open_hierarchy(store, chunk_cache=cache)["a"],
        zarrcore.open_hierarchy(store, "r+")["a"],
    )
    store.replace = lambda: other.__setitem__(..., NEW)
    return store, array


@pytest.mark.sampled(12)
@KINDS
@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("codecs", [[], [NESTED], [ZSTD]])
@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_replaced_shard_reads_as_old_or_new(
    codecs: list[Any], after: int, cached: bool, kind: type[Replaced]
) -> None:
    store, array = made(codecs, zarrcore.ChunkCache(1 << 20) if cached else None, kind)
    store.after = after
    found = array[...]
    units = [found[y : y + 2, x : x + 2] for y in range(0, 8, 2) for x in range(0, 8, 2)]
    places = [np.s_[y : y + 2, x : x + 2] for y in range(0, 8, 2) for x in range(0, 8, 2)]
    for unit, place in zip(units, places, strict=True):
        assert np.array_equal(unit, OLD[place]) or np.array_equal(unit, NEW[place])


@KINDS
@pytest.mark.parametrize("codecs", [[], [NESTED], [ZSTD]])
def test_an_index_in_the_cache_is_not_taken_for_the_new_shards(
    codecs: list[Any], kind: type[Replaced]
) -> None:
    store, array = made(codecs, zarrcore.ChunkCache(1 << 20), kind)
    assert array[7, 7] == OLD[7, 7]
    store.replace()
    assert array[5, 5] == NEW[5, 5]
    assert array[2, 2] == NEW[2, 2]


def test_an_index_is_fetched_once_for_each_version_that_answers_state() -> None:
    store, array = made([ZSTD], zarrcore.ChunkCache(1 << 20), Stating)

    def requests(values: Any, place: int) -> int:
        before = store.after
        assert array[place, place] == values[place, place]
        return before - store.after

    assert [requests(OLD, place) for place in (0, 3)] == [2, 1]
    store.replace()
    assert [requests(NEW, place) for place in (5, 7)] == [3, 1]


@pytest.mark.parametrize("codecs", [[], [NESTED], [ZSTD]])
def test_a_service_states_the_version_of_a_shard_with_each_answer(
    codecs: list[Any], s3: S3Server, tmp_path: Path
) -> None:
    inner = (4, 4) if codecs == [NESTED] else (2, 2)
    for value in (OLD, NEW):
        zarrcore.create(tmp_path, overwrite=True).create_array(
            "a", shape=(8, 8), dtype="int32", chunks=inner, shards=(8, 8), codecs=codecs
        )[...] = value
        s3.upload(tmp_path, "bucket/replaced.zarr")
        if value is OLD:
            cached = zarrcore.open_hierarchy(
                zarrcore.open_store("s3://bucket/replaced.zarr", **s3.options),
                chunk_cache=zarrcore.ChunkCache(1 << 20),
            )["a"]
            assert cached[7, 7] == OLD[7, 7]
    assert cached[5, 5] == NEW[5, 5]


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("codecs", [[], [NESTED], [ZSTD]])
def test_etags_that_differ_without_a_change_do_not_matter(
    codecs: list[Any], cached: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those of two servers behind one address. The time of a change counts, once that is a minute ago."""
    store, array = made(codecs, zarrcore.ChunkCache(1 << 20) if cached else None, Stating)
    numbers, changed_s = itertools.count(), time.time() - 61
    monkeypatch.setattr(
        Replaced, "stat", lambda *_: StoreStat(1, changed_s, str(next(numbers))), raising=False
    )
    assert np.array_equal(array[...], OLD)
    assert np.array_equal(array[2:7, 3:], OLD[2:7, 3:])
    store.replace()
    changed_s += 1
    assert array[7, 7] == (OLD if cached else NEW)[7, 7], "the chunk is in the cache"
    changed_s = time.time()
    with pytest.raises(ChangedError):
        zarrcore.open_hierarchy(store)["a"][5, 5]


@KINDS
def test_a_shard_that_keeps_changing_is_an_error(kind: type[Replaced]) -> None:
    store, array = made([], kind=kind)
    again = store.replace

    def replace() -> None:
        store.after = -1
        again()
        store.after = 1

    store.replace, store.after = replace, 1
    with pytest.raises(ChangedError, match=r"a/c/0/0 in .* changes faster than it can be read"):
        array[...]


@KINDS
@pytest.mark.parametrize("codecs", [[], [NESTED]])
@pytest.mark.parametrize("times", [1, 10, 11])
def test_one_element_is_read_although_its_shard_is_replaced_up_to_ten_times(
    codecs: list[Any], times: int, kind: type[Replaced]
) -> None:
    store, array = made(codecs, kind=kind)
    again, left = store.replace, times

    def replace() -> None:
        nonlocal left
        store.after = -1
        again()
        left -= 1
        store.after = 2 + len(codecs) if left else -1

    store.replace, store.after = replace, 1 + len(codecs)
    if times > 10:
        with pytest.raises(ChangedError):
            array[5, 5]
    else:
        assert array[5, 5] == NEW[5, 5]


class Counting(MemoryStore):
    """A store that notes which bytes of chunks are read."""

    def __init__(self, is_remote: bool = False) -> None:
        super().__init__()
        self.is_remote = is_remote
        self.requests: list[ByteRange | None] = []

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        if "c/" in key:
            self.requests.append(byte_range)
        return super().get(key, byte_range, max_nbytes=max_nbytes)

    def sizes(self) -> list[int]:
        """The sizes of the requests since the last call, smallest first."""
        sizes = []
        for wanted in self.requests:
            assert wanted is not None
            sizes.append(-wanted.start if wanted.stop is None else wanted.stop - wanted.start)
        self.requests.clear()
        return sorted(sizes)


@pytest.mark.parametrize(("is_remote", "nbytes"), [(False, 1 << 20), (True, 8 << 20)])
def test_neighbours_are_fetched_together_up_to_a_size(is_remote: bool, nbytes: int) -> None:
    store = Counting(is_remote)
    shape, inner = (16 << 20,), (256 << 10,)
    zarrcore.create(store).create_array(
        "a", shape=shape, dtype="uint8", chunks=inner, shards=shape, codecs=[]
    )[...] = 1
    array = zarrcore.open_hierarchy(store)["a"]
    store.requests.clear()
    assert np.all(array[...] == 1)
    assert store.sizes() == [16 * 64 + 4, *[nbytes] * ((16 << 20) // nbytes)]


INDEX_NBYTES = 4 * 16 + 4


def counted(cache: zarrcore.ChunkCache | None = None) -> tuple[Counting, Any]:
    """Four inner chunks of 64 bytes."""
    store = Counting()
    zarrcore.create(store).create_array(
        "a", shape=(8, 8), dtype="int32", chunks=(4, 4), shards=(8, 8), codecs=[]
    )[...] = OLD
    array = zarrcore.open_hierarchy(store, chunk_cache=cache)["a"]
    store.requests.clear()
    return store, array


def test_an_index_is_fetched_once_if_there_is_a_cache() -> None:
    for cache, again in ((None, [64, INDEX_NBYTES]), (zarrcore.ChunkCache(1 << 20), [64])):
        store, array = counted(cache)
        assert np.array_equal(array[:4, :4], OLD[:4, :4])
        assert store.sizes() == [64, INDEX_NBYTES]
        assert np.array_equal(array[4:, 4:], OLD[4:, 4:])
        assert store.sizes() == again


def test_only_the_wanted_part_of_an_inner_chunk_without_compression_is_fetched() -> None:
    store, array = counted()
    assert np.array_equal(array[6, 4:], OLD[6, 4:])
    assert store.sizes() == [16, INDEX_NBYTES]
    assert np.array_equal(array[1:3, 1:3], OLD[1:3, 1:3])
    assert store.sizes() == [24, INDEX_NBYTES]
    store, array = counted(zarrcore.ChunkCache(1 << 20))
    assert np.array_equal(array[6, 4:], OLD[6, 4:])
    assert store.sizes() == [64, INDEX_NBYTES], "the cache keeps whole ones"


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("location", ["start", "end"])
def test_shards_of_several_shapes_hold_shards_with_missing_chunks(cached: bool, location: str) -> None:
    """Shards of 4 or 8 by 6 or 12 elements, of shards of 4 by 6, of chunks of 2 by 3."""
    nested, inner = shards([4, 6]), shards([2, 3])
    for each in (nested, inner):
        each[0]["configuration"]["index_location"] = location
    nested[0]["configuration"]["codecs"] = inner
    store = MemoryStore()
    store.set("zarr.json", document([[4, 8, 4], [6, 12, 6]], (15, 22), nested))
    values = np.full((15, 22), 7, "u2")
    written = zarrcore.open_hierarchy(store, mode="r+")["/"]
    for part in (np.s_[0:3, 0:4], np.s_[5:6, 7:20], np.s_[9:15, 2:12], np.s_[11:12, 17:22]):
        written[part] = values[part] = np.arange(values[part].size).reshape(values[part].shape) + 100
    array = zarrcore.open_hierarchy(store, chunk_cache=zarrcore.ChunkCache(1 << 20) if cached else None)["/"]
    for part in (np.s_[...], np.s_[4:, 5:], np.s_[::3, ::-4], np.s_[11, 17:22], np.s_[12:, 12:], np.s_[5, 7]):
        assert np.array_equal(array[part], values[part])
    assert len([*store.list()]) == 1 + 6, "three shards are missing"


def damaged(place: Path, entry: tuple[int, int], index_at: int) -> None:
    """Replace the first entry of an index, and its checksum."""
    content = bytearray(place.read_bytes())
    content[index_at : index_at + 16] = np.array(entry, "<u8").tobytes()
    end = index_at + 4 * 16
    content[end : end + 4] = google_crc32c.value(bytes(content[index_at:end])).to_bytes(4, "little")
    place.write_bytes(content)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ((2**63, 64), "inner chunk 0 is at 9,223,372,036,854,775,808, 64 bytes long"),
        ((2**63 - 64, 64), "inner chunk 0 is at"),
        ((2**64 - 2, 64), "inner chunk 0 is at"),
        ((0, 2**64 - 1), "inner chunk 0 is at"),
        ((2**62, 64), r"the index points to bytes .*, but only 0 of them exist"),
        ((64, 65), "inner chunk 0 has 65 bytes, but at most 64 make sense"),
        ((4 * 64 + INDEX_NBYTES - 63, 64), "but only 63 of them exist"),
        ((64, 63), "63"),
    ],
)
def test_an_index_that_points_elsewhere_is_an_error_for_its_inner_chunk(
    entry: tuple[int, int], message: str, tmp_path: Path
) -> None:
    zarrcore.create(tmp_path).create_array(
        "a", shape=(8, 8), dtype="int32", chunks=(4, 4), shards=(8, 8), codecs=[]
    )[...] = OLD
    damaged(tmp_path / "a/c/0/0", entry, 4 * 64)
    array = zarrcore.open_hierarchy(LocalStore(tmp_path))["a"]
    with pytest.raises(CodecError, match=message) as caught:
        array[:4, :4]
    assert "a/c/0/0" in str(caught.value)
    assert np.array_equal(array[4:], OLD[4:])


def test_an_inner_shard_must_contain_its_chunks(tmp_path: Path) -> None:
    zarrcore.create(tmp_path).create_array(
        "a", shape=(8, 8), dtype="int32", chunks=(4, 4), shards=(8, 8), codecs=[NESTED]
    )[...] = OLD
    inner_nbytes = 4 * 16 + INDEX_NBYTES
    array = zarrcore.open_hierarchy(LocalStore(tmp_path))["a"]
    index_at = inner_nbytes + 4 * 16  # of the second inner shard
    damaged(tmp_path / "a/c/0/0", (inner_nbytes - 16, 16), index_at)
    assert not np.array_equal(array[:2, 4:6], OLD[:2, 4:6]), "its last bytes are in it"
    damaged(tmp_path / "a/c/0/0", (inner_nbytes - 15, 16), index_at)
    with pytest.raises(CodecError, match="inner chunk 0 ends outside its shard"):
        array[0, 4]
    assert np.array_equal(array[:, :4], OLD[:, :4])


class DistantShards(Distant):
    """A distant store that notes the requests for chunks, but not those for documents."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[str] = []

    def get(self, key: str, *arguments: Any, **options: Any) -> Any:
        self._note("get", key)
        return super().get(key, *arguments, **options)

    def stat(self, key: str) -> StoreStat | None:
        self._note("stat", key)
        return super().stat(key)

    def get_with_stat(self, key: str, *arguments: Any, **options: Any) -> Any:
        self._note("get_with_stat", key)
        return super().get_with_stat(key, *arguments, **options)

    def _note(self, what: str, key: str) -> None:
        if "/c/" in key:
            self.requests.append(what)


@pytest.mark.parametrize("codecs", [[], [NESTED]])
def test_a_shard_in_a_cached_store_needs_no_request_for_its_version(
    codecs: list[Any], tmp_path: Path
) -> None:
    distant = DistantShards()
    inner = (2, 4) if codecs else (2, 2)  # the outer index is the larger one
    zarrcore.create(distant).create_array(
        "a", shape=(8, 8), dtype="int32", chunks=inner, shards=(8, 8), codecs=codecs
    )[...] = OLD
    cached = zarrcore.open_hierarchy(CacheStore(distant, CacheDirectory(tmp_path, 1 << 24)))["a"]
    direct = zarrcore.open_hierarchy(distant)["a"]
    requests = 2 + len(codecs)
    for array, expected in (
        (cached, ["get_with_stat"] * requests),
        (cached, []),
        (direct, ["get"] * requests),
        (direct, ["get"] * requests),
    ):
        distant.requests.clear()
        assert np.array_equal(array[:2, :2], OLD[:2, :2])
        assert distant.requests == expected
