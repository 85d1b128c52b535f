"""Single arrays of N5 with a scale: by ImageJ (``pixelWidth``, …), N5 viewer (``pixelResolution``) or Paintera (``resolution``).

ImageJ's plugin writes a picture as one array of up to five dimensions, in the order x, y, channel, slice, frame, and leaves out
those of length 1. Its origin counts pixels.
"""

from __future__ import annotations

from typing import Any, Final

from zarrcore.conventions.axis import Axis
from zarrcore.conventions.image import Level, MultiscaleImage
from zarrcore.conventions.n5_pyramids import n5_resolution
from zarrcore.conventions.values import Numbers, number, numbers, text

TITLE: Final = "N5 array"
_SIZES: Final = {"x": "pixelWidth", "y": "pixelHeight", "z": "pixelDepth", "t": "frameInterval"}
_COUNTS: Final = {"c": "numChannels", "z": "numSlices", "t": "numFrames"}
_KINDS: Final = {"c": "channel", "t": "time"}
_NO_UNIT: Final = ("pixel", "pixels")


def n5_image(array: Any) -> MultiscaleImage | None:
    """The image of an array of N5 whose own attributes state a scale; None for other arrays. Nothing is read."""
    hierarchy = getattr(array, "hierarchy", None)
    if hierarchy is None or hierarchy.format.name != "n5" or not array.ndim:
        return None
    if "pixelWidth" in array.attributes:
        return _of_imagej(array)
    spacing, unit = n5_resolution(array, {})
    factors = numbers(array.attributes.get("downsamplingFactors"), array.ndim) or (1.0,) * array.ndim
    if not spacing or min(factors) <= 0:
        return None
    # The resolution is that of the level without downsampling, between whose elements those of coarser ones begin.
    origin = tuple(step * (factor - 1) / 2 for step, factor in zip(spacing, factors[::-1], strict=True))
    scaled = tuple(step * factor for step, factor in zip(spacing, factors[::-1], strict=True))
    axes = tuple(Axis(name, "", unit) for name in array.dimension_names or (None,) * array.ndim)
    return _image(array, axes, scaled, origin)


def _of_imagej(array: Any) -> MultiscaleImage | None:
    attributes = array.attributes
    longer = [name for name, key in _COUNTS.items() if (number(attributes.get(key)) or 1) > 1]
    names = ["x", "y", *longer][::-1]
    if len(names) != array.ndim:
        return None
    spacing, origin = [], []
    for name in names:
        step = number(attributes.get(_SIZES[name])) if name in _SIZES else 1.0
        if name == "t":
            step = step or 1.0  # ImageJ writes 0 for an unknown interval
        if step is None or step <= 0:
            return None
        spacing.append(step)
        origin.append(-step * (number(attributes.get(f"{name}Origin")) or 0.0) + 0.0)
    unit = text(attributes.get("pixelUnit"))
    unit = "" if unit in _NO_UNIT else unit
    axes = tuple(Axis(name, _KINDS.get(name, "space"), "" if name in _KINDS else unit) for name in names)
    return _image(array, axes, tuple(spacing), tuple(origin))


def _image(array: Any, axes: tuple[Axis, ...], spacing: Numbers, origin: Numbers) -> MultiscaleImage:
    level = Level(array, (1.0,) * array.ndim, (0.0,) * array.ndim)
    return MultiscaleImage(TITLE, "", (level,), axes, spacing, origin)
