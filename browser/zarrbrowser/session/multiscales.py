"""Groups that are one image: OME-NGFF multiscales 0.1 to 0.5, and the ways in which N5 tells pyramids.

OME-NGFF "multiscales", "omero" and "labels" metadata; N5: ``multiscales`` (COSEM), ``downsamplingFactors`` (BigDataViewer),
``scales`` (N5 viewer), ``multiScale`` (Paintera). N5 writes lengths per axis in the reverse order of ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from zarrbrowser.session.axes import axis_names
from zarrbrowser.session.levels import Channel, Colour, Image, Level, channel_axis, colour_of, level_of, whole
from zarrbrowser.session.nodes import ArrayLike, NodeLike, is_array, is_group

_IN_FLIGHT = 8
_MOST_LEVELS = 32
_FIRST_TIME = "/timepoint0"
_N5_SIGNS = ("downsamplingFactors", "scales", "multiScale")


@dataclass(frozen=True, slots=True)
class _Told:
    """What the metadata say of one level."""

    path: str
    scale: tuple[float, ...] | None = None
    translation: tuple[float, ...] | None = None


def is_image(node: NodeLike) -> bool:
    """Whether a group opens as one image; nothing is read but the attributes that are there."""
    if not is_group(node):
        return False
    return _entry(node.attributes) is not None or any(node.attributes.get(sign) for sign in _N5_SIGNS)


def image_of_group(group: NodeLike, find: Callable[[str], Any]) -> Image:
    """Open the levels of a group that `is_image`.

    Args:
        find: the node at an absolute path.

    Raises:
        MetadataError: there are no levels, or what the metadata say does not fit them.
        ZarrError: a level cannot be opened.
    """
    from zarrcore.errors import (
        MetadataError,
    )  # not with this module, which the window loads before the codecs

    attributes = getattr(group, "attributes", {})
    entry = _entry(attributes)
    told = _told_by_entry(entry) if entry is not None else []
    base_path = group.path.rstrip("/")
    if told:
        with ThreadPoolExecutor(_IN_FLIGHT) as pool:
            found = list(pool.map(find, [f"{base_path}/{one.path}".replace("//", "/") for one in told]))
    else:
        told, found = _numbered(base_path, find)
    arrays = [node for node in found if is_array(node)]
    if not arrays or len(arrays) != len(found) or len({array.ndim for array in arrays}) != 1:
        raise MetadataError(f"{group.path}: its metadata tell of a pyramid, but its levels are not there")
    names = _names(entry, arrays[0])
    levels, spacing, origin = _levels(arrays, told, attributes)
    axis, channels = _channels(attributes, entry, arrays[0], names)
    is_labels = "image-label" in attributes or "image-label" in _ome(attributes)
    return Image(
        group.path,
        levels,
        names,
        _units(entry, arrays[0].ndim),
        spacing,
        origin,
        axis,
        channels,
        is_blended=bool(channels) and not is_labels,
        is_labels=is_labels,
    )


def _ome(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    ome = attributes.get("ome")
    return ome if isinstance(ome, Mapping) else {}


def _entry(attributes: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The first of the multiscales."""
    for place in (_ome(attributes), attributes):
        entries = place.get("multiscales")
        if isinstance(entries, Sequence) and entries and isinstance(entries[0], Mapping):
            return entries[0]
    return None


def _told_by_entry(entry: Mapping[str, Any]) -> list[_Told]:
    common = _transform(entry.get("coordinateTransformations"))
    told = []
    for dataset in entry.get("datasets") or ():
        if isinstance(dataset, Mapping) and isinstance(dataset.get("path"), str):
            scale, translation = _transform(dataset.get("coordinateTransformations"))
            if "transform" in dataset and isinstance(dataset["transform"], Mapping):  # COSEM's
                scale = _numbers(dataset["transform"].get("scale"))
                translation = _numbers(dataset["transform"].get("translate"))
            scale, translation = _then(scale, translation, *common)
            told.append(_Told(dataset["path"], scale, translation))
    return told[:_MOST_LEVELS]


def _transform(steps: Any) -> tuple[tuple[float, ...] | None, tuple[float, ...] | None]:
    """Scale and translation out of a list of transformations."""
    scale = translation = None
    for step in steps if isinstance(steps, Sequence) else ():
        if isinstance(step, Mapping) and step.get("type") == "scale":
            scale = _numbers(step.get("scale"))
        elif isinstance(step, Mapping) and step.get("type") == "translation":
            translation = _numbers(step.get("translation"))
    return scale, translation


def _then(
    scale: tuple[float, ...] | None,
    translation: tuple[float, ...] | None,
    more: tuple[float, ...] | None,
    further: tuple[float, ...] | None,
) -> tuple[tuple[float, ...] | None, tuple[float, ...] | None]:
    """One transformation after another."""
    if more is not None:
        scale = more if scale is None else tuple(a * b for a, b in zip(scale, more, strict=False))
        translation = translation and tuple(a * b for a, b in zip(translation, more, strict=False))
    if further is not None:
        translation = (
            further
            if translation is None
            else tuple(a + b for a, b in zip(translation, further, strict=False))
        )
    return scale, translation


def _numbers(value: Any) -> tuple[float, ...] | None:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return None
    if not all(isinstance(one, int | float) and math.isfinite(one) for one in value):
        return None
    return tuple(map(float, value))


