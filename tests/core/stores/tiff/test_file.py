"""The file that tifffile reads from."""

from __future__ import annotations

import io

import pytest

from tests.core.stores.tiff.files import written
from tests.core.stores.tiff.test_store import IMAGE
from zarrcore.stores import MemoryStore
from zarrcore.stores.tiff.file import PositionedFile, open_tiff
from zarrcore.stores.virtual.file_reader import BrokenFileError, FileReader


def reader(content: bytes) -> FileReader:
    return FileReader(MemoryStore("memory://", {"a": content}), "a", "memory://a")


def test_it_reads_like_a_file() -> None:
    content = bytes(range(256)) * 1000
    ours, theirs = PositionedFile(reader(content)), io.BytesIO(content)
    for offset, whence, nbytes in ((5, 0, 10), (7, 1, 3), (-20, 2, 100), (10, 2, 1), (100, 0, 200_000)):
        assert ours.seek(offset, whence) == theirs.seek(offset, whence)
        assert ours.read(nbytes) == theirs.read(nbytes)
        assert ours.tell() == theirs.tell()
    buffer = bytearray(8)
    ours.seek(256)
    assert ours.readinto(buffer) == 8
    assert buffer == content[:8]
    with pytest.raises(BrokenFileError):
        ours.seek(-1)
    with pytest.raises(OSError, match="fileno"):
        ours.fileno()  # tifffile opens other files beside those that have one


def test_a_file_of_too_many_pages_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrcore.stores.tiff.file.MAX_PAGES", 2)
    with pytest.raises(BrokenFileError, match="it has 3 pages; at most 2"):
        open_tiff(reader(written(IMAGE, metadata=None, photometric="minisblack")), "a.tif")
