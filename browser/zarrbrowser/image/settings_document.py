"""`ViewSettings` as a JSON document: for the history of views and for the next session."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from zarrbrowser.image.axes import Axes
from zarrbrowser.image.calculations.comparison import comparison_of, document_of
from zarrbrowser.image.calculations.reduction import Reduction, Statistic
from zarrbrowser.image.colours.colour_maps import is_known
from zarrbrowser.image.colours.contrast import Contrast, ContrastMode
from zarrbrowser.image.colours.norm import Norm
from zarrbrowser.image.view_settings import ChannelSettings, ViewSettings
from zarrbrowser.maps.projection import Projection
from zarrbrowser.nodes.protocols import ArrayLike
from zarrbrowser.values.elements import Elements, Part, elements_of, with_marks
from zarrbrowser.values.numbers import drawable_fields

Place = tuple[tuple[float, float], tuple[float, float]]


def settings_document(settings: ViewSettings) -> dict[str, Any]:
    """View settings as JSON, without the size of reads that the user agreed to."""
    axes, elements = settings.axes, settings.elements
    return {
        "rows": axes.rows,
        "columns": axes.columns,
        "index": list(axes.index),
        "field": elements.field,
        "part": elements.part.value,
        "is_marked": elements.has_marks,
        "is_masked": elements.masks_largest,
        "is_unpacked": elements.packing is not None,
        "contrast": _contrast(settings.contrast),
        "keeps_range": settings.keeps_range,
        "norm": settings.norm.value,
        "colour_map": settings.colour_map,
        "flips": [settings.flip_rows, settings.flip_columns],
        "blended": settings.is_blended,
        "contours": settings.contours,
        "labels": [settings.labels, settings.labels_opacity],
        "reduction": None
        if settings.reduction is None
        else [settings.reduction.axis, settings.reduction.statistic.value],
        "projection": settings.projection.value,
        "comparison": document_of(settings.comparison),
        "map": [settings.coastlines, settings.graticule],
        "channels": [[one.is_on, list(one.colour), _contrast(one.contrast)] for one in settings.channels],
    }


def apply_document(settings: ViewSettings, document: Mapping[str, Any], array: ArrayLike) -> ViewSettings:
    """The settings in a document; the present ones if it is malformed or does not fit the image of ``array``."""
    try:
        opacity = document.get("labels", ("", 0.5))[1]
        flip_rows, flip_columns = document["flips"]
        coastlines, graticule = document.get("map", (settings.coastlines, settings.graticule))
        return replace(
            settings,
            axes=axes_in(document, settings.axes),
            elements=_elements(document, array, settings.elements),
            contrast=_contrast_of(document["contrast"]),
            keeps_range=bool(document.get("keeps_range", True)),
            norm=Norm(document["norm"]),
            colour_map=_colour_map(document["colour_map"]),
            flip_rows=bool(flip_rows),
            flip_columns=bool(flip_columns),
            is_blended=bool(document.get("blended")) and bool(settings.channels),
            channels=_channels(settings.channels, document["channels"]),
            contours=bool(document.get("contours", settings.contours)),
            labels=str(document.get("labels", ("", 0.5))[0]),
            labels_opacity=min(max(_number(opacity), 0.0), 1.0),
            coastlines=bool(coastlines),
            graticule=bool(graticule),
            projection=Projection(document.get("projection", settings.projection.value)),
            comparison=comparison_of(document.get("comparison"), settings.axes.shape),
            reduction=_reduction(document.get("reduction"), settings.axes),
        )
    except (KeyError, TypeError, ValueError, IndexError, OverflowError):
        return settings


def with_box(document: Mapping[str, Any], settings: ViewSettings) -> Mapping[str, Any]:
    """A document with the present settings at a part of the array, if that is all that ``document`` has.

    Its ``box`` is a pair of a first and a last position for each axis. What is around it comes into view, too.
    """
    box, axes = document.get("box"), settings.axes
    try:
        if box is None or len(box) != len(axes.shape):
            return document
        edges = [(int(start), int(stop)) for start, stop in box]
    except (TypeError, ValueError, OverflowError):
        return document
    place = [
        (start - (stop - start) / 2, stop + (stop - start) / 2)
        for start, stop in (edges[axes.rows], edges[axes.columns])
    ]
    return {**settings_document(settings), "index": [start for start, _ in edges], "place": place}


def place_of(document: Mapping[str, Any]) -> Place | None:
    """The part of the plane that was in view; None for the whole plane."""
    place = document.get("place")
    try:
        (top, bottom), (left, right) = place  # type: ignore[misc]
        numbers = [float(one) for one in (top, bottom, left, right)]
    except (TypeError, ValueError, OverflowError):
        return None
    if not all(map(math.isfinite, numbers)) or numbers[0] >= numbers[1] or numbers[2] >= numbers[3]:
        return None
    return (numbers[0], numbers[1]), (numbers[2], numbers[3])


def is_inside(place: Place, size: tuple[int, int]) -> bool:
    """Whether a part of a plane with this many rows and columns is in view."""
    return all(first < length and last > 0 for (first, last), length in zip(place, size, strict=True))


def _reduction(document: Any, axes: Axes) -> Reduction | None:
    if document is None:
        return None
    axis, statistic = document
    if not 0 <= int(axis) < len(axes.shape) or axes.shape[int(axis)] < 2:
        raise ValueError("the document belongs to another image")
    return Reduction(int(axis), Statistic(statistic))


def _contrast(contrast: Contrast) -> list[Any]:
    return [contrast.mode.value, contrast.low, contrast.high]


def _colour_map(name: Any) -> str:
    if name and not is_known(name):
        raise ValueError("unknown colour map")
    return str(name)


def _channels(channels: tuple[ChannelSettings, ...], documents: Any) -> tuple[ChannelSettings, ...]:
    return tuple(
        replace(one, is_on=bool(is_on), colour=_colour(colour), contrast=_contrast_of(contrast))
        for one, (is_on, colour, contrast) in zip(channels, documents, strict=True)
    )


def _contrast_of(document: Any) -> Contrast:
    mode, low, high = document
    return Contrast(ContrastMode(mode), *_numbers((low, high)))


def axes_in(document: Mapping[str, Any], axes: Axes) -> Axes:
    """The plane of a document of an array with these axes; positions beyond the end become the last ones.

    Raises:
        KeyError, TypeError, ValueError, IndexError, OverflowError: it is malformed, or belongs to another array.
    """
    rows, columns, index = int(document["rows"]), int(document["columns"]), document["index"]
    fits = rows != columns and all(
        0 <= axis < len(axes.shape) and axis != axes.channel for axis in (rows, columns)
    )
    if not fits or len(index) != len(axes.shape):
        raise ValueError("the document belongs to another image")
    inside = tuple(min(max(int(one), 0), max(n - 1, 0)) for one, n in zip(index, axes.shape, strict=True))
    return replace(axes, rows=rows, columns=columns, index=inside)


def _elements(document: Mapping[str, Any], array: ArrayLike, present: Elements) -> Elements:
    field, fields = document["field"], drawable_fields(array.dtype)
    if field not in (fields or (None,)):
        raise ValueError("the document belongs to an array of another type")
    told = elements_of(array, is_unpacked=bool(document["is_unpacked"]))
    told = replace(told, field=field, part=Part(document["part"]))
    told = replace(told, masks_largest=bool(document.get("is_masked", present.masks_largest)))
    return with_marks(told, array, is_on=bool(document["is_marked"]))


def _numbers(document: Any) -> tuple[float, ...]:
    return tuple(one if isinstance(one, int) else _number(one) for one in document)


def _number(document: Any) -> float:
    if not isinstance(document, int | float):
        raise TypeError("not a number")
    return float(document)


def _colour(document: Any) -> tuple[int, int, int]:
    red, green, blue = (min(max(int(one), 0), 255) for one in document)
    return red, green, blue
