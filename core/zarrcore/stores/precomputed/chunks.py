"""The chunks of one scale in a store: one object for each, or shards of many."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Final

from zarrcore.errors import (
    BodyTooLargeError,
    BrokenBodyError,
    BrokenReferenceError,
    ChangedError,
    ListingUnsupportedError,
    StoreError,
)
from zarrcore.stores.interface import READ_ANEW, ByteRange, BytesLike, ListableStore, ReadableStore, StoreStat
from zarrcore.stores.precomputed.gzip_stream import unpacked
from zarrcore.stores.precomputed.info import Lengths, Scale, Sharding
from zarrcore.stores.precomputed.morton import morton_code, place_of
from zarrcore.stores.precomputed.shards import Shards

_SHARD_NAME: Final = re.compile(r"[0-9a-f]+\.shard")
_RANGE: Final = r"(-?\d{1,20})-(-?\d{1,20})"
_CHUNK_NAME: Final = re.compile(rf"{_RANGE}_{_RANGE}_{_RANGE}(\.gz)?")

_MOST_MORE_NBYTES: Final = 1 << 20


class ScaleChunks(ABC):
    """The stored chunks of a scale, by their place (x, y, z) in its grid. Thread-safe.

    Args:
        source: the store of the volume.
        scale: the scale.
        item_nbytes: bytes of a voxel with all channels.
    """

    def __init__(self, source: ReadableStore, scale: Scale, item_nbytes: int) -> None:
        self.source = source
        self.scale = scale
        self.item_nbytes = item_nbytes

    @abstractmethod
    def get(self, place: Lengths, byte_range: ByteRange | None, max_nbytes: int | None) -> BytesLike | None:
        """As `ReadableStore.get`."""

    @abstractmethod
    def stat(self, place: Lengths) -> StoreStat | None:
        """As `ReadableStore.stat`."""

    @abstractmethod
    def list(self) -> Iterator[tuple[Lengths, int | None]]:
        """The places of all stored chunks, with their sizes if they are known.

        Raises:
            ListingUnsupportedError: the store cannot list.
            StoreError: the store failed.
        """

    def get_into(self, place: Lengths, buffer: memoryview, byte_range: ByteRange | None) -> int | None:
        """As `ReadableStore.get_into`."""
        value = self.get(place, byte_range, len(buffer))
        if value is None:
            return None
        buffer[: len(value)] = value
        return len(value)

    def refresh(self) -> None:  # noqa: B027 - objects are not kept
        """Drop what is known about the chunks."""

    def _listable(self) -> ListableStore:
        if not isinstance(self.source, ListableStore):
            raise ListingUnsupportedError(f"{self.source.url} cannot list its keys", url=self.source.url)
        return self.source


class ObjectChunks(ScaleChunks):
    """Chunks in objects, whose names are the voxels in them.

    On this machine, writers add ``.gz`` to the names of compressed files. Compressed objects elsewhere keep their names.
    """

    def key(self, place: Lengths) -> str:
        """The key of a chunk."""
        scale, ranges = self.scale, []
        for at, chunk, length, offset in zip(place, scale.chunk_size, scale.size, scale.offset, strict=True):
            ranges.append(f"{offset + at * chunk}-{offset + min((at + 1) * chunk, length)}")
        return scale.folder + "_".join(ranges)

    def get(self, place: Lengths, byte_range: ByteRange | None, max_nbytes: int | None) -> BytesLike | None:
        key = self.key(place)
        value = self.source.get(key, byte_range, max_nbytes=max_nbytes)
        if value is not None or self.source.is_remote:
            return value
        value = self._compressed(key, place)
        if value is None:
            return None
        start, stop = (0, len(value)) if byte_range is None else byte_range.resolve(len(value))
        if max_nbytes is not None and stop - start > max_nbytes:
            raise BodyTooLargeError(stop - start, max_nbytes, key=f"{key}.gz", url=self.source.url)
        return value[start:stop]

    def get_into(self, place: Lengths, buffer: memoryview, byte_range: ByteRange | None) -> int | None:
        nbytes = self.source.get_into(self.key(place), buffer, byte_range)
        if nbytes is not None or self.source.is_remote:
            return nbytes
        return super().get_into(place, buffer, byte_range)

    def _compressed(self, key: str, place: Lengths) -> BytesLike | None:
        """The content of the compressed file of a chunk; of a raw one uncompressed, so that its voxels can be read alone."""
        packed = f"{key}.gz"
        # No encoding is much longer than its voxels; those of few voxels may be.
        nbytes = self._nbytes(place)
        value = self.source.get(packed, max_nbytes=3 * nbytes + _MOST_MORE_NBYTES)
        if value is not None and self.scale.encoding == "raw":
            value = self._unpacked(bytes(value), packed, nbytes)
        if value is None and self.source.stat(f"{key}.br") is not None:
            raise StoreError(
                f"{key}.br in {self.source.url} is compressed by brotli, which zarrscope does not read: unpack all such "
                "files with brotli --decompress --rm",
                key=f"{key}.br",
                url=self.source.url,
            )
        return value

    def _nbytes(self, place: Lengths) -> int:
        """The bytes of a raw chunk."""
        nbytes, scale = self.item_nbytes, self.scale
        for at, chunk, length in zip(place, scale.chunk_size, scale.size, strict=True):
            nbytes *= min(chunk, length - at * chunk)
        return nbytes

    def _unpacked(self, packed: bytes, key: str, max_nbytes: int) -> bytes:
        try:
            return unpacked(packed, max_nbytes)
        except ValueError as error:
            sentence = f"{key} in {self.source.url} cannot be read: {error}"
            raise BrokenBodyError(sentence, key=key, url=self.source.url) from error

    def stat(self, place: Lengths) -> StoreStat | None:
        key = self.key(place)
        facts = self.source.stat(key)
        if facts is not None or self.source.is_remote:
            return facts
        facts = self.source.stat(f"{key}.gz")
        if facts is None or self.scale.encoding != "raw":
            return facts
        return StoreStat(self._nbytes(place), facts.mtime_s)

    def list(self) -> Iterator[tuple[Lengths, int | None]]:
        folder = self.scale.folder
        for entry in self._listable().list_dir(folder):
            name = _CHUNK_NAME.fullmatch(entry.key[len(folder) :])
            place = None if name is None else self._place(name)
            if place is not None and name is not None:
                is_unpacked = name[7] and self.scale.encoding == "raw"
                yield place, self._nbytes(place) if is_unpacked else entry.size

    def _place(self, name: re.Match[str]) -> Lengths | None:
        """The place of a chunk with a name; None if it is not one of this scale."""
        starts = [int(name[group]) for group in (1, 3, 5)]
        scale = self.scale
        x, y, z = (
            (start - offset) // chunk
            for start, offset, chunk in zip(starts, scale.offset, scale.chunk_size, strict=True)
        )
        counts = scale.grid_shape
        if not (0 <= x < counts[0] and 0 <= y < counts[1] and 0 <= z < counts[2]):
            return None
        told = name[0].removesuffix(".gz")
        return (x, y, z) if self.key((x, y, z)) == scale.folder + told else None


class ShardChunks(ScaleChunks):
    """Chunks in shards.

    A chunk is only taken from the version of a shard whose index was read.
    """

    def __init__(self, source: ReadableStore, scale: Scale, sharding: Sharding, item_nbytes: int) -> None:
        super().__init__(source, scale, item_nbytes)
        self._shards = Shards(source, scale.folder, sharding)

    def get(self, place: Lengths, byte_range: ByteRange | None, max_nbytes: int | None) -> BytesLike | None:
        identifier = morton_code(place, self.scale.grid_shape)
        for _ in range(READ_ANEW):
            found = self._shards.find(identifier)
            if found is None:
                return None
            start, stop = (0, found.nbytes) if byte_range is None else byte_range.resolve(found.nbytes)
            if max_nbytes is not None and stop - start > max_nbytes:
                raise BodyTooLargeError(stop - start, max_nbytes, key=found.key, url=self.source.url)
            part = ByteRange(found.start + start, found.start + stop)
            answer = self.source.get_with_stat(found.key, part, max_nbytes=stop - start)
            if answer is not None and answer[1].lasting_version == found.version:
                if len(answer[0]) == stop - start:
                    return answer[0]
                raise BrokenReferenceError(
                    f"the shard {found.key} in {self.source.url} ends before byte {found.start + stop:,}, where the chunk at "
                    f"{place} of its grid ends",
                    key=found.key,
                    url=self.source.url,
                )
            self._shards.forget(self._shards.numbers(identifier)[0])
        key = self._shards.key(self._shards.numbers(identifier)[0])
        raise ChangedError(
            f"{key} in {self.source.url} changes faster than it can be read", key=key, url=self.source.url
        )

    def stat(self, place: Lengths) -> StoreStat | None:
        found = self._shards.find(morton_code(place, self.scale.grid_shape))
        return None if found is None else StoreStat(found.nbytes)

    def list(self) -> Iterator[tuple[Lengths, int | None]]:
        folder = self.scale.folder
        for entry in self._listable().list_dir(folder):
            name = entry.key[len(folder) :]
            if not _SHARD_NAME.fullmatch(name):
                continue
            shard = int(name.partition(".")[0], 16)
            if self._shards.key(shard) != entry.key:
                continue
            for identifier, nbytes in self._shards.chunks(shard):
                place = place_of(identifier, self.scale.grid_shape)
                if place is not None and self._shards.numbers(identifier)[0] == shard:
                    yield place, nbytes

    def refresh(self) -> None:
        self._shards.forget()


def scale_chunks(source: ReadableStore, scale: Scale, item_nbytes: int) -> ScaleChunks:
    """The chunks of a scale."""
    if scale.sharding is None:
        return ObjectChunks(source, scale, item_nbytes)
    return ShardChunks(source, scale, scale.sharding, item_nbytes)
