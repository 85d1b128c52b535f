"""What holds for each document that a format accepts, whichever format it is."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

import zarrcore
from zarrcore.errors import HierarchyNotFoundError, MetadataError, UnsupportedError, ZarrError
from zarrcore.formats import Format
from zarrcore.formats.interface import Documents
from zarrcore.hierarchy import ArrayNode, BrokenNode
from zarrcore.metadata import ArrayMetadata, NodeMetadata
from zarrcore.metadata.json_document import format_json
from zarrcore.stores import MemoryStore
from zarrcore.typing import AnyArray

WRITABLE: Final = (Format.V3, Format.V2, Format.N5)
_READ_NBYTES: Final = 1 << 14
_CHUNK_NBYTES: Final = 1 << 20
_WRITTEN_NBYTES: Final = 16 << 20
_WRITTEN_CHUNKS: Final = 1000
"""Some codecs take a millisecond to begin, and an input may take 5 s on a busy machine."""


def parsed(form: Format, documents: Documents) -> NodeMetadata | None:
    """The node that documents describe, with all that then must hold; None if they are refused or describe none."""
    try:
        metadata = form.parse(documents)
    except (MetadataError, UnsupportedError):
        return None
    if metadata is None:
        return None
    json.loads(format_json(metadata.document()))
    length = sum(map(len, filter(None, documents)))
    _survives(WRITABLE[length % len(WRITABLE)], metadata)  # one of them, to try more inputs
    # What JSON does not have is read, but written in other words.
    exact = not any(word in document for document in documents if document for word in (b"NaN", b"Infinity"))
    if form.writable and exact:
        _keeps_changes(form, documents, metadata)
    return metadata


def _survives(form: Format, metadata: NodeMetadata) -> None:
    """A format that can hold the node reads back what it writes."""
    try:
        adapted = form.adapted(metadata)
        written = form.encode(adapted)
    except (MetadataError, UnsupportedError):
        return
    again = form.parse(written)
    assert same(again, adapted), f"{form}: {again} instead of {adapted}"
    if isinstance(metadata, ArrayMetadata):
        assert isinstance(adapted, ArrayMetadata)
        assert adapted.shape == metadata.shape
        assert adapted.data_type.dtype == metadata.data_type.dtype
        if form is not Format.N5:
            assert same_element(adapted.fill_value, metadata.fill_value), f"{form}: {adapted.fill_value!r}"


def _keeps_changes(form: Format, documents: Documents, metadata: NodeMetadata) -> None:
    """Other attributes change nothing else, and the same shape changes nothing."""
    try:
        changed = form.parse(form.with_attributes(documents, {"fuzzed": 1}))
    except (MetadataError, UnsupportedError):
        changed = None  # such as a document that JSON cannot spell: a number of too many digits
    if changed is not None:
        assert changed.attributes["fuzzed"] == 1
        if isinstance(metadata, ArrayMetadata):
            assert isinstance(changed, ArrayMetadata)
            kept = replace(changed, attributes=metadata.attributes, dimension_names=metadata.dimension_names)
            assert same(kept, metadata)
    if isinstance(metadata, ArrayMetadata):
        resized = form.parse(form.with_shape(documents, metadata.shape))
        assert same(resized, metadata), f"{form}: {resized} instead of {metadata}"


def same(one: NodeMetadata | None, other: NodeMetadata | None) -> bool:
    """Whether two nodes are equal, with their fill values; NaNs among attributes are equal, too."""
    if isinstance(one, ArrayMetadata) and isinstance(other, ArrayMetadata):
        alike = replace(one, attributes={}) == replace(other, attributes={})
        return alike and same_element(one.fill_value, other.fill_value) and _same_attributes(one, other)
    return type(one) is type(other) and _same_attributes(one, other)


def _same_attributes(one: Any, other: Any) -> bool:
    told = (format_json(dict(node.attributes)) for node in (one, other))
    first, second = told
    return first == second


def same_element(one: AnyArray, other: AnyArray) -> bool:
    """Whether two elements are equal bit for bit."""
    if one.dtype != other.dtype:
        return False
    return bool(one == other) if one.dtype.hasobject else one.tobytes() == other.tobytes()


def opened_array(values: Mapping[str, bytes], form: Format, path: str = "/") -> ArrayNode | None:
    """The array of a store with these values, if it has a chunk that a test can hold; None if it is refused."""
    try:
        node = zarrcore.open_hierarchy(MemoryStore("", dict(values)), format=form.name).node(path)
    except (HierarchyNotFoundError, MetadataError, UnsupportedError):
        return None
    return small_array(node)


def small_array(node: Any) -> ArrayNode | None:
    """The node if it is an array that a test can hold; a broken one was broken for a reason of which zarrcore is aware."""
    if isinstance(node, BrokenNode):
        assert "cannot be understood" not in str(node.error), str(node.error)
    return node if isinstance(node, ArrayNode) and is_small(node) else None


def is_small(array: ArrayNode) -> bool:
    """Whether all elements, and those of a chunk, take little memory."""
    itemsize = max(1, array.dtype.itemsize)
    return array.size * itemsize <= _READ_NBYTES and math.prod(array.chunk_shape) * itemsize <= _CHUNK_NBYTES


def read_all(array: ArrayNode) -> AnyArray | None:
    """All elements; None if one of our errors says why not."""
    try:
        return np.asarray(array[...])
    except ZarrError:
        return None


def check_missing_chunks(array: ArrayNode) -> None:
    """An array without chunks holds its fill value everywhere."""
    values = read_all(array)
    if values is None:
        return
    assert values.shape[: array.ndim] == array.shape
    fill = array.metadata.fill_value
    for value in values.reshape((-1, *array.dtype.shape))[:3]:
        assert same_element(np.asarray(value, array.dtype), fill), f"{value!r} instead of {fill!r}"


def check_chunks(values: Mapping[str, bytes], form: Format) -> None:
    """An array takes elements or says why not, and decodes chunks of any bytes or says why not."""
    store = MemoryStore("", dict(values))
    try:
        array = small_array(zarrcore.open_hierarchy(store, "r+", format=form.name).node("/"))
    except (HierarchyNotFoundError, MetadataError, UnsupportedError):
        return
    if array is None or not array.size or math.prod(array.chunk_grid_shape) > _WRITTEN_CHUNKS:
        return
    dtype = array.dtype
    nbytes = math.prod(array.chunk_shape) * max(1, dtype.itemsize)
    if (
        math.prod(array.chunk_grid_shape) * nbytes > _WRITTEN_NBYTES
    ):  # chunks may be much larger than the array
        return
    if dtype.hasobject:
        elements = np.full(array.shape, "é" if dtype.kind == "T" else b"\xff", dtype)
    else:
        elements = np.resize(np.frombuffer(b"\1" * dtype.itemsize, dtype), (*array.shape, *dtype.shape))
    try:
        array[...] = elements
        key = array.chunk_key((0,) * array.ndim)
    except ZarrError:
        return
    read_all(array)
    for chunk in (b"", b"\1", bytes(nbytes), b"\xff" * (nbytes + 4)):
        store.set(key, chunk)
        read_all(array)
