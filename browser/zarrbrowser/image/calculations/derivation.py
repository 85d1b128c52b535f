"""Reads planes that are computed from the elements of arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from zarrbrowser.image.calculations.comparison import REJECTED, Comparison, SecondPlane
from zarrbrowser.image.calculations.reduction import Reduction, reduced
from zarrbrowser.image.levels import whole
from zarrbrowser.nodes.protocols import ArrayLike, is_small_number
from zarrbrowser.nodes.read_cost import Cancelled
from zarrbrowser.values.elements import Elements
from zarrcore.typing import AnyArray

if TYPE_CHECKING:
    from zarrbrowser.image.tiles.raster import Raster, Window

DTYPE = np.dtype(np.float64)
"""The type of computed numbers: NaN where there is none."""
_READ_BYTES = 16 * 2**20
"""What is read at once, unless one chunk is larger."""
_ADDED = 2**20
"""Numbers that are added at once: as floats they take 8 MiB."""

Cancel = Callable[[], bool]
Progress = Callable[[float], None]


def _never() -> bool:
    return False


def _quiet(_part: float) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Derivation:
    """How the numbers of a plane are computed."""

    elements: Elements
    """How stored elements become numbers, before anything else."""
    reduction: Reduction | None = None
    comparison: Comparison | None = None
    second: SecondPlane | None = None
    """The plane of another array, if that is what the comparison is with."""

    def layers(self, array: ArrayLike) -> int:
        """Chunks along the axis that is reduced."""
        if self.reduction is None:
            return 1
        axis = self.reduction.axis
        return math.ceil(array.shape[axis] / max(1, array.inner_chunk_shape[axis]))

    def read(
        self,
        raster: Raster,
        window: Window,
        cancelled: Cancel | None = None,
        progress: Progress | None = None,
    ) -> AnyArray:
        """The numbers of a window of samples, shape (rows, columns), float64; NaN where all are missing.

        Raises:
            ReadCancelledError, Cancelled: ``cancelled`` became true.
            ZarrError: a chunk cannot be read or decoded.
        """
        cancelled, progress = cancelled or _never, progress or _quiet
        if self.comparison is not None:
            first = replace(raster, derivation=replace(self, comparison=None, second=None))
            a = first.read(window, cancelled, lambda part: progress(part / 2))
            b = self.second_raster(raster).read(window, cancelled, lambda part: progress((1 + part) / 2))
            if self.second is not None and self.second.is_missing_at_0:
                b = np.where(np.isnan(b), b, b == 0)
            if self.second is not None and self.second.has_properties:
                b = np.where(np.isnan(b), b, np.nan_to_num(b).astype(np.int64) & REJECTED)
            return self.comparison.operation.of(a, b)
        if self.reduction is None:
            return numbers_of_elements(self.elements, raster.plain().read(window, cancelled))
        shape = (window[0].stop - window[0].start, window[1].stop - window[1].start)
        return reduced(self.reduction.statistic, self._blocks(raster, window, cancelled, progress), shape)

    def second_raster(self, raster: Raster) -> Raster:
        """The raster of the other plane of a comparison; it has the same samples."""
        comparison = self.comparison
        assert comparison is not None  # noqa: S101 - only then
        if self.second is not None:
            second, array = self.second, self.second.array_for(raster.level_shape)
            assert array is not None  # noqa: S101 - only levels of the same shape are shown
            last = (max(length - 1, 0) for length in array.shape)
            index = tuple(min(at, end) for at, end in zip(second.index, last, strict=True))
            index = tuple(0 if axis in (second.rows, second.columns) else at for axis, at in enumerate(index))
            return replace(
                raster,
                level=whole(array),
                rows=second.rows,
                columns=second.columns,
                index=index,
                derivation=Derivation(second.elements),
            )
        reduction = self.reduction
        if comparison.statistic is not None:
            reduction = Reduction(comparison.axis, comparison.statistic)
        elif reduction is not None and reduction.axis == comparison.axis:
            reduction = None
        at = 0 if comparison.statistic else raster.level.position(comparison.axis, comparison.position)
        index = (*raster.index[: comparison.axis], at, *raster.index[comparison.axis + 1 :])
        return replace(raster, index=index, derivation=Derivation(self.elements, reduction))

    def _blocks(
        self, raster: Raster, window: Window, cancelled: Cancel, progress: Progress
    ) -> Iterator[AnyArray]:
        """Numbers along the axis that is reduced, which comes first."""
        assert self.reduction is not None  # noqa: S101 - only then
        array, axis = raster.level.array, self.reduction.axis
        size = math.prod(part.stop - part.start for part in window)
        chunk, length = max(1, array.inner_chunk_shape[axis]), array.shape[axis]
        step = chunk * max(1, _READ_BYTES // max(1, size * array.dtype.itemsize * chunk))
        together = max(1, _ADDED // max(1, size))
        for start in range(0, length, step):
            stop = min(start + step, length)
            values = self._read(raster, window, slice(start, stop), cancelled)
            for first in range(0, stop - start, together):
                if cancelled():
                    raise Cancelled
                yield numbers_of_elements(self.elements, values[first : first + together])
            progress(stop / length)

    def _read(self, raster: Raster, window: Window, part: slice, cancelled: Cancel) -> AnyArray:
        """Elements of part of the axis that is reduced, shape (positions, rows, columns)."""
        assert self.reduction is not None  # noqa: S101 - only then
        array, axis = raster.level.array, self.reduction.axis
        selection = list(raster.selection(window))
        selection[axis] = part
        values = array.read(tuple(selection), cancelled=cancelled)
        kept = sorted((axis, *raster.axes))
        return values.transpose([kept.index(one) for one in (axis, *raster.axes)])


def numbers_of_elements(elements: Elements, values: AnyArray) -> AnyArray:
    """Elements as float64, with NaN for missing ones."""
    return elements.known(values).astype(np.float64, copy=False)


def may_derive(array: ArrayLike, elements: Elements) -> bool:
    """Whether numbers can be computed from the elements of an array: not from dates."""
    dtype = array.dtype if elements.field is None else array.dtype[elements.field]
    return dtype.kind in "biufc" or is_small_number(dtype)
