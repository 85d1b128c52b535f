"""Where the levels of an image lie, from the scale and translation of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from zarrcore.conventions.image import Level
from zarrcore.conventions.interface import Find
from zarrcore.conventions.values import Numbers, are_finite
from zarrcore.errors import MetadataError, NodeNotFoundError
from zarrcore.threads import ThreadPool

MOST_LEVELS: Final = 32
_IN_FLIGHT: Final = 8


@dataclass(frozen=True, slots=True)
class DescribedLevel:
    """The metadata of one level."""

    path: str
    """Relative to the group."""
    scale: Numbers | None = None
    """The distance between elements, per axis."""
    translation: Numbers | None = None
    """The position of element 0, per axis."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """The levels of an image, and where the first one lies."""

    levels: tuple[Level, ...]
    """One for each described level; ``node`` is None where a level is missing."""
    spacing: Numbers
    origin: Numbers


def find_levels(group: str, paths: Sequence[str], find: Find) -> list[Any]:
    """The nodes at paths relative to a group; None for those that are missing, except the first.

    Raises:
        MetadataError: the first is broken or not an array.
        NodeNotFoundError: the first is missing.
        StoreError: the store failed.
    """
    if not paths:
        raise no_levels(group)
    first = find(_absolute(group, paths[0]))
    return check_levels(group, [first, *find_present(group, paths[1:], find)])


def find_present(group: str, paths: Sequence[str], find: Find) -> list[Any]:
    """The nodes at paths relative to a group; None for those that are missing.

    Raises:
        StoreError: the store failed.
    """
    with ThreadPool(_IN_FLIGHT) as pool:
        return list(pool.map(partial(_found, find), [_absolute(group, path) for path in paths]))


def _absolute(group: str, path: str) -> str:
    return f"{group.rstrip('/')}/{path}".replace("//", "/")


def check_levels(group: str, found: list[Any]) -> list[Any]:
    """The same nodes, if the first is an array.

    Raises:
        MetadataError: it is broken or not an array, or the image has no levels.
    """
    if found and found[0].kind == "broken":
        raise MetadataError(f"{group}: the first level of its pyramid is broken: {found[0].error}")
    if not found or found[0].kind != "array":
        raise no_levels(group)
    return found


def _found(find: Callable[[str], Any], path: str) -> Any:
    try:
        return find(path)
    except NodeNotFoundError:
        return None


def no_levels(path: str) -> MetadataError:
    """The error for levels that contradict the metadata."""
    return MetadataError(f"{path}: its metadata describe a pyramid, but its levels are missing")


def geometry(nodes: Sequence[Any], described: Sequence[DescribedLevel]) -> Geometry | None:
    """The levels, if the scale of the first is known.

    Args:
        nodes: the nodes of the levels, None where they are missing; the first is an array.
        described: the metadata of each.
    """
    ndim = nodes[0].ndim
    first = _of_length(ndim, described[0].scale)
    if first is None or not all(first):
        return None
    shifts = [_of_length(ndim, one.translation) for one in described]
    start = shifts[0] or (0.0,) * ndim
    levels = []
    for node, one, shift in zip(nodes, described, shifts, strict=True):
        scale, there = _of_length(ndim, one.scale), shift or (0.0,) * ndim
        if scale is None or not all(scale):
            levels.append(Level(node, None, None))
            continue
        factors = tuple(step / unit for step, unit in zip(scale, first, strict=True))
        offsets = tuple((to - fro) / unit for to, fro, unit in zip(there, start, first, strict=True))
        if not all(factors) or not are_finite((*factors, *offsets)):
            levels.append(Level(node, None, None))
            continue
        levels.append(Level(node, factors, offsets if any(shifts) else None))
    return Geometry(tuple(levels), first, start)


def _of_length(ndim: int, steps: Numbers | None) -> Numbers | None:
    return steps if steps is not None and len(steps) == ndim else None
