"""One dataset as a Zarr array: its metadata, and where the bytes of its chunks are."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal

import numpy as np

from zarrcore.stores.hdf5.chunk_index import ChunkIndex, Place
from zarrcore.stores.hdf5.datatype import Datatype, Kind, parse_datatype
from zarrcore.stores.hdf5.elements import (
    characters_of,
    elements_of,
    fill_value_of,
    is_boolean,
    is_elsewhere,
    list_text,
    parts_elsewhere,
    variable,
)
from zarrcore.stores.hdf5.elsewhere.external_files import ExternalElements, parse_segments
from zarrcore.stores.hdf5.elsewhere.files import OtherFiles
from zarrcore.stores.hdf5.elsewhere.virtual_dataset import CODEC, Budget, VirtualElements
from zarrcore.stores.hdf5.filters import codec_of, unfiltered, without_skips
from zarrcore.stores.hdf5.heaps.global_heaps import GlobalHeaps
from zarrcore.stores.hdf5.heaps.room import Room
from zarrcore.stores.hdf5.layout import (
    Chunked,
    Compact,
    Contiguous,
    Virtual,
    is_absent,
    parse_filters,
    parse_layout,
)
from zarrcore.stores.hdf5.object_header import (
    DATASPACE,
    DATATYPE,
    EXTERNAL_FILES,
    FILL_VALUE,
    FILTERS,
    LAYOUT,
    OLD_FILL_VALUE,
    ObjectHeader,
    dataspace,
)
from zarrcore.stores.hdf5.packed_numbers import numbers, packed_number
from zarrcore.stores.interface import ByteRange
from zarrcore.stores.virtual.file_reader import UNDEFINED, BrokenFileError, FileReader, unsigned
from zarrcore.stores.virtual.row_chunks import row_chunk_shape, rows_of
from zarrcore.stores.virtual.store import Part
from zarrcore.typing import AnyArray

_MAX_VARIABLE: Final = 1 << 24
"""The largest number of elements of variable length in a chunk."""
_MAX_VARIABLE_NBYTES: Final = 1 << 28
"""What they may take together."""
_OF_CHUNK: Final = "the elements of a chunk"
_NO_ELEMENTS: Final = b"\0" * 4


class Dataset:
    """A dataset, parsed; its chunk index is read when the first chunk is asked for. Thread-safe.

    Raises:
        BrokenFileError: it is broken.
        UnshownError: Zarr has no counterpart for it.
    """

    def __init__(
        self, reader: FileReader, heaps: GlobalHeaps, header: ObjectHeader, files: OtherFiles
    ) -> None:
        self._reader = reader
        self._heaps = heaps
        kind, space, layout = header.first(DATATYPE), header.first(DATASPACE), header.first(LAYOUT)
        if kind is None or space is None or layout is None:
            raise BrokenFileError("a dataset has no type, no shape or no layout")
        self.type: Datatype = parse_datatype(kind)
        self.elements = elements_of(self.type)
        shape = dataspace(space)
        self.shape = (0,) if shape is None else shape
        filters = header.first(FILTERS)
        self._filters = parse_filters(filters) if filters else ()
        self.max_shape = self.shape if shape is None else _max_shape(space, self.shape)
        self._layout = parse_layout(
            layout, self.type.nbytes, self.max_shape if shape else (), bool(self._filters)
        )
        if isinstance(self._layout, Chunked | Virtual) and shape is None:
            raise BrokenFileError("a dataset without elements has chunks")
        external = header.first(EXTERNAL_FILES)
        self._external = ExternalElements(files, parse_segments(reader, external)) if external else None
        self._virtual: VirtualElements | None = None
        if isinstance(self._layout, Virtual):
            place = self._layout
            mappings = b"" if is_absent(place.address) else heaps.object(place.address, place.number)
            self._virtual = VirtualElements(files, mappings, self.shape, self.type.nbytes)
            self.shape = self._virtual.shape
        self._fill = self._fill_value(header)
        self.chunk_shape = self._chunk_shape()
        self._index: ChunkIndex | None = None
        self._lock = threading.Lock()

    @property
    def ndim(self) -> int:
        """Dimensions of the array, with those of an array type."""
        return len(self.shape) + len(self.elements.inner_shape)

    @property
    def is_unlimited(self) -> bool:
        """Whether it is stored and may grow without a limit."""
        return self._virtual is None and UNDEFINED in self.max_shape

    @property
    def unlimited_axes(self) -> tuple[int, ...]:
        """The axes that may grow without a limit."""
        return tuple(axis for axis, most in enumerate(self.max_shape) if most == UNDEFINED)

    @property
    def is_chunked(self) -> bool:
        """Whether it is stored in chunks, and not in one piece."""
        return isinstance(self._layout, Chunked)

    def document(
        self,
        attributes: dict[str, Any],
        names: list[str | None] | None,
        shape: tuple[int, ...] | None = None,
    ) -> dict[str, Any]:
        """Its ``zarr.json``, with a larger shape if elements that are not stored are shown, too."""
        inner = self.elements.inner_shape
        document = {
            "zarr_format": 3,
            "node_type": "array",
            "shape": [*(self.shape if shape is None else shape), *inner],
            "data_type": self.elements.data_type,
            "chunk_grid": {
                "name": "regular",
                "configuration": {"chunk_shape": [*self.chunk_shape, *inner]},
            },
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": self._fill,
            "codecs": self._codecs(),
            "attributes": self._with_meanings(attributes),
        }
        if names is not None:
            document["dimension_names"] = [*names, *[None] * len(inner)]
        return document

    def part_document(self) -> dict[str, Any]:
        """What decodes one chunk alone, for the codec ``hdf5.virtual``."""
        return {
            "data_type": self.elements.data_type,
            "shape": [*self.chunk_shape, *self.elements.inner_shape],
            "fill_value": self._fill,
            "codecs": self._codecs(),
        }

    def _codecs(self) -> list[dict[str, Any]]:
        if self._virtual is not None:
            return [CODEC]
        filters = () if self.elements.is_variable else self._filters
        return [self.elements.codec, *map(codec_of, filters)]

    def _with_meanings(self, attributes: dict[str, Any]) -> dict[str, Any]:
        if self.type.kind is not Kind.ENUM or is_boolean(self.type) or not self.type.members:
            return attributes
        if {"flag_values", "flag_masks", "flag_meanings"} & attributes.keys():
            return attributes
        names = " ".join("_".join(name.split()) for name, _ in self.type.members)
        return {
            **attributes,
            "flag_values": _member_values(self.type),
            "flag_meanings": names,
        }

    def _fill_value(self, header: ObjectHeader) -> Any:
        kind = "" if self.elements.data_type == "string" else None
        data = header.first(FILL_VALUE)
        if data is not None:
            value = _fill_bytes(data)
        else:
            old = header.first(OLD_FILL_VALUE)
            value = old[4 : 4 + unsigned(old, 0, 4)] if old else b""
        if not value and self.elements.is_variable:
            value = bytes(self.type.nbytes)  # which refers to nothing: an empty text, or an empty list
        found = fill_value_of(self.type, value, self._heaps) if value else None
        if found is None:
            found = kind if kind is not None else _zero(self.elements.data_type)
        return list_text(found) if isinstance(found, list) and kind is not None else found

    def _chunk_shape(self) -> tuple[int, ...]:
        if isinstance(self._layout, Chunked):
            return self._layout.chunk_shape
        if self._virtual is not None:
            return self._virtual.chunk_shape
        if isinstance(self._layout, Compact) or not self.shape:
            return tuple(max(1, length) for length in self.shape)
        return row_chunk_shape(self.shape, self.type.nbytes)

    def chunk(self, index: tuple[int, ...], budget: Budget | None = None) -> bytes | Part | None:
        """The bytes of a chunk, or where they are; None if it is not stored.

        Args:
            index: of the chunk.
            budget: what a chunk of a virtual dataset may still take.

        Raises:
            BrokenFileError: it is broken.
            StoreError: the store failed.
        """
        own, inner = index[: len(self.shape)], index[len(self.shape) :]
        if any(inner) or any(i * c >= n for i, c, n in zip(own, self.chunk_shape, self.shape, strict=True)):
            return None
        if self._virtual is not None:
            return self._virtual.chunk(own, budget or Budget())
        found = self._stored(own)
        return None if found is None else self._value(found)

    def values(self) -> Iterator[tuple[tuple[int, ...], bytes | Part]]:
        """The indices of all stored chunks, with their bytes or places as of `chunk`.

        Raises:
            As `chunk`.
        """
        layout = self._layout
        if not isinstance(layout, Chunked):
            for index, _ in self.chunks():
                found = self.chunk(index)
                if found is not None:
                    yield index, found
            return
        inner = (0,) * len(self.elements.inner_shape)
        for index, place in self._chunk_index().places():
            if not is_absent(place.address):
                yield index + inner, self._value(self._of_chunk(layout, place, index))

    def _value(self, stored: bytes | Part) -> bytes | Part:
        if not self.elements.is_variable:
            return stored
        data, count, item = self._bytes(stored), math.prod(self.chunk_shape), self.type.nbytes
        kind = self.type
        while kind.kind is Kind.ARRAY and kind.base is not None:
            count, kind = count * math.prod(kind.shape), kind.base
        if count > _MAX_VARIABLE or len(data) < item * math.prod(self.chunk_shape):
            raise BrokenFileError(f"a chunk of {count:,} elements of variable length has {len(data):,} bytes")
        if is_elsewhere(kind):
            return _vlen(*self._elsewhere(kind, data, count, Room(_MAX_VARIABLE_NBYTES, _OF_CHUNK)))
        return self._records(kind, data, count)

    def chunk_bytes(self, index: tuple[int, ...], budget: Budget) -> bytes | None:
        """The bytes of a chunk; None if it is not stored.

        Raises:
            As `chunk`.
        """
        found = self.chunk(index, budget)
        return None if found is None else self._bytes(found)

    def _bytes(self, found: bytes | Part) -> bytes:
        if isinstance(found, bytes):
            return found
        if found.store is self._reader.source and found.key == self._reader.key:
            return self._read(found.start, found.nbytes or 0)
        return bytes(
            found.store.get(found.key, ByteRange(found.start, found.start + (found.nbytes or 0))) or b""
        )

    def _part(self, start: int, nbytes: int) -> Part:
        return Part(self._reader.source, self._reader.key, start, nbytes)

    def _stored(self, index: tuple[int, ...]) -> bytes | Part | None:
        layout, item = self._layout, self.type.nbytes
        if isinstance(layout, Compact):
            wanted = math.prod(self.shape) * item
            if len(layout.data) < wanted:
                raise BrokenFileError("the elements of a dataset end early")
            return layout.data[:wanted]
        if self._external is not None:
            rows = rows_of(self.shape, self.chunk_shape, index, item)
            found = self._external.read(rows.offset, rows.stored_nbytes)
            if rows.stored_nbytes < rows.nbytes:
                return self._bytes(found).ljust(rows.nbytes, b"\0")
            return found
        if isinstance(layout, Contiguous):
            if is_absent(layout.address) or not layout.nbytes:
                return None
            return self._contiguous(layout, index, item)
        if not isinstance(layout, Chunked):
            raise BrokenFileError("a dataset has no chunks")
        place = self._chunk_index().place(index)
        if place is None or is_absent(place.address):
            return None
        return self._of_chunk(layout, place, index)

    def _of_chunk(self, layout: Chunked, place: Place, index: tuple[int, ...]) -> bytes | Part:
        everything = (1 << len(self._filters)) - 1
        skipped = place.skipped & everything
        edges = zip(index, self.chunk_shape, self.shape, strict=True)
        if layout.edges_unfiltered and any((i + 1) * c > n for i, c, n in edges):
            skipped = everything
        nbytes = place.nbytes if skipped != everything else layout.chunk_nbytes
        start = self._reader.base + place.address
        if self.elements.is_variable and self._filters:
            return unfiltered(self._read(start, nbytes), self._filters, skipped, layout.chunk_nbytes)
        if skipped:
            return without_skips(self._read(start, nbytes), self._filters, skipped, layout.chunk_nbytes)
        return self._part(start, nbytes)

    def _contiguous(self, layout: Contiguous, index: tuple[int, ...], item: int) -> bytes | Part:
        rows = rows_of(self.shape, self.chunk_shape, index, item)
        if math.prod(self.shape) * item > layout.nbytes:
            raise BrokenFileError("a dataset has fewer bytes than its shape demands")
        start = self._reader.base + layout.address + rows.offset
        if rows.stored_nbytes == rows.nbytes:
            return self._part(start, rows.nbytes)
        # The last chunk along the divided dimension is shorter; chunks of Zarr are not.
        return self._read(start, rows.stored_nbytes).ljust(rows.nbytes, b"\0")

    def _read(self, start: int, nbytes: int) -> bytes:
        return self._reader.read(start - self._reader.base, nbytes, "a chunk")

    def _records(self, kind: Datatype, data: bytes, count: int) -> bytes:
        """Elements with the values that they refer to, as the codec ``hdf5.elements`` has them."""
        room = Room(_MAX_VARIABLE_NBYTES, _OF_CHUNK)
        records = np.frombuffer(data, "u1", count * kind.nbytes).reshape(count, kind.nbytes).copy()
        values, nbytes = [], 0
        for at, part in parts_elsewhere(kind):
            references = records[:, at : at + part.nbytes].tobytes()
            joined, sizes = self._elsewhere(part, references, count, room)
            starts = nbytes + np.cumsum(sizes, dtype="u8") - sizes
            for start, told in ((at, sizes), (at + 4, starts)):
                records[:, start : start + 4] = told.astype("<u4").view("u1").reshape(count, 4)
            values.append(joined.tobytes())
            nbytes += len(joined)
        return b"".join((records.tobytes(), *values))

    def _elsewhere(self, kind: Datatype, data: bytes, count: int, room: Room) -> tuple[AnyArray, AnyArray]:
        """The values in UTF-8 that elements refer to, one after another, and the size of each."""
        if kind.kind is Kind.REFERENCE:
            return _joined(self._paths(kind, data, room))
        if not kind.is_text:
            return _joined(self._lists(kind, data, count, room))
        joined, sizes = self._heaps.joined(data, count, room)
        if joined.all() and (kind.is_utf8 or joined.max(initial=0) < 128):
            return joined, sizes
        texts = self._heaps.texts(data, count)
        return _joined(texts if kind.is_utf8 else (characters_of(kind, text).encode() for text in texts))

    def _paths(self, kind: Datatype, data: bytes, room: Room) -> Iterator[bytes]:
        """What references lead to."""
        for at in range(0, len(data) - kind.nbytes + 1, kind.nbytes):
            path = self._heaps.references.text(kind, data[at : at + kind.nbytes]).encode(
                "utf-8", "surrogateescape"
            )
            room.take(len(path))
            yield path

    def _lists(self, kind: Datatype, data: bytes, count: int, room: Room) -> Iterator[bytes]:
        """Elements of variable length that are not texts, as JSON."""
        for at in range(0, 16 * count, 16):
            item = data[at : at + 16]
            if item[:4] == _NO_ELEMENTS:
                yield b"[]"
            else:
                yield list_text(variable(kind, item, self._heaps, room)).encode()

    def _chunk_index(self) -> ChunkIndex:
        with self._lock:
            if self._index is None:
                if not isinstance(self._layout, Chunked):
                    raise BrokenFileError("a dataset has no chunks")
                self._index = ChunkIndex(self._reader, self._layout, self.shape, self.max_shape)
            return self._index

    def forget_index(self) -> None:
        """Drop the chunk index; it is read again when it is needed."""
        self._index = None

    def chunks(self) -> Iterator[tuple[tuple[int, ...], int | None]]:
        """The indices of all stored chunks, and their sizes if they are known."""
        inner = (0,) * len(self.elements.inner_shape)
        if isinstance(self._layout, Chunked):
            for index, (_, nbytes, _) in self._chunk_index().places():
                yield index + inner, None if self.elements.is_variable else nbytes
            return
        if self._virtual is not None:
            for index in self._virtual.chunks():
                yield index + inner, None
            return
        if isinstance(self._layout, Contiguous) and self._external is None:
            if is_absent(self._layout.address) or not self._layout.nbytes:
                return
            if math.prod(self.shape) * self.type.nbytes > self._layout.nbytes:
                raise BrokenFileError("a dataset has fewer bytes than its shape demands")
        grid = [-(-n // c) for n, c in zip(self.shape, self.chunk_shape, strict=True)]
        size = None if self.elements.is_variable else math.prod(self.chunk_shape) * self.type.nbytes
        for number in range(math.prod(grid)):
            place: list[int] = []
            rest = number
            for count in reversed(grid):
                rest, i = divmod(rest, count)
                place.append(i)
            yield (*reversed(place), *inner), size


def _member_values(kind: Datatype) -> list[int]:
    values, packed = [value for _, value in kind.members], packed_number(kind)
    if packed is None:
        return values
    order: Literal["big", "little"] = "big" if kind.big_endian else "little"
    data = b"".join(value.to_bytes(kind.nbytes, order, signed=kind.is_signed) for value in values)
    found: list[int] = numbers(np.frombuffer(data, "u1").reshape(-1, kind.nbytes), packed).tolist()
    return found


def _max_shape(space: bytes, shape: tuple[int, ...]) -> tuple[int, ...]:
    if not space[2] & 1:
        return shape
    first = (8 if space[0] == 1 else 4) + 8 * len(shape)
    return tuple(unsigned(space, first + 8 * place, 8) for place in range(len(shape)))


def _fill_bytes(data: bytes) -> bytes:
    version = unsigned(data, 0, 1)
    if version == 3:
        at, is_defined = 2, unsigned(data, 1, 1) & 0x20
    elif version in (1, 2):
        at, is_defined = 4, version == 1 or unsigned(data, 3, 1)
    else:
        raise BrokenFileError(f"a fill value has version {version}")
    if not is_defined:
        return b""
    nbytes = unsigned(data, at, 4)
    if nbytes >= 2**31:
        return b""
    if at + 4 + nbytes > len(data):
        raise BrokenFileError("a fill value ends early")
    return data[at + 4 : at + 4 + nbytes]


def _zero(data_type: Any) -> Any:
    if not isinstance(data_type, str):
        return "" if data_type["name"] == "null_terminated_bytes" else 0
    if data_type.startswith("complex"):
        return [0.0, 0.0]
    if data_type[0] == "r":
        return [0] * (int(data_type[1:]) // 8)
    return False if data_type == "bool" else 0


def _joined(elements: Iterable[bytes]) -> tuple[AnyArray, AnyArray]:
    """Elements one after another, and the size of each."""
    parts = [*elements]
    return np.frombuffer(b"".join(parts), "u1"), np.fromiter(map(len, parts), "<u4", len(parts))


def _vlen(joined: AnyArray, sizes: AnyArray) -> bytes:
    """Elements that lie one after another, as the codecs ``vlen-utf8`` and ``vlen-bytes`` have them."""
    count = len(sizes)
    encoded = np.empty(4 + 4 * count + len(joined), "u1")
    encoded[:4] = np.frombuffer(count.to_bytes(4, "little"), "u1")
    parts = np.stack([np.full(count, 4), sizes], 1)
    is_content = np.repeat(np.tile([False, True], count), parts.reshape(-1))
    rest = encoded[4:]
    rest[is_content] = joined
    rest[~is_content] = sizes.view("u1")
    return encoded.tobytes()
