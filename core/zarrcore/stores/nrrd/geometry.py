"""Axes and coordinates of a NRRD file."""

from __future__ import annotations

import math
from collections import Counter
from typing import Final

from zarrcore.stores.nrrd.header import NrrdHeader, Vector
from zarrcore.stores.virtual.file_image import Axis

_UNITS: Final = {
    "m": "meter",
    "cm": "centimeter",
    "mm": "millimeter",
    "um": "micrometer",
    "µm": "micrometer",
    "μm": "micrometer",
    "micron": "micrometer",
    "microns": "micrometer",
    "nm": "nanometer",
    "s": "second",
    "sec": "second",
    "ms": "millisecond",
    "us": "microsecond",
    "µs": "microsecond",
}
"""Abbreviations, and the words of OME-Zarr."""
_WORDS: Final = frozenset(_UNITS.values())
_DOMAINS: Final = {"space": "space", "domain": "space", "time": "time"}
_NAMES: Final = {"t": "time", "time": "time", "c": "channel", "channel": "channel"}
_TOLERANCE: Final = 1e-6


def is_colour(header: NrrdHeader) -> bool:
    """Whether an axis holds red, green and blue, perhaps alpha."""
    lengths = {"RGB-color": 3, "3-color": 3, "RGBA-color": 4, "4-color": 4}
    kinds = zip(header.words("kinds"), header.sizes, strict=True)
    return any(lengths.get(kind) == size for kind, size in kinds)


def axes_of(header: NrrdHeader) -> list[Axis]:
    """The axes in the order of the header: the fastest first."""
    directions = _directions(header)
    kinds = _kinds(header, directions)
    names = _names(header, kinds)
    origins = _origins(header, kinds, directions)
    units = _units(header, kinds, directions)
    spacings = header.numbers("spacings")
    axes = []
    for i, kind in enumerate(kinds):
        step = abs(spacings[i])
        direction = directions[i]
        if not _is_length(step) and direction is not None:
            step = math.hypot(*direction)
        known = step if _is_length(step) and kind != "channel" else 1.0
        axes.append(Axis(names[i], kind, units[i], known, origins[i]))
    return axes


def _is_length(step: float) -> bool:
    return math.isfinite(step) and step > 0


def _directions(header: NrrdHeader) -> list[Vector]:
    """The step of each axis in the coordinates of the space; None if it has none."""
    found = header.vectors("space directions")
    if len(found) != len(header.sizes):
        return [None] * len(header.sizes)
    return [None if vector is None or not all(map(math.isfinite, vector)) else vector for vector in found]


def _kinds(header: NrrdHeader, directions: list[Vector]) -> list[str]:
    """``space``, ``time``, ``channel``, or empty. Without a kind and a direction, labels decide, or the first three are space."""
    labels = header.quoted("labels", len(header.sizes))
    has_space = any(vector is not None for vector in directions)
    kinds, left = [], 3
    for told, label, direction in zip(header.words("kinds"), labels, directions, strict=True):
        if told:
            kind = _DOMAINS.get(told, "channel")
        elif has_space:
            kind = "channel" if direction is None else "space"
        else:
            kind = _NAMES.get(label.lower(), "space" if left > 0 else "")
        left -= kind == "space"
        kinds.append(kind)
    return kinds


def _names(header: NrrdHeader, kinds: list[str]) -> list[str]:
    """The labels; else the usual names, each once."""
    usual = {"space": iter("xyz"), "time": iter("t"), "channel": iter("c")}
    names = []
    for number, (kind, label) in enumerate(
        zip(kinds, header.quoted("labels", len(header.sizes)), strict=True), start=1
    ):
        default = next(usual.get(kind, iter(())), f"dim_{number}")
        names.append(label or default)
    counts = Counter(names)
    return [name if counts[name] == 1 else f"dim_{number}" for number, name in enumerate(names, start=1)]


def _components(kinds: list[str], directions: list[Vector]) -> list[int] | None:
    """For each axis of space the coordinate along which it runs upwards; None if an axis runs along several, or downwards."""
    found = []
    for kind, vector in zip(kinds, directions, strict=True):
        if kind != "space":
            continue
        if vector is None or not vector:
            return None
        largest = max(range(len(vector)), key=lambda i: vector[i])
        others = (abs(value) for i, value in enumerate(vector) if i != largest)
        if vector[largest] <= 0 or max(others, default=0.0) > _TOLERANCE * vector[largest]:
            return None
        found.append(largest)
    return found if len(set(found)) == len(found) else None


def _origins(header: NrrdHeader, kinds: list[str], directions: list[Vector]) -> list[float]:
    """The position of the first element along each axis."""
    origins = [0.0] * len(kinds)
    space_origin = (header.vectors("space origin") or [None])[0]
    components = _components(kinds, directions)
    if space_origin is not None and components is not None and all(map(math.isfinite, space_origin)):
        places = [i for i, kind in enumerate(kinds) if kind == "space"]
        for place, component in zip(places, components, strict=True):
            if component < len(space_origin):
                origins[place] = space_origin[component]
        return origins
    facts = zip(
        header.numbers("spacings"), header.numbers("axis mins"), header.words("centerings"), strict=True
    )
    for i, (step, low, centering) in enumerate(facts):
        # An axis begins at its lowest position, which is the edge of the first element unless elements are nodes.
        if math.isfinite(low) and _is_length(step) and kinds[i] != "channel":
            origins[i] = low if centering == "node" else low + step / 2
    return origins


def _units(header: NrrdHeader, kinds: list[str], directions: list[Vector]) -> list[str]:
    units = [_word(unit) for unit in header.quoted("units", len(kinds))]
    count = next((len(vector) for vector in directions if vector is not None), 0)
    of_space = [_word(unit) for unit in header.quoted("space units", count)]
    components = _components(kinds, directions)
    number = 0
    for i, kind in enumerate(kinds):
        if kind == "space" and of_space and not units[i]:
            if components is not None:
                units[i] = of_space[components[number]]
            elif len(set(of_space)) == 1:
                units[i] = of_space[0]
        number += kind == "space"
    return ["" if kind == "channel" else unit for kind, unit in zip(kinds, units, strict=True)]


def _word(unit: str) -> str:
    lower = unit.strip().lower()
    return lower if lower in _WORDS else _UNITS.get(unit.strip(), "")
