"""Axes and coordinates of a NIfTI file."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from zarrcore.stores.nifti.header import Header
from zarrcore.stores.virtual.file_image import Axis

_SPACE_UNITS: Final = {1: "meter", 2: "millimeter", 3: "micrometer"}
_TIME_UNITS: Final = {8: "second", 16: "millisecond", 24: "microsecond"}
_OTHER_UNITS: Final = {
    32: ("frequency", "hertz"),
    40: ("chemical_shift", "ppm"),
    48: ("angular_frequency", "radian/second"),
}
"""Units of a fourth dimension that is not time, and its name."""
_TOLERANCE: Final = 1e-4

Affine = NDArray[np.float64]


def affine_of(header: Header) -> Affine | None:
    """The matrix (4, 4) from indices (x, y, z, 1) to coordinates: of ``sform``, else of ``qform``; None if there is neither."""
    fields = header.fields
    with np.errstate(all="ignore"):  # what is not finite is not shown
        if fields["sform_code"] != 0:
            rows = [fields[f"srow_{name}"].astype("f8") for name in "xyz"]
            affine = np.array([*rows, [0, 0, 0, 1]], "f8")
        elif fields["qform_code"] != 0:
            affine = _of_quaternion(fields)
        else:
            return None
    return affine if np.isfinite(affine).all() else None


def _of_quaternion(fields: Any) -> Affine:
    b, c, d = (float(fields[f"quatern_{name}"]) for name in "bcd")
    rest = 1 - (b * b + c * c + d * d)
    a = math.sqrt(rest) if rest > 3 * np.finfo(fields["quatern_b"].dtype).eps else 0.0
    if a == 0:  # the other three are then a unit vector, except for rounding
        length = math.sqrt(b * b + c * c + d * d)
        b, c, d = b / length, c / length, d / length
    rotation = np.array(
        [
            [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
            [2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)],
            [2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - c * c - b * b],
        ]
    )
    lengths = fields["pixdim"][1:4].astype("f8")
    lengths[2] *= -1 if fields["pixdim"][0] < 0 else 1
    affine = np.eye(4)
    affine[:3, :3] = rotation * lengths
    affine[:3, 3] = [float(fields[f"qoffset_{name}"]) for name in "xyz"]
    return affine


def axes_of(header: Header, affine: Affine | None, *, has_colours: bool) -> list[Axis]:
    """The dimensions in the order of the header. Space has origins only if scales and origins say the same as the affine."""
    ndim, units = len(header.shape), int(header.fields["xyzt_units"])
    steps = [_step(header.fields["pixdim"][1 + i]) for i in range(ndim)]
    origins = [0.0] * 3
    if affine is not None:
        scales = np.diag((steps + [1.0] * 3)[:3])
        kept = min(ndim, 3)  # an image of fewer dimensions has one position along the others
        if np.allclose(
            affine[:kept, :kept], scales[:kept, :kept], rtol=_TOLERANCE, atol=_TOLERANCE * min(steps[:3])
        ):
            origins = [float(value) for value in affine[:3, 3]]
    axes = [
        Axis(name, "space", _SPACE_UNITS.get(units & 7, ""), step, origin)
        for name, step, origin in zip("xyz", steps, origins, strict=False)
    ]
    if ndim > 3:
        axes.append(_fourth(units & 0x38, steps[3], header))
    if ndim > 4:
        axes.append(Axis("dim_5", "", "", steps[4]) if has_colours else Axis("c", "channel", "", steps[4]))
    return axes + [Axis(f"dim_{number + 1}", "", "", steps[number]) for number in range(5, ndim)]


def _fourth(unit: int, step: float, header: Header) -> Axis:
    origin = float(header.fields["toffset"])
    origin = origin if math.isfinite(origin) else 0.0
    if unit in _OTHER_UNITS:
        name, told = _OTHER_UNITS[unit]
        return Axis(name, "", told, step, origin)
    return Axis("t", "time", _TIME_UNITS.get(unit, ""), step, origin)


def _step(value: np.floating[Any]) -> float:
    """The distance of two elements: 1 if it is not told."""
    step = abs(float(str(value)))
    return step if step and math.isfinite(step) else 1.0
