"""A TIFF file in any store, opened by the package tifffile, which reads the tables of pages and the metadata.

Files are only opened under the lock of their store: tifffile reads further pages when they are asked for.
"""

from __future__ import annotations

import io
import logging
import math
import re
from typing import Any, Final

from zarrcore.errors import StoreError
from zarrcore.late_imports import from_extra
from zarrcore.stores.virtual.file_reader import BrokenFileError, FileReader

MAX_PAGES: Final = 1_000_000
_SMALL_NBYTES: Final = 4096
_LOGGER: Final = "tifffile"
_PIXELS: Final = re.compile(r"<(?:\w+:)?Pixels\b[^>]*")
_SIZES: Final = re.compile(r"\bSize[ZCT]\s*=\s*[\"'](\d{1,18})")


class PositionedFile(io.RawIOBase):
    """What tifffile reads from: a position in a `FileReader`."""

    def __init__(self, reader: FileReader) -> None:
        self._reader = reader
        self._at = 0
        self._first, self._block = 0, b""
        self._failure: StoreError | None = None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._reader.nbytes}[whence]
        if start + offset < 0:
            raise BrokenFileError(f"something should be at byte {start + offset:,}")
        self._at = start + offset
        return self._at

    def read(self, size: int = -1, /) -> bytes:
        # Most reads are of a few bytes in the block that was read last.
        offset = self._at - self._first
        if offset >= 0 and 0 < size <= len(self._block) - offset:
            self._at += size
            return self._block[offset : offset + size]
        rest = max(0, self._reader.nbytes - self._at)
        wanted = rest if size is None or size < 0 else min(size, rest)
        try:
            data = self._reader.up_to(self._at, wanted) if wanted else b""
            if 0 < wanted < _SMALL_NBYTES:
                self._first, self._block = self._reader.block_at(self._at + wanted - 1)
        except StoreError as error:
            self._failure = error
            raise
        self._at += len(data)
        return data

    def check(self) -> None:
        """Raise what the store raised since the last check: tifffile takes it for the end of the file.

        Raises:
            StoreError: the store failed.
        """
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer).cast("B")
        data = self.read(len(view))
        view[: len(data)] = data
        return len(data)


def tifffile_module() -> Any:
    """The package tifffile.

    Raises:
        MissingExtraError: it is not installed.
    """
    module = from_extra("tifffile", "reading TIFF files", "tiff")
    logger = logging.getLogger(_LOGGER)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())  # otherwise its warnings go to the terminal
    return module


def open_tiff(opened: PositionedFile, name: str) -> Any:
    """The file as a ``tifffile.TiffFile``.

    Args:
        opened: reads it.
        name: its name, to which files of a set refer.

    Raises:
        BrokenFileError: it has too many pages.
        MissingExtraError: tifffile is not installed.
        Exception: anything that tifffile raises for a broken file.
    """
    file = tifffile_module().TiffFile(opened, name=name)
    count = len(file.pages)
    if count > MAX_PAGES:
        raise BrokenFileError(f"it has {count:,} pages; at most {MAX_PAGES:,} are read")
    if file.is_ome:
        check_ome(file.ome_metadata or "")
    return file


def check_ome(xml: str) -> None:
    """Check the number of planes that OME-XML claims: tifffile makes a list of them.

    Raises:
        BrokenFileError: there are too many.
    """
    planes = 0
    for pixels in _PIXELS.finditer(xml):
        planes += math.prod(int(number) for number in _SIZES.findall(pixels[0]))
        if planes > MAX_PAGES:
            raise BrokenFileError(f"its OME-XML mentions {planes:,} planes; at most {MAX_PAGES:,} are read")
