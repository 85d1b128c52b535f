"""The part of each array that a copy takes: a box, with steps, that keeps all dimensions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import EllipsisType
from typing import Any, SupportsIndex

from zarrcore.array.selection.axes import AxisRange
from zarrcore.array.selection.basic import normalize
from zarrcore.array.selection.text import parse_names, parse_selection
from zarrcore.conventions import names_along
from zarrcore.conventions.ome.attributes import multiscales_entry, ome
from zarrcore.conventions.values import items, mapping, text
from zarrcore.errors import SelectionError
from zarrcore.hierarchy import ArrayNode
from zarrcore.metadata import ArrayMetadata, RegularChunkGrid
from zarrcore.operations.copy.blocks import Box

Wanted = (
    str
    | Mapping[str, SupportsIndex | slice]
    | SupportsIndex
    | slice
    | EllipsisType
    | tuple[SupportsIndex | slice | EllipsisType, ...]
)
"""``time=0:10,y=5`` or ``3,:,0:100``; the same as a mapping, or as what selects in one array."""

_PLACES = {"multiscales", "ome", "spatial:transform", "GeoTransform", "resolution", "pixelResolution"}
"""Attributes that say where the elements of a whole array are."""

Ranges = tuple[AxisRange, ...]
"""What is taken along each dimension."""


class Part:
    """The part of each array that a copy takes.

    Args:
        wanted: by position, for the copy of one array; or by the names of dimensions, for all arrays that have them.
    """

    def __init__(self, wanted: Wanted) -> None:
        names = parse_names(wanted) if isinstance(wanted, str) else wanted
        self._names = dict(names) if isinstance(names, Mapping) else None
        self._selection: Any = (
            parse_selection(wanted) if isinstance(wanted, str) and names is None else wanted
        )
        self._lengths: dict[str, tuple[int, str]] = {}
        """Of the dimensions in `_names`: the length, and the first array that has it."""

    def of(self, node: ArrayNode, *, is_top: bool) -> Ranges | None:
        """What to take of an array; None takes all of it.

        Raises:
            SelectionError: the selection does not fit the array, or not this array and the ones before.
        """
        if self._names is None:
            if not is_top:
                raise SelectionError(
                    "a selection by position is for one array: name it, or select by names of dimensions, such as time=0:10"
                )
            return _ranges(node, self._selection)
        names = names_along(node, node.hierarchy.node) or ()
        if not any(name in self._names for name in names):
            return None
        for name, length in zip(names, node.shape, strict=True):
            if name is not None and name in self._names:
                first, path = self._lengths.setdefault(name, (length, node.path))
                if first != length:
                    raise SelectionError(
                        f"dimension {name!r} has {first:,} elements in {path}, and {length:,} in {node.path}: copy one array"
                    )
        return _ranges(node, tuple(self._names.get(name or "", slice(None)) for name in names))

    def with_channels(self, attributes: Mapping[str, Any]) -> Mapping[str, Any]:
        """The attributes of a group, with the display settings of the channels that are taken. All arrays are known."""
        place = ome(attributes)
        omero, axes = mapping(place.get("omero")), items(mapping(multiscales_entry(attributes)).get("axes"))
        channels = omero.get("channels")
        names = [text(mapping(axis).get("name")) for axis in axes if mapping(axis).get("type") == "channel"]
        names += [axis for axis in axes if axis == "c"]  # before version 0.4
        wanted = (self._names or {}).get(names[0]) if names else None
        if wanted is None or not isinstance(channels, list):
            return attributes
        (taken,) = normalize((wanted,), self._lengths[names[0]][:1])
        indices = (taken.start + taken.step * number for number in range(taken.count))
        cut_omero = {**omero, "channels": [channels[i] for i in indices if i < len(channels)]}
        changed = {**place, "omero": cut_omero}
        return changed if place is attributes else {**attributes, "ome": changed}

    def check(self) -> None:
        """Raise `SelectionError` for a name that no array has."""
        for name in self._names or ():
            if name not in self._lengths:
                raise SelectionError(f"no array that is copied has a dimension {name!r}")


def _ranges(node: ArrayNode, selection: Any) -> Ranges:
    ranges = normalize(selection, node.shape)
    for number, along in enumerate(ranges):
        if along.flipped and along.count > 1:
            raise SelectionError(
                f"dimension {number}: a copy keeps the order of elements: its step is positive"
            )
    return ranges


def cut(metadata: ArrayMetadata, ranges: Ranges) -> ArrayMetadata:
    """The metadata of an array that holds only a part. Chunks are not larger than it, unless their codecs fix the shape."""
    shape = tuple(along.count for along in ranges)
    chunks = metadata.chunk_grid.chunk_shape
    if not any(codec.name in ("sharding_indexed", "reshape") for codec in metadata.codecs):
        chunks = tuple(min(chunk, max(1, length)) for chunk, length in zip(chunks, shape, strict=True))
    return replace(metadata, shape=shape, chunk_grid=RegularChunkGrid(chunks))


def in_source(box: Box, ranges: Ranges) -> Box:
    """Where a box of the part is in the whole array."""
    return tuple(
        slice(
            along.start + part.start * along.step, along.start + (part.stop - 1) * along.step + 1, along.step
        )
        for part, along in zip(box, ranges, strict=True)
    )


def places_left(attributes: Mapping[str, Any]) -> list[str]:
    """The attributes that say where the elements of a whole array are."""
    return sorted(_PLACES.intersection(attributes))
