"""ZipStore, on files and in other stores."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.any_store import open_store
from tests.core.stores.contract import CHUNK, VALUES, ReadOnlyStoreTests, StoreTests
from tests.core.stores.zip.zip_files import (
    make_zip,
)
from tests.servers import S3Server, WebServer
from zarrcore.errors import (
    StoreNotFoundError,
)
from zarrcore.stores import ByteRange, PrefixStore, ReadableStore, ZipStore, writable


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
