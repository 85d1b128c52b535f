"""Comparing the elements of two arrays of one shape, block by block.

A block covers whole chunks of both arrays as far as memory allows, so that few chunks are decoded twice. At most
`_BUDGET_NBYTES` of blocks are in memory, whatever the shapes of the arrays; a chunk is always decoded as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from heapq import nsmallest
from typing import Any

import numpy as np

from zarrcore.array import Array
from zarrcore.array.pools import CORES
from zarrcore.operations.compare.difference import Difference, ElementExample, Progress, Wanted
from zarrcore.operations.compare.equality import differing, largest_difference
from zarrcore.operations.copy.blocks import Box, nbytes_of
from zarrcore.operations.parallel import in_parallel
from zarrcore.operations.read_blocks import read_grid
from zarrcore.printable import element_text

_BLOCK_NBYTES = 4 << 20
_LARGEST_BLOCK_NBYTES = 32 << 20
_BUDGET_NBYTES = 256 << 20
_COPIES = 5
"""A block is in memory twice, and its comparison takes about as much."""
_LONGEST = 60
"""The most letters of a value that is shown."""


@dataclass(frozen=True, slots=True)
class _Found:
    """The differences in one block."""

    nbytes: int
    """Bytes of A that were compared."""
    count: int = 0
    largest: float | None = None
    examples: tuple[tuple[int, ElementExample], ...] = ()
    """The first examples, each with its place in C order."""


def compare_elements(
    one: Array, other: Array, path: str, wanted: Wanted, progress: Progress | None
) -> Difference | None:
    """The differences between the elements of two arrays of one shape; None if they are equal.

    Raises:
        CodecError: a chunk does not decode.
        StoreError: a store failed.
    """
    itemsize = max(1, one.itemsize, other.itemsize)
    limit, most = _BLOCK_NBYTES // itemsize, _LARGEST_BLOCK_NBYTES // itemsize
    blocks = read_grid(one, other.inner_chunk_shape, limit, most)
    count, largest, done = 0, None, 0
    examples: list[tuple[int, ElementExample]] = []
    for found in _found(one, other, wanted, (blocks.box(number) for number in range(blocks.count))):
        count, done = count + found.count, done + found.nbytes
        examples = nsmallest(wanted.examples, [*examples, *found.examples], key=lambda example: example[0])
        known = [value for value in (largest, found.largest) if value is not None]
        largest = max(known, default=None)
        if progress is not None:
            progress(path, done, one.nbytes)
    if not count:
        return None
    shown = tuple(example for _, example in examples)
    sentence = f"{count:,} of {one.size:,} elements differ"
    return Difference("elements", path, sentence, count=count, size=one.size, largest=largest, examples=shown)


def _found(one: Array, other: Array, wanted: Wanted, boxes: Iterator[Box]) -> Iterator[_Found]:
    itemsize = max(1, one.itemsize, other.itemsize)
    first = next(boxes, None)
    if first is None:
        return
    units = math.prod(one.inner_chunk_shape) + math.prod(other.inner_chunk_shape)
    held = _COPIES * nbytes_of(first, itemsize) + units * itemsize
    # A local store's threads already read the parts of a block at once.
    width = max([CORES, *(array.store.requests_in_flight for array in (one, other) if array.store.is_remote)])
    compare = partial(_compare_block, one, other, wanted)
    yield compare(first)
    yield from in_parallel(compare, boxes, max(1, min(width, _BUDGET_NBYTES // held)))


def _compare_block(one: Array, other: Array, wanted: Wanted, box: Box) -> _Found:
    a, b = one.read(box or ...), other.read(box or ...)
    nbytes = nbytes_of(box, one.itemsize)
    places = np.flatnonzero(differing(a, b, wanted.tolerance))
    if not places.size:
        return _Found(nbytes)
    examples = []
    for place in places[: wanted.examples]:
        inside = np.unravel_index(place, a.shape)
        index = tuple(int(part.start + along) for part, along in zip(box, inside, strict=True))
        values = (_text(values[inside]) for values in (a, b))
        examples.append((_number(index, one.shape), ElementExample(index, *values)))
    return _Found(nbytes, int(places.size), largest_difference(a, b), tuple(examples))


def _number(index: tuple[int, ...], shape: tuple[int, ...]) -> int:
    """The place of an element in C order."""
    number = 0
    for along, length in zip(index, shape, strict=True):
        number = number * length + along
    return number


def _text(value: Any) -> str:
    with np.errstate(invalid="ignore"):  # of a signalling NaN
        text = repr(value.tolist()) if isinstance(value, np.ndarray) else _scalar_text(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _scalar_text(value: Any) -> str:
    return repr(value) if isinstance(value, str | bytes) else element_text(value)
