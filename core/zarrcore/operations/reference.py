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
from itertools import pairwise
from typing import Final
from urllib.parse import quote

import numpy as np

from zarrcore.array import Array
from zarrcore.codecs.bytes_to_bytes.hdf5_imagecodecs import SKIPPED
from zarrcore.errors import MissingExtraError, NodeExistsError, StoreError, UnsupportedError, ZarrError
from zarrcore.formats import Format
from zarrcore.formats.interface import Documents
from zarrcore.hierarchy import ArrayNode, BrokenNode, Group, Hierarchy, normalize_path
from zarrcore.metadata import ArrayMetadata, ChunkKeyEncoding, NamedConfiguration
from zarrcore.operations.copy.layout import Layout, codec_names, destination_metadata, keeps_chunks
from zarrcore.operations.refused_nodes import refuse
from zarrcore.operations.tiff_references import SEGMENT, segment_codecs
from zarrcore.stores.icechunk.store import IcechunkStore
from zarrcore.stores.icechunk.version_tree import VersionTreeStore
from zarrcore.stores.interface import BytesLike, ListableStore, ReadableStore
from zarrcore.stores.keys import join_url
from zarrcore.stores.virtual.inflated_file import InflatedFile
from zarrcore.stores.virtual.store import Part, VirtualStore
from zarrcore.stores.wrapper.interface import listable, writable
from zarrcore.stores.zip.store import ZipStore

RECORD_SIZE: Final = 100_000
"""References in one Parquet file."""
_HDF5_SZIP: Final = "hdf5.szip"
_NO_FILES: Final = ("sqlite", "lmdb", "redis", "rediss")
_V2_KEYS: Final = ChunkKeyEncoding("v2", ".")
Tell = Callable[[str, int, int], None]


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

    def places(self, inline_nbytes: int) -> _Places:
        """Where the stored chunks are.

        Raises:
            UnsupportedError: a chunk is not a part of a file.
            StoreError: the store failed, or cannot list.
        """
        node = self.node
        prefix = node.hierarchy.format.chunk_prefix(node.hierarchy.within(node.path))
        store, prefix = _wrapped(node.store, prefix)
        encoding, counts = node.chunk_key_encoding, node.chunk_grid_shape
        places = _Places()
        is_szip = any(codec.name == _HDF5_SZIP for codec in node.metadata.codecs)
        for key, found in _values_below(store, prefix):
            index = encoding.decode(key[len(prefix) :], len(counts))
            if index is None or any(i >= n for i, n in zip(index, counts, strict=True)):
                continue
            found = (
                part_of(store, key, inline_nbytes)
                if found is None
                else _inlined(store, key, found, inline_nbytes)
            )
            if is_szip and isinstance(found, bytes) and found.startswith(SKIPPED):
                raise UnsupportedError(
                    "format", Format.V2.title, "cannot describe chunks for which HDF5 skipped szip"
                )
            if found is not None:
                number = 0
                for along, count in zip(index, counts, strict=True):
                    number = number * count + along
                places.add(number, found)
        places.sort()
        return places


class _Places:
    """Places of the chunks of one array, by their numbers in C order: columns, because there may be 10⁷."""

    def __init__(self) -> None:
        self._added = tuple(array("q") for _ in range(4))
        self._files: dict[tuple[ReadableStore, str], int] = {}
        self.inlined: dict[int, bytes] = {}
        """The chunks that are nowhere else, by their numbers."""

    def add(self, number: int, found: Part | bytes) -> None:
        if isinstance(found, bytes):
            self.inlined[number] = found
            file, start, nbytes = 0, 0, 0
        else:
            file = self._files.setdefault((found.store, found.key), len(self._files))
            start, nbytes = found.start, -1 if found.nbytes is None else found.nbytes
        for column, value in zip(self._added, (number, file, start, nbytes), strict=True):
            column.append(value)

    def sort(self) -> None:
        """Put the places into C order. No more can be added."""
        columns = [np.frombuffer(column, np.int64) for column in self._added]
        _, order = np.unique(columns[0], return_index=True)
        self.numbers, self.urls, self.starts, self.sizes = (column[order] for column in columns)
        self.url_names = [_url_of(store, key) for store, key in self._files]

    def __len__(self) -> int:
        return len(self.numbers)


def _wrapped(store: ReadableStore, prefix: str) -> tuple[ReadableStore, str]:
    """The store below all wrappers that change no values, and the prefix there."""
    name = "zarr.json"  # wrappers translate keys
    key = prefix + name
    while (origin := store.origin(key)) != (store, key):
        store, key = origin
    return store, key[: -len(name)]


