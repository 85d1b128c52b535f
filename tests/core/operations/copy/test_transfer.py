"""Chunks of the same codecs are copied byte for byte, and not decoded."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numcodecs
import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.core.operations.copy.copying import DATA, EXPECTED, copy, read_by_zarr
from zarrcore.codecs import Pipeline
from zarrcore.errors import BrokenBodyError, ChecksumError
from zarrcore.formats import format_named
from zarrcore.metadata import NamedConfiguration
from zarrcore.native import engine
from zarrcore.operations.copy import Layout, plan_copy
from zarrcore.operations.copy.transfer import ChunkTransfer
from zarrcore.stores.interface import ByteRange, BytesLike, ReadableStore
from zarrcore.stores.local import store as local_module
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.memory import MemoryStore


def chunks(root: Path) -> dict[str, bytes]:
    """The bytes of all files but documents."""
    files = (file for file in root.rglob("*") if file.is_file() and not file.name.startswith((".z", "zarr.")))
    return {str(file.relative_to(root)): file.read_bytes() for file in files}


@pytest.fixture
def undecodable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decoding and encoding fail."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("a chunk was decoded or encoded")

    for name in ("decode", "decode_into", "encode"):
        monkeypatch.setattr(Pipeline, name, refuse)


@pytest.mark.usefixtures("undecodable")
@pytest.mark.parametrize("verify", [True, False])
def test_stored_bytes_stay_the_same(source: Path, tmp_path: Path, verify: bool) -> None:
    result = copy(source, tmp_path / "t", verify=verify)
    assert chunks(tmp_path / "t") == chunks(source)
    assert result.copied_nbytes == 2 * DATA.nbytes
    copy(source, MemoryStore("of test_transfer"), overwrite=True, verify=verify)
    copy(MemoryStore("of test_transfer"), tmp_path / "back", verify=verify)
    assert chunks(tmp_path / "back") == chunks(source)


@pytest.mark.usefixtures("undecodable")
def test_a_broken_chunk_is_copied_as_it_is(source: Path, tmp_path: Path) -> None:
    (source / "a/c/0/0").write_bytes(b"broken")
    copy(source, tmp_path / "t")
    assert (tmp_path / "t/a/c/0/0").read_bytes() == b"broken"


class Cutting(MemoryStore):
    """A store whose answers lack the last byte of each chunk."""

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        value = super().get(key, byte_range, max_nbytes=max_nbytes)
        return value if value is None or key.endswith(".json") else value[:-1]

    get_with_stat = ReadableStore.get_with_stat


class Damaging(MemoryStore):
    """A store whose answers have another bit in each chunk."""

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        value = super().get(key, byte_range, max_nbytes=max_nbytes)
        return value if value is None or key.endswith(".json") else bytes([value[0] ^ 1]) + bytes(value[1:])

    get_with_stat = ReadableStore.get_with_stat


@pytest.mark.parametrize(
    ("codec", "verify", "ends"),
    [
        *((name, True, True) for name in ("crc32c", "numcodecs.adler32", "numcodecs.fletcher32")),
        ("crc32c", False, False),
        ("zstd", True, False),
    ],
)
def test_a_chunk_that_arrives_with_a_wrong_checksum_ends_the_copy(
    tmp_path: Path, codec: str, verify: bool, ends: bool
) -> None:
    store = Damaging()
    array = zc.create(store).create_array("a", shape=(6,), chunks=(6,), dtype="int32", codecs=[codec])
    array[...] = np.arange(6)
    target = LocalStore(tmp_path / "t", create=True)
    if ends:
        with pytest.raises(ChecksumError, match=r"^a/c/0 in .*: "):
            copy(store, target, verify=verify)
        assert target.get("a/c/0") is None
    else:
        copy(store, target, verify=verify)
        assert target.get("a/c/0") == store.get("a/c/0")


def test_a_chunk_that_arrives_short_ends_the_copy(source: Path, tmp_path: Path) -> None:
    store = Cutting(
        values={
            str(file.relative_to(source)): file.read_bytes() for file in source.rglob("*") if file.is_file()
        }
    )
    with pytest.raises(BrokenBodyError, match=r"a/c/0/0 in .*: [\d,]+ of [\d,]+ bytes arrived"):
        copy(store, tmp_path / "t")
    copy(store, tmp_path / "u", verify=False)


@pytest.mark.parametrize("compressor", [numcodecs.Blosc("lz4"), numcodecs.Zstd(3), None])
def test_formats_with_the_same_codecs_share_chunks(tmp_path: Path, compressor: Any) -> None:
    zarr.create_array(tmp_path / "s", data=DATA, chunks=(5, 12), zarr_format=2, compressors=compressor)
    copy(tmp_path / "s", tmp_path / "v3", to="v3")
    copy(tmp_path / "v3", tmp_path / "v2", to="v2")
    before = chunks(tmp_path / "s")
    assert chunks(tmp_path / "v3") == {f"c/{name.replace('.', '/')}": value for name, value in before.items()}
    assert chunks(tmp_path / "v2") == before
    assert np.array_equal(read_by_zarr(tmp_path / "v3"), DATA)


def test_what_changes_chunks_is_encoded_anew(source: Path, tmp_path: Path) -> None:
    hierarchy = zc.open_hierarchy(source)
    for to, layout, expected in (
        ("v3", Layout(), [True, True]),
        ("v3", Layout(chunk_shape=(5, 12)), [True, False]),
        ("v3", Layout(codecs=(NamedConfiguration("gzip", {"level": 1}),)), [False, True]),
        ("v3", Layout(shard_shape=()), [True, False]),
        ("v2", Layout(), [True, False]),
        ("n5", Layout(), [False, False]),
    ):
        plan = plan_copy(hierarchy, to=format_named(to), layout=layout)
        found = {array.path: array.stored_chunk_nbytes is not None for array in plan.arrays}
        assert [found["/a"], found["/g/s"]] == expected, (to, layout)


def test_another_fill_value_is_not_lost(tmp_path: Path) -> None:
    """A chunk that is missing has the source's fill value, so it must be written where that is another one."""
    array = zarr.create_array(
        tmp_path / "s", shape=(4,), dtype="i4", chunks=(2,), fill_value=3, compressors=None, zarr_format=2
    )
    array[:2] = 1
    copy(tmp_path / "s", tmp_path / "t", to="n5")
    assert zc.open_hierarchy(tmp_path / "t")["/"][...].tolist() == [1, 1, 3, 3]


