"""How elements become numbers: a field of a structured type, a part of a complex number, packed or not."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from zarrbrowser.nodes.protocols import AnyArray, ArrayLike, is_small_number
from zarrbrowser.values.numbers import numbers_of
from zarrcore.conventions.cf import Packing, among


class Part(Enum):
    """The part of a complex number that is shown."""

    AMPLITUDE = "amplitude"
    PHASE = "phase"
    REAL = "real part"
    IMAGINARY = "imaginary part"


_PARTS: dict[Part, Callable[[AnyArray], AnyArray]] = {
    Part.AMPLITUDE: np.abs,
    Part.PHASE: np.angle,
    Part.REAL: np.real,
    Part.IMAGINARY: np.imag,
}


@dataclass(frozen=True, slots=True)
class Elements:
    """How the numbers are made from the elements."""

    field: str | None = None
    part: Part = Part.AMPLITUDE
    packing: Packing | None = None
    """Applied unless None."""
    fill: tuple[float, ...] = ()
    """Stored numbers that are marked as fill values."""

    def of(self, values: AnyArray) -> AnyArray:
        """The elements, or their chosen field."""
        return values if self.field is None else values[self.field]

    def is_fill(self, values: AnyArray) -> bool:
        """Whether any of these elements is a fill value."""
        return among(self.of(values), self.fill) is not None

    def numbers(self, values: AnyArray) -> tuple[AnyArray, AnyArray | None]:
        """Numbers to draw, and a mask of fill values (None if there are none).

        Small numbers are unpacked to float32, which is precise enough for colours.
        """
        values = self.of(values)
        is_fill = among(values, self.fill)
        if is_complex(values.dtype):
            wide = values.astype(np.complex64) if is_small_number(values.dtype) else values
            return np.ascontiguousarray(_PARTS[self.part](wide)), is_fill
        numbers = numbers_of(values)
        packing = self.packing
        if packing is None:
            return numbers, is_fill
        missing = among(values, packing.missing)
        if packing.is_packed or missing is not None:
            kind = np.float32 if numbers.dtype.itemsize <= 2 else np.float64
            numbers = numbers.astype(np.result_type(numbers.dtype, kind))
            numbers *= packing.scale
            numbers += packing.offset
        if missing is not None:
            is_fill = missing if is_fill is None else is_fill | missing
        return numbers, is_fill

    def known(self, values: AnyArray) -> AnyArray:
        """Numbers as floats for statistics and plots, with NaN for fill values."""
        numbers, is_fill = self.numbers(values)
        if self.packing is not None:
            numbers = numbers_of(self.packing.unpacked(self.of(values)))
        if is_fill is None:
            return numbers
        result = numbers.astype(np.float64)
        result[is_fill] = np.nan
        return result


def is_complex(dtype: np.dtype[Any]) -> bool:
    """Whether elements have an amplitude and a phase."""
    return dtype.kind == "c" or (is_small_number(dtype) and "complex" in dtype.name)


def fill_of(array: ArrayLike) -> tuple[float, ...]:
    """The fill value, if it is a finite number."""
    if array.dtype.kind not in "biuf" or array.fill_value is None or is_small_number(array.dtype):
        return ()
    number = np.asarray(array.fill_value).item()
    number = int(number) if array.dtype.kind == "b" else number
    return (number,) if math.isfinite(number) else ()