def _values_below(store: ReadableStore, prefix: str) -> Iterator[tuple[str, BytesLike | Part | None]]:
    """All keys that begin with a prefix, with their values or where the bytes are; None where the store must be asked."""
    if isinstance(store, VirtualStore):
        return store.values_below(prefix)
    return ((entry.key, None) for entry in listable(store).list_prefix(prefix))


def part_of(store: ReadableStore, key: str, inline_nbytes: int = 0) -> Part | bytes | None:
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
    return None if found is None else _inlined(store, key, found, inline_nbytes)


def _inlined(
    store: ReadableStore, key: str, found: BytesLike | Part, inline_nbytes: int
) -> Part | bytes | None:
    """A value that is not all in a file, or is small, as bytes."""
    if not isinstance(found, Part):
        return bytes(found)
    is_small = bool(inline_nbytes) and (facts := store.stat(key)) is not None and facts.size <= inline_nbytes
    if not found.zeros and not is_small:
        return found
    value = store.get(key)
    return None if value is None else bytes(value)


def _url_of(store: ReadableStore, key: str) -> str:
    while (origin := store.origin(key)) != (store, key):
        store, key = origin
    scheme = store.url.partition("://")[0] if "://" in store.url else ""
    if isinstance(store, InflatedFile):
        raise UnsupportedError(
            "file",
            store.url,
            "is compressed or text as a whole, so that no reference can name a part of its content",
        )
    if isinstance(store, VirtualStore | ZipStore | IcechunkStore | VersionTreeStore) or scheme in _NO_FILES:
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
                metadata, image = _v2_metadata(node)
                found = Format.V2.encode(metadata)
                if image is not None:
                    found = _of_images(found, image)
                _check_chunks(node)
                arrays.append(_ArrayReferences(node, below, metadata))
        except ZarrError as error:
            result.skipped[node.path] = refuse(
                node, "cannot be described by references", error, "reference --skip", skip=skip
            )
            continue
        for key, document in zip(Format.V2.document_keys(below), found, strict=True):
            if document is not None:
                documents[key] = document.decode()
    if not documents:
        raise UnsupportedError("source", source.url, "has no node that references can describe")
    if ".zgroup" not in documents and ".zarray" not in documents:
        documents[".zgroup"] = '{"zarr_format": 2}'
    return documents, arrays


def _v2_metadata(node: ArrayNode) -> tuple[ArrayMetadata, NamedConfiguration | None]:
    """The array in terms of Zarr v2, and the codec of chunks that are images, which it does not have."""
    codecs, image = _common_codecs(node.metadata)
    found = replace(node.metadata, chunk_key_encoding=node.chunk_key_encoding, codecs=codecs)
    metadata, _ = destination_metadata(found, Format.V2, Layout(), same_format=False)
    if not keeps_chunks(replace(found, codecs=tuple(map(_in_v2_terms, found.codecs))), metadata):
        names = ", ".join(codec_names(node.metadata.codecs))
        raise UnsupportedError(
            "format", Format.V2.title, f"cannot describe its chunks, which use the codecs {names}"
        )
    keeps_fill_value = found.fill_value_is_told and _masks(node)
    return replace(metadata, chunk_key_encoding=_V2_KEYS, fill_value_is_told=keeps_fill_value), image


def _of_images(documents: Documents, image: NamedConfiguration) -> Documents:
    """The documents of an array whose chunks are images. zarrcore does not encode images, and so writes no codecs for them."""
    array, *others = documents
    told = json.loads(array or b"{}")
    told["compressor"] = {"id": image.name, **image.configuration}
    return json.dumps(told).encode(), *others


def _masks(node: ArrayNode) -> bool:
    """Whether the fill value can mean "missing", as it does in Zarr v2 for xarray; in other formats, ``_FillValue`` does.

    A fill value of zero that is not told reads as zero, but xarray does not take zeros for missing elements.
    """
    return node.hierarchy.format is Format.V2 or "_FillValue" in node.attributes


def _common_codecs(
    metadata: ArrayMetadata,
) -> tuple[tuple[NamedConfiguration, ...], NamedConfiguration | None]:
    """The codecs, with common ones for packed structures of HDF5 and for segments of TIFF files.

    Also that of chunks that are images.

    Raises:
        UnsupportedError: there are none for the segments.
    """
    codecs = tuple(map(_szip_of_others, metadata.codecs))
    if codecs and codecs[0].name == "hdf5.elements" and _are_packed(metadata):
        return (NamedConfiguration("bytes", {"endian": "little"}), *codecs[1:]), None
    if codecs and codecs[-1].name == SEGMENT:
        return segment_codecs(metadata)
    return codecs, None