class Flipping(MemoryStore):
    """Stores one chunk with one bit changed."""

    key = "a/c/2/0"

    def set(self, key: str, value: Any, *, if_absent: bool = False) -> bool:
        data = bytearray(value)
        if key == self.key:
            data[-1] ^= 1
        return super().set(key, bytes(data), if_absent=if_absent)


def test_a_chunk_that_does_not_read_back_is_an_error(source: Path) -> None:
    store = Flipping()
    with pytest.raises(zc.BrokenBodyError, match=r"a/c/2/0 in .* does not read back"):
        copy(source, store)
    assert store.get("a/c/2/0") is None, "a resumed copy must copy it again"
    assert copy(source, Flipping(), verify=False).arrays == 2


@pytest.mark.parametrize("nbytes", [1, 2, 7, 8, 9, 4096, 4099])
def test_any_bit_counts(tmp_path: Path, nbytes: int) -> None:
    values = np.random.default_rng(0).integers(1, 255, nbytes, "u1")
    zarr.create_array(tmp_path / "s", data=values, chunks=(nbytes,), compressors=None)
    copy(tmp_path / "s", tmp_path / "t")
    assert chunks(tmp_path / "t") == {"c/0": values.tobytes()}

    class FlippingChunk(Flipping):
        key = "c/0"

    with pytest.raises(zc.BrokenBodyError):
        copy(tmp_path / "s", FlippingChunk())


def large(tmp_path: Path) -> Path:
    """An array of one chunk that does not fit into the memory that is allowed below."""
    values = np.random.default_rng(0).integers(1, 255, 100_000, "u1")
    zarr.create_array(tmp_path / "s", data=values, chunks=(values.size,), compressors=None)
    return tmp_path / "s"


def test_a_file_that_does_not_fit_into_memory_is_copied_in_parts(tmp_path: Path) -> None:
    source = large(tmp_path)
    copy(source, tmp_path / "t", memory_nbytes=10_000)
    assert chunks(tmp_path / "t") == chunks(source)

    class FlippingChunk(Flipping):
        key = "c/0"

    with pytest.raises(zc.BrokenBodyError, match="does not read back"):
        copy(source, FlippingChunk(), memory_nbytes=10_000)


def test_a_value_that_does_not_fit_into_memory_is_refused(tmp_path: Path) -> None:
    store = MemoryStore()
    copy(large(tmp_path), store)
    with pytest.raises(zc.StoreError, match=r"copying c/0 takes .* MiB of memory"):
        copy(store, tmp_path / "t", memory_nbytes=10_000)


def test_a_value_larger_than_any_valid_chunk_is_refused(source: Path, tmp_path: Path) -> None:
    (source / "a/c/0/0").write_bytes(bytes(1 << 20))
    with pytest.raises(zc.CodecError, match="a/c/0/0: 1,048,576 bytes are stored"):
        copy(source, tmp_path / "t")


@pytest.fixture
def sharing(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """As on a file system that shares blocks between files: one number for each file that was cloned."""
    cloned = []

    def clone_file(source: int, target: int) -> bool:
        size = os.fstat(source).st_size
        assert os.write(target, os.pread(source, size, 0)) == size
        cloned.append(size)
        return True

    monkeypatch.setattr(local_module, "clone_file", clone_file)
    return cloned


def test_files_share_blocks_where_that_is_possible(source: Path, tmp_path: Path, sharing: list[int]) -> None:
    class Unread(LocalStore):
        def get_into(self, key: str, buffer: memoryview, byte_range: Any = None) -> int | None:
            assert super().get_into(key, buffer, byte_range) is None, "only missing chunks are looked for"
            return None

    hierarchy: ReadableStore = Unread(source)
    copy(hierarchy, tmp_path / "t")
    assert chunks(tmp_path / "t") == chunks(source)
    assert sorted(sharing) == sorted(map(len, chunks(source).values()))
    assert np.array_equal(read_by_zarr(tmp_path / "t/a"), EXPECTED)


def test_most_small_chunks_go_through_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if engine() is None:
        pytest.skip("the engine is not built")
    values = np.arange(40_000).reshape(200, 200)
    zc.create(tmp_path / "s").create_array("a", data=values, chunks=(4, 4), fill_value=7)
    (tmp_path / "s/a/c/3/3").unlink()
    (tmp_path / "s/a/c/30/30").write_bytes(b"broken")
    counted: list[str] = []
    copy_one = ChunkTransfer._copy

    def counted_copy(self: ChunkTransfer, key: str, *rest: Any) -> None:
        counted.append(key)
        copy_one(self, key, *rest)

    monkeypatch.setattr(ChunkTransfer, "_copy", counted_copy)
    monkeypatch.setattr(LocalStore, "may_clone", lambda *_: False)
    copy(tmp_path / "s", tmp_path / "t")
    assert counted == ["a/c/3/3"]
    assert chunks(tmp_path / "t") == chunks(tmp_path / "s")
