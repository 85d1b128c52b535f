"""Stores that answer by arithmetic, for benchmarks of large sizes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from typing import Any

from zarrcore.stores.interface import ByteRange, BytesLike, ListableStore, ReadableStore, StoreEntry

_ROW = 1000

_GROUP = json.dumps({"zarr_format": 3, "node_type": "group", "attributes": {}}).encode()


def _array(shape: tuple[int, ...], chunk_shape: tuple[int, ...], codecs: list[Any] | None = None) -> bytes:
    return json.dumps(
        {
            "zarr_format": 3,
            "node_type": "array",
            "shape": shape,
            "data_type": "uint8",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk_shape}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": 0,
            "codecs": codecs or [{"name": "bytes"}],
        }
    ).encode()


class ManyNodes(ReadableStore, ListableStore):
    """Groups of a thousand arrays each, so that there are about as many nodes as asked for."""

    url = "memory://nodes"
    _document = _array((4, 4), (4, 4))

    def __init__(self, nodes: int) -> None:
        self._groups = nodes // _ROW

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        *names, last = key.split("/")
        if last != "zarr.json" or len(names) > 2 or (names and int(names[0]) >= self._groups):
            return None
        return self._document if len(names) == 2 else _GROUP

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        depth = prefix.count("/")
        yield StoreEntry(f"{prefix}zarr.json", len(self._document if depth == 2 else _GROUP))
        for number in range((self._groups, _ROW, 0)[depth]):
            yield StoreEntry(f"{prefix}{number:06}/")

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        for entry in self.list_dir(prefix):
            if entry.is_prefix:
                yield from self.list_prefix(entry.key)
            else:
                yield entry


class ManyKeys(ReadableStore, ListableStore):
    """An array of single-byte chunks in rows of a thousand; every second one is stored."""

    url = "memory://chunks"

    def __init__(self, chunks: int) -> None:
        self._rows = chunks // _ROW
        self._document = _array((self._rows, _ROW), (1, 1))

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        if key == "zarr.json":
            return self._document
        return b"\1" if key.startswith("c/") and int(key[-1]) % 2 == 0 else None

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        if not prefix:
            yield StoreEntry("zarr.json", len(self._document))
            yield StoreEntry("c/")
        elif prefix == "c/":
            yield from (StoreEntry(f"c/{row}/") for row in range(self._rows))
        else:
            yield from (StoreEntry(f"{prefix}{chunk}", 1) for chunk in range(0, _ROW, 2))

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        if not prefix:
            yield StoreEntry("zarr.json", len(self._document))
        for row, chunk in product(range(self._rows), range(0, _ROW, 2)):
            yield StoreEntry(f"c/{row}/{chunk}", 1)


class OneDirectory(ReadableStore, ListableStore):
    """Keys of a single byte with one prefix."""

    url = "memory://directory"

    def __init__(self, keys: int) -> None:
        self._keys = keys

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        prefix, _, name = key.partition("/")
        if prefix != "many" or not (name.isdigit() and len(name) == 7 and int(name) < self._keys):
            return None
        return b"\1" if byte_range is None else b"\1"[slice(*byte_range.resolve(1))]

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        if not prefix:
            yield StoreEntry("many/")
        elif prefix == "many/":
            yield from (StoreEntry(f"many/{number:07}", 1) for number in range(self._keys))

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        return self.list_dir("many/")


class LargeArray(ReadableStore, ListableStore):
    """An array of one dimension whose chunks of 1 MiB are all equal."""

    url = "memory://array"
    _chunk = bytes(range(256)) * 4096

    def __init__(self, nbytes: int) -> None:
        self._document = _array((nbytes,), (len(self._chunk),))

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        if key != "zarr.json" and not key.startswith("c/"):
            return None
        value = self._document if key == "zarr.json" else self._chunk
        return value if byte_range is None else value[slice(*byte_range.resolve(len(value)))]

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        if not prefix:
            yield StoreEntry("zarr.json", len(self._document))

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        return self.list_dir("")
