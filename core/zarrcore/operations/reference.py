"""Writing references: a Zarr v2 hierarchy whose chunks stay where they are, for programs that read references of kerchunk.

Chunks of zarrcore's virtual stores, stored members of zip files, and files or objects that are chunks are named by URL, offset
and length. Specification: https://fsspec.github.io/kerchunk/spec.html
"""

from __future__ import annotations

import base64
import json
import math
import os
import tempfile
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import numpy as np

from zarrcore.array import Array
from zarrcore.errors import MissingExtraError, NodeExistsError, StoreError, UnsupportedError, ZarrError
from zarrcore.formats import Format
from zarrcore.hierarchy import ArrayNode, BrokenNode, Group, Hierarchy, normalize_path
from zarrcore.metadata import ArrayMetadata, ChunkKeyEncoding, NamedConfiguration
from zarrcore.operations.copy.layout import Layout, destination_metadata, keeps_chunks
from zarrcore.operations.copy.stored import listed_chunks
from zarrcore.stores.interface import BytesLike, ListableStore, ReadableStore
from zarrcore.stores.keys import join_url
from zarrcore.stores.virtual.store import Part, VirtualStore
from zarrcore.stores.wrapper.interface import writable
from zarrcore.stores.zip.store import ZipStore

RECORD_SIZE: Final = 100_000
"""References in one Parquet file."""
_NO_FILES: Final = ("sqlite", "lmdb", "redis", "rediss")
_V2_KEYS: Final = ChunkKeyEncoding("v2", ".")

Tell = Callable[[str, int, int], None]


class Place(NamedTuple):
    """Where the bytes of a chunk are."""

    url: str
    start: int
    nbytes: int | None
    """None for the whole file."""


@dataclass(slots=True)
class ReferenceResult:
    """What was written."""

    groups: int = 0
    arrays: int = 0
    references: int = 0
    """Chunks that are named."""
    inlined: int = 0
    """Chunks whose bytes are in the document itself."""
    skipped: dict[str, str] = field(default_factory=dict)
    """Paths of the nodes that could not be written, and why."""


@dataclass(frozen=True, slots=True)
class _ArrayReferences:
    """One array of the new hierarchy."""

    node: ArrayNode
    path: str
    metadata: ArrayMetadata
    """In terms of Zarr v2."""

    def chunks(self, inline_nbytes: int) -> Iterator[tuple[int, str, Place | bytes]]:
        """Number in C order, key without path, and place of each stored chunk, in C order.

        Raises:
            UnsupportedError: a chunk is not a part of a file.
            StoreError: the store failed, or cannot list.
        """
        node = self.node
        prefix = node.hierarchy.format.chunk_prefix(node.hierarchy.within(node.path))
        source = replace(node.metadata, chunk_key_encoding=node.chunk_key_encoding)
        counts = node.chunk_grid_shape
        numbers = array("q")
        for index, _ in listed_chunks(node.store, prefix, source):
            number = 0
            for along, count in zip(index, counts, strict=True):
                number = number * count + along
            numbers.append(number)
        for number in np.unique(np.frombuffer(numbers, np.int64)).tolist() if numbers else ():
            index = tuple(int(along) for along in np.unravel_index(number, counts)) if counts else ()
            found = place_of(node.store, prefix + source.chunk_key_encoding.encode(index), inline_nbytes)
            if found is not None:
                yield number, _V2_KEYS.encode(index), found


def place_of(store: ReadableStore, key: str, inline_nbytes: int = 0) -> Place | bytes | None:
    """Where the bytes of a value are; the bytes themselves if they are nowhere else, or few; None if the key is absent.

    Raises:
        UnsupportedError: the value is not a part of a file.
        StoreError: the store failed.
    """
    while (origin := store.origin(key)) != (store, key):
        store, key = origin
    found: BytesLike | Part | None = Part(store, key, 0, None)
    if isinstance(store, VirtualStore):
        found = store.find(key)
    elif isinstance(store, ZipStore):
        place = store.place(key)
        found = None if place is None else Part(store.source, store.key, *place)
    if found is None or not isinstance(found, Part):
        return None if found is None else bytes(found)
    if inline_nbytes:
        facts = store.stat(key)
        if facts is not None and facts.size <= inline_nbytes:
            value = store.get(key, max_nbytes=inline_nbytes)
            return None if value is None else bytes(value)
    return Place(_url_of(found.store, found.key), found.start, found.nbytes)


