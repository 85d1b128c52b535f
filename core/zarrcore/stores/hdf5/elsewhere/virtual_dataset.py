"""Chunks of a virtual dataset: the encoded chunks of its sources, and where their elements go.

Sources have codecs, chunks and types of their own, and may be virtual themselves. So a chunk is a container for the codec
``hdf5.virtual``, which decodes the parts: the number of bytes of a JSON document (8 bytes, little-endian), the document, and
the bytes of the parts one after another. Elements without a source have the fill value.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from zarrcore.errors import BrokenReferenceError
from zarrcore.stores.hdf5.elements import UnshownError
from zarrcore.stores.hdf5.elsewhere.files import OtherFiles, within
from zarrcore.stores.hdf5.elsewhere.mapping import Mapping, limited, parse_mappings
from zarrcore.stores.hdf5.elsewhere.selection import Indices, Line, is_empty, whole
from zarrcore.stores.hdf5.elsewhere.spans import Spans
from zarrcore.stores.virtual.file_reader import BrokenFileError
from zarrcore.stores.virtual.row_chunks import row_chunk_shape

if TYPE_CHECKING:
    from zarrcore.stores.hdf5.dataset import Dataset

CODEC: Final[dict[str, Any]] = {"name": "hdf5.virtual"}
_MAX_CHUNK_NBYTES: Final = 1 << 28
_MAX_LENGTH: Final = 1 << 24
"""Of a chunk along a dimension: indices are listed."""


@dataclass(slots=True)
class Budget:
    """What one chunk may still take."""

    parts: int = 1 << 16
    nbytes: int = 1 << 28

    def take(self, nbytes: int) -> None:
        """Note one more part.

        Raises:
            BrokenFileError: there are too many.
        """
        self.parts -= 1
        self.nbytes -= nbytes
        if self.parts < 0 or self.nbytes < 0:
            raise BrokenFileError("a chunk of a virtual dataset has too many parts")


@dataclass(slots=True)
class _Container:
    """The parts of a chunk."""

    sources: dict[str, int] = field(default_factory=dict)
    parts: list[Any] = field(default_factory=list)
    data: list[bytes] = field(default_factory=list)

    def number_of(self, source: Dataset) -> int:
        return self.sources.setdefault(json.dumps(source.part_document()), len(self.sources))

    def add(self, source: int, there: list[Indices], here: list[Indices], data: bytes | None) -> None:
        """Add the elements at indices of a stored chunk of a source, and at indices of this chunk; None for a missing one."""
        nbytes = None if data is None else len(data)
        self.parts.append([source, nbytes, [_told(i) for i in there], [_told(i) for i in here]])
        self.data.append(data or b"")

    def __bytes__(self) -> bytes:
        document = {"sources": [json.loads(source) for source in self.sources], "parts": self.parts}
        head = json.dumps(document).encode()
        return b"".join((len(head).to_bytes(8, "little"), head, *self.data))


class VirtualElements:
    """Where the elements of a virtual dataset are. Thread-safe.

    Args:
        files: opens the other files.
        mappings: the object of the global heap; empty if there is none.
        shape: as it is stored.
        item_nbytes: bytes of an element.

    Attributes:
        shape: with the lengths that follow from the sources.
        chunk_shape: that of the first source that exists, in the dimensions of this dataset.
    """

    def __init__(self, files: OtherFiles, mappings: bytes, shape: tuple[int, ...], item_nbytes: int) -> None:
        self._files = files
        self._identity = (*files.identity, mappings)
        parsed = parse_mappings(mappings) if mappings else []
        found = [mapping for mapping in parsed if not _is_nothing(mapping)]
        try:
            with within(self._identity):
                self._mappings, self.shape = limited(found, shape, self._shape_of)
                self._lines = [self._virtual(mapping) for mapping in self._mappings]
                self.chunk_shape = self._chunk_shape(item_nbytes)
        except BrokenReferenceError as error:
            raise UnshownError(f"a source of the virtual dataset cannot be read: {error}") from error
        ends = [[line.ends if len(line) else (1, 0) for line in lines] for lines in self._lines]
        self._spans = Spans(np.array(ends, "i8").reshape(len(ends), len(shape), 2))

    def _virtual(self, mapping: Mapping) -> tuple[Line, ...]:
        lines = whole(self.shape) if mapping.virtual is None else mapping.virtual
        if len(lines) != len(self.shape):
            raise BrokenFileError("a mapping of a virtual dataset has other dimensions")
        return lines

    def _source(self, file: str, dataset: str) -> Dataset | None:
        """A source; None if it does not exist."""
        opened = self._files.hdf5(file)
        return None if opened is None else opened.dataset(dataset)

    def _shape_of(self, file: str, dataset: str) -> tuple[int, ...] | None:
        source = self._source(file, dataset)
        return None if source is None else source.shape

    def _chunk_shape(self, item_nbytes: int) -> tuple[int, ...]:
        for mapping, lines in zip(self._mappings, self._lines, strict=True):
            source = self._source(mapping.file, mapping.dataset)
            if source is None:
                continue
            chunk = [1] * len(lines)
            sources = _of_source(mapping, source)
            for d, e in _pairs(lines, sources):
                chunk[d] = min(source.chunk_shape[e], max(1, self.shape[d]))
            if math.prod(chunk) * item_nbytes <= _MAX_CHUNK_NBYTES and max(chunk) <= _MAX_LENGTH:
                return tuple(chunk)
            break
        return row_chunk_shape(self.shape, item_nbytes)

    def chunk(self, index: tuple[int, ...], budget: Budget) -> bytes | None:
        """The container of a chunk; None if it has no elements with a source.

        Raises:
            BrokenFileError: a source does not fit.
            UnshownError: a source cannot be read.
            StoreError: a store failed.
        """
        low = np.array([i * c for i, c in zip(index, self.chunk_shape, strict=True)], "i8")
        high = np.minimum(low + self.chunk_shape, self.shape)
        container = _Container()
        with within(self._identity):
            for number in self._spans.crossing(low, high):
                self._add(container, number, low.tolist(), high.tolist(), budget)
        return bytes(container) if container.parts else None

    def _add(
        self, container: _Container, number: int, low: list[int], high: list[int], budget: Budget
    ) -> None:
        mapping, lines = self._mappings[number], self._lines[number]
        spans = [(line.below(a), line.below(b)) for line, a, b in zip(lines, low, high, strict=True)]
        if any(first >= after for first, after in spans):
            return
        source = self._source(mapping.file, mapping.dataset)
        if source is None:
            return
        positions = [np.arange(first, after) for first, after in spans]
        here = [line.at(p) - a for line, p, a in zip(lines, positions, low, strict=True)]
        source_lines = _of_source(mapping, source)
        of_source = {e: d for d, e in _pairs(lines, source_lines)}
        there = [
            line.at(positions[of_source[e]] if e in of_source else np.zeros(1, "i8"))
            for e, line in enumerate(source_lines)
        ]
        if any(int(found[-1]) >= length for found, length in zip(there, source.shape, strict=True)):
            raise BrokenFileError(
                f"the source {mapping.dataset} in {mapping.file} is smaller than its mapping"
            )
        number_of_source = container.number_of(source)
        for pieces in itertools.product(*map(_chunks_of, there, source.chunk_shape)):
            chunk = tuple(piece[0] for piece in pieces)
            from_source = [there[e][a:b] - n * source.chunk_shape[e] for e, (n, a, b) in enumerate(pieces)]
            to_here = list(here)
            for e, d in of_source.items():
                _, a, b = pieces[e]
                to_here[d] = here[d][a:b]
            data = source.chunk_bytes((*chunk, *(0,) * len(source.elements.inner_shape)), budget)
            budget.take(0 if data is None else len(data))
            container.add(number_of_source, from_source, to_here, data)

    def chunks(self) -> Iterator[tuple[int, ...]]:
        """The indices of the chunks that have elements with a source."""
        seen: set[tuple[int, ...]] = set()
        for number, lines in enumerate(self._lines):
            mapping = self._mappings[number]
            if self._source(mapping.file, mapping.dataset) is None:
                continue
            first = (self._spans.first[number] // self.chunk_shape).tolist()
            last = (
                np.minimum(self._spans.last[number], np.array(self.shape) - 1) // self.chunk_shape
            ).tolist()
            for index in itertools.product(*(range(a, b + 1) for a, b in zip(first, last, strict=True))):
                if index not in seen and self._touches(lines, index):
                    seen.add(index)
                    yield index

    def _touches(self, lines: tuple[Line, ...], index: tuple[int, ...]) -> bool:
        ends = zip(lines, index, self.chunk_shape, self.shape, strict=True)
        return all(line.below(i * c) < line.below(min((i + 1) * c, n)) for line, i, c, n in ends)


def _is_nothing(mapping: Mapping) -> bool:
    return is_empty(mapping.virtual) or is_empty(mapping.source)


def _of_source(mapping: Mapping, source: Dataset) -> tuple[Line, ...]:
    lines = whole(source.shape) if mapping.source is None else mapping.source
    if len(lines) != len(source.shape):
        raise BrokenFileError(f"the source {mapping.dataset} in {mapping.file} has other dimensions")
    return lines


def _pairs(virtual: tuple[Line, ...], source: tuple[Line, ...]) -> list[tuple[int, int]]:
    """The dimensions of both sides that belong together: those with more than one element, in their order.

    Raises:
        BrokenFileError: the sides have different numbers of elements.
        UnshownError: the same number, but in another shape.
    """
    own = [d for d, line in enumerate(virtual) if len(line) != 1]
    others = [e for e, line in enumerate(source) if len(line) != 1]
    lengths = [len(virtual[d]) for d in own], [len(source[e]) for e in others]
    if lengths[0] != lengths[1]:
        if math.prod(lengths[0]) == math.prod(lengths[1]):
            raise UnshownError("the virtual dataset reshapes its sources, which zarrscope does not read")
        raise BrokenFileError("a mapping of a virtual dataset has different numbers of elements")
    return list(zip(own, others, strict=True))


def _chunks_of(indices: Indices, length: int) -> list[tuple[int, int, int]]:
    """The numbers of the chunks along a dimension that indices are in, and where they begin and end."""
    numbers = indices // length
    edges = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
    return [(int(numbers[a]), a, b) for a, b in itertools.pairwise(edges)]


def _told(indices: Indices) -> list[int] | dict[str, list[int]]:
    """Indices as start, step and number; or as a list."""
    steps = np.diff(indices)
    if not len(steps) or (steps == steps[0]).all():
        return [int(indices[0]), int(steps[0]) if len(steps) else 1, len(indices)]
    return {"at": indices.tolist()}
