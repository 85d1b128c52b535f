"""From numbers to colours, for the screen and for export: norms, colour maps, labels, blended channels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from zarrbrowser.image.colours.colour_maps import LABELS, lookup_table
from zarrbrowser.image.levels import Colour, Rgba
from zarrbrowser.nodes.protocols import AnyArray
from zarrbrowser.values.elements import Elements
from zarrbrowser.values.numbers import EXACT, from_offset

NOTHING: Rgba = (0, 0, 0, 0)
_STEPS = 256
_NAN, _FILL = 256, 257
_SINGLE = 1e37
"""If both bounds are below this value, their difference fits in a float32."""
_LEAST_SINGLE = 1e-36
"""If the bounds differ by less, the reciprocal of the difference overflows a float32."""
_HUGE = 1e300
"""If the bounds differ by more, the reciprocal of the difference loses precision."""
_TINY = 1e-30
_SYMLOG_LINEAR = 1e-3
"""symlog is linear around zero up to this fraction of the larger bound."""
_LEAST_LABEL, _GREATEST_LABEL = -(2**63), 2**63 - 1
_LOG_DECADES = 6
"""The decades that a logarithmic scale spans below the upper bound if the lower bound is not positive."""


class Norm(Enum):
    """How values between the bounds are spread over the colours."""

    LINEAR = "linear"
    LOG = "log"
    SQRT = "sqrt"
    SYMLOG = "symlog"


@dataclass(frozen=True, slots=True)
class Style:
    """How numbers become colours."""

    colour_map: str = "gray"
    norm: Norm = Norm.LINEAR
    levels: tuple[float, float] = (0.0, 1.0)
    """The values of the first and the last colour."""
    nan: Rgba = NOTHING
    fill: Rgba = NOTHING
    label_colours: tuple[tuple[int, Rgba], ...] = ()
    """Labels whose colours are known, by rising value; each other label gets one."""

    @property
    def is_labels(self) -> bool:
        """Whether each integer has a colour of its own."""
        return self.colour_map == LABELS


def spread(numbers: AnyArray, norm: Norm, levels: tuple[float, float]) -> AnyArray:
    """Numbers scaled so that the lower bound is 0 and the upper 1, not clipped; float32 or float64."""
    numbers, (low, high) = _near(numbers, norm, levels)
    is_small = abs(low) < _SINGLE and abs(high) < _SINGLE and high - low > _LEAST_SINGLE
    single = numbers.dtype == np.float32 and is_small
    kind = np.dtype(np.float32 if single else np.float64)
    values = numbers.astype(kind, copy=False)
    with np.errstate(all="ignore"):
        if norm is Norm.LOG:
            low = low if low > 0 else (high if high > 0 else _TINY) * 10.0**-_LOG_DECADES
            high = max(high, low * (1 + 1e-6))
            scaled = np.log(np.maximum(values, low * 1e-3)) - math.log(low)
            scaled /= math.log(high) - math.log(low)
        elif norm is Norm.SYMLOG:
            linear = max(abs(low), abs(high)) * _SYMLOG_LINEAR or 1.0
            first, last = _symlog(np.array([low, high]), linear)
            scaled = _symlog(values, linear)
            scaled -= first
            scaled /= last - first
        else:
            scaled = values - kind.type(low)
            if high - low > _HUGE:
                scaled /= kind.type(high - low)
            else:
                scaled *= kind.type(1.0 / (high - low))
            if norm is Norm.SQRT:
                scaled = np.sqrt(np.maximum(scaled, 0))
    found: AnyArray = scaled
    return found


def _near(numbers: AnyArray, norm: Norm, levels: tuple[float, float]) -> tuple[AnyArray, tuple[float, float]]:
    """64-bit integers relative to the lower bound and clipped, since floats are not exact there; other numbers unchanged."""
    low, high = math.floor(levels[0]), math.ceil(levels[1])
    if numbers.dtype.kind not in "iu" or numbers.dtype.itemsize < 8:
        return numbers, levels
    info = np.iinfo(numbers.dtype)
    if norm not in (Norm.LINEAR, Norm.SQRT) or high - low > EXACT // 4 or not info.min <= low <= info.max:
        return numbers.astype(np.float64), levels
    near = np.clip(numbers, max(info.min, 2 * low - high), min(info.max, 2 * high - low))
    return from_offset(near, low), (levels[0] - low, levels[1] - low)


def _symlog(values: AnyArray, linear: float) -> AnyArray:
    return np.sign(values) * np.log1p(np.abs(values) / linear)


def rgba(numbers: AnyArray, style: Style, is_fill: AnyArray | None = None) -> NDArray[np.uint8]:
    """Colours of numbers, shape (…, 4).

    Args:
        numbers: any integers or floats; NaN gets ``style.nan``.
        is_fill: which elements are the fill value; these get ``style.fill``.
    """
    if style.is_labels:
        return _labelled(numbers, style, is_fill)
    table = np.concatenate([lookup_table(style.colour_map), np.zeros((_STEPS, 1), np.uint8) + 255], axis=1)
    table = np.concatenate([table, np.array([style.nan, style.fill], np.uint8)])
    if numbers.dtype.kind in "iu" and numbers.dtype.itemsize <= 2 and numbers.size > 2**16:
        # Compute each possible value once instead of each element.
        info = np.iinfo(numbers.dtype)
        every = _indices(np.arange(info.min, info.max + 1), style)
        indices = every[numbers.astype(np.int32) - info.min]
    else:
        indices = _indices(numbers, style)
    if is_fill is not None:
        indices[is_fill] = _FILL
    colours = table.view(np.uint32)[:, 0].take(np.ascontiguousarray(indices))
    return colours.view(np.uint8).reshape(*numbers.shape, 4)


def colours_of(values: AnyArray, elements: Elements, style: Style) -> NDArray[np.uint8]:
    """Colours of elements, shape (…, 4); labels by their exact values, which may not fit in a float."""
    numbers, is_fill = elements.numbers(values)
    plain = elements.integers(values)
    return rgba(plain if style.is_labels and plain.dtype.kind in "biu" else numbers, style, is_fill)


def _indices(numbers: AnyArray, style: Style) -> AnyArray:
    scaled = spread(numbers, style.norm, style.levels)
    no_number = np.isnan(scaled)
    with np.errstate(invalid="ignore", over="ignore"):
        scaled *= _STEPS
        np.clip(scaled, 0, _STEPS - 1, out=scaled)
        indices = scaled.astype(np.int16)
    if no_number.any():
        indices[no_number] = _NAN
    return indices


def _labelled(numbers: AnyArray, style: Style, is_fill: AnyArray | None) -> NDArray[np.uint8]:
    """A fixed colour per integer; 0 is the background."""
    table = lookup_table(LABELS)
    whole = np.nan_to_num(numbers).astype(np.int64) if numbers.dtype.kind == "f" else numbers.astype(np.int64)
    # Neighbouring labels get different colours: multiplying by the golden ratio spreads them; the high bits are used.
    mixed = (whole.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(56)
    result = np.empty((*numbers.shape, 4), np.uint8)
    result[..., :3], result[..., 3] = table[mixed], 255
    result[whole == 0] = (0, 0, 0, 255)
    _give_colours(result, whole, style.label_colours)
    if numbers.dtype.kind == "f":
        result[np.isnan(numbers)] = style.nan
    if is_fill is not None:
        result[is_fill] = style.fill
    return result


def _give_colours(
    result: NDArray[np.uint8], labels: NDArray[np.int64], known: Sequence[tuple[int, Rgba]]
) -> None:
    """Give labels their colours."""
    fitting = [(value, colour) for value, colour in known if _LEAST_LABEL <= value <= _GREATEST_LABEL]
    if not fitting:
        return
    values = np.array([value for value, _ in fitting], np.int64)
    at = np.minimum(np.searchsorted(values, labels), values.size - 1)
    is_known = values[at] == labels
    result[is_known] = np.array([colour for _, colour in fitting], np.uint8)[at[is_known]]


def blend(
    numbers: Sequence[AnyArray], levels: Sequence[tuple[float, float]], colours: Sequence[Colour], norm: Norm
) -> NDArray[np.uint8]:
    """The sum of channels, each in its colour, shape (h, w, 4); NaN adds nothing."""
    shape = numbers[0].shape if numbers else (0, 0)
    total = np.zeros((*shape, 3), np.float32)
    for one, bounds, colour in zip(numbers, levels, colours, strict=True):
        light = np.nan_to_num(np.clip(spread(one, norm, bounds), 0, 1), copy=False).astype(np.float32)
        for part, share in enumerate(colour):
            if share:
                total[..., part] += light * np.float32(share)
    result = np.full((*shape, 4), 255, np.uint8)
    result[..., :3] = np.minimum(total, 255).round()
    return result


def coloured(values: AnyArray, brightest: float) -> NDArray[np.uint8]:
    """Red, green, blue and an optional alpha channel, unchanged, shape (h, w, 4).

    Args:
        brightest: the value of full brightness.
    """
    result = np.full((*values.shape[:2], 4), 255, np.uint8)
    if values.dtype == np.uint8 and brightest == 255:
        result[..., : values.shape[2]] = values
        return result
    with np.errstate(invalid="ignore"):
        scaled = np.clip(np.nan_to_num(values[..., :3].astype(np.float32)) * (255 / brightest), 0, 255)
    result[..., :3] = scaled.round()
    if values.shape[2] > 3:
        most = np.iinfo(values.dtype).max if values.dtype.kind in "iu" else 1
        result[..., 3] = np.clip(values[..., 3].astype(np.float32) * (255 / most), 0, 255)
    return result
