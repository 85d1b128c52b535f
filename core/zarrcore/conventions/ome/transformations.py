"""Coordinate transformations that only scale and translate, as one scale and one translation for each axis.

OME-NGFF, "coordinateTransformations" metadata: lists of ``scale`` and ``translation`` since version 0.4; since 0.6, coordinate
systems and further types (RFC-5).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final

from zarrcore.conventions.values import Numbers, are_finite, is_count, items, mapping, numbers, objects, text


@dataclass(frozen=True, slots=True)
class Alignment:
    """Output = input × scale + translation, for each axis.

    >>> Alignment((2.0,), (1.0,)).then(Alignment((10.0,), (5.0,)))
    Alignment(scale=(20.0,), translation=(15.0,))
    """

    scale: Numbers | None = None
    """None if it is not told; then it is 1 for all axes."""
    translation: Numbers | None = None
    """None if it is not told; then it is 0 for all axes."""

    def then(self, following: Alignment) -> Alignment:
        """This transformation, followed by another one."""
        scale, translation = self.scale, self.translation
        if following.scale is not None:
            pairs = zip(scale or (), following.scale, strict=False)
            scale = following.scale if scale is None else tuple(a * b for a, b in pairs)
            translation = translation and tuple(
                a * b for a, b in zip(translation, following.scale, strict=False)
            )
        if following.translation is not None:
            pairs = zip(translation or (), following.translation, strict=False)
            translation = following.translation if translation is None else tuple(a + b for a, b in pairs)
        return Alignment(scale, translation)

    def finite(self) -> Alignment:
        """The same without a scale or translation that no float can hold."""
        return Alignment(
            self.scale if self.scale is not None and are_finite(self.scale) else None,
            self.translation if self.translation is not None and are_finite(self.translation) else None,
        )


def listed(steps: Any) -> Alignment:
    """A list of scales and translations, applied in order; anything else in it is ignored."""
    found = (alignment(step) for step in objects(steps) if step.get("type") in ("scale", "translation"))
    return reduce(Alignment.then, (one for one in found if one is not None), Alignment()).finite()


def alignment(transformation: Any) -> Alignment | None:
    """A transformation of any type; None if it mixes axes, or if its parameters are invalid or in an array."""
    told = mapping(transformation)
    parse = _TYPES.get(text(told.get("type")))
    return parse(told) if parse is not None else None


def described(transformation: Mapping[str, Any]) -> str:
    """A transformation in words, such as ``rotation to "registered"``."""
    output = transformation.get("output")
    target = text(output) or text(mapping(output).get("name")) or text(mapping(output).get("path"))
    kind = text(transformation.get("type")) or "unknown transformation"
    return f'{kind} to "{target}"' if target else kind


def unusable(transformation: Mapping[str, Any], ndim: int) -> str:
    """Why a transformation of a level with this number of axes cannot be applied, in words; empty if it can.

    >>> unusable({"type": "scale", "scale": ["a", 1]}, 2), unusable({"type": "scale", "scale": [2, 1]}, 2)
    ('scale that is not 2 numbers other than 0', '')
    """
    found, words = alignment(transformation), described(transformation)
    kind = transformation.get("type")
    if found is None:
        if kind not in ("scale", "translation") or "path" in transformation:
            return words  # it mixes axes, or its parameters are in an array
        return f"{words} that is not {ndim} numbers" + (" other than 0" if kind == "scale" else "")
    if found.scale is not None and not (len(found.scale) == ndim and all(found.scale)):
        return f"{words} that is not {ndim} numbers other than 0"
    if found.translation is not None and len(found.translation) != ndim:
        return f"{words} that is not {ndim} numbers"
    return ""


def _identity(_told: Mapping[str, Any]) -> Alignment | None:
    return Alignment()


def _scale(told: Mapping[str, Any]) -> Alignment | None:
    scale = numbers(told.get("scale"))
    return Alignment(scale=scale) if scale is not None else None


def _translation(told: Mapping[str, Any]) -> Alignment | None:
    translation = numbers(told.get("translation"))
    return Alignment(translation=translation) if translation is not None else None


def _sequence(told: Mapping[str, Any]) -> Alignment | None:
    parts = [alignment(part) for part in items(told.get("transformations"))]
    known = [part for part in parts if part is not None]
    return reduce(Alignment.then, known) if parts and len(known) == len(parts) else None


def _affine(told: Mapping[str, Any]) -> Alignment | None:
    rows = _rows(told.get("affine"), extra=1)
    if rows is None or not _is_diagonal(rows):
        return None
    return Alignment(tuple(row[axis] for axis, row in enumerate(rows)), tuple(row[-1] for row in rows))


def _rotation(told: Mapping[str, Any]) -> Alignment | None:
    rows = _rows(told.get("rotation"), extra=0)
    if rows is None or not _is_diagonal(rows):
        return None
    return Alignment(scale=tuple(row[axis] for axis, row in enumerate(rows)))


def _rows(matrix: Any, extra: int) -> list[Numbers] | None:
    """The rows of a square matrix with a number of extra columns."""
    count = len(items(matrix))
    found = [row for told in items(matrix) if (row := numbers(told, count + extra)) is not None]
    return found if found and len(found) == count else None


def _is_diagonal(rows: list[Numbers]) -> bool:
    size = len(rows)
    return all(
        row[column] == 0 for number, row in enumerate(rows) for column in range(size) if column != number
    )


def _map_axis(told: Mapping[str, Any]) -> Alignment | None:
    order = list(items(told.get("mapAxis")))
    return Alignment() if order == list(range(len(order))) else None


def _bijection(told: Mapping[str, Any]) -> Alignment | None:
    return alignment(told.get("forward"))


def _by_dimension(told: Mapping[str, Any]) -> Alignment | None:
    scale: dict[int, float] = {}
    translation: dict[int, float] = {}
    for part in map(mapping, items(told.get("transformations"))):
        axes = list(items(part.get("inputAxes")))
        inner = alignment(part.get("transformation"))
        if inner is None or axes != list(items(part.get("outputAxes"))) or not all(map(is_count, axes)):
            return None
        steps = inner.scale if inner.scale is not None else (1.0,) * len(axes)
        shifts = inner.translation if inner.translation is not None else (0.0,) * len(axes)
        if not len(steps) == len(shifts) == len(axes):
            return None
        scale |= dict(zip(axes, steps, strict=True))
        translation |= dict(zip(axes, shifts, strict=True))
    order = range(len(scale))
    if sorted(scale) != list(order):
        return None
    return Alignment(tuple(scale[axis] for axis in order), tuple(translation[axis] for axis in order))


_TYPES: Final[Mapping[str, Callable[[Mapping[str, Any]], Alignment | None]]] = {
    "identity": _identity,
    "scale": _scale,
    "translation": _translation,
    "sequence": _sequence,
    "affine": _affine,
    "rotation": _rotation,
    "mapAxis": _map_axis,
    "bijection": _bijection,
    "byDimension": _by_dimension,
}
