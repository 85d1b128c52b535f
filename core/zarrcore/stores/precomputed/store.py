"""A volume of Neuroglancer in any store, as the keys of a Zarr v3 hierarchy: one group with an array for each scale."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from zarrcore.errors import StoreError
from zarrcore.stores.interface import ByteRange, BytesLike, ReadableStore, StoreEntry, StoreStat
from zarrcore.stores.keys import check_key, check_prefix
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
from zarrcore.stores.virtual.combined_reads import CombinedReads
from zarrcore.stores.virtual.store import Part, VirtualStore

_DOCUMENT: Final = "zarr.json"
_CHECKED_EACH_S: Final = 1.0


class _Opened:
    """The volume as it was when ``info`` was read."""

    def __init__(self, volume: Volume, version: str | None, source: ReadableStore) -> None:
        self.volume = volume
        self.version = version
        item_nbytes = volume.channels * np.dtype(volume.data_type).itemsize
        self.chunks: dict[str, ScaleChunks] = {
            scale.name: scale_chunks(source, scale, item_nbytes)
            for scale in volume.scales
            if isinstance(scale, Scale)
        }


class PrecomputedStore(VirtualStore):
    """The scales of a volume as arrays. Nothing is read before the first request.

    Args:
        source: the folder of ``info``; closed with this store.
    """

    presents = "Neuroglancer precomputed"

    def __init__(self, source: ReadableStore) -> None:
        super().__init__(source, INFO, source.url)
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._reads: ReadableStore = CombinedReads(self.source) if self.is_remote else self.source
        self._opened: _Opened | None = None
        self._checked_s = 0.0

    def __getstate__(self) -> dict[str, Any]:
        hidden = ("_lock", "_reads", "_opened")
        return {name: value for name, value in self.__dict__.items() if name not in hidden}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._reset()

    def refresh(self) -> None:
        super().refresh()
        with self._lock:
            self._opened = None

    def _volume(self) -> _Opened:
        with self._lock:
            opened, now = self._opened, time.monotonic()
            if opened is not None and now - self._checked_s > _CHECKED_EACH_S and not self.is_remote:
                facts = self.source.stat(INFO)
                if facts is None or facts.version != opened.version:
                    opened = None
                self._checked_s = now
            if opened is None:
                opened = self._opened = self._read()
                self._checked_s = now
            return opened

    def _read(self) -> _Opened:
        found = self.source.get_with_stat(INFO, max_nbytes=MAX_INFO_NBYTES)
        if found is None:
            raise StoreError(f"{self.url} has no {INFO}", key=INFO, url=self.url)
        value, facts = found
        try:
            volume = parse_info(bytes(value))
        except InfoError as error:
            sentence = f"{INFO} in {self.url} is not that of a Neuroglancer volume: {error}"
            raise StoreError(sentence, key=INFO, url=self.url) from error
        return _Opened(volume, facts.version, self._reads)

    def find(self, key: str) -> BytesLike | Part | None:
        if key == _DOCUMENT:
            return json.dumps(group_document(self._volume().volume)).encode()
        name, _, rest = key.partition("/")
        if rest == _DOCUMENT:
            volume = self._volume().volume
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
        opened = self._volume()
        chunks = opened.chunks.get(name)
        if chunks is None:
            return None
        parts = rest.split("/")[1:]
        if opened.volume.channels > 1 and parts.pop(0) != "0":
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

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        volume = self._volume().volume
        if not prefix:
            yield StoreEntry(_DOCUMENT)
            yield from (StoreEntry(f"{scale.name}/") for scale in volume.scales)
            return
        name = prefix.partition("/")[0]
        if volume.scale(name) is None:
            return
        if prefix == f"{name}/":
            yield StoreEntry(f"{name}/{_DOCUMENT}")
        seen = set()
        for entry in self._chunk_entries(name, prefix):
            first, slash, _ = entry.key[len(prefix) :].partition("/")
            if not slash:
                yield entry
            elif first not in seen:
                seen.add(first)
                yield StoreEntry(f"{prefix}{first}/")
                if prefix == f"{name}/":
                    return

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        volume = self._volume().volume
        if not prefix:
            yield StoreEntry(_DOCUMENT)
        for scale in volume.scales:
            if f"{scale.name}/".startswith(prefix):
                yield StoreEntry(f"{scale.name}/{_DOCUMENT}")
            if not prefix or prefix.partition("/")[0] == scale.name:
                yield from self._chunk_entries(scale.name, prefix)

    def _chunk_entries(self, name: str, prefix: str) -> Iterator[StoreEntry]:
        opened = self._volume()
        chunks = opened.chunks.get(name)
        if chunks is None:
            return
        top = f"{name}/c/0" if opened.volume.channels > 1 else f"{name}/c"
        for (x, y, z), nbytes in chunks.list():
            key = f"{top}/{z}/{y}/{x}"
            if key.startswith(prefix):
                yield StoreEntry(key, nbytes)


def open_volume(source: ReadableStore) -> PrecomputedStore:
    """A folder as a store."""
    return PrecomputedStore(source)