def _are_packed(metadata: ArrayMetadata) -> bool:
    """Whether structures of HDF5 are stored as NumPy has them: little-endian, and with texts that are filled with zeros."""
    dtype = metadata.data_type.dtype
    stored = metadata.codecs[0].configuration["stored"]
    if dtype.fields is None or not isinstance(stored, dict) or stored.get("nbytes") != dtype.itemsize:
        return False
    wanted = []
    for name, (field_dtype, start, *_) in dtype.fields.items():
        text = {"text": field_dtype.itemsize, "padding": 1}
        wanted.append([name, start, text if field_dtype.kind == "S" else field_dtype.newbyteorder("<").str])
    return bool(stored.get("fields") == wanted)


def _szip_of_others(codec: NamedConfiguration) -> NamedConfiguration:
    """The codec, with the name that imagecodecs has for szip of HDF5."""
    if codec.name != _HDF5_SZIP:
        return codec
    told = dict(codec.configuration)
    return NamedConfiguration("imagecodecs_szip", {"options_mask": told.pop("mask"), **told, "header": True})


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


def _count(result: ReferenceResult, places: _Places) -> None:
    result.arrays += 1
    result.inlined += len(places.inlined)
    result.references += len(places) - len(places.inlined)


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
            places = each.places(inline_nbytes)
            _count(result, places)
            file.writelines(_json_members(each, places))
        file.write("\n}}\n")
        file.flush()
        writable(output).set_file(key, file.fileno())
    return result


def _json_members(each: _ArrayReferences, places: _Places) -> Iterator[str]:
    prefix = json.dumps(Format.V2.prefix(each.path))[:-1]
    urls = [json.dumps(url) for url in places.url_names]
    counts = each.node.chunk_grid_shape
    for start in range(0, len(places), RECORD_SIZE):
        part = slice(start, start + RECORD_SIZE)
        numbers = places.numbers[part]
        indices = np.stack(np.unravel_index(numbers, counts), 1).tolist() if counts else [()] * len(numbers)
        columns = (column[part].tolist() for column in (numbers, places.urls, places.starts, places.sizes))
        for index, number, url, first, nbytes in zip(indices, *columns, strict=True):
            if number in places.inlined:
                told = f'"base64:{base64.b64encode(places.inlined[number]).decode()}"'
            else:
                told = f"[{urls[url]}]" if nbytes < 0 else f"[{urls[url]}, {first}, {nbytes}]"
            yield f',\n{prefix}{_V2_KEYS.encode(index)}": {told}'


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
        places = each.places(inline_nbytes)
        _count(result, places)
        records = places.numbers // RECORD_SIZE
        size = RECORD_SIZE if len(places) and records[-1] else math.prod(each.node.chunk_grid_shape)
        bounds = [*np.flatnonzero(np.diff(records, prepend=-1)).tolist(), len(places)]
        for first, last in pairwise(bounds):
            key = f"{prefix}refs.{records[first]}.parq"
            writable(output).set(key, _partition(places, slice(first, last), max(1, size)))
    # The folder counts as one of references once this is there.
    metadata = {name: json.loads(text) for name, text in documents.items()}
    told = json.dumps({"metadata": metadata, "record_size": RECORD_SIZE}).encode()
    writable(output).set(".zmetadata", told)
    return result


def _partition(places: _Places, part: slice, count: int) -> memoryview:
    """A Parquet file of ``count`` chunks, of which those in ``part`` are stored."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("references in Parquet", "parquet") from error
    numbers = places.numbers[part]
    rows = numbers % RECORD_SIZE
    urls, starts, sizes = np.zeros(count, np.int32), np.zeros(count, np.int64), np.zeros(count, np.int64)
    urls[rows], starts[rows], sizes[rows] = (
        places.urls[part],
        places.starts[part],
        np.maximum(0, places.sizes[part]),
    )
    is_absent = np.ones(count, bool)
    is_absent[rows] = False
    raw: list[bytes | None] = [None] * count
    for number, row in zip(numbers.tolist(), rows.tolist(), strict=True) if places.inlined else ():
        if number in places.inlined:
            raw[row], is_absent[row] = places.inlined[number], True
    paths = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array(urls, mask=is_absent), pyarrow.array(places.url_names, pyarrow.string())
    )
    table = pyarrow.table(
        {"path": paths, "offset": starts, "size": sizes, "raw": pyarrow.array(raw, pyarrow.binary())}
    )
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd")
    return memoryview(sink.getvalue())
