"""Shards, their indices and inner chunks, whole and in part: one of our errors, or what zarr-python reads."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import cache
from typing import Any

import google_crc32c
import numpy as np
import zarr
from zarr.core.buffer import default_buffer_prototype

import zarrcore
from zarrcore.errors import ZarrError
from zarrcore.hierarchy import ArrayNode
from zarrcore.metadata import NamedConfiguration
from zarrcore.stores import MemoryStore
from zarrcore.typing import AnyArray

_SHAPE, _INNER = (4, 6), (2, 3)
_CHUNKS = 4
_LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
WORDS = ("\x00" * 8, "\xff" * 8, "\x0c" + "\x00" * 7, "\x80", "\x7f")


def _configuration(index_codecs: list[Any] | None, location: str, codecs: list[Any]) -> dict[str, Any]:
    told = {"chunk_shape": [*_INNER], "codecs": codecs, "index_location": location}
    return told if index_codecs is None else {**told, "index_codecs": index_codecs}


_KINDS = (
    _configuration([_LITTLE], "end", [_LITTLE]),
    _configuration([_LITTLE, {"name": "crc32c"}], "start", [_LITTLE]),
    _configuration(
        [_LITTLE, {"name": "crc32c"}], "end", [_LITTLE, {"name": "gzip", "configuration": {"level": 1}}]
    ),
    _configuration(None, "end", [_LITTLE]),
    _configuration(
        [_LITTLE],
        "end",
        [
            {
                "name": "sharding_indexed",
                "configuration": {
                    "chunk_shape": [1, 3],
                    "codecs": [_LITTLE],
                    "index_codecs": [_LITTLE],
                    "index_location": "start",
                },
            }
        ],
    ),
)


@cache
def _array(number: int) -> tuple[ArrayNode, MemoryStore, bytes]:
    """An array of one shard, its store, and a valid shard."""
    store = MemoryStore()
    codec = NamedConfiguration("sharding_indexed", _KINDS[number])
    if "index_codecs" not in _KINDS[number]:  # only read
        codec = NamedConfiguration("sharding_indexed", {**_KINDS[number], "index_codecs": [_LITTLE]})
    array = zarrcore.create(store).create_array(
        "a", shape=_SHAPE, dtype="int16", chunks=_SHAPE, codecs=[codec], fill_value=-1
    )
    values = np.arange(24, dtype="i2").reshape(_SHAPE)
    values[:2, 3:] = -1  # a missing inner chunk
    array[...] = values
    shard = bytes(store.get("a/c/0/0") or b"")
    if "index_codecs" not in _KINDS[number]:
        document = bytes(store.get("a/zarr.json") or b"")
        start, stop = document.index(b'"index_codecs"'), document.index(b'"index_location"')
        store.set("a/zarr.json", document[:start] + document[stop:])
    found = zarrcore.open_hierarchy(store)["a"]
    assert isinstance(found, ArrayNode)
    return found, store, shard


def check(data: bytes) -> None:
    """The first byte is the kind of shard, and whether the checksum of its index is made right; the rest is the shard."""
    if not data:
        return
    number, shard = data[0] % len(_KINDS), data[1:]
    array, store, _ = _array(number)
    if data[0] & 128:
        shard = _with_checksum(number, shard)
    store.set("a/c/0/0", shard)
    whole = _read(array, ...)
    for row in range(2):
        for column in range(2):
            region = slice(2 * row, 2 * row + 2), slice(3 * column, 3 * column + 3)
            part = _read(array, region)
            if whole is not None:
                assert part is not None, "a part of what can be read whole cannot be read"
                assert part.tobytes() == np.ascontiguousarray(whole[region]).tobytes()
    if whole is not None and "index_codecs" in _KINDS[number]:
        theirs = _theirs(number, shard)
        assert theirs is None or theirs.tobytes() == whole.tobytes()


def _read(array: ArrayNode, selection: Any) -> AnyArray | None:
    try:
        return np.asarray(array[selection])
    except ZarrError:
        return None


def _with_checksum(number: int, shard: bytes) -> bytes:
    """The shard with a right checksum of its index, if it has one."""
    nbytes, kind = 16 * _CHUNKS, _KINDS[number]
    if len(kind.get("index_codecs", [])) < 2 or len(shard) < nbytes + 4:
        return shard
    if kind["index_location"] == "start":
        return shard[:nbytes] + struct.pack("<I", google_crc32c.value(shard[:nbytes])) + shard[nbytes + 4 :]
    index = shard[-nbytes - 4 : -4]
    return shard[:-4] + struct.pack("<I", google_crc32c.value(index))


@cache
def _their_array(number: int) -> tuple[Any, dict[str, Any]]:
    """zarr-python's array of the same metadata, and the values of its store."""
    _, store, _ = _array(number)
    values = {"zarr.json": _buffer(bytes(store.get("a/zarr.json") or b""))}
    return zarr.open_array(zarr.storage.MemoryStore(values), mode="r"), values


def _buffer(data: bytes) -> Any:
    return default_buffer_prototype().buffer.from_bytes(data)


def _theirs(number: int, shard: bytes) -> AnyArray | None:
    """What zarr-python reads; None if it refuses the shard."""
    array, values = _their_array(number)
    values["c/0/0"] = _buffer(shard)
    try:
        found: AnyArray = np.ascontiguousarray(array[...])
    except Exception:  # noqa: BLE001  # it raises all kinds
        return None
    return found


def examples() -> Iterable[bytes]:
    """A shard of each kind, with and without a checksum that is mended."""
    for number in range(len(_KINDS)):
        shard = _array(number)[2]
        yield bytes([number]) + shard
        yield bytes([next(one for one in range(128, 256) if one % len(_KINDS) == number)]) + shard
