"""The base of stores that show a file with one array as the keys of a Zarr v3 hierarchy: a group with the array ``0``."""

from __future__ import annotations

import json
import math
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator
from typing import Final

from zarrcore.errors import StoreError
from zarrcore.stores.interface import ByteRange, BytesLike, ReadableStore, StoreEntry
from zarrcore.stores.virtual.file_image import LEVEL, FileImage
from zarrcore.stores.virtual.flat_file import DOCUMENT, FlatFile
from zarrcore.stores.virtual.inflated_file import GZIP, InflatedFile
from zarrcore.stores.virtual.one_version import check_version
from zarrcore.stores.virtual.parsed_file import PARSING_ERRORS, FileVersion
from zarrcore.stores.virtual.store import Part

_HEAD_NBYTES: Final = 64 << 10

Read = Callable[[int], bytes]
"""Reads so many bytes from the beginning of a file; fewer if it ends before."""


class ImageFile(FlatFile[FileImage]):
    """A file with one array. Nothing is read before the first request. A local file that is replaced is read again."""

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

    def elements(self, key: str) -> ReadableStore:
        """A store with the content of a file beside this one, or of this one; inflated if it is compressed."""
        head = self.source.get(key, ByteRange(0, len(GZIP)))
        return InflatedFile(self.source, key, self.url) if head == GZIP else self.reads

    def read_content(self) -> tuple[FileImage, FileVersion]:
        found = self.source.get_with_stat(self.key, ByteRange(0, _HEAD_NBYTES))
        if found is None:
            raise StoreError(f"{self.url} does not exist", key=self.key, url=self.source.url)
        head, facts = bytes(found[0]), found[1]
        version = facts.lasting_version if self.is_remote else facts.version

        def read(nbytes: int) -> bytes:
            if nbytes <= len(head) or len(head) == facts.size:
                return head[:nbytes]
            longer, now = self.source.get_with_stat(self.key, ByteRange(0, nbytes)) or (b"", facts)
            check_version(version, now, self.url, self.key)
            return bytes(longer)

        try:
            image = self.parse(read)
        except StoreError:
            raise
        except PARSING_ERRORS as error:
            why = error if facts.size else "the file is empty"
            sentence = f"{self.url} cannot be read as {self.presents}: {why}"
            raise StoreError(sentence, key=self.key, url=self.url) from error
        if isinstance(image.places[0].store, InflatedFile):
            self.requests_in_flight = InflatedFile.requests_in_flight
        return image, FileVersion(facts.size, version)

    def find(self, key: str) -> BytesLike | Part | None:
        image = self.content
        if key == DOCUMENT:
            return json.dumps(image.group_document()).encode()
        if key == f"{LEVEL}/{DOCUMENT}":
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

    def array_names(self) -> Collection[str]:
        _ = self.content  # raises if the file cannot be shown
        return (LEVEL,)

    def chunk_entries(self, name: str, prefix: str) -> Iterator[StoreEntry]:
        """The chunks below a prefix of which the files have at least the beginning."""
        image = self.content
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
