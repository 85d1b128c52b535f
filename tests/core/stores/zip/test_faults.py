"""ZipStore with truncated, malicious or broken files."""

from __future__ import annotations

import contextlib
import io
import itertools
import struct
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pytest

from tests.core.stores.conftest import Opener
from tests.core.stores.contract import CHUNK
from tests.core.stores.zip.test_store import make_zip, zip_of
from tests.servers import FaultServer
from zarrcore.errors import (
    BrokenBodyError,
    ChangedError,
    StoreError,
    StoreNotFoundError,
    UnreachableError,
    UnsupportedError,
)
from zarrcore.stores import (
    ByteRange,
    BytesLike,
    MemoryStore,
    PrefixStore,
    StoreStat,
    ZipStore,
    open_store,
)
from zarrcore.stores.zip.members import ZipMembers
from zarrcore.stores.zip.writing import EMPTY_ZIP


@pytest.mark.parametrize("size", [0, 1, 10, 21, 22, 500])
def test_a_truncated_file_is_reported(size: int) -> None:
    store = zip_of(make_zip()[:size])
    with pytest.raises(BrokenBodyError, match="is not a zip file, or was truncated") as caught:
        store.get("zarr.json")
    assert "\n" not in str(caught.value)
    with pytest.raises(BrokenBodyError):
        list(store.list_dir(""))


def test_a_missing_file_is_reported() -> None:
    with pytest.raises(StoreNotFoundError, match=r"there is no file memory://y\.zip"):
        ZipStore(MemoryStore(), "y.zip").get("a")


def test_every_truncation_and_changed_byte_gives_right_values_or_an_error() -> None:
    values = {"a/zarr.json": b"{}", "a/c/0": CHUNK[:700]}
    data = make_zip(zipfile.ZIP_DEFLATED, values)
    stored = make_zip(values=values)
    for whole in (data, stored):
        for place in range(0, len(whole), 3):
            changed = bytearray(whole)
            changed[place] ^= 0xFF
            for case in (bytes(changed), whole[:place]):
                store = zip_of(case)
                for key, value in values.items():
                    try:
                        got = store.get(key)
                        part = store.get(key, ByteRange(0, 2**62))
                        list(store.list_dir("a/"))
                    except (StoreError, UnsupportedError):
                        continue
                    assert got in (value, None)
                    assert part is None or len(part) == len(value)


def crafted(
    member: bytes, method: int, file_size: int, crc: int, packed_size: int, flags: int = 0
) -> ZipStore:
    """A zip file with one member ``a`` and any directory entry for it."""
    local = (
        struct.pack("<4s5H3L2H", b"PK\3\4", 20, flags, method, 0, 33, crc, packed_size, file_size, 1, 0)
        + b"a"
    )
    central = struct.pack(
        "<4s6H3L5H2L",
        b"PK\1\2",
        20,
        20,
        flags,
        method,
        0,
        33,
        crc,
        packed_size,
        file_size,
        1,
        0,
        0,
        0,
        0,
        0,
        0,
    )
    central += b"a"
    offset = len(local) + len(member)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(central), offset, 0)
    return zip_of(local + member + central + end)


def deflate(value: bytes) -> bytes:
    packer = zlib.compressobj(9, wbits=-15)
    return packer.compress(value) + packer.flush()


def test_a_bomb_is_stopped_at_its_announced_size() -> None:
    bomb = deflate(b"\0" * 50_000_000)
    with pytest.raises(BrokenBodyError, match="1 bytes were announced, 2 or more were found"):
        crafted(bomb, zipfile.ZIP_DEFLATED, 1, 0, len(bomb)).get("a")
    with pytest.raises(BrokenBodyError, match="cannot hold"):
        crafted(b"\3\0", zipfile.ZIP_DEFLATED, 2**32 - 2, 0, 2).get("a")


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_wrong_checksum_is_reported(compression: int) -> None:
    packed = deflate(b"value") if compression == zipfile.ZIP_DEFLATED else b"value"
    store = crafted(packed, compression, 5, 1234, len(packed))
    with pytest.raises(BrokenBodyError, match=r"a in .*checksum differs"):
        store.get("a")


