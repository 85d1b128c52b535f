"""Comparisons of two planes: which ones, how, and another array whose planes fit."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice
from typing import Any

import numpy as np

from zarrbrowser.image.calculations.reduction import Statistic
from zarrbrowser.image.multiscales import is_image
from zarrbrowser.nodes.protocols import ArrayLike
from zarrbrowser.values.elements import Elements
from zarrcore.typing import AnyArray

MASK_NAME = "mask"
"""The end of the names of arrays that are offered as masks: NeXus has ``pixel_mask`` beside the counts of a detector."""
REJECTED = 0xFFFF
"""The bits of ``pixel_mask`` that reject a pixel; the others only describe it, for instance as a virtual pixel. Source: NeXus,
base class NXdetector."""
_MOST_CHILDREN = 200
"""Nodes of a group that are looked at, to offer those that fit."""


class Operation(Enum):
    """How two numbers are compared; b is that of the other plane."""

    DIFFERENCE = "difference"
    RATIO = "ratio"
    RELATIVE = "relative difference"
    MASK = "mask"
    """Not a comparison: b says which pixels do not count, as ``pixel_mask`` of NeXus does by numbers other than 0."""

    @property
    def formula(self) -> str:
        """The comparison as a formula."""
        formulas = {"difference": "a − b", "ratio": "a / b", "mask": "a where b = 0"}
        return formulas.get(self.value, "(a − b) / b")

    @property
    def centre(self) -> float:
        """The result for equal numbers."""
        return 1.0 if self is Operation.RATIO else 0.0

    def of(self, a: AnyArray, b: AnyArray) -> AnyArray:
        """Compare float64 numbers; the result is missing (NaN) where one of them is."""
        with np.errstate(all="ignore"):
            if self is Operation.DIFFERENCE:
                return a - b
            if self is Operation.MASK:
                return np.where(b == 0, a, np.nan)
            found: AnyArray = a / b if self is Operation.RATIO else (a - b) / b
        return found


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the picture is compared with: another position of an axis, a statistic along it, or another array."""

    operation: Operation = Operation.DIFFERENCE
    axis: int = -1
    position: int = 0
    statistic: Statistic | None = None
    """Along the axis, instead of one position."""
    address: str = ""
    """The path of another array, or its address in another open source; then the axis does not count."""


@dataclass(frozen=True, slots=True)
class SecondPlane:
    """A plane of another array."""

    arrays: tuple[ArrayLike, ...]
    """Its levels, the finest first."""
    rows: int
    columns: int
    index: tuple[int, ...]
    """One position per axis."""
    elements: Elements
    is_missing_at_0: bool = False
    """Whether it is a mask whose 0 marks pixels that do not count, as in TIFF: 0 and other numbers change places."""
    has_properties: bool = False
    """Whether it is a mask of NeXus, whose upper 16 bits are about pixels that count: see `REJECTED`."""

    def array_for(self, shape: tuple[int, int]) -> ArrayLike | None:
        """The level whose planes have this shape."""
        return next(
            (one for one in self.arrays if (one.shape[self.rows], one.shape[self.columns]) == shape), None
        )


@dataclass(frozen=True, slots=True)
class OtherArray:
    """Another array whose planes have the shape of the picture's."""

    address: str
    over: tuple[int, int]
    """The axes of the picture, for which it was opened."""
    plane: SecondPlane
    follows: tuple[int | None, ...]
    """For each of its axes, the axis of the picture's array with the same positions, if there is one."""
    notes: tuple[str, ...] = ()
    """Sentences about what differs: coordinates, units."""

    def at(self, index: tuple[int, ...]) -> SecondPlane:
        """The plane to compare with the one at this position of the picture's array."""
        mine = tuple(
            own if axis is None else index[axis]
            for own, axis in zip(self.plane.index, self.follows, strict=True)
        )
        return replace(self.plane, index=mine)


class CannotCompareError(Exception):
    """Why two planes cannot be compared, as a sentence."""


def candidates(path: str, shape: tuple[int, int], find: Callable[[str], Any]) -> list[str]:
    """Paths of arrays beside one, which have two axes of these lengths, masks first; blocks.

    A mask may also be an image of several levels, beside an array or in the group of an image.

    Args:
        find: the node at an absolute path.
    """

    def rank(found: str) -> tuple[bool, str]:
        return not found.endswith(MASK_NAME), found

    def fits(node: Any) -> bool:
        if node.kind == "array":
            return node.path != path and _has_sides(node.shape, shape)
        return bool(node.kind == "group" and node.path.endswith(MASK_NAME) and is_image(node))

    above = path.rpartition("/")[0] or "/"
    found: set[str] = set()
    for group in dict.fromkeys((above, path)):
        with closing(_children(find(group))) as children:  # a listing of a folder keeps it open
            paths = {node.path for node in islice(children, _MOST_CHILDREN) if fits(node)}
        # The arrays in the group of an image are its levels.
        found |= paths if group == above else {each for each in paths if each.endswith(MASK_NAME)}
    return sorted(found, key=rank)


def _children(node: Any) -> Generator[Any, None, None]:
    if node.kind == "group":
        yield from node.children()


def _has_sides(lengths: tuple[int, ...], sides: tuple[int, int]) -> bool:
    left = list(lengths)
    for side in sides:
        if side not in left:
            return False
        left.remove(side)
    return True


def document_of(comparison: Comparison | None) -> dict[str, Any] | None:
    """A comparison as JSON."""
    if comparison is None:
        return None
    return {
        "operation": comparison.operation.value,
        "axis": comparison.axis,
        "position": comparison.position,
        "statistic": None if comparison.statistic is None else comparison.statistic.value,
        "address": comparison.address,
    }


def comparison_of(document: Any, lengths: tuple[int, ...]) -> Comparison | None:
    """The comparison in a document of an array with axes of these lengths.

    Raises:
        ValueError, TypeError, KeyError, OverflowError: it is malformed, or belongs to another array.
    """
    if document is None:
        return None
    if not isinstance(document, Mapping):
        raise TypeError("not a comparison")
    axis, position, address = int(document["axis"]), int(document["position"]), document["address"]
    if not isinstance(address, str) or not (address or 0 <= axis < len(lengths)):
        raise ValueError("the document belongs to another image")
    if not address:
        position = min(max(position, 0), lengths[axis] - 1)
    statistic = document["statistic"]
    return Comparison(
        Operation(document["operation"]),
        axis,
        position,
        None if statistic is None else Statistic(statistic),
        address,
    )
