"""ZipStore, on files and in other stores."""

from __future__ import annotations

import io
import os
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from tests.core.stores.contract import CHUNK, VALUES, ReadOnlyStoreTests, StoreTests
from tests.servers import S3Server, WebServer
from zarrcore.errors import (
    InvalidKeyError,
    StoreNotFoundError,
)
from zarrcore.stores import (
    ByteRange,
    BytesLike,
    MemoryStore,
    PrefixStore,
    ReadableStore,
    ZipStore,
    open_store,
    writable,
)


def make_zip(
    compression: int = zipfile.ZIP_STORED, values: dict[str, bytes] = VALUES, before: bytes = b""
) -> bytes:
    """A zip file of ``values``, with bytes before it like a self-extracting file."""
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
    """Counts the requests of a zip store and their bytes."""

    def __init__(self, data: bytes) -> None:
        super().__init__(values={"x.zip": data})
        self.asked: list[int] = []

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
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


class TestOverHttp(StoreTests, ReadOnlyStoreTests):
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


class TestOverS3(StoreTests, ReadOnlyStoreTests):
    @pytest.fixture(scope="class", params=["x.zip", "x.ozx"])
    @classmethod
    def store(cls, s3: S3Server, request: pytest.FixtureRequest) -> ReadableStore:
        s3.put(f"bucket/zips/{request.param}", make_zip())
        return open_store(f"s3://bucket/zips/{request.param}", **s3.options)


def test_urls_of_zip_files_are_recognized(tmp_path: Path, nginx: WebServer) -> None:
    data = make_zip()
    (tmp_path / "x.data").write_bytes(data)
    (tmp_path / "link.zip").symlink_to("x.data")
    (nginx.root / "z y").write_bytes(data)
    (tmp_path / "y.ozx").write_bytes(data)
    (nginx.root / "y.ozx").write_bytes(data)
    (tmp_path / "directory.zip").mkdir()
    for url in (
        tmp_path / "link.zip",
        f"zip://{tmp_path}/x.data",
        f"zip://file://{tmp_path}/link.zip",
        f"zip://{nginx.url}/z%20y",
        tmp_path / "y.ozx",
        f"{nginx.url}/y.ozx",
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
    assert source.asked == [33, 100, 5]


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


def test_the_last_of_two_members_of_the_same_name_counts() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a", b"old")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a", b"new")
    store = zip_of(file.getvalue())
    assert store.get("a") == b"new"
    assert [entry.key for entry in store.list()] == ["a"]


def test_unmarked_names_are_read_as_utf8_if_they_are_valid(tmp_path: Path) -> None:
    """Info-ZIP (``zip -r``) does not mark names; older tools for Windows wrote code page 437."""

    class Unmarked(zipfile.ZipInfo):
        encoding = "utf-8"

        def _encodeFilenameFlags(self) -> tuple[bytes, int]:
            return self.filename.encode(self.encoding), 0

    class FirstPCs(Unmarked):
        encoding = "cp437"

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(Unmarked("größe/α"), b"1")
        archive.writestr(FirstPCs("Höhe"), b"2")
        archive.writestr("Länge", b"3")
    place = tmp_path / "x.zip"
    place.write_bytes(file.getvalue())
    values = {"Höhe": b"2", "Länge": b"3", "größe/α": b"1"}
    store = open_store(place)
    assert [entry.key for entry in store.list()] == sorted(values)
    assert {key: store.get(key) for key in values} == values
    with open_store(place) as store:
        store.set("new", b"4")
    assert {key: open_store(place).get(key) for key in values} == values
    with zipfile.ZipFile(place) as archive:
        assert archive.namelist() == ["größe/α", "Höhe", "Länge", "new"]


def test_members_that_lead_elsewhere_are_ignored() -> None:
    names = ["../x", "a/../../x", "/etc/passwd", "a/./b", ".."]
    store = zip_of(make_zip(values={**dict.fromkeys(names, b"bad"), "a/x": b"good", "a//b": b"odd"}))
    assert sorted(entry.key for entry in store.list()) == ["a//b", "a/x"]
    assert [entry.key for entry in store.list_dir("")] == ["a/"]
    assert sorted(entry.key for entry in store.list_dir("a/")) == ["a//", "a/x"]
    assert store.get("a//b") == b"odd"
    for name in names:
        with pytest.raises(InvalidKeyError):
            store.get(name)


def test_a_directory_without_a_name_is_not_a_key() -> None:
    data = make_zip(values={"k": b"1"})
    store = zip_of(data.replace(b"k", b"/"))
    assert list(store.list()) == []
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a", b"1")
        archive.filelist[0].filename = archive.filelist[0].orig_filename = ""
    assert list(zip_of(file.getvalue()).list()) == []


def test_the_beginning_of_a_deflated_member_is_inflated_no_further() -> None:
    value = b"".join(bytes([number % 256]) * 4000 for number in range(2_000)) + os.urandom(2_000_000)
    source = CountingStore(make_zip(zipfile.ZIP_DEFLATED, {"a": value}))
    store = ZipStore(source, "x.zip")
    list(store.list())
    source.asked.clear()
    tracemalloc.start()
    try:
        assert store.get("a", ByteRange(0, 1001)) == value[:1001]
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert sum(source.asked) < 500_000
    assert store.get("a", ByteRange(0, 8_500_000)) == value[:8_500_000]
    assert store.get("a", ByteRange(10, 20)) == value[10:20]
    assert store.get("a", ByteRange(0, 10**9)) == value


def test_a_replaced_file_is_read_again(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    place.write_bytes(make_zip(values={"a": b"old", "b": b"old"}))
    store = open_store(place)
    assert store.get("a", ByteRange(0, 2)) == b"ol"
    (tmp_path / "new").write_bytes(make_zip(values={"c": b"longer", "a": b"new"}))
    (tmp_path / "new").replace(place)
    assert [entry.key for entry in store.list()] == ["a", "c"]
    assert store.get("a", ByteRange(0, 2)) == b"ne"
    assert store.get("b") is None
    place.unlink()
    with pytest.raises(StoreNotFoundError):
        store.get("a")


def test_a_zip_file_in_a_database_is_read(tmp_path: Path) -> None:
    with open_store(f"sqlite://{tmp_path}/x.db", create=True) as database:
        writable(database).set("deep/x.zip", make_zip(zipfile.ZIP_DEFLATED))
        for store in (ZipStore(database, "deep/x.zip"), ZipStore(PrefixStore(database, "deep/"), "x.zip")):
            assert store.get("a/c/0/0", ByteRange(5, 900)) == CHUNK[5:900]
            assert sorted(entry.key for entry in store.list()) == sorted(VALUES)
