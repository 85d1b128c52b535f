"""How an image is looked at, as a JSON document: for the history of views and for the next session."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from zarrbrowser.image.axes import Axes
from zarrbrowser.image.colours.colour_maps import is_known
from zarrbrowser.image.colours.contrast import Contrast, ContrastMode
from zarrbrowser.image.colours.render import Norm
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.values.elements import Elements, Packing, Part

Place = tuple[tuple[float, float], tuple[float, float]]


def settings_document(settings: ViewSettings) -> dict[str, Any]:
    """A look as JSON has it; what the person agreed to read is not kept."""
    axes, elements = settings.axes, settings.elements
    packing = elements.packing
    return {
        "rows": axes.rows,
        "columns": axes.columns,
        "index": list(axes.index),
        "field": elements.field,
        "part": elements.part.value,
        "fill": list(elements.fill),
        "packing": None if packing is None else [packing.scale, packing.offset, list(packing.missing)],
        "contrast": _contrast(settings.contrast),
        "norm": settings.norm.value,
        "colour_map": settings.colour_map,
        "flips": [settings.flip_rows, settings.flip_columns],
        "blended": settings.is_blended,
        "labels": [settings.labels, settings.labels_opacity],
        "channels": [[one.is_on, list(one.colour), _contrast(one.contrast)] for one in settings.channels],
    }


def apply_document(settings: ViewSettings, document: Mapping[str, Any]) -> None:
    """Look as a document says; one that does not fit the image, or is none, changes nothing."""
    try:
        axes, elements = _axes(settings.axes, document), _elements(document)
        contrast, norm = _contrast_of(document["contrast"]), Norm(document["norm"])
        flips = [bool(one) for one in document["flips"]]
        channels = [
            (bool(on), _colour(colour), _contrast_of(wish)) for on, colour, wish in document["channels"]
        ]
        name = document["colour_map"]
        labels, opacity = document.get("labels", ("", 0.5))
        labels, opacity = str(labels), min(max(float(opacity), 0.0), 1.0)
    except (KeyError, TypeError, ValueError, IndexError):
        return
    if len(flips) != 2 or len(channels) != len(settings.channels) or (name and not is_known(name)):
        return
    settings.axes, settings.elements, settings.contrast, settings.norm, settings.colour_map = (
        axes,
        elements,
        contrast,
        norm,
        name,
    )
    settings.flip_rows, settings.flip_columns = flips
    settings.labels, settings.labels_opacity = labels, opacity
    settings.is_blended = bool(document.get("blended")) and bool(settings.channels)
    for one, (is_on, colour, wish) in zip(settings.channels, channels, strict=True):
        one.is_on, one.colour, one.contrast = is_on, colour, wish


def place_of(document: Mapping[str, Any]) -> Place | None:
    """The part of the plane that was in view; None for all of it."""
    place = document.get("place")
    try:
        (top, bottom), (left, right) = place  # type: ignore[misc]
        numbers = [float(one) for one in (top, bottom, left, right)]
    except (TypeError, ValueError):
        return None
    if not all(map(math.isfinite, numbers)) or numbers[0] >= numbers[1] or numbers[2] >= numbers[3]:
        return None
    return (numbers[0], numbers[1]), (numbers[2], numbers[3])


def _contrast(contrast: Contrast) -> list[Any]:
    return [contrast.mode.value, contrast.low, contrast.high]


def _contrast_of(told: Any) -> Contrast:
    mode, low, high = told
    return Contrast(ContrastMode(mode), *_numbers((low, high)))


def _axes(axes: Axes, document: Mapping[str, Any]) -> Axes:
    rows, columns, index = int(document["rows"]), int(document["columns"]), document["index"]
    fits = rows != columns and all(
        0 <= axis < len(axes.shape) and axis != axes.channel for axis in (rows, columns)
    )
    if not fits or len(index) != len(axes.shape):
        raise ValueError("of another image")
    inside = tuple(min(max(int(one), 0), max(n - 1, 0)) for one, n in zip(index, axes.shape, strict=True))
    return replace(axes, rows=rows, columns=columns, index=inside)


def _elements(document: Mapping[str, Any]) -> Elements:
    told = document["packing"]
    packing = None
    if told is not None:
        packing = Packing(float(told[0]), float(told[1]), _numbers(told[2]))
    field = document["field"]
    return Elements(
        None if field is None else str(field), Part(document["part"]), packing, _numbers(document["fill"])
    )


def _numbers(told: Any) -> tuple[float, ...]:
    return tuple(one if isinstance(one, int) else float(one) for one in told)


def _colour(told: Any) -> tuple[int, int, int]:
    red, green, blue = (min(max(int(one), 0), 255) for one in told)
    return red, green, blue
