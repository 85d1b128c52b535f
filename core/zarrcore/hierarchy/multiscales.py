"""Groups that are one multiscale image: OME-NGFF multiscales 0.1 to 0.5, and the pyramids of N5.

OME-NGFF "multiscales", "omero" and "labels" metadata; N5: ``multiscales`` (COSEM), ``downsamplingFactors`` (BigDataViewer),
``scales`` (N5 viewer), ``multiScale`` (Paintera). N5 writes lengths per axis in reverse order. Invalid
metadata are ignored.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from zarrcore.errors import MetadataError, NodeNotFoundError
from zarrcore.threads import ThreadPool

_IN_FLIGHT = 8
_MOST_LEVELS = 32
_FIRST_TIME = "/timepoint0"
_N5_SIGNS = ("downsamplingFactors", "scales", "multiScale")

Colour = tuple[int, int, int]
_Steps = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class MultiscaleLevel:
    """One level of an image."""

    node: Any
    """The array, or the node in its place, which may be broken, or a group."""
    factors: _Steps | None
    """Elements of the first level for each element, per axis; None if unknown."""
    offsets: _Steps | None
    """The centre of element 0, in elements of the first level, per axis; None if unknown."""


@dataclass(frozen=True, slots=True)
class MultiscaleAxis:
    """A dimension of an image."""

    name: str | None
    kind: str = ""
    """``time``, ``channel``, ``space``, or empty."""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class MultiscaleChannel:
    """The display settings of a channel."""

    name: str = ""
    colour: Colour | None = None
    bounds: tuple[float, float] | None = None
    is_on: bool = True


@dataclass(frozen=True, slots=True)
class Multiscale:
    """An image as its group describes it."""

    name: str
    levels: tuple[MultiscaleLevel, ...]
    """The levels, finest first; the first is an array. Missing levels are in `missing`."""
    axes: tuple[MultiscaleAxis, ...]
    """One per dimension of the first level."""
    spacing: _Steps
    """The distance between two elements of the first level, per axis, in units; empty if unknown."""
    origin: _Steps
    """The position of element 0 of the first level, as `spacing`."""
    channels: tuple[MultiscaleChannel, ...]
    """The channels from the first; there may be too few or too many."""
    is_labels: bool
    """Whether elements are labels, not amounts."""
    missing: tuple[str, ...] = ()
    """Paths, relative to the group, of levels that are described but missing."""

    def channel(self, number: int) -> MultiscaleChannel:
        """The settings of a channel, possibly empty."""
        return self.channels[number] if number < len(self.channels) else MultiscaleChannel()


def is_multiscale(attributes: Mapping[str, Any]) -> bool:
    """Whether a group with these attributes is one image."""
    return _entry(attributes) is not None or any(attributes.get(sign) for sign in _N5_SIGNS)


def multiscale(path: str, attributes: Mapping[str, Any], find: Callable[[str], Any]) -> Multiscale:
    """The image of a group with these attributes.

    Args:
        path: path of the group.
        attributes: attributes of the group, for which `is_multiscale` is true.
        find: returns the node at an absolute path; several threads call it.

    Raises:
        MetadataError: there are no levels, or the first is broken.
        NodeNotFoundError: the first level is missing.
        StoreError: the store failed.
    """
    entry = _entry(attributes)
    told = _told_by_entry(entry) if entry is not None else []
    base_path = path.rstrip("/")
    if told:
        first, *others = [f"{base_path}/{one.path}".replace("//", "/") for one in told]
        with ThreadPool(_IN_FLIGHT) as pool:
            coarser = pool.map(partial(_found, find), others)
            found = [find(first), *coarser]
    else:
        told, found = _numbered(base_path, find)
    if found and found[0].kind == "broken":
        raise MetadataError(f"{path}: the first level of its pyramid is broken: {found[0].error}")
    if not found or found[0].kind != "array":
        raise no_levels(path)
    return _image(entry, told, found, attributes)


def _found(find: Callable[[str], Any], path: str) -> Any:
    """The node at a path, or None."""
    try:
        return find(path)
    except NodeNotFoundError:
        return None


def single_level(attributes: Mapping[str, Any], name: str, array: Any) -> Multiscale | None:
    """One level of a group as an image of that level alone; None if the group does not describe a level of that name."""
    entry = _entry(attributes)
    told = [one for one in _told_by_entry(entry) if one.path == name] if entry is not None else []
    return _image(entry, told[:1], [array], attributes) if told else None


def _image(
    entry: Mapping[str, Any] | None, told: list[_Told], found: list[Any], attributes: Mapping[str, Any]
) -> Multiscale:
    """The image of the levels that were found; all except the first may be None."""
    levels, spacing, origin = _levels(found, told, attributes)
    is_labels = "image-label" in attributes or "image-label" in _ome(attributes)
    name = (entry or {}).get("name")
    return Multiscale(
        name if isinstance(name, str) else "",
        tuple(level for level in levels if level.node is not None),
        _axes(entry, found[0], attributes),
        spacing,
        origin,
        _channels(attributes),
        is_labels,
        tuple(one.path for one, node in zip(told, found, strict=True) if node is None),
    )


def no_levels(path: str) -> MetadataError:
    """The error for levels that contradict the metadata."""
    return MetadataError(f"{path}: its metadata describe a pyramid, but its levels are missing")


@dataclass(frozen=True, slots=True)
class _Told:
    """The metadata of one level."""

    path: str
    scale: _Steps | None = None
    translation: _Steps | None = None


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
    datasets = entry.get("datasets")
    for dataset in datasets if isinstance(datasets, Sequence) else ():
        if isinstance(dataset, Mapping) and isinstance(dataset.get("path"), str):
            scale, translation = _transform(dataset.get("coordinateTransformations"))
            if "transform" in dataset and isinstance(dataset["transform"], Mapping):  # COSEM's
                scale = _numbers(dataset["transform"].get("scale"))
                translation = _numbers(dataset["transform"].get("translate"))
            scale, translation = _then(scale, translation, *common)
            told.append(_Told(dataset["path"], scale, translation))
    return told[:_MOST_LEVELS]


def _transform(steps: Any) -> tuple[_Steps | None, _Steps | None]:
    """Scale and translation of a list of transformations."""
    scale = translation = None
    for step in steps if isinstance(steps, Sequence) else ():
        if isinstance(step, Mapping) and step.get("type") == "scale":
            scale = _numbers(step.get("scale"))
        elif isinstance(step, Mapping) and step.get("type") == "translation":
            translation = _numbers(step.get("translation"))
    return scale, translation


def _then(
    scale: _Steps | None, translation: _Steps | None, more: _Steps | None, further: _Steps | None
) -> tuple[_Steps | None, _Steps | None]:
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
    # Products and sums of finite numbers may be beyond every float.
    known = scale if scale is not None and _are_finite(scale) else None
    return known, translation if translation is not None and _are_finite(translation) else None


def _numbers(value: Any) -> _Steps | None:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return None
    # An integer of JSON may be larger than any float.
    if not all(isinstance(one, int | float) and abs(one) <= sys.float_info.max for one in value):
        return None
    return tuple(map(float, value))


def _are_finite(steps: _Steps) -> bool:
    return all(map(math.isfinite, steps))


def _numbered(base_path: str, find: Callable[[str], Any]) -> tuple[list[_Told], list[Any]]:
    """The existing levels ``s0``, ``s1``, … of N5; those of a BigDataViewer set-up are below its time points."""
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
    found: list[Any], told: list[_Told], attributes: Mapping[str, Any]
) -> tuple[tuple[MultiscaleLevel, ...], _Steps, _Steps]:
    """The levels, and the spacing and position of the first one's elements, if known."""
    ndim = found[0].ndim
    first = _of_length(ndim, told[0].scale)
    if first is None or not all(first):
        rows = _n5_factors(found, ndim, attributes)
        levels = [MultiscaleLevel(node, row, None) for node, row in zip(found, rows, strict=True)]
        spacing = _n5_resolution(found[0], attributes)[0]
        return (MultiscaleLevel(found[0], (1.0,) * ndim, None), *levels[1:]), spacing, (0.0,) * len(spacing)
    shifts = [_of_length(ndim, one.translation) for one in told]
    start = shifts[0] or (0.0,) * ndim
    levels = []
    for node, one, shift in zip(found, told, shifts, strict=True):
        scale, there = _of_length(ndim, one.scale), shift or (0.0,) * ndim
        if scale is None or not all(scale):
            levels.append(MultiscaleLevel(node, None, None))
            continue
        factors = tuple(step / unit for step, unit in zip(scale, first, strict=True))
        offsets = tuple((to - fro) / unit for to, fro, unit in zip(there, start, first, strict=True))
        if not all(factors) or not _are_finite((*factors, *offsets)):
            levels.append(MultiscaleLevel(node, None, None))
            continue
        levels.append(MultiscaleLevel(node, factors, offsets if any(shifts) else None))
    return tuple(levels), first, start


