"""ZipStore, over files and other stores."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from pathlib import Path

import pytest

from tests.core.stores.contract import CHUNK, VALUES, StoreTests
from tests.servers import S3Server, WebServer
from zarrcore.errors import (
    BrokenBodyError,
    InvalidKeyError,
    StoreError,
    StoreNotFoundError,
    UnreachableError,
    UnsupportedError,
)
from zarrcore.stores import ByteRange, BytesLike, MemoryStore, ReadableStore, StoreStat, ZipStore, open_store


def make_zip(
    compression: int = zipfile.ZIP_STORED, values: dict[str, bytes] = VALUES, before: bytes = b""
) -> bytes:
    """A zip file of ``values``, with bytes before it as a self-extracting one has."""
    file = io.BytesIO()
    file.write(before)
    with zipfile.ZipFile(file, "a", compression) as archive:
        archive.mkdir("empty directory")
        for key, value in values.items():
            archive.writestr(key, value)
    return file.getvalue()


def zip_of(data: bytes) -> ZipStore:
    return ZipStore(MemoryStore(values={"x.zip": data}), "x.zip")


class CountingStore(MemoryStore):
    """Counts the requests and bytes that a zip store asks for."""

    def __init__(self, data: bytes) -> None:
        super().__init__(values={"x.zip": data})
        self.asked: list[int] = []

    def get(self, key: str, byte_range: ByteRange | None = None) -> BytesLike | None:
        value = super().get(key, byte_range)
        self.asked.append(len(value or b""))
        return value


class TestStored(StoreTests):
    @pytest.fixture
    def store(self, tmp_path: Path) -> ReadableStore:
        (tmp_path / "x.zip").write_bytes(make_zip())
        return open_store(tmp_path / "x.zip")


class TestDeflated(StoreTests):
    @pytest.fixture
    def store(self, tmp_path: Path) -> ReadableStore:
        (tmp_path / "x.zip").write_bytes(make_zip(zipfile.ZIP_DEFLATED, before=b"#!/bin/sh\n" * 9))
        return open_store(f"file://{tmp_path}/x.zip")


class TestOverHttp(StoreTests):
    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, nginx: WebServer) -> ReadableStore:
        (nginx.root / "x.zip").write_bytes(make_zip(zipfile.ZIP_DEFLATED))
        return open_store(f"{nginx.url}/x.zip")


class TestOverHttpWithoutRanges(StoreTests):
    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, python_web: WebServer) -> ReadableStore:
        (python_web.root / "x.zip").write_bytes(make_zip())
        return open_store(f"{python_web.url}/x.zip")


class TestOverS3(StoreTests):
    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, s3: S3Server) -> ReadableStore:
        s3.put("bucket/zips/x.zip", make_zip())
        return open_store("s3://bucket/zips/x.zip", **s3.options)


def test_urls_that_name_a_zip_file(tmp_path: Path, nginx: WebServer) -> None:
    data = make_zip()
    (tmp_path / "x.data").write_bytes(data)
    (tmp_path / "link.zip").symlink_to("x.data")
    (nginx.root / "z y").write_bytes(data)
    (tmp_path / "directory.zip").mkdir()
    for url in (
        tmp_path / "link.zip",
        f"zip://{tmp_path}/x.data",
        f"zip://file://{tmp_path}/link.zip",
        f"zip://{nginx.url}/z%20y",
    ):
        store = open_store(url)
        assert isinstance(store, ZipStore)
        assert store.get("zarr.json") == VALUES["zarr.json"]
    assert open_store(tmp_path / "link.zip").url == str(tmp_path / "link.zip")
    assert not isinstance(open_store(tmp_path / "directory.zip"), ZipStore)
    with pytest.raises(StoreNotFoundError, match="there is no file"):
        open_store(tmp_path / "absent.zip")


def test_only_what_is_needed_is_fetched() -> None:
    values = {f"c/{number}": bytes([number % 256]) * 10_000 for number in range(500)}
    source = CountingStore(make_zip(values=values))
    store = ZipStore(source, "x.zip")
    assert store.get("c/7") == values["c/7"]
    assert len(source.asked) <= 3
    assert sum(source.asked) < 150_000
    source.asked.clear()
    assert store.get("c/400") == values["c/400"]
    assert len(source.asked) == 1
    source.asked.clear()
    assert store.get("c/3", ByteRange(100, 200)) == values["c/3"][100:200]
    assert store.get("c/3", ByteRange(-5)) == values["c/3"][-5:]
    assert source.asked == [30, 100, 5]


def test_many_members_need_the_directory_once() -> None:
    values = {f"group/array/c/{number}": b"" for number in range(5000)}
    source = CountingStore(make_zip(values=values))
    store = ZipStore(source, "x.zip")
    assert sum(1 for _ in store.list()) == 5000
    assert sum(1 for _ in store.list_dir("group/")) == 1
    assert len(source.asked) == 2


def test_zip64_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100)
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 2)
    data = make_zip(zipfile.ZIP_DEFLATED)
    monkeypatch.undo()
    assert b"PK\x06\x06" in data
    store = zip_of(data)
    assert {key: store.get(key) for key in VALUES} == VALUES
    assert store.get("a/c/0/0", ByteRange(5, 9)) == CHUNK[5:9]


def test_the_last_of_two_members_of_one_name_counts() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a", b"old")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a", b"new")
    store = zip_of(file.getvalue())
    assert store.get("a") == b"new"
    assert [entry.key for entry in store.list()] == ["a"]


def test_members_that_lead_elsewhere_are_left_out() -> None:
    names = ["../x", "a/../../x", "/etc/passwd", "a/./b", ".."]
    store = zip_of(make_zip(values={**dict.fromkeys(names, b"bad"), "a/x": b"good", "a//b": b"odd"}))
    assert sorted(entry.key for entry in store.list()) == ["a//b", "a/x"]
    assert [entry.key for entry in store.list_dir("")] == ["a/"]
    assert sorted(entry.key for entry in store.list_dir("a/")) == ["a//", "a/x"]
    assert store.get("a//b") == b"odd"
    for name in names:
        with pytest.raises(InvalidKeyError):
            store.get(name)


@pytest.mark.parametrize("size", [0, 1, 10, 21, 22, 500])
def test_a_file_that_was_cut_off_is_told(size: int) -> None:
    store = zip_of(make_zip()[:size])
    with pytest.raises(BrokenBodyError, match="is no zip file, or one that was cut off") as caught:
        store.get("zarr.json")
    assert "\n" not in str(caught.value)
    with pytest.raises(BrokenBodyError):
        list(store.list_dir(""))


def test_a_file_that_is_missing_is_told() -> None:
    with pytest.raises(StoreNotFoundError, match=r"there is no file memory://y\.zip"):
        ZipStore(MemoryStore(), "y.zip").get("a")


def test_every_cut_and_every_changed_byte_gives_right_values_or_an_error() -> None:
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
    """A zip file of one member ``a`` whose directory says what we want it to say."""
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
    with pytest.raises(BrokenBodyError, match="1 bytes were announced, 2 or more are there"):
        crafted(bomb, zipfile.ZIP_DEFLATED, 1, 0, len(bomb)).get("a")
    with pytest.raises(BrokenBodyError, match="cannot hold"):
        crafted(b"\3\0", zipfile.ZIP_DEFLATED, 2**32 - 2, 0, 2).get("a")


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_wrong_checksum_is_told(compression: int) -> None:
    packed = deflate(b"value") if compression == zipfile.ZIP_DEFLATED else b"value"
    store = crafted(packed, compression, 5, 1234, len(packed))
    with pytest.raises(BrokenBodyError, match=r"a in .*checksum differs"):
        store.get("a")


def test_sizes_that_differ_or_exceed_the_file_are_told() -> None:
    with pytest.raises(BrokenBodyError, match="two sizes differ"):
        crafted(b"value", zipfile.ZIP_STORED, 4, 0, 5).get("a", ByteRange(0, 3))
    with pytest.raises(BrokenBodyError, match="too early"):
        crafted(b"value", zipfile.ZIP_STORED, 5000, 0, 5000).get("a")
    with pytest.raises(BrokenBodyError):
        crafted(b"garbage", zipfile.ZIP_DEFLATED, 50, 0, 7).get("a")


def test_what_we_do_not_know_is_named() -> None:
    with pytest.raises(UnsupportedError, match="'lzma'"):
        crafted(b"value", 14, 5, 0, 5).get("a")
    with pytest.raises(UnsupportedError, match="is encrypted"):
        crafted(b"value", 0, 5, 0, 5, flags=1).get("a", ByteRange(0, 2))


def test_an_outage_is_not_taken_for_a_broken_file() -> None:
    class Failing(MemoryStore):
        def stat(self, key: str) -> StoreStat | None:
            return StoreStat(1000)

        def get(self, key: str, byte_range: ByteRange | None = None) -> BytesLike | None:
            raise UnreachableError("gone")

    with pytest.raises(UnreachableError, match="gone"):
        ZipStore(Failing(), "x.zip").get("a")
