"""How values between two bounds are spread over the colours: the same for pictures, colour bars and figures."""

from __future__ import annotations

import math
from enum import Enum

import numpy as np

from zarrbrowser.values.numbers import EXACT, from_offset
from zarrcore.typing import AnyArray

_SINGLE = 1e37
"""If both bounds are below this value, their difference fits in a float32."""
_LEAST_SINGLE = 1e-36
"""If the bounds differ by less, the reciprocal of the difference overflows a float32."""
_HUGE = 1e300
"""If the bounds differ by more, the reciprocal of the difference loses precision."""
_TINY = 1e-30
_SYMLOG_LINEAR = 1e-3
"""symlog is linear around zero up to this fraction of the larger bound."""
_LOG_DECADES = 6
"""The decades that a logarithmic scale spans below an upper bound if no number is positive."""


class Norm(Enum):
    """How values between the bounds are spread over the colours."""

    LINEAR = "linear"
    LOG = "log"
    SQRT = "sqrt"
    SYMLOG = "symlog"


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