def _of_length(ndim: int, steps: _Steps | None) -> _Steps | None:
    return steps if steps is not None and len(steps) == ndim else None


def _n5_factors(found: list[Any], ndim: int, attributes: Mapping[str, Any]) -> list[_Steps | None]:
    """Factors per level from the group or from the arrays, in the order of the array's axes."""
    table = attributes.get("downsamplingFactors") or attributes.get("scales")
    rows: list[_Steps | None] = []
    for number, node in enumerate(found):
        row = table[number] if isinstance(table, Sequence) and number < len(table) else None
        told = row if row is not None or node is None else node.attributes.get("downsamplingFactors")
        numbers = _of_length(ndim, _numbers(told))
        rows.append(numbers[::-1] if numbers is not None and min(numbers, default=1) > 0 else None)
    return rows


def _n5_resolution(base: Any, attributes: Mapping[str, Any]) -> tuple[_Steps, str]:
    """The spacing of the first level, and its unit."""
    for place in (attributes, base.attributes):
        told = place.get("pixelResolution") or place.get("resolution")
        unit = told.get("unit") if isinstance(told, Mapping) else ""
        numbers = _numbers(told.get("dimensions") if isinstance(told, Mapping) else told)
        if numbers is not None and len(numbers) == base.ndim and all(numbers):
            return numbers[::-1], unit if isinstance(unit, str) else ""
    return (), ""


