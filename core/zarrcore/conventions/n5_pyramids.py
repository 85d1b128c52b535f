"""Pyramids of N5: levels ``s0``, ``s1``, … in a group.

``downsamplingFactors`` (BigDataViewer), ``scales`` (N5 viewer) and ``multiScale`` (Paintera), or no attribute at all; lengths per
axis are written in reverse order. COSEM's ``multiscales`` resemble those of OME-NGFF, where they are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from zarrcore.conventions.axis import Axis
from zarrcore.conventions.image import Level, MultiscaleImage
from zarrcore.conventions.interface import Convention, Find
from zarrcore.conventions.level_geometry import MOST_LEVELS, DescribedLevel, Geometry, check_levels
from zarrcore.conventions.signs import OF_N5_PYRAMIDS
from zarrcore.conventions.values import Numbers, items, mapping, numbers, text
from zarrcore.errors import NodeNotFoundError

TITLE: Final = "N5 pyramid"
_FIRST_TIME: Final = "/timepoint0"


def _recognise(node: Any) -> str | None:
    is_pyramid = node.kind == "group" and any(node.attributes.get(sign) for sign in OF_N5_PYRAMIDS)
    return MultiscaleImage.kind if is_pyramid else None


def _infer(group: Any, find: Find | None) -> str | None:
    """Programs that write ``s0``, ``s1``, … need no attributes: an N5 group with two such arrays, the second smaller."""
    if not may_be_pyramid(group):
        return None
    base, find = group.path.rstrip("/"), find or group.hierarchy.node
    try:
        first, second = find(f"{base}/s0"), find(f"{base}/s1")
    except NodeNotFoundError:
        return None
    if not first.kind == second.kind == "array" or first.ndim != second.ndim or first.shape == second.shape:
        return None
    are_coarser = all(0 < less <= more for less, more in zip(second.shape, first.shape, strict=True))
    return MultiscaleImage.kind if are_coarser else None


def may_be_pyramid(group: Any) -> bool:
    """Whether a group is one of N5 that may hold levels; reads nothing."""
    hierarchy = getattr(group, "hierarchy", None)
    return group.kind == "group" and hierarchy is not None and hierarchy.format.name == "n5"


def _read(group: Any, find: Find) -> MultiscaleImage:
    _, found = numbered_levels(group.path, find)
    check_levels(group.path, found)
    placed = n5_geometry(found, group.attributes)
    unit = n5_unit(found[0], group.attributes)
    names = found[0].dimension_names or (None,) * found[0].ndim
    return MultiscaleImage(
        TITLE,
        "",
        placed.levels,
        tuple(Axis(name, "", unit) for name in names),
        placed.spacing,
        placed.origin,
    )


def numbered_levels(group: str, find: Find) -> tuple[list[DescribedLevel], list[Any]]:
    """The existing levels ``s0``, ``s1``, …; those of a BigDataViewer set-up are below its time points."""
    base = group.rstrip("/")
    levels, found = [], []
    for number in range(MOST_LEVELS):
        try:
            found.append(find(f"{base}/s{number}"))
        except NodeNotFoundError:
            break
        levels.append(DescribedLevel(f"s{number}"))
    if not found and not base.endswith(_FIRST_TIME):
        return numbered_levels(f"{base}{_FIRST_TIME}", find)
    return levels, found


def n5_geometry(found: Sequence[Any], attributes: Mapping[str, Any]) -> Geometry:
    """The levels with the factors that the group or the arrays state, in the order of the array's axes.

    Args:
        found: the nodes of the levels, None where they are missing; the first is an array.
        attributes: the attributes of the group.
    """
    ndim = found[0].ndim
    table = attributes.get("downsamplingFactors") or attributes.get("scales")
    levels = [Level(found[0], (1.0,) * ndim, None)]
    for number, node in enumerate(found[1:], 1):
        row = items(table)[number] if number < len(items(table)) else None
        own = node.attributes if node is not None and node.kind != "broken" else {}
        told = row if row is not None else own.get("downsamplingFactors")
        factors = numbers(told, ndim)
        positive = factors is not None and min(factors, default=1) > 0
        levels.append(Level(node, factors[::-1] if factors is not None and positive else None, None))
    spacing = n5_resolution(found[0], attributes)[0]
    return Geometry(tuple(levels), spacing, (0.0,) * len(spacing))


def n5_unit(base: Any, attributes: Mapping[str, Any]) -> str:
    """The unit of the distances between elements."""
    return n5_resolution(base, attributes)[1]


def n5_resolution(base: Any, attributes: Mapping[str, Any]) -> tuple[Numbers, str]:
    """The spacing of the first level, and its unit.

    As the N5 viewer has it, an array's own value overrides its group's. ``pixelResolution``, which states a unit, comes first:
    ``resolution`` is Paintera's, and may count other units.
    """
    places = (base.attributes, attributes)
    for told in [place.get(name) for name in ("pixelResolution", "resolution") for place in places]:
        spacing = numbers(told.get("dimensions") if isinstance(told, Mapping) else told, base.ndim)
        if spacing is not None and all(spacing):
            return spacing[::-1], text(mapping(told).get("unit"))
    return (), ""


N5_PYRAMIDS: Final = Convention(
    "n5-pyramid",
    TITLE,
    "https://github.com/saalfeldlab/n5-viewer/wiki/Container-and-Metadata-format",
    (MultiscaleImage.kind,),
    _recognise,
    _read,
    _infer,
)
