"""An image whose elements a file stores as one array, in terms of Zarr v3 and OME-Zarr: a group with one level.

OME-Zarr demands that time is the first axis, followed by the channel and those of space. If a file stores them in another
order, the codec ``transpose`` is in between, and chunks are planes, because parts of such chunks cannot be read alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np

from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.virtual.file_reader import BrokenFileError
from zarrcore.stores.virtual.inflated_file import InflatedFile
from zarrcore.stores.virtual.row_chunks import row_chunk_shape, rows_of
from zarrcore.stores.virtual.store import Part

LEVEL: Final = "0"
"""The name of the array."""

_OME_VERSION: Final = "0.5"
_RANKS: Final = {"time": 0, "space": 2}
"""The order of the types of axes; all others are between them."""
_COLOURS: Final = (("red", "FF0000"), ("green", "00FF00"), ("blue", "0000FF"), ("alpha", "FFFFFF"))


@dataclass(frozen=True, slots=True)
class Axis:
    """A dimension of an image."""

    name: str
    kind: str = ""
    """``time``, ``channel``, ``space``, or empty."""
    unit: str = ""
    """A word of OME-Zarr; empty if it is unknown."""
    scale: float = 1.0
    origin: float = 0.0
    """The position of the first element."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where elements begin."""

    store: ReadableStore
    key: str
    start: int

    def bound(self) -> int:
        """A position that no stored element reaches; a header can claim more than any file holds."""
        store, ratio = self.store, 1
        if isinstance(store, InflatedFile):
            ratio = store.form.ratio
            store = store.source
        facts = store.stat(self.key)
        return 0 if facts is None else facts.size * ratio


