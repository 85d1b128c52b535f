"""ZipStore writes members: readable by other programs, invalid names refused."""

from __future__ import annotations

import gc
import io
import os
import zipfile
from pathlib import Path

import pytest

from tests.any_store import open_store
from tests.core.stores.contract import VALUES, StoreTests, WritableStoreTests
from tests.core.stores.zip.zip_files import make_zip, members
from zarrcore.errors import (
    BrokenBodyError,
    InvalidKeyError,
    KeyTooLongError,
    StoreFullError,
    StoreNotFoundError,
)
from zarrcore.stores import ReadableStore, ZipStore
from zarrcore.stores.zip import changes as zip_changes


class TestWritten(StoreTests, WritableStoreTests):
    """A file that was written and closed, and new files that are being written."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> ReadableStore:
        with open_store(tmp_path / "x.zip", create=True) as store:
            for key, value in VALUES.items():
                store.set(key, value)
        return open_store(tmp_path / "x.zip")

    @pytest.fixture
    def empty(self, tmp_path: Path) -> ReadableStore:
        return open_store(tmp_path / "new.zip", create=True)


def test_existing_members_are_kept(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    place.write_bytes(make_zip(zipfile.ZIP_DEFLATED, before=b"#!/bin/sh\n"))
    with zipfile.ZipFile(place, "a") as archive:
        archive.writestr("../unsafe", b"kept")
        archive.comment = b"a comment"
    place.chmod(0o640)
    with open_store(place) as store:
        store.set("new", b"1")
        store.erase("ab/x")
        assert store.get("zarr.json") == VALUES["zarr.json"]
    expected = {key: value for key, value in VALUES.items() if key != "ab/x"}
    assert members(place) == {**expected, "new": b"1", "../unsafe": b"kept", "empty directory/": b""}
    assert place.stat().st_mode & 0o777 == 0o640
    assert place.read_bytes().startswith(b"#!/bin/sh\n")
    with zipfile.ZipFile(place) as archive:
        assert archive.comment == b"a comment"


def test_erasing_an_absent_key_changes_nothing(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    place.write_bytes(make_zip())
    before = place.stat().st_ino
    with open_store(place) as store:
        store.erase("absent")
        store.erase_values(["absent"])
        store.erase_prefix("absent/")
    assert place.stat().st_ino == before


@pytest.mark.parametrize("rest", [0, 1e9])
def test_a_full_disk_is_reported_at_once(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch, rest: float
) -> None:
    monkeypatch.setattr(zip_changes, "_REST", rest)
    place = small_disk / "x.zip"
    store = open_store(place, create=True)
    stored: dict[str, bytes] = {}
    refused: list[str] = []
    for number in range(1000):
        value = bytes([number % 256]) * (20_000 if number < 100 else 1)
        try:
            store.set(str(number), value)
            stored[str(number)] = value
        except StoreFullError as error:
            refused.append(str(error))
    assert len(stored) > 30
    assert refused[0].endswith(": the disk is full")
    assert {entry.key: store.get(entry.key) for entry in store.list()} == stored
    store.close()
    assert members(place) == stored
    assert os.listdir(small_disk) == ["x.zip"]


def test_names_that_no_member_can_have_are_refused(tmp_path: Path) -> None:
    store = open_store(tmp_path / "x.zip", create=True)
    for key in ("../a", "/a", "a/../b", "a\0b", "a\ud800", "ä" * 40_000, "", "a/"):
        with pytest.raises(InvalidKeyError):
            store.set(key, b"1")
    store.set("ä" * 30_000, b"1")
    store.set("a//b", b"2")
    store.close()
    assert len(members(tmp_path / "x.zip")) == 2


def test_a_file_that_is_not_a_zip_file_is_not_overwritten(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    place.write_bytes(b"something else")
    store = open_store(place, create=True)
    for write in (lambda: store.set("a", b"1"), lambda: store.erase("a"), lambda: store.erase_prefix("")):
        with pytest.raises(BrokenBodyError, match="is not a zip file"):
            write()
    store.close()
    assert place.read_bytes() == b"something else"
    assert os.listdir(tmp_path) == ["x.zip"]
    with pytest.raises(StoreNotFoundError, match="there is no file"):
        open_store(tmp_path / "absent.zip")
    (tmp_path / "d.zip").mkdir()
    assert not isinstance(open_store(tmp_path / "d.zip", create=True), ZipStore)


def test_large_members_and_directories_use_zip64(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100)
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 2)
    with open_store(tmp_path / "x.zip", create=True) as store:
        for key, value in VALUES.items():
            store.set(key, value)
            assert store.get(key) == value
    monkeypatch.undo()
    assert members(tmp_path / "x.zip") == VALUES
    assert b"PK\x06\x06" in (tmp_path / "x.zip").read_bytes()


def test_descriptors_are_closed(tmp_path: Path) -> None:
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    for number in range(20):
        with open_store(tmp_path / "x.zip", create=True) as store:
            store.set(str(number), io.BytesIO(b"1").getbuffer())
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= before + 1
    assert len(members(tmp_path / "x.zip")) == 20


def test_a_name_that_no_member_can_have_is_refused(tmp_path: Path) -> None:
    with open_store(tmp_path / "x.zip", create=True) as store:
        store.set("n" * 65_535, b"1")
        with pytest.raises(KeyTooLongError, match="this name is too long"):
            store.set("n" * 65_536, b"1")
        with pytest.raises(InvalidKeyError):
            store.set("half a pair \ud83d", b"1")
        assert store.get("n" * 65_535) == b"1"
