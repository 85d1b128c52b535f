"""Comparing the metadata of two nodes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from zarrcore.conventions.cf import missing_values_of
from zarrcore.formats.v2.parse import DIMENSIONS_ATTRIBUTE
from zarrcore.hierarchy import ArrayNode, Group
from zarrcore.metadata.data_type import usual_document
from zarrcore.operations.compare.difference import Difference, Wanted, What
from zarrcore.operations.copy.layout import same_fill_value
from zarrcore.sizes import format_shape

_FILL_VALUE: Final = "_FillValue"
_LONGEST = 80
"""The most letters of a value that is shown."""
_BEFORE: Final = 20
"""How many letters before the first difference are shown of a long value."""


def compare_metadata(
    one: Group | ArrayNode, other: Group | ArrayNode, path: str, wanted: Wanted
) -> Iterator[Difference]:
    """The differences between the metadata of two nodes: all that matters to a reader of their elements.

    Formats spell the same thing differently. The names that xarray gives dimensions of Zarr v2 in an attribute count as names.
    """
    if isinstance(one, ArrayNode) and isinstance(other, ArrayNode):
        yield from _compare_arrays(one, other, path)
        if wanted.layout:
            yield from _compare_layout(one, other, path)
    attributes = _attributes(one), _attributes(other)
    if isinstance(one, ArrayNode) and isinstance(other, ArrayNode) and _have_same_missing_value(one, other):
        attributes = _without(attributes[0], _FILL_VALUE), _without(attributes[1], _FILL_VALUE)
    yield from _compare_attributes(*attributes, path)


def _have_same_missing_value(one: ArrayNode, other: ArrayNode) -> bool:
    """Whether arrays of two formats have the same missing value, which Zarr v2 has as the fill value.

    NaN is a missing element without being named.
    """
    if one.hierarchy.format is other.hierarchy.format or one.dtype != other.dtype:
        return False
    unnamed = np.array(np.nan) if one.dtype.kind == "f" else None
    value, other_value = (missing_values_of(array).get(_FILL_VALUE, unnamed) for array in (one, other))
    return (
        value is not None and other_value is not None and np.array_equal(value, other_value, equal_nan=True)
    )


def _attributes(node: Group | ArrayNode) -> Mapping[str, Any]:
    """The attributes, without the one in which formats before Zarr v3 keep the names of dimensions."""
    names = list(node.dimension_names or ()) if isinstance(node, ArrayNode) else None
    if names is None or node.attributes.get(DIMENSIONS_ATTRIBUTE) != names:
        return node.attributes
    return _without(node.attributes, DIMENSIONS_ATTRIBUTE)


def _without(attributes: Mapping[str, Any], without: str) -> Mapping[str, Any]:
    return {name: value for name, value in attributes.items() if name != without}


def _compare_arrays(one: ArrayNode, other: ArrayNode, path: str) -> Iterator[Difference]:
    if one.shape != other.shape:
        yield _told(
            "shape", path, "shape", (list(one.shape), list(other.shape)),
            (format_shape(one.shape), format_shape(other.shape)),
        )  # fmt: skip
    types = one.data_type.document(), other.data_type.document()
    is_same = types[0] == types[1] or usual_document(one.data_type) == usual_document(other.data_type)
    if not is_same:
        yield _told("data-type", path, "data type", types)
    names = one.dimension_names, other.dimension_names
    if (names[0] or (None,) * one.ndim) != (names[1] or (None,) * other.ndim):
        yield _told("dimension-names", path, "dimension names", tuple(n and list(n) for n in names))
    if is_same and not same_fill_value(one.metadata, other.metadata):
        fills = tuple(array.metadata.document()["fill_value"] for array in (one, other))
        yield _told("fill-value", path, "fill value", fills)


def _compare_layout(one: ArrayNode, other: ArrayNode, path: str) -> Iterator[Difference]:
    inner = tuple(list(array.inner_chunk_shape) for array in (one, other))
    if inner[0] != inner[1]:
        yield _told("chunks", path, "chunks", inner, tuple(map(format_shape, inner)))
    grids = tuple(array.metadata.chunk_grid.document() for array in (one, other))
    if grids[0] != grids[1] and not _has_plain_chunks(one, other):
        yield _told("shards", path, "chunk grid", grids)
    codecs = tuple([codec.document() for codec in array.codecs] for array in (one, other))
    if codecs[0] != codecs[1]:
        yield _told("codecs", path, "codecs", codecs)


def _has_plain_chunks(*arrays: ArrayNode) -> bool:
    """Whether the chunks of all arrays are units of decoding of one shape."""
    return all(
        array.inner_chunk_shape == array.chunk_shape and array.metadata.chunk_grid.document()["name"] == "regular"
        for array in arrays
    )  # fmt: skip


def _compare_attributes(one: Mapping[str, Any], other: Mapping[str, Any], path: str) -> Iterator[Difference]:
    for name in {**one, **other}:
        values = one.get(name), other.get(name)
        label = f"attribute {name}"
        if name not in other:
            sentence = f"{label} is only in A: {_short(values[0])}"
        elif name not in one:
            sentence = f"{label} is only in B: {_short(values[1])}"
        elif _canonical(values[0]) != _canonical(values[1]):
            one_text, other_text = _pair(*values)
            sentence = f"{label}: {one_text} in A, {other_text} in B"
        else:
            continue
        a, b = ({name: holder[name]} if name in holder else {} for holder in (one, other))
        yield Difference("attributes", path, sentence, a, b)


def _told(
    what: What, path: str, label: str, values: tuple[Any, ...], shown: tuple[str, ...] | None = None
) -> Difference:
    one, other = shown or _pair(*values)
    return Difference(what, path, f"{label}: {one} in A, {other} in B", *values)


def _canonical(value: Any) -> str:
    """A JSON value as text that is equal for equal values; NaN equals NaN."""
    return json.dumps(value, sort_keys=True)


def _short(value: Any) -> str:
    return _cut(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _pair(one: Any, other: Any) -> tuple[str, str]:
    """Two values that differ, as texts that do: a text beside another type is quoted, long ones begin where they differ."""
    if not (isinstance(one, str) and isinstance(other, str)):
        one, other = (json.dumps(value, ensure_ascii=False) for value in (one, other))
    same = next(
        (place for place, pair in enumerate(zip(one, other, strict=False)) if len({*pair}) > 1),
        min(len(one), len(other)),
    )
    if same < _LONGEST - 1:
        return _cut(one), _cut(other)
    return _cut("…" + one[same - _BEFORE :]), _cut("…" + other[same - _BEFORE :])


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