def test_sizes_that_differ_or_exceed_the_file_are_reported() -> None:
    with pytest.raises(BrokenBodyError, match="two sizes differ"):
        crafted(b"value", zipfile.ZIP_STORED, 4, 0, 5).get("a", ByteRange(0, 3))
    with pytest.raises(BrokenBodyError, match="too early"):
        crafted(b"value", zipfile.ZIP_STORED, 5000, 0, 5000).get("a")
    with pytest.raises(BrokenBodyError):
        crafted(b"garbage", zipfile.ZIP_DEFLATED, 50, 0, 7).get("a")


def test_unsupported_features_are_named() -> None:
    for method, name in ((9, "'deflate64'"), (98, "'ppmd'"), (99, "'AES encryption'"), (4711, "'4711'")):
        with pytest.raises(
            UnsupportedError, match=rf"{name} of a in memory://x\.zip is not supported; recompress"
        ):
            crafted(b"value", method, 5, 0, 5).get("a")
    with pytest.raises(UnsupportedError, match="is encrypted; unpack"):
        crafted(b"value", 0, 5, 0, 5, flags=1).get("a", ByteRange(0, 2))


def test_an_outage_is_not_reported_as_a_broken_file() -> None:
    class Failing(MemoryStore):
        def stat(self, key: str) -> StoreStat | None:
            return StoreStat(1000)

        def get(
            self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
        ) -> BytesLike | None:
            raise UnreachableError("gone")

    with pytest.raises(UnreachableError, match="gone"):
        ZipStore(Failing(), "x.zip").get("a")


def test_a_broken_member_is_reported_even_if_only_its_beginning_is_read() -> None:
    for member in (deflate(b"short"), b"garbage"):
        with pytest.raises(BrokenBodyError):
            crafted(member, zipfile.ZIP_DEFLATED, 60, 0, len(member)).get("a", ByteRange(0, 50))


def test_a_value_that_does_not_fit_in_memory_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    store = zip_of(make_zip(zipfile.ZIP_DEFLATED))
    monkeypatch.setattr(ZipMembers, "value", fail)
    with pytest.raises(StoreError, match="there is not enough memory for a value of 18 bytes"):
        store.get("zarr.json")


def one(value: bytes, name: str = "a", **keywords: bool) -> bytes:
    """A zip file with one member."""
    return make_zip(values={name: value}, **keywords)


def with_comment(data: bytes, comment: bytes) -> bytes:
    return data[:-2] + struct.pack("<H", len(comment)) + comment


def test_an_end_record_within_the_comment_is_ignored() -> None:
    good, evil = one(b"good"), one(b"evil")
    for comment in (b"", b"x" * 65_535, b"x" + EMPTY_ZIP + b"y", evil + b"z", EMPTY_ZIP[:-2] + b"\x09\0z"):
        store = zip_of(with_comment(good, comment))
        assert store.get("a") == b"good"
        assert store.get("a", ByteRange(1, 3)) == b"oo"
    for comment in (evil, EMPTY_ZIP):
        with pytest.raises(BrokenBodyError, match="ends like two zip files"):
            zip_of(with_comment(good, comment)).get("a")


def test_the_comment_outlives_changes(tmp_path: Path) -> None:
    comment = b"a" + EMPTY_ZIP + b"b"
    (tmp_path / "x.zip").write_bytes(with_comment(one(b"good"), comment))
    with open_store(tmp_path / "x.zip") as store:
        store.set("b", b"2")
    assert (tmp_path / "x.zip").read_bytes().endswith(comment)
    assert [entry.key for entry in open_store(tmp_path / "x.zip").list()] == ["a", "b"]


