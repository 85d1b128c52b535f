"""A TIFF file in any store, as the keys of a Zarr v3 hierarchy: a multiscale group for each image."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from zarrcore.errors import BrokenReferenceError, InternalError, StoreError, ZarrError
from zarrcore.stores.interface import BytesLike, StoreEntry
from zarrcore.stores.keys import check_prefix
from zarrcore.stores.tiff.documents import Image, documents_of, images_of
from zarrcore.stores.tiff.file import PositionedFile, open_tiff
from zarrcore.stores.tiff.level import Level, Place
from zarrcore.stores.tiff.set_files import SetFiles
from zarrcore.stores.virtual.file_reader import BrokenFileError, FileReader
from zarrcore.stores.virtual.parsed_file import FileVersion, ParsedFile
from zarrcore.stores.virtual.store import Part

_DOCUMENT: Final = "zarr.json"
_REMOTE_BLOCK: Final = 1 << 16
"""Tables of pages are small, and the pages lie between them."""


class _Content:
    """The file as it was when its pages were read."""

    def __init__(self, reader: FileReader, name: str) -> None:
        self.reader = reader
        self._positioned = PositionedFile(reader)
        self.files = SetFiles(reader)
        try:
            file = open_tiff(self._positioned, name)
            images: list[Image] = images_of(file, self.files)
            self.title = "OME-TIFF" if file.is_ome else "GeoTIFF" if file.is_geotiff else "TIFF"
        finally:
            self.check()
        self.documents = {
            path: json.dumps(told).encode() for path, told in documents_of(file, images).items()
        }
        """The documents of all nodes by the prefixes of their keys, such as ``0/``."""
        self.levels: dict[str, Level] = {
            path: level
            for image in images
            for each in image
            for path, level in each.levels.items()
            if isinstance(level, Level)
        }

    def check(self) -> None:
        """Raise what the stores raised since the last check.

        Raises:
            StoreError: a store failed.
        """
        self._positioned.check()
        self.files.check()


class TiffStore(ParsedFile[_Content]):
    """The images of a TIFF file as groups, their resolutions as arrays. Nothing is read before the first request."""

    presents = "TIFF"

    def read_content(self) -> tuple[_Content, FileVersion]:
        reader = FileReader(self.source, self.key, self.url, remote_block_nbytes=_REMOTE_BLOCK)
        try:
            content = _Content(reader, self.key.rpartition("/")[2])
        except (ZarrError, MemoryError):
            raise
        except Exception as error:  # tifffile raises anything for broken files
            why = error if reader.nbytes else BrokenFileError("the file is empty")
            raise self._fault("it", why) from error
        self.presents = content.title
        return content, FileVersion(reader.nbytes, reader.version)

    def release(self, content: _Content) -> None:
        content.files.close()

    def _fault(self, what: str, error: BaseException) -> ZarrError:
        why = " ".join(str(error).split()) or type(error).__name__
        if isinstance(error, ImportError):  # tifffile imports some of its parts when they are used
            return InternalError(f"{self.url}: {what} cannot be read: {why}")
        if not isinstance(error, BrokenFileError | ValueError):
            why = f"{type(error).__name__}: {why}"
        sentence = f"{self.url} is a broken TIFF file, {what} cannot be read: {why}"
        return StoreError(sentence, key=self.key, url=self.url)

    def find(self, key: str) -> BytesLike | Part | None:
        path, _, last = key.rpartition("/")
        prefix = f"{path}/" if path else ""
        if last == _DOCUMENT:
            return self.content.documents.get(prefix)
        content = self.content
        found = _chunk_of(content, key)
        if found is None:
            return None
        level, index = found
        places = self._places(content, level, index, key)
        if not places:
            return None
        first = places[0]
        if len(places) == 1 and isinstance(first, Place):
            place = self._inside(content, first, key)
            if place.reader is not None:
                return Part(place.reader.source, place.reader.key, place.start, place.nbytes)
            return Part(self.reads, self.key, place.start, place.nbytes)
        return b"".join(
            self._bytes(content, place, key) if isinstance(place, Place) else place for place in places
        )

    def _places(
        self, content: _Content, level: Level, index: tuple[int, ...], key: str
    ) -> list[Place | bytes]:
        with self._lock:
            try:
                try:
                    return level.places(index)
                finally:
                    content.check()
            except (ZarrError, MemoryError):
                raise
            except Exception as error:  # as in `read_content`
                raise self._fault(key, error) from error

    def _inside(self, content: _Content, place: Place, key: str) -> Place:
        reader = place.reader or content.reader
        if place.start < 0 or place.nbytes < 0 or place.start + place.nbytes > reader.nbytes:
            start, stop = place.start, place.start + place.nbytes
            where = "the file" if place.reader is None else reader.key
            why = f"its bytes {start:,} to {stop:,} are beyond the end of {where}, {reader.nbytes:,}"
            raise self._fault(key, BrokenFileError(why))
        return place

    def _bytes(self, content: _Content, place: Place, key: str) -> bytes:
        try:
            place = self._inside(content, place, key)
            return (place.reader or content.reader).read(place.start, place.nbytes, "a part of a chunk")
        except BrokenFileError as error:
            raise self._fault(key, error) from error

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        content = self.content
        if prefix in content.documents:
            yield from _list_node(content, prefix)
        elif found := _level_above(content, prefix):
            yield from self._list_chunks(content, prefix, *found)

    def _list_chunks(self, content: _Content, prefix: str, path: str, level: Level) -> Iterator[StoreEntry]:
        index = prefix[len(path) + 2 :].split("/")[:-1]
        grid = level.grid_shape
        numbers = [int(part) for part in index if part.isascii() and part.isdigit() and len(part) < 20]
        known = len(numbers) == len(index) < len(grid) and all(
            str(number) == part and number < count
            for number, part, count in zip(numbers, index, grid, strict=False)
        )
        if not known:
            return
        is_last = len(index) == len(grid) - 1
        for number in range(grid[len(index)]):
            if not is_last:
                yield StoreEntry(f"{prefix}{number}/")
                continue
            entry = self._entry(content, level, path, (*numbers, number))
            if entry is not None:
                yield entry

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        content = self.content
        if _level_above(content, prefix) is not None:
            yield from super().list_prefix(prefix)
            return
        for path in content.documents:
            if path.startswith(prefix):
                yield StoreEntry(f"{path}{_DOCUMENT}")
                if path in content.levels:
                    yield from super().list_prefix(f"{path}c/")

    def _entry(self, content: _Content, level: Level, path: str, index: tuple[int, ...]) -> StoreEntry | None:
        key = "/".join((f"{path}c", *map(str, index)))
        try:
            places = self._places(content, level, index, key)
        except BrokenReferenceError:
            return StoreEntry(key)  # of a file that is missing: reading it says so
        nbytes = sum(place.nbytes if isinstance(place, Place) else len(place) for place in places)
        return StoreEntry(key, nbytes) if places else None


def _list_node(content: _Content, prefix: str) -> Iterator[StoreEntry]:
    yield StoreEntry(f"{prefix}{_DOCUMENT}")
    below = {path[len(prefix) :].partition("/")[0] for path in content.documents if path.startswith(prefix)}
    yield from (StoreEntry(f"{prefix}{name}/") for name in sorted(below - {""}))
    if prefix in content.levels and content.levels[prefix].segment_count:
        yield StoreEntry(f"{prefix}c/")


def _level_above(content: _Content, prefix: str) -> tuple[str, Level] | None:
    """The level whose chunks have a prefix, after its path."""
    above, slash, _ = prefix.rpartition("c/")
    return (above, content.levels[above]) if slash and above in content.levels else None


def _chunk_of(content: _Content, key: str) -> tuple[Level, tuple[int, ...]] | None:
    """The chunk that a key names; None if it names none within the bounds."""
    path, slash, rest = key.rpartition("c/")
    level = content.levels.get(path) if slash else None
    if level is None:
        return None
    parts = rest.split("/")
    if not all(part.isascii() and part.isdigit() and len(part) < 20 for part in parts):
        return None
    index = tuple(map(int, parts))
    grid = level.grid_shape
    if [str(number) for number in index] != parts or len(index) != len(grid):
        return None
    return (level, index) if all(number < count for number, count in zip(index, grid, strict=True)) else None
