"""The base of stores that show a file with one array as the keys of a Zarr v3 hierarchy: a group with the array ``0``."""

from __future__ import annotations

import json
import math
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Final

from zarrcore.errors import StoreError
from zarrcore.stores.interface import ByteRange, BytesLike, ReadableStore, StoreEntry
from zarrcore.stores.keys import check_prefix
from zarrcore.stores.virtual.combined_reads import CombinedReads
from zarrcore.stores.virtual.file_image import LEVEL, FileImage
from zarrcore.stores.virtual.inflated_file import GZIP, InflatedFile
from zarrcore.stores.virtual.store import Part, VirtualStore

_DOCUMENT: Final = "zarr.json"
_HEAD_NBYTES: Final = 64 << 10
_CHECKED_EACH_S: Final = 1.0
_PARSING: Final = (ValueError, LookupError, ArithmeticError, TypeError, MemoryError, RecursionError)

Read = Callable[[int], bytes]
"""Reads so many bytes from the beginning of a file; fewer if it ends before."""


class ImageFile(VirtualStore):
    """A file with one array. Nothing is read before the first request. A local file that is replaced is read again."""

    not_pickled: ClassVar[tuple[str, ...]] = ("_lock", "reads", "_opened")

    def __init__(self, source: ReadableStore, key: str, url: str) -> None:
        super().__init__(source, key, url)
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self.reads: ReadableStore = CombinedReads(self.source) if self.is_remote else self.source
        self._opened: tuple[FileImage, str | None] | None = None
        self._checked_s = 0.0

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in self.not_pickled}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._reset()

    @abstractmethod
    def parse(self, read: Read) -> FileImage:
        """What the file contains.

        Args:
            read: reads the beginning of the file.

        Raises:
            BrokenFileError: the file is broken, or contains something that cannot be shown. Other errors of parsing are
                taken for it, too.
            StoreError: the store failed.
        """

    def content(self, key: str) -> ReadableStore:
        """A store with the content of a file beside this one, or of this one; inflated if it is compressed."""
        head = self.source.get(key, ByteRange(0, len(GZIP)))
        return InflatedFile(self.source, key, self.url) if head == GZIP else self.reads

    def refresh(self) -> None:
        super().refresh()
        with self._lock:
            self._opened = None

    def image(self) -> FileImage:
        """What the file contains, as it is now.

        Raises:
            StoreError: the store failed, or the file cannot be shown.
        """
        with self._lock:
            now = time.monotonic()
            opened = self._opened
            if opened is not None and now - self._checked_s > _CHECKED_EACH_S and not self.is_remote:
                facts = self.source.stat(self.key)
                if facts is None or facts.version != opened[1]:
                    opened = None
                self._checked_s = now
            if opened is None:
                opened = self._opened = self._read()
                self._checked_s = now
                if isinstance(opened[0].places[0].store, InflatedFile):
                    self.requests_in_flight = InflatedFile.requests_in_flight
            return opened[0]

    def _read(self) -> tuple[FileImage, str | None]:
        found = self.source.get_with_stat(self.key, ByteRange(0, _HEAD_NBYTES))
        if found is None:
            raise StoreError(f"{self.url} does not exist any more", key=self.key, url=self.source.url)
        head, facts = bytes(found[0]), found[1]

        def read(nbytes: int) -> bytes:
            if nbytes <= len(head) or len(head) == facts.size:
                return head[:nbytes]
            return bytes(self.source.get(self.key, ByteRange(0, nbytes)) or b"")

        try:
            return self.parse(read), facts.version
        except StoreError:
            raise
        except _PARSING as error:
            sentence = f"{self.url} cannot be read as {self.presents}: {error}"
            raise StoreError(sentence, key=self.key, url=self.url) from error

    def find(self, key: str) -> BytesLike | Part | None:
        image = self.image()
        if key == _DOCUMENT:
            return json.dumps(image.group_document()).encode()
        if key == f"{LEVEL}/{_DOCUMENT}":
            return json.dumps(image.array_document()).encode()
        level, *parts = key.split("/")
        if level != LEVEL or len(parts) != 1 + len(image.shape) or parts[0] != "c":
            return None
        if not all(part.isascii() and part.isdigit() and len(part) < 20 for part in parts[1:]):
            return None
        index = image.of_file(tuple(map(int, parts[1:])))
        if any(i >= count for i, count in zip(index, image.grid, strict=True)) or _key(image, index) != key:
            return None
        return image.chunk(index)[1]

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        if not prefix:
            self.image()
            yield from (StoreEntry(_DOCUMENT), StoreEntry(f"{LEVEL}/"))
        elif prefix == f"{LEVEL}/":
            yield StoreEntry(f"{LEVEL}/{_DOCUMENT}")
            if next(self._chunk_entries(prefix), None) is not None:
                yield StoreEntry(f"{LEVEL}/c/")
        else:
            seen = set()
            for entry in self._chunk_entries(prefix):
                name, slash, _ = entry.key[len(prefix) :].partition("/")
                if not slash:
                    yield entry
                elif name not in seen:
                    seen.add(name)
                    yield StoreEntry(f"{prefix}{name}/")

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        if not prefix:
            yield StoreEntry(_DOCUMENT)
        if f"{LEVEL}/".startswith(prefix):
            yield StoreEntry(f"{LEVEL}/{_DOCUMENT}")
        yield from self._chunk_entries(prefix)

    def _chunk_entries(self, prefix: str) -> Iterator[StoreEntry]:
        """The chunks below a prefix of which the files have at least the beginning."""
        image = self.image()
        number, bound = -1, 0
        each = 0
        while each < math.prod(image.grid):
            index = _nth(each, image.grid)
            place, part = image.chunk(index)
            if place != number:
                number, bound = place, image.places[place].bound()
            if part.start >= bound:
                each = (
                    math.prod(image.grid) * (place + 1) // len(image.places)
                )  # the first chunk of the next place
                continue
            key = _key(image, index)
            if key.startswith(prefix):
                yield StoreEntry(key, image.chunk_nbytes)
            each += 1


def _key(image: FileImage, index: tuple[int, ...]) -> str:
    return "/".join((LEVEL, "c", *map(str, image.of_array(index))))


def _nth(number: int, counts: tuple[int, ...]) -> tuple[int, ...]:
    """The index at a position in C order."""
    places = []
    for count in reversed(counts):
        number, place = divmod(number, count)
        places.append(place)
    return tuple(reversed(places))