@dataclass(frozen=True)
class FileImage:
    """What a file contains. Axes are in the order in which they are stored, the fastest last.

    Raises:
        BrokenFileError: the shape is beyond all limits.
    """

    dtype: np.dtype[Any]
    """With its byte order."""
    shape: tuple[int, ...]
    axes: tuple[Axis, ...]
    places: tuple[Place, ...]
    """Where the elements are: in one place, or equal numbers of them, divided along the first axis, in each of several."""
    told: dict[str, Any]
    """Attributes of the group."""
    told_of_array: dict[str, Any] = field(default_factory=dict)
    is_colour: bool = False
    """Whether the channels are red, green, blue, and perhaps alpha."""

    def __post_init__(self) -> None:
        if any(length < 0 for length in self.shape):
            raise BrokenFileError(f"it has the shape {self.shape}")
        if math.prod(map(float, self.shape)) * self.dtype.itemsize >= 2.0**62 or max(self.shape) >= 2**62:
            raise BrokenFileError(f"it has the shape {self.shape}, which is beyond all limits")

    @cached_property
    def is_ome(self) -> bool:
        """Whether OME-Zarr can express the axes."""
        kinds = [_RANKS.get(axis.kind, 1) for axis in self.axes]
        return kinds.count(2) in (2, 3) and kinds.count(1) <= 1 and kinds.count(0) <= 1

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The stored axis of each dimension of the array."""
        places = range(len(self.axes))
        return tuple(
            sorted(places, key=lambda i: _RANKS.get(self.axes[i].kind, 1)) if self.is_ome else places
        )

    @cached_property
    def is_transposed(self) -> bool:
        """Whether elements are not stored in the order of the array. Axes of length 1 are in any order."""
        long = [axis for axis in self.order if self.shape[axis] != 1]
        return long != sorted(long)

    @cached_property
    def stored_chunk(self) -> tuple[int, ...]:
        """The shape of chunks, in the order of the file; each is in one place."""
        share = self.shape[0] // len(self.places)
        shape = (share, *self.shape[1:])
        # As many dimensions as a plane has, the channel included.
        last = len(shape) if not self.is_transposed else 2 + (self.axes[-1].kind != "space")
        chunk = [1] * (len(shape) - last) + [*row_chunk_shape(shape[-last:], self.dtype.itemsize)]
        if len(self.places) > 1:
            chunk[0] = next(length for length in range(chunk[0], 0, -1) if share % length == 0)
        return tuple(chunk)

    @cached_property
    def grid(self) -> tuple[int, ...]:
        """The numbers of chunks, in the order of the file."""
        return tuple(-(-n // c) for n, c in zip(self.shape, self.stored_chunk, strict=True))

    @property
    def chunk_nbytes(self) -> int:
        """Bytes of a whole chunk."""
        return math.prod(self.stored_chunk) * self.dtype.itemsize

    def chunk(self, index: tuple[int, ...]) -> tuple[int, Part]:
        """A chunk at an index in the order of the file: the number of its place, and its bytes."""
        share = self.shape[0] // len(self.places)
        number, first = divmod(index[0] * self.stored_chunk[0], share)
        inside = (first // self.stored_chunk[0], *index[1:])
        rows = rows_of((share, *self.shape[1:]), self.stored_chunk, inside, self.dtype.itemsize)
        place = self.places[number]
        zeros = rows.nbytes - rows.stored_nbytes
        return number, Part(place.store, place.key, place.start + rows.offset, rows.stored_nbytes, zeros)

    def of_array(self, values: tuple[Any, ...]) -> list[Any]:
        """What belongs to stored axes, in the order of the array."""
        return [values[axis] for axis in self.order]

    def of_file(self, index: tuple[int, ...]) -> tuple[int, ...]:
        """An index in the array's order in that of the file."""
        return tuple(index[self.order.index(axis)] for axis in range(len(index)))

    def group_document(self) -> dict[str, Any]:
        """The ``zarr.json`` of the group."""
        attributes = dict(self.told)
        if self.is_ome:
            attributes["ome"] = self._ome()
        return {"zarr_format": 3, "node_type": "group", "attributes": attributes}

    def _ome(self) -> dict[str, Any]:
        axes = self.of_array(self.axes)
        transformations: list[dict[str, Any]] = [{"type": "scale", "scale": [axis.scale for axis in axes]}]
        if any(axis.origin for axis in axes):
            transformations.append({"type": "translation", "translation": [axis.origin for axis in axes]})
        told = [
            {"name": axis.name}
            | ({"type": axis.kind} if axis.kind else {})
            | ({"unit": axis.unit} if axis.unit else {})
            for axis in axes
        ]
        datasets = [{"path": LEVEL, "coordinateTransformations": transformations}]
        ome: dict[str, Any] = {
            "version": _OME_VERSION,
            "multiscales": [{"axes": told, "datasets": datasets}],
        }
        if self.is_colour:
            ome["omero"] = {"channels": self._channels()}
        return ome

    def _channels(self) -> list[dict[str, Any]]:
        count = next(n for n, axis in zip(self.shape, self.axes, strict=True) if axis.kind == "channel")
        most = np.iinfo(self.dtype).max if self.dtype.kind in "iu" else 1
        window = {"min": 0, "max": int(most), "start": 0, "end": int(most)}
        return [
            {"label": label, "color": colour, "active": label != "alpha", "window": window}
            for label, colour in _COLOURS[:count]
        ]

    def array_document(self) -> dict[str, Any]:
        """The ``zarr.json`` of the array."""
        dtype = self.dtype
        kind = {"i": "int", "u": "uint", "f": "float", "c": "complex"}[dtype.kind]
        bytes_codec: dict[str, Any] = {"name": "bytes"}
        if dtype.itemsize > 1:
            bytes_codec["configuration"] = {"endian": "big" if dtype.str[0] == ">" else "little"}
        order = [self.order.index(axis) for axis in range(len(self.order))]
        transpose = {"name": "transpose", "configuration": {"order": order}}
        chunk_shape = self.of_array(self.stored_chunk)
        return {
            "zarr_format": 3,
            "node_type": "array",
            "shape": self.of_array(self.shape),
            "data_type": f"{kind}{8 * dtype.itemsize}",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk_shape}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": [0, 0] if dtype.kind == "c" else 0,
            "codecs": [transpose] * self.is_transposed + [bytes_codec],
            "dimension_names": [axis.name for axis in self.of_array(self.axes)],
            "attributes": self.told_of_array,
        }