def _url_of(store: ReadableStore, key: str) -> str:
    while (origin := store.origin(key)) != (store, key):
        store, key = origin
    scheme = store.url.partition("://")[0] if "://" in store.url else ""
    if isinstance(store, VirtualStore | ZipStore) or scheme in _NO_FILES:
        raise UnsupportedError(
            "store", store.url, "holds values that are not files, so that no reference can name them"
        )
    if scheme in ("http", "https"):
        return join_url(store.url, quote(key))
    return join_url(store.url if scheme else os.path.abspath(store.url), key)


def write_references(
    source: Hierarchy,
    output: ReadableStore,
    key: str,
    path: str = "/",
    *,
    inline_nbytes: int = 0,
    skip: bool = False,
    progress: Tell | None = None,
) -> ReferenceResult:
    """Write references to the chunks of a node and all below it; the node becomes the root of the references.

    Args:
        source: the hierarchy.
        output: the store to write to.
        key: the key of a new JSON document there; empty for a Parquet folder, which must be empty.
        path: the node.
        inline_nbytes: chunks of at most this size are copied into the references.
        skip: leave out nodes that references cannot describe, instead of raising the error.
        progress: called with the current array.

    Raises:
        UnsupportedError, MetadataError: a node cannot be described, unless ``skip``.
        NodeExistsError: the Parquet folder is not empty.
        StoreError: a store failed.
    """
    result = ReferenceResult()
    documents, arrays = _planned(source, normalize_path(path), result, skip)
    written = _write_json if key else _write_parquet
    return written(output, key, documents, arrays, inline_nbytes, result, progress)


def _planned(
    source: Hierarchy, top: str, result: ReferenceResult, skip: bool
) -> tuple[dict[str, str], list[_ArrayReferences]]:
    documents: dict[str, str] = {}
    arrays: list[_ArrayReferences] = []
    for node in source.walk(top):
        below = normalize_path(node.path[len(top) :] if top != "/" else node.path)
        try:
            if isinstance(node, BrokenNode):
                raise node.error.with_traceback(None)
            if isinstance(node, Group):
                found = Format.V2.encode(Format.V2.adapted(node.metadata))
                result.groups += 1
            else:
                metadata = _v2_metadata(node)
                found = Format.V2.encode(metadata)
                _check_chunks(node)
                arrays.append(_ArrayReferences(node, below, metadata))
        except ZarrError as error:
            if not skip:
                raise
            result.skipped[node.path] = str(error)
            continue
        for key, document in zip(Format.V2.document_keys(below), found, strict=True):
            if document is not None:
                documents[key] = document.decode()
    if not documents:
        raise UnsupportedError("source", source.url, "has no node that references can describe")
    if ".zgroup" not in documents and ".zarray" not in documents:
        documents[".zgroup"] = '{"zarr_format": 2}'
    return documents, arrays


def _v2_metadata(node: ArrayNode) -> ArrayMetadata:
    found = replace(node.metadata, chunk_key_encoding=node.chunk_key_encoding)
    try:
        metadata, _ = destination_metadata(found, Format.V2, Layout(), same_format=False)
    except UnsupportedError as error:
        raise UnsupportedError("array", node.path, f"cannot be described by references: {error}") from error
    if not keeps_chunks(replace(found, codecs=tuple(map(_in_v2_terms, found.codecs))), metadata):
        raise UnsupportedError(
            "array", node.path, "cannot be described by references: Zarr v2 has other chunks or codecs"
        )
    return replace(metadata, chunk_key_encoding=_V2_KEYS)


def _in_v2_terms(codec: NamedConfiguration) -> NamedConfiguration:
    """The codec of Zarr v2 that reads the same bytes."""
    if codec.name == "crc32c":
        return NamedConfiguration("numcodecs.crc32c", {"location": "end"})
    if codec.name in ("zstd", "numcodecs.zstd"):  # a frame itself says whether it ends in a checksum
        kept = {name: value for name, value in codec.configuration.items() if name != "checksum"}
        return NamedConfiguration("zstd", kept)
    return codec


