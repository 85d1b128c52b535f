"""Freeing the bytes of replaced values."""

from __future__ import annotations

import io
import os
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.any_store import open_store
from tests.core.stores.zip.zip_files import members, replace
from zarrcore.stores import ByteRange, LocalStore, StoreStat, ZipStore
from zarrcore.stores.local import atomic_files


def test_dead_bytes_are_freed_on_a_full_disk(small_disk: Path) -> None:
    store = open_store(small_disk / "x.zip", create=True)
    for number in range(60):
        store.set("a", bytes([number]) * 100_000)
    assert store.get("a") == bytes([59]) * 100_000
    store.close()
    assert members(small_disk / "x.zip") == {"a": bytes([59]) * 100_000}


def test_replaced_values_do_not_accumulate(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    largest = 0
    with open_store(place, create=True) as store:
        store.set("kept", b"k" * 500_000)
        for number in range(60):
            store.set("replaced", bytes([number]) * 500_000)
            largest = max(largest, place.stat().st_size)
            assert store.get("kept") == b"k" * 500_000
    assert largest < 16 << 20
    assert members(place) == {"kept": b"k" * 500_000, "replaced": bytes([59]) * 500_000}
    assert place.stat().st_size < 1_001_000
    assert os.listdir(tmp_path) == ["x.zip"]


def test_compaction_works_without_unnamed_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic_files, "_UNNAMED_FILES", False)
    with open_store(tmp_path / "x.zip", create=True) as store:
        store.set("a", bytes(300_000))
        store.set("a", b"1")
    assert members(tmp_path / "x.zip") == {"a": b"1"}
    assert (tmp_path / "x.zip").stat().st_size < 1000
    assert os.listdir(tmp_path) == ["x.zip"]


class _Stream(io.BytesIO):
    """An output that cannot seek, so that the sizes of a member come after it."""

    def seekable(self) -> bool:
        return False

    def tell(self) -> int:
        raise OSError

    seek = tell


def test_compaction_keeps_members_unchanged(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    stream = _Stream()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = b"a comment"
        archive.writestr("../unsafe", b"kept")
        for number in range(20):
            archive.writestr(f"packed/{number}", bytes(10_000))
        archive.writestr("large", os.urandom(300_000))
        with archive.open("streamed", "w") as member:
            member.write(b"abc" * 100)
    place.write_bytes(stream.getvalue())
    place.chmod(0o640)
    before = place.stat().st_ino
    with open_store(place) as store:
        store.erase("large")
        store.set("new", b"1")
    assert place.stat().st_ino != before
    assert place.stat().st_mode & 0o777 == 0o640
    assert place.stat().st_size < 10_000
    expected = {"../unsafe": b"kept", "streamed": b"abc" * 100, "new": b"1"}
    assert members(place) == expected | {f"packed/{number}": bytes(10_000) for number in range(20)}
    with zipfile.ZipFile(place) as archive:
        assert archive.comment == b"a comment"
    data = place.read_bytes()
    assert data.count(b"PK\x07\x08") == 22  # the descriptors of streamed members


def test_a_failed_compaction_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store = open_store(tmp_path / "x.zip", create=True)
    for _ in range(3):
        store.set("a", bytes(100_000))

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        store.close()
    assert "unused bytes: Permission denied" in caplog.text
    assert members(tmp_path / "x.zip") == {"a": bytes(100_000)}
    assert os.listdir(tmp_path) == ["x.zip"]


def test_readers_never_mix_a_file_with_its_replacement(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    with open_store(place, create=True) as store:
        store.set("gone", bytes(200_000))
        store.set("a", b"abcdef")
    source = _ReplacedMeanwhile(tmp_path, lambda: _compact(place))
    reader = ZipStore(source, "x.zip")
    assert reader.get("a", ByteRange(1, 3)) == b"bc"
    source.is_awaited = True
    assert reader.get("a", ByteRange(1, 3)) == b"bc"
    source = _ReplacedMeanwhile(tmp_path, lambda: _replace_often(place))
    reader = ZipStore(source, "x.zip")
    time.sleep(0.03)  # until its date is old enough that the directory is not read again
    assert reader.get("a", ByteRange(1, 3)) == b"bc"
    source.is_awaited = True
    assert reader.get("a", ByteRange(1, 3)) in (b"bc", b"BC")
    assert reader.get("a", ByteRange(1, 3)) == b"BC"


class _ReplacedMeanwhile(LocalStore):
    """Runs an action between the check of a file and the read."""

    def __init__(self, root: Path, happens: Callable[[], None]) -> None:
        super().__init__(root)
        self.happens = happens
        self.is_awaited = False

    def stat(self, key: str) -> StoreStat | None:
        found = super().stat(key)
        if self.is_awaited:
            self.is_awaited = False
            self.happens()
        return found


def _replace_often(place: Path) -> None:
    """Repeat until the file system reuses the inode number of the first file."""
    inode = place.stat().st_ino
    for _ in range(50):
        replace(place, {"a different": b"x" * 99, "a": b"ABCDEF"})
        if place.stat().st_ino == inode:
            break


def _compact(place: Path) -> None:
    with open_store(place) as other:
        other.erase("gone")
