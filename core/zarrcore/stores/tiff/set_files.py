"""The files of an OME-TIFF set, opened when they are needed.

OME Data Model, "The structure of OME-TIFF files". A file of a set names the others. They are read only from its own folder.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Final

from zarrcore.errors import BrokenReferenceError, StoreError
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.tiff.file import PositionedFile, open_tiff
from zarrcore.stores.virtual.file_reader import FileReader
from zarrcore.stores.virtual.named_files import NamedFiles

_OPEN_MAX: Final = 64
_CHECKED_EACH_S: Final = 1.0
_REMOTE_BLOCK: Final = 1 << 16
_MAX_XML_NBYTES: Final = 256 << 20


@dataclass(slots=True)
class _SetFile:
    """Another file of the set."""

    reader: FileReader
    positioned: PositionedFile
    tiff: Any
    """The ``tifffile.TiffFile``."""
    checked_s: float


class SetFiles:
    """The files that a file of a set names. Used under the lock of its store.

    Args:
        reader: reads the file that names them.

    Attributes:
        own_name: the name of that file.
        url: of that file.
    """

    def __init__(self, reader: FileReader) -> None:
        self.own_name = reader.key.rpartition("/")[2]
        self.url = reader.url
        self._files = NamedFiles(reader.source, reader.key, reader.url)
        self._opened: OrderedDict[str, _SetFile] = OrderedDict()

    def close(self) -> None:
        """Close their stores."""
        self._opened.clear()
        self._files.close()

    def tiff(self, name: str) -> Any:
        """The file of a name as a ``tifffile.TiffFile``.

        Raises:
            BrokenReferenceError: it does not exist, may not be read, or is broken.
            StoreError: a store failed.
        """
        return self._file(name).tiff

    def reader(self, name: str) -> FileReader:
        """What reads the file of a name.

        Raises:
            BrokenReferenceError: as `tiff`.
            StoreError: as `tiff`.
        """
        return self._file(name).reader

    def xml(self, name: str) -> str | None:
        """OME-XML in the file of a name, which is a TIFF file or has nothing else; None if there is no such file.

        Raises:
            BrokenReferenceError: it may not be read, or is broken.
            StoreError: a store failed.
        """
        place = self._place(name)
        if place is None:
            return None
        store, key = place
        if not name.lower().endswith(".ome"):
            told = self.tiff(name).ome_metadata
            return None if told is None else str(told)
        value = store.get(key, max_nbytes=_MAX_XML_NBYTES)
        return None if value is None else bytes(value).decode("utf-8", "replace")

    def check(self) -> None:
        """Raise what the stores raised since the last check.

        Raises:
            StoreError: a store failed.
        """
        for file in self._opened.values():
            file.positioned.check()

    def _place(self, name: str) -> tuple[ReadableStore, str] | None:
        inside = name.replace("\\", "/")
        if inside.startswith("/") or ".." in inside.split("/"):
            inside = inside.rpartition("/")[2]
        return self._files.place(inside)

    def _file(self, name: str) -> _SetFile:
        file, now = self._opened.get(name), time.monotonic()
        if file is not None and now - file.checked_s > _CHECKED_EACH_S:
            file = file if _is_same(file.reader) else None
            if file is not None:
                file.checked_s = now
        if file is None:
            place = self._place(name)
            if place is None:
                raise self._broken(name, "does not exist")
            file = self._open(name, *place)
        self._opened[name] = file
        self._opened.move_to_end(name)
        if len(self._opened) > _OPEN_MAX:
            self._opened.popitem(last=False)
        return file

    def _open(self, name: str, store: ReadableStore, key: str) -> _SetFile:
        url = f"{store.url.rstrip('/')}/{key}"
        reader = FileReader(store, key, url, remote_block_nbytes=_REMOTE_BLOCK)
        positioned = PositionedFile(reader)
        try:
            try:
                tiff = open_tiff(positioned, name)
            finally:
                positioned.check()
        except (StoreError, ImportError, MemoryError):
            raise
        except Exception as error:  # tifffile raises anything for broken files
            why = " ".join(str(error).split()) or type(error).__name__
            why = why if reader.nbytes else "the file is empty"
            raise self._broken(name, f"is a broken TIFF file: {why}") from error
        return _SetFile(reader, positioned, tiff, time.monotonic())

    def page(self, name: str, number: int) -> Any:
        """A page of the file of a name as a ``tifffile.TiffPage``.

        Raises:
            BrokenReferenceError: as `tiff`, or it has too few pages.
            StoreError: as `tiff`.
        """
        try:
            return self.tiff(name).pages[number]
        except IndexError as error:
            raise self._broken(name, f"has no page {number:,}") from error

    def _broken(self, name: str, why: str) -> BrokenReferenceError:
        sentence = f"the file {name[:200]!r}, which {self.url} names as a part of its OME-TIFF set, {why}"
        return BrokenReferenceError(sentence, url=self.url)


def _is_same(reader: FileReader) -> bool:
    if reader.source.is_remote:
        return True
    facts = reader.source.stat(reader.key)
    return facts is not None and (facts.size, facts.version) == (reader.nbytes, reader.version)
