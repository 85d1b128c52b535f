"""The file that tifffile reads from."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np
import pytest

from tests.core.stores.tiff.files import written
from tests.core.stores.tiff.test_store import IMAGE
from zarrcore.errors import StoreError
from zarrcore.stores import MemoryStore
from zarrcore.stores.interface import ByteRange
from zarrcore.stores.tiff.file import PositionedFile, open_tiff
from zarrcore.stores.tiff.store import TiffStore
from zarrcore.stores.virtual.file_reader import BrokenFileError, FileReader


def reader(content: bytes) -> FileReader:
    return FileReader(MemoryStore("memory://", {"a": content}), "a", "memory://a")


def opened(content: bytes) -> Any:
    return open_tiff(PositionedFile(reader(content)), "a.tif")


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
        opened(written(IMAGE, metadata=None, photometric="minisblack"))


@pytest.mark.parametrize("planes", ["999999999", "1000001", "9" * 40])
def test_ome_xml_that_tells_of_too_many_planes_is_refused(planes: str) -> None:
    xml = opened(written(IMAGE[0], ome=True, metadata={"axes": "YX"})).ome_metadata
    changed = re.sub(r'SizeC="\d+"', f'SizeC="{planes}"', xml)
    with pytest.raises(BrokenFileError, match="planes; at most 1,000,000 are read"):
        opened(written(IMAGE[0], description=changed, metadata=None))


class Failing(MemoryStore):
    """A store that reads nothing but the beginning."""

    def get(self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None) -> Any:
        if byte_range is not None and byte_range.start:
            raise StoreError("it failed")
        return super().get(key, byte_range, max_nbytes=max_nbytes)


def test_a_store_that_fails_is_not_taken_for_a_shorter_file() -> None:
    content = written(
        np.zeros((9, 200, 200), "u1"), metadata=None, photometric="minisblack", compression=None
    )
    assert len(content) > 1 << 17
    store = TiffStore(Failing("memory://", {"a.tif": content}), "a.tif", "memory://a.tif")
    with pytest.raises(StoreError, match="it failed"):
        store.get("0/zarr.json")
