"""A volume of Neuroglancer in any store, as the keys of a Zarr v3 hierarchy: one group with an array for each scale."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator

import numpy as np

from zarrcore.errors import StoreError
from zarrcore.stores.interface import ByteRange, BytesLike, ReadableStore, StoreEntry, StoreStat
from zarrcore.stores.keys import check_key
from zarrcore.stores.precomputed.chunks import ScaleChunks, scale_chunks
from zarrcore.stores.precomputed.documents import group_document, scale_document
from zarrcore.stores.precomputed.info import (
    INFO,
    MAX_INFO_NBYTES,
    InfoError,
    Lengths,
    Scale,
    Volume,
    parse_info,
)
from zarrcore.stores.virtual.flat_file import DOCUMENT, FlatFile
from zarrcore.stores.virtual.parsed_file import FileVersion
from zarrcore.stores.virtual.store import Part


class _Content:
    """The volume as it was when ``info`` was read."""

    def __init__(self, volume: Volume, source: ReadableStore) -> None:
        self.volume = volume
        item_nbytes = volume.channels * np.dtype(volume.data_type).itemsize
        self.chunks: dict[str, ScaleChunks] = {
            scale.name: scale_chunks(source, scale, item_nbytes)
            for scale in volume.scales
            if isinstance(scale, Scale)
        }


class PrecomputedStore(FlatFile[_Content]):
    """The scales of a volume as arrays. Nothing is read before the first request.

    Args:
        source: the folder of ``info``; closed with this store.
    """

    presents = "Neuroglancer precomputed"

    def __init__(self, source: ReadableStore) -> None:
        super().__init__(source, INFO, source.url)

    def read_content(self) -> tuple[_Content, FileVersion]:
        found = self.source.get_with_stat(INFO, max_nbytes=MAX_INFO_NBYTES)
        if found is None:
            raise StoreError(f"{self.url} has no {INFO}", key=INFO, url=self.url)
        value, facts = found
        try:
            volume = parse_info(bytes(value))
        except InfoError as error:
            sentence = f"{INFO} in {self.url} is not that of a Neuroglancer volume: {error}"
            raise StoreError(sentence, key=INFO, url=self.url) from error
        return _Content(volume, self.reads), FileVersion(facts.size, facts.version)

    def find(self, key: str) -> BytesLike | Part | None:
        if key == DOCUMENT:
            return json.dumps(group_document(self.content.volume)).encode()
        name, _, rest = key.partition("/")
        if rest == DOCUMENT:
            volume = self.content.volume
            scale = volume.scale(name)
            if scale is None:
                return None
            return json.dumps(scale_document(volume, scale, is_remote=self.is_remote)).encode()
        return None

    def _chunk(self, key: str) -> tuple[ScaleChunks, Lengths] | None:
        """The chunk that a key names; None if it names no chunk within the bounds."""
        check_key(key, self.url)
        name, _, rest = key.partition("/")
        if not rest.startswith("c/"):
            return None
        content = self.content
        chunks = content.chunks.get(name)
        if chunks is None:
            return None
        parts = rest.split("/")[1:]
        if content.volume.channels > 1 and parts.pop(0) != "0":
            return None
        if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) < 20 for part in parts):
            return None
        z, y, x = map(int, parts)
        counts = chunks.scale.grid_shape
        if [str(z), str(y), str(x)] != parts or x >= counts[0] or y >= counts[1] or z >= counts[2]:
            return None
        return chunks, (x, y, z)

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        chunk = self._chunk(key)
        if chunk is None:
            return super().get(key, byte_range, max_nbytes=max_nbytes)
        return chunk[0].get(chunk[1], byte_range, max_nbytes)

    def get_into(self, key: str, buffer: memoryview, byte_range: ByteRange | None = None) -> int | None:
        chunk = self._chunk(key)
        if chunk is None:
            return super().get_into(key, buffer, byte_range)
        return chunk[0].get_into(chunk[1], buffer, byte_range)

    def stat(self, key: str) -> StoreStat | None:
        chunk = self._chunk(key)
        return super().stat(key) if chunk is None else chunk[0].stat(chunk[1])

    def array_names(self) -> Collection[str]:
        return [scale.name for scale in self.content.volume.scales]

    def chunk_entries(self, name: str, prefix: str) -> Iterator[StoreEntry]:
        content = self.content
        chunks = content.chunks.get(name)
        if chunks is None:
            return
        top = f"{name}/c/0" if content.volume.channels > 1 else f"{name}/c"
        for (x, y, z), nbytes in chunks.list():
            key = f"{top}/{z}/{y}/{x}"
            if key.startswith(prefix):
                yield StoreEntry(key, nbytes)


def open_volume(source: ReadableStore) -> PrecomputedStore:
    """A folder as a store."""
    return PrecomputedStore(source)
