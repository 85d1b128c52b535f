"""The cost of a read in requests, bytes, decodes and memory; not timed."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import google_crc32c
import numpy as np
import pytest

import zarrcore
from tests.memory import ROOT
from zarrcore.codecs.array_to_bytes import vlen_bytes
from zarrcore.codecs.bytes_to_bytes.zstd import ZstdCodec
from zarrcore.errors import CodecError, UnsupportedError
from zarrcore.stores import ByteRange, BytesLike, LocalStore, MemoryStore

NOISE = np.random.default_rng(3).integers(0, 2**32, (8, 256, 512), "u4")
INNER_NBYTES = 256 * 512 * 4


class Remote(MemoryStore):
    """A remote store that counts the transferred bytes of chunks."""

    is_remote = True
    requests_in_flight = 8

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[tuple[str, ByteRange | None]] = []
        self.nbytes = 0

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        if "/c/" in key:  # requests for documents that turned out not to matter may still be in flight
            self.requests.append((key, byte_range))
        value = super().get(key, byte_range, max_nbytes=max_nbytes)
        if "/c/" in key:
            self.nbytes += len(value or b"")
        return value


def remote_array(**parameters: Any) -> tuple[Remote, Any]:
    store = Remote()
    array = zarrcore.create(store).create_array("a", dtype="uint32", **parameters)
    array[...] = NOISE[: array.shape[0], : array.shape[1], : array.shape[2]]
    array = zarrcore.open_hierarchy(store)["a"]
    store.requests.clear()
    store.nbytes = 0
    return store, array


def test_a_plane_of_a_shard_is_fetched_without_the_rest() -> None:
    store, array = remote_array(shape=(8, 256, 512), chunks=(1, 256, 512), shards=(8, 256, 512))
    assert np.array_equal(array[5], NOISE[5])
    assert len(store.requests) == 2
    assert store.nbytes < 16 * 8 + 4 + INNER_NBYTES + 4096


def test_only_the_wanted_bytes_of_raw_inner_chunks_are_fetched() -> None:
    store, array = remote_array(
        shape=(8, 256, 512), chunks=(1, 256, 512), shards=(8, 256, 512), codecs=["bytes"]
    )
    assert np.array_equal(array[:, 100:110], NOISE[:, 100:110])
    assert len(store.requests) == 1 + 8, "the spans are too far apart for one request"
    assert store.nbytes == 16 * 8 + 4 + 8 * 10 * 512 * 4
    assert np.array_equal(array[6, 255:3:-7, 5:500:9], NOISE[6, 255:3:-7, 5:500:9])


def test_raw_inner_chunks_that_are_close_are_fetched_together() -> None:
    store, array = remote_array(shape=(8, 32, 64), chunks=(1, 32, 64), shards=(8, 32, 64), codecs=["bytes"])
    assert np.array_equal(array[2:6, 3], NOISE[2:6, 3, :64])
    assert len(store.requests) == 2
    assert store.nbytes == 16 * 8 + 4 + (3 * 32 + 1) * 64 * 4


def test_raw_inner_chunks_of_a_wrong_size_are_reported() -> None:
    store, array = remote_array(shape=(2, 32, 64), chunks=(1, 32, 64), shards=(2, 32, 64), codecs=["bytes"])
    shard = bytearray(store.get("a/c/0/0/0") or b"")
    # The index is rewritten so that one inner chunk is a row shorter.
    places = np.frombuffer(bytes(shard[-36:-4]), "<u8").copy()
    places[1] -= 256
    shard[-36:-4] = places.tobytes()
    shard[-4:] = google_crc32c.value(places.tobytes()).to_bytes(4, "little")
    store.set("a/c/0/0/0", bytes(shard))
    with pytest.raises(CodecError, match=r"has 8,192 bytes, found 7,936"):
        array[0, 3]
    assert np.array_equal(array[1], NOISE[1, :32, :64])


def test_a_chunk_that_is_too_large_is_refused_before_it_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vlen_bytes, "MAX_VALUES_NBYTES", 100)  # of a chunk of strings
    store = Remote()
    h = zarrcore.create(store)
    h.create_array("numbers", shape=(4,), chunks=(4,), dtype="uint32", codecs=["bytes"])
    h.create_array("strings", shape=(4,), chunks=(4,), dtype="string", codecs=["vlen-utf8"])
    for name, most in (("numbers", 16), ("strings", 120)):
        store.set(f"{name}/c/0", bytes(1 << 20))
        with pytest.raises(
            CodecError, match=f"{name}/c/0 in .*: 1,048,576 bytes are stored, but at most {most} "
        ):
            zarrcore.open_hierarchy(store)[name][...]
    assert store.nbytes == 0


@pytest.mark.usefixtures("without_engine")
def test_each_chunk_is_requested_and_decoded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = {
        "large": ((64, 64, 64), None),
        "small": ((8, 8, 8), None),
        "sharded": ((8, 16, 16), (64, 64, 64)),
    }
    h = zarrcore.create(tmp_path / "a.zarr")
    for name, (chunks, shard) in parts.items():
        array = h.create_array(name, shape=(64, 64, 128), dtype="uint32", chunks=chunks, shards=shard)
        array[...] = np.broadcast_to(NOISE[:1, :64, :128], (64, 64, 128))
    decoded: Counter[str] = Counter()
    requests: Counter[str] = Counter()
    decode, read = ZstdCodec.decode, LocalStore._read

    def counted(self: Any, encoded: Any, *arguments: Any) -> Any:
        decoded["one"] += 1
        return decode(self, encoded, *arguments)

    def counted_read(self: Any, key: str, *arguments: Any) -> Any:
        requests[key] += 1
        return read(self, key, *arguments)

    monkeypatch.setattr(ZstdCodec, "decode", counted)
    monkeypatch.setattr(LocalStore, "_read", counted_read)
    h = zarrcore.open_hierarchy(tmp_path / "a.zarr")
    found: dict[str, Any] = {}
    for name in parts:
        array = h[name]
        decoded.clear()
        requests.clear()
        array[...]
        found[name] = (decoded["one"], sum(requests.values()))
    assert found["large"] == (2, 2)
    assert found["small"] == (8 * 8 * 16, 8 * 8 * 16)
    # For each shard: the index, and its inner chunks in requests of 1 MiB.
    assert found["sharded"][0] == 2 * 8 * 4 * 4
    assert found["sharded"][1] <= 2 * (1 + 2)


MEMORY = """
import sys
import numpy as np
import zarrcore
from tests.memory import forget_peak, peak_nbytes

