"""Rules of the CF conventions that programs rely on: names of other variables, flags, packing, times, coordinates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from zarrcore.conventions import Find
from zarrcore.conventions.cf import decode_times, is_time, missing_values
from zarrcore.conventions.values import items, number, numbers, text
from zarrcore.errors import ZarrError
from zarrcore.operations.check.conventions.rule import Broken, exists

_ADDRESS: Final = "https://cfconventions.org/cf-conventions/cf-conventions.html"
_STANDARD_NAME: Final = re.compile(r"[a-z][a-z0-9_]*( [a-z_]+)?")
_NAMING: Final = {
    "coordinates": ("5", "coordinate-system"),
    "bounds": ("7.1", "cell-boundaries"),
    "climatology": ("7.4", "climatological-statistics"),
    "ancillary_variables": ("3.4", "ancillary-data"),
    "grid_mapping": ("5.6", "grid-mappings-and-projections"),
}
_MOST_COORDINATES: Final = 1_000_000


def check_cf(node: Any, _kind: str, find: Find) -> Iterator[Broken]:
    """The rules of CF that an array breaks; groups have none that are checked.

    Raises:
        StoreError: the store failed.
    """
    if node.kind != "array":
        return
    yield from _check_names(node, find)
    yield from _check_words(node.attributes)
    yield from _check_flags(node.attributes)
    yield from _check_numbers(node)
    yield from _check_time(node.attributes)
    if node.ndim == 1 and node.dimension_names == (node.name,):
        yield from _check_coordinate(node)


def _rule(section: str, anchor: str) -> str:
    return f"CF {section}, {_ADDRESS}#{anchor}"


def _check_names(array: Any, find: Find) -> Iterator[Broken]:
    """Attributes that name other variables of the group, or of a group above."""
    for member, (section, anchor) in _NAMING.items():
        told = text(array.attributes.get(member))
        # "crs: x y" names variables that a grid mapping is for, as well.
        names = [name.rstrip(":") for name in told.split()]
        for name in names:
            if not _exists(array, name, find):
                yield Broken(member, f"names {name}, which does not exist", _rule(section, anchor))


def _exists(array: Any, name: str, find: Find) -> bool:
    """Whether the group of an array, or a group above, has a variable; a name may be a path from the root."""
    if name.startswith("/"):
        return exists("/", name[1:], find)
    group = array.path.rpartition("/")[0]
    while not exists(group, name, find):
        if not group:
            return False
        group = group.rpartition("/")[0]
    return True


def _check_words(attributes: Mapping[str, Any]) -> Iterator[Broken]:
    told = attributes.get("standard_name")
    if told is not None and not (isinstance(told, str) and _STANDARD_NAME.fullmatch(told)):
        yield Broken(
            "standard_name",
            f"expected words in lower case joined by _, found {told!r}",
            _rule("3.3", "standard-name"),
        )
    for member, words, section, anchor in (
        ("axis", "XYZT", "4", "coordinate-types"),
        ("positive", ("up", "down"), "4.3", "vertical-coordinate"),
    ):
        told = attributes.get(member)
        known = isinstance(told, str) and (told.upper() in words or told.lower() in words) and bool(told)
        if told is not None and not known:
            yield Broken(
                member, f"expected one of {', '.join(words)}, found {told!r}", _rule(section, anchor)
            )


def _check_flags(attributes: Mapping[str, Any]) -> Iterator[Broken]:
    rule = _rule("3.5", "flags")
    meanings = text(attributes.get("flag_meanings")).split()
    for member in ("flag_values", "flag_masks"):
        if member not in attributes:
            continue
        values = attributes[member] if isinstance(attributes[member], list | tuple) else [attributes[member]]
        if len(values) != len(meanings):
            yield Broken(member, f"{len(values)} values for {len(meanings)} meanings", rule)
        if len({str(value) for value in values}) != len(values) and member == "flag_values":
            yield Broken(member, "a value has several meanings", rule)


def _check_numbers(array: Any) -> Iterator[Broken]:
    attributes = array.attributes
    for member in ("scale_factor", "add_offset"):
        told = attributes.get(member)
        first = items(told)[0] if len(items(told)) == 1 else told
        if told is not None and number(first) is None:
            yield Broken(member, f"expected a number, found {told!r}", _rule("8.1", "packed-data"))
    if array.dtype.kind in "iuf":
        known = missing_values(attributes, array.dtype)
        for member in ("_FillValue", "missing_value"):
            if attributes.get(member) is not None and member not in known:
                told = attributes[member]
                yield Broken(
                    member, f"{told!r} is not a value of {array.dtype.name}", _rule("2.5.1", "missing-data")
                )
    rule = _rule("2.5.1", "missing-data")
    if "valid_range" in attributes:
        if numbers(attributes["valid_range"], 2) is None:
            yield Broken("valid_range", f"expected two numbers, found {attributes['valid_range']!r}", rule)
        if "valid_min" in attributes or "valid_max" in attributes:
            yield Broken("valid_range", "stands beside valid_min or valid_max", rule)


def _check_time(attributes: Mapping[str, Any]) -> Iterator[Broken]:
    units, calendar = text(attributes.get("units")), text(attributes.get("calendar"))
    rule = _rule("4.4", "time-coordinate")
    if not is_time(units):
        if " since " in f" {units} ":
            yield Broken("units", f"{units!r} is not a unit of time, since, and a date", rule)
        return
    half = np.full(1, 0.5)  # of a unit with a fixed length
    if decode_times(half, units, calendar) is not None:
        return
    if calendar and decode_times(half, units) is not None:
        sentence = f"{calendar!r} is not known, or does not have the date of the units"
        yield Broken("calendar", sentence, _rule("4.4.1", "calendar"))
    else:
        yield Broken("units", f"{units!r} has a unit without a fixed length, or an impossible date", rule)


def _check_coordinate(array: Any) -> Iterator[Broken]:
    """Coordinates must be monotonic and complete."""
    if array.dtype.kind not in "iuf" or not 1 < array.shape[0] <= _MOST_COORDINATES:
        return
    try:
        values = np.asarray(array.read()).astype(np.float64)
    except ZarrError:
        return  # a chunk that cannot be read is a finding of its own
    steps = np.diff(values)
    if not ((steps > 0).all() or (steps < 0).all()):
        rule = _rule("1.3", "terminology")
        yield Broken("", "coordinates must rise or fall from each to the next, without missing values", rule)