def _check_chunks(node: Array) -> None:
    if not isinstance(node.store, ListableStore):
        raise StoreError(f"{node.store.url} cannot list its chunks", url=node.store.url)


def _count(result: ReferenceResult, found: Place | bytes) -> None:
    if isinstance(found, bytes):
        result.inlined += 1
    else:
        result.references += 1


def _write_json(
    output: ReadableStore,
    key: str,
    documents: dict[str, str],
    arrays: list[_ArrayReferences],
    inline_nbytes: int,
    result: ReferenceResult,
    progress: Tell | None,
) -> ReferenceResult:
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        file.write('{"version": 1, "refs": {\n')
        file.write(",\n".join(f"{json.dumps(name)}: {json.dumps(text)}" for name, text in documents.items()))
        for done, each in enumerate(arrays):
            if progress is not None:
                progress(each.path, done, len(arrays))
            prefix = Format.V2.prefix(each.path)
            for _, name, found in each.chunks(inline_nbytes):
                _count(result, found)
                file.write(f",\n{json.dumps(prefix + name)}: {json.dumps(_json_value(found))}")
            result.arrays += 1
        file.write("\n}}\n")
        file.flush()
        writable(output).set_file(key, file.fileno())
    return result


def _json_value(found: Place | bytes) -> Any:
    if isinstance(found, bytes):
        return "base64:" + base64.b64encode(found).decode()
    return [found.url] if found.nbytes is None else [*found]


def _write_parquet(
    output: ReadableStore,
    _: str,
    documents: dict[str, str],
    arrays: list[_ArrayReferences],
    inline_nbytes: int,
    result: ReferenceResult,
    progress: Tell | None,
) -> ReferenceResult:
    if isinstance(output, ListableStore) and next(iter(output.list_dir("")), None) is not None:
        raise NodeExistsError("/", output.url, "is not empty: name a new folder")
    for done, each in enumerate(arrays):
        if progress is not None:
            progress(each.path, done, len(arrays))
        if each.path == "/":
            raise UnsupportedError(
                "array", "/", "cannot be described in Parquet: its references have no folder"
            )
        prefix = Format.V2.prefix(each.path)
        size = min(RECORD_SIZE, max(1, math.prod(each.node.chunk_grid_shape)))
        rows: dict[int, Place | bytes] = {}
        record = 0
        for number, _name, found in each.chunks(inline_nbytes):
            _count(result, found)
            if number // RECORD_SIZE != record:
                _put_partition(output, f"{prefix}refs.{record}.parq", rows, RECORD_SIZE)
                record, rows = number // RECORD_SIZE, {}
            rows[number % RECORD_SIZE] = found
        _put_partition(output, f"{prefix}refs.{record}.parq", rows, size)
        result.arrays += 1
    # The folder counts as one of references once this is there.
    metadata = {name: json.loads(text) for name, text in documents.items()}
    told = json.dumps({"metadata": metadata, "record_size": RECORD_SIZE}).encode()
    writable(output).set(".zmetadata", told)
    return result


def _put_partition(output: ReadableStore, key: str, rows: dict[int, Place | bytes], count: int) -> None:
    """Write one partition; an empty one is left out."""
    if not rows:
        return
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("references in Parquet", "parquet") from error
    places = [rows.get(row) for row in range(count)]
    paths = [each.url if isinstance(each, Place) else None for each in places]
    table = pyarrow.table(
        {
            "path": pyarrow.array(paths, pyarrow.string()).dictionary_encode(),
            "offset": [each.start if isinstance(each, Place) else 0 for each in places],
            "size": [(each.nbytes or 0) if isinstance(each, Place) else 0 for each in places],
            "raw": pyarrow.array(
                [each if isinstance(each, bytes) else None for each in places], pyarrow.binary()
            ),
        }
    )
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd")
    writable(output).set(key, memoryview(sink.getvalue()))
