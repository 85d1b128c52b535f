"""A two-dimensional plane of an array: what it costs, the blocks it is read by, what comes of it.

A plane is read block by block, where a block is a run of whole chunks: between two blocks reading can be
cancelled and tells how far it is. A view that shows part of a plane reads fewer blocks of the same kind.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from zarrbrowser.session.axes import Axes
from zarrbrowser.session.contrast import Statistics, statistics
from zarrbrowser.session.nodes import AnyArray, ArrayLike
from zarrbrowser.session.picture import numbers_of

ASK_ABOVE_BYTES = 256 * 2**20
"""A plane whose chunks decode to more than this is read only when the person says so."""
BLOCK_BYTES = 64 * 2**20
"""Decoded bytes per block: large enough to keep every core busy, small enough to cancel within a moment."""


class Cancelled(Exception):  # noqa: N818 - no error: what was asked for is no longer wanted
    """The work was given up between two blocks."""


@dataclass(frozen=True, slots=True)
class Block:
    """A rectangle of the plane, half-open in rows and columns."""

    rows: slice
    columns: slice


@dataclass(frozen=True, slots=True)
class Cost:
    """What reading a plane takes: only whole chunks can be decoded."""

    chunks: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class PlaneRequest:
    """One plane of one array, and the field of it where its elements are structures."""

    array: ArrayLike
    axes: Axes
    field: str | None = None

    def cost(self) -> Cost:
        """Chunks that the plane crosses, and the bytes they decode to."""
        lengths = self._chunk_lengths()
        chunks = math.prod(math.ceil(self.axes.shape[axis] / lengths[axis]) for axis in self.axes.shown)
        return Cost(chunks, chunks * math.prod(lengths) * self.array.dtype.itemsize)

    def blocks(self) -> Iterator[Block]:
        """The whole plane in blocks of whole chunk rows, from the top."""
        axes = self.axes
        rows_per_chunk = self._chunk_lengths()[axes.rows]
        chunk_rows = max(1, math.ceil(axes.height / rows_per_chunk))
        per_block = max(1, BLOCK_BYTES * chunk_rows // max(1, self.cost().nbytes)) * rows_per_chunk
        for start in range(0, axes.height, per_block):
            yield Block(slice(start, min(start + per_block, axes.height)), slice(0, axes.width))

    def selection(self, block: Block) -> tuple[int | slice, ...]:
        """What to ask of the array for ``block``."""
        parts: list[int | slice] = list(self.axes.index)
        parts[self.axes.rows], parts[self.axes.columns] = block.rows, block.columns
        if self.axes.channel is not None:
            parts[self.axes.channel] = slice(None)
        return tuple(parts)

    def _chunk_lengths(self) -> tuple[int, ...]:
        return tuple(max(1, length) for length in self.array.inner_chunk_shape)


@dataclass(frozen=True, slots=True)
class Plane:
    """A plane that was read.

    The first axis of ``values`` and ``picture`` runs down the screen, the second to the right; a third holds
    colours.
    """

    request: PlaneRequest
    values: AnyArray
    """Elements as they are, for the value under the pointer."""
    picture: AnyArray
    """Numbers to draw."""
    statistics: Statistics | None
    """None for colours, which are drawn as they are."""
    elapsed_s: float
    brightest: float = 255.0
    """What full light is among colours."""


def read_plane(
    request: PlaneRequest,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[float], None] = lambda _fraction: None,
) -> Plane:
    """Read, block by block, and measure the plane.

    Raises:
        Cancelled: ``cancelled`` became true; inside a block it is zarrcore's `ReadCancelledError`.
        ZarrError: a chunk cannot be read or decoded.
    """
    started = time.perf_counter()
    values = _read_values(request, cancelled, progress)
    if request.field is not None:
        values = values[request.field]
    picture = numbers_of(values)
    measured = statistics(picture) if request.axes.channel is None else None
    if cancelled():
        raise Cancelled
    brightest = 255.0
    if measured is None and picture.dtype.itemsize > 1:
        # Few cameras fill 16 bits: against the type's largest number their pictures would be black.
        brightest = float(max(1, picture[..., :3].max(initial=1)))
    return Plane(request, values, picture, measured, time.perf_counter() - started, brightest)


def _read_values(
    request: PlaneRequest, cancelled: Callable[[], bool], progress: Callable[[float], None]
) -> AnyArray:
    axes, done = request.axes, 0
    colours = () if axes.channel is None else (axes.shape[axes.channel],)
    values = np.empty((axes.height, axes.width, *colours), request.array.dtype)
    # The array's axes in its own order: chunks are decoded into place, whichever way the picture is turned.
    order = [axes.shown.index(axis) for axis in sorted(axes.shown)]
    for block in request.blocks():
        if cancelled():
            raise Cancelled
        out = values[block.rows, block.columns].transpose(order)
        request.array.read(request.selection(block), out, cancelled=cancelled)
        done += block.rows.stop - block.rows.start
        if done < axes.height:
            progress(done / axes.height)
    return values