def _numbered(base_path: str, find: Callable[[str], Any]) -> tuple[list[_Told], list[Any]]:
    """The levels ``s0``, ``s1``, … of N5, as many as there are; those of a BigDataViewer set-up lie below its time points."""
    from zarrcore.errors import NodeNotFoundError

    told, found = [], []
    for number in range(_MOST_LEVELS):
        try:
            found.append(find(f"{base_path}/s{number}"))
        except NodeNotFoundError:
            break
        told.append(_Told(f"s{number}"))
    if not found and not base_path.endswith(_FIRST_TIME):
        return _numbered(f"{base_path}{_FIRST_TIME}", find)
    return told, found


def _levels(
    arrays: list[ArrayLike], told: list[_Told], attributes: Mapping[str, Any]
) -> tuple[tuple[Level, ...], tuple[float, ...], tuple[float, ...]]:
    """The levels, and how far apart elements of the base lie and where they begin, where that is told."""
    base, ndim = arrays[0], arrays[0].ndim
    first = told[0].scale
    if first is None or len(first) != ndim or not all(first):
        rows = _n5_factors(arrays, attributes)
        levels = [level_of(base.shape, array, row) for array, row in zip(arrays, rows, strict=True)]
        return (whole(base), *levels[1:]), *_n5_resolution(base, attributes)
    start = told[0].translation or (0.0,) * ndim
    moved = any(one.translation is not None and len(one.translation) == ndim for one in told)
    levels = []
    for array, one in zip(arrays, told, strict=True):
        if one.scale is None or len(one.scale) != ndim or not all(one.scale):
            levels.append(level_of(base.shape, array))
            continue
        factors = [scale / unit for scale, unit in zip(one.scale, first, strict=True)]
        there = one.translation or (0.0,) * ndim
        offsets = [(to - fro) / unit for to, fro, unit in zip(there, start, first, strict=True)]
        levels.append(level_of(base.shape, array, factors, offsets if moved else None))
    return tuple(levels), first, start


def _n5_factors(arrays: list[ArrayLike], attributes: Mapping[str, Any]) -> list[list[float] | None]:
    """Factors per level from the group or from the arrays, in our order of axes."""
    table = attributes.get("downsamplingFactors") or attributes.get("scales")
    rows: list[list[float] | None] = []
    for number, array in enumerate(arrays):
        row = table[number] if isinstance(table, Sequence) and number < len(table) else None
        numbers = _numbers(row if row is not None else array.attributes.get("downsamplingFactors"))
        fits = numbers is not None and len(numbers) == array.ndim and all(one > 0 for one in numbers)
        rows.append(list(numbers[::-1]) if numbers is not None and fits else None)
    return rows


def _n5_resolution(
    base: ArrayLike, attributes: Mapping[str, Any]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    for place in (attributes, base.attributes):
        told = place.get("pixelResolution") or place.get("resolution")
        numbers = _numbers(told.get("dimensions") if isinstance(told, Mapping) else told)
        if numbers is not None and len(numbers) == base.ndim and all(numbers):
            return numbers[::-1], (0.0,) * base.ndim
    return (), ()


def _names(entry: Mapping[str, Any] | None, array: ArrayLike) -> tuple[str, ...]:
    axes = (entry or {}).get("axes")
    if isinstance(axes, Sequence) and len(axes) == array.ndim:
        told = [axis.get("name") if isinstance(axis, Mapping) else axis for axis in axes]
        return tuple(str(name or f"axis {axis}") for axis, name in enumerate(told))
    if entry is not None and array.dimension_names is None and array.ndim == 5:
        return ("t", "c", "z", "y", "x")  # what versions before 0.3 always meant
    return axis_names(array.ndim, array.dimension_names)


def _units(entry: Mapping[str, Any] | None, ndim: int) -> tuple[str, ...]:
    axes = (entry or {}).get("axes")
    if not isinstance(axes, Sequence) or len(axes) != ndim:
        return ("",) * ndim
    return tuple(str(axis.get("unit") or "") if isinstance(axis, Mapping) else "" for axis in axes)


def _channels(
    attributes: Mapping[str, Any],
    entry: Mapping[str, Any] | None,
    base: ArrayLike,
    names: tuple[str, ...],
) -> tuple[int | None, tuple[Channel, ...]]:
    """The axis of the channels, and they; none where there is but one or too many."""
    axes = (entry or {}).get("axes")
    typed = axes if isinstance(axes, Sequence) and len(axes) == base.ndim else ()
    axis = next(
        (n for n, one in enumerate(typed) if isinstance(one, Mapping) and one.get("type") == "channel"), None
    )
    axis = channel_axis(base.shape, names, axis)
    if axis is None:
        return None, ()
    omero = _ome(attributes).get("omero") or attributes.get("omero")
    told = omero.get("channels") if isinstance(omero, Mapping) else None
    listed = told if isinstance(told, Sequence) else ()
    return axis, tuple(
        _channel(number, listed[number] if number < len(listed) else {}) for number in range(base.shape[axis])
    )


def _channel(number: int, told: Any) -> Channel:
    told = told if isinstance(told, Mapping) else {}
    window = told.get("window")
    bounds = _numbers([window.get("start"), window.get("end")]) if isinstance(window, Mapping) else None
    ordered = bounds is not None and bounds[0] < bounds[1]
    return Channel(
        str(told.get("label") or f"channel {number}"),
        _colour(told.get("color")) or colour_of(number),
        (bounds[0], bounds[1]) if bounds is not None and ordered else None,
        told.get("active") is not False,
    )


def _colour(text: Any) -> Colour | None:
    """RGB from ``"00FF7A"``.

    >>> _colour("00FF7A"), _colour("#102030"), _colour("green")
    ((0, 255, 122), (16, 32, 48), None)
    """
    try:
        red, green, blue = bytes.fromhex(str(text).lstrip("#")[:6])
    except ValueError:
        return None
    return red, green, blue