def test_a_zip_file_within_a_zip_file_is_read() -> None:
    inner = make_zip(zipfile.ZIP_DEFLATED, {"a": CHUNK, "b/c": b"1"})
    for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        outer = zip_of(make_zip(compression, {"first": b"x" * 100_000, "deep/x.zip": inner}))
        for source, key in ((outer, "deep/x.zip"), (PrefixStore(outer, "deep/"), "x.zip")):
            store = ZipStore(source, key)
            assert store.get("a") == CHUNK
            assert store.get("a", ByteRange(9, 99)) == CHUNK[9:99]
            assert [entry.key for entry in store.list()] == ["a", "b/c"]
            assert store.url.endswith("x.zip/deep/x.zip")


def test_sizes_after_a_member_are_found(tmp_path: Path) -> None:
    class Pipe(io.RawIOBase):
        """An output that cannot seek, so that zipfile writes sizes after the members."""

        written = b""

        def writable(self) -> bool:
            return True

        def write(self, data: bytes) -> int:
            self.written += bytes(data)
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", CHUNK)
        archive.writestr("b", b"")
    assert b"PK\x07\x08" in pipe.written
    store = zip_of(pipe.written)
    assert store.get("a") == CHUNK
    assert store.get("b") == b""


def test_overlapping_members_are_right_or_reported() -> None:
    data = make_zip(values={"a": b"one", "b": b"two"})
    end = data.index(b"PK\1\2")
    second = data.index(b"PK\1\2", end + 4)
    second = data.index(b"PK\1\2", second + 4)  # the header of "b", after those of a directory and "a"
    first = data.index(b"PK\3\4", 31)
    crossed = bytearray(data)
    crossed[second + 42 : second + 46] = struct.pack("<L", first)
    store = zip_of(bytes(crossed))
    assert store.get("a") == b"one"
    for read in (store.get, lambda key: store.get(key, ByteRange(0, 2))):
        with pytest.raises(BrokenBodyError, match=r"b in .*does not begin where"):
            read("b")
    crossed[second + 42 : second + 46] = struct.pack("<L", 2**31)
    with pytest.raises(BrokenBodyError, match="b in "):
        zip_of(bytes(crossed)).get("b")


def test_a_directory_that_claims_to_be_large_takes_no_memory() -> None:
    data = one(b"x")
    for place, size in ((-10, 4), (-14, 2), (-12, 2), (-6, 4)):
        claimed = bytearray(data)
        claimed[place : place + size or None] = b"\xff" * size
        tracemalloc.start()
        try:
            with contextlib.suppress(BrokenBodyError):
                assert zip_of(bytes(claimed)).get("a") in (b"x", None)
            assert tracemalloc.get_traced_memory()[1] < 1_000_000
        finally:
            tracemalloc.stop()


def test_a_replaced_remote_file_is_read_again(faults: FaultServer, opened: Opener) -> None:
    old, new = (
        make_zip(values={"a": b"old!", "b": b"1"}),
        make_zip(values={"0": b"", "a": b"new!", "b": b"1"}),
    )
    faults.values["x.zip"] = old
    store = opened("x.zip")
    assert store.get("a", ByteRange(0, 3)) == b"old"
    faults.requests.clear()
    assert store.get("b", ByteRange(0, 1)) == b"1"
    assert store.get("b", ByteRange(0, 1)) == b"1"
    assert len(faults.requests) == 3  # that of its header, and its own
    faults.values["x.zip"] = new
    assert store.get("a", ByteRange(0, 3)) == b"new"
    assert [entry.key for entry in store.list()] == ["0", "a", "b"]
    del faults.values["x.zip"]
    with pytest.raises(StoreNotFoundError):
        store.get("a")

    class Restless(dict[str, bytes]):
        def __getitem__(self, key: str) -> bytes:
            self["x.zip"] = with_comment(old, str(next(counter)).encode())
            return super().__getitem__(key)

    counter = itertools.count()
    faults.values = Restless({"x.zip": old})
    with pytest.raises(ChangedError, match="was replaced while it was read"):
        store.get("a", ByteRange(0, 3))