array = zarrcore.open_hierarchy(sys.argv[1])["a"]
out = np.ones(array.shape, array.dtype)
array.read((0, 0), out=out[0, 0])
before = forget_peak()
array.read(out=out)
print(peak_nbytes() - before)
"""


def test_reading_into_a_buffer_takes_little_extra_memory(tmp_path: Path) -> None:
    h = zarrcore.create(tmp_path / "a.zarr")
    blosc = {"name": "blosc", "configuration": {"cname": "lz4", "shuffle": "shuffle"}}
    array = h.create_array("a", shape=(512, 256, 256), chunks=(64,) * 3, dtype="float32", codecs=[blosc])
    array[...] = np.arange(256, dtype="f4")
    command = [sys.executable, "-c", MEMORY, tmp_path / "a.zarr"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.stderr == ""
    assert int(done.stdout) <= 64 << 20


@pytest.mark.parametrize("engine", ["", "without_engine"])
@pytest.mark.parametrize(
    "codecs", [["zstd"], [{"name": "blosc", "configuration": {"cname": "lz4"}}]], ids=["zstd", "blosc"]
)
def test_damage_behind_the_wanted_part_is_found_where_that_is_asked_for(
    tmp_path: Path, codecs: list[Any], engine: str, request: pytest.FixtureRequest
) -> None:
    if engine:
        request.getfixturevalue(engine)
    values = (np.arange(64**3, dtype="u4") // 3 % 251).reshape(64, 64, 64)
    zarrcore.create(tmp_path / "a.zarr").create_array("a", data=values, chunks=(64, 64, 64), codecs=codecs)
    chunk = tmp_path / "a.zarr/a/c/0/0/0"
    content = bytearray(chunk.read_bytes())
    content[-200:] = b"\xff" * 200
    chunk.write_bytes(content)
    assert np.array_equal(zarrcore.open(tmp_path / "a.zarr")["a"][:8], values[:8])
    array = zarrcore.open(tmp_path / "a.zarr", verify="always")["a"]
    for one in (array, pickle.loads(pickle.dumps(array))):
        with pytest.raises(CodecError):
            one[:8]
    with pytest.raises(UnsupportedError, match="known are needed, always"):
        zarrcore.open(tmp_path / "a.zarr", verify="sometimes")