def _axes(
    entry: Mapping[str, Any] | None, base: Any, attributes: Mapping[str, Any]
) -> tuple[MultiscaleAxis, ...]:
    told = (entry or {}).get("axes")
    if isinstance(told, Sequence) and len(told) == base.ndim:
        return tuple(
            MultiscaleAxis(*(str(axis.get(member) or "") for member in ("name", "type", "unit")))
            if isinstance(axis, Mapping)
            else MultiscaleAxis(str(axis or ""))
            for axis in told
        )
    names = base.dimension_names or (None,) * base.ndim
    if entry is not None:
        # The fixed axes of versions before 0.3.
        before = "tczyx" if base.ndim == 5 and base.dimension_names is None else names
        return tuple(map(MultiscaleAxis, before))
    unit = _n5_resolution(base, attributes)[1]
    return tuple(MultiscaleAxis(name, "", unit) for name in names)


def _channels(attributes: Mapping[str, Any]) -> tuple[MultiscaleChannel, ...]:
    omero = _ome(attributes).get("omero") or attributes.get("omero")
    told = omero.get("channels") if isinstance(omero, Mapping) else None
    return tuple(map(_channel, told)) if isinstance(told, Sequence) else ()


def _channel(told: Any) -> MultiscaleChannel:
    told = told if isinstance(told, Mapping) else {}
    window = told.get("window")
    bounds = _numbers([window.get("start"), window.get("end")]) if isinstance(window, Mapping) else None
    ordered = bounds is not None and bounds[0] < bounds[1]
    return MultiscaleChannel(
        str(told.get("label") or ""),
        _colour(told.get("color")),
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
