"""A drawing of an array and its chunks, as SVG: the last two dimensions as a face, the third last as its depth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from zarrcore.array import Array
from zarrcore.metadata import ChunkAxis, RegularAxis
from zarrcore.notebook.markup import Markup, element
from zarrcore.sizes import format_shape

_LONGEST: Final = 150.0
_SHORTEST: Final = 22.0
_DEPTH: Final = 64.0
"""Lengths in pixels of the longest and the shortest side, and of the longest depth."""
_CUTS_MAX: Final = 32
"""Lines along a side. Of a larger number of chunks, only some ends are drawn."""
_SLANT: Final = (0.8, 0.55)
_MARGIN: Final = 6.0


def chunk_drawing(array: Array) -> Markup:
    """The chunk grid of an array; empty for an array without dimensions or elements."""
    if not array.ndim or not array.size:
        return Markup()
    lengths = (1, *array.shape)[-2:] if array.ndim == 1 else array.shape[-2:]
    width, height = _sides(lengths[1], lengths[0])
    deep = _depth(array) if array.ndim > 2 else 0.0
    dx, dy = deep * _SLANT[0], deep * _SLANT[1]
    parts = [*_solid(array, width, height, dx, dy), *_face(array, width, height, dy)]
    parts += _labels(array, width, height, dx, dy)
    right = max((len(_label(array, axis)) for axis in range(-min(2, array.ndim), 0)), default=0) * 6.5 + 12
    below = 20 if array.ndim < 4 else 35
    box = (-_MARGIN, -_MARGIN, width + dx + right + 2 * _MARGIN, height + dy + below + 2 * _MARGIN)
    return element(
        "svg",
        element("title", _title(array)),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        viewBox=" ".join(f"{number:.0f}" for number in box),
        width=f"{box[2]:.0f}",
        height=f"{box[3]:.0f}",
    )


def _title(array: Array) -> str:
    grid = array.chunk_grid_shape
    return f"{format_shape(array.shape)} in {format_shape(grid)} chunks of {format_shape(array.chunk_shape)}"


def _sides(width: int, height: int) -> tuple[float, float]:
    """The sides of the face in pixels, as the lengths are to each other unless one would be too short to see."""
    scale = _LONGEST / max(width, height)
    return max(_SHORTEST, width * scale), max(_SHORTEST, height * scale)


def _depth(array: Array) -> float:
    return max(_SHORTEST / 2, min(_DEPTH, _LONGEST * array.shape[-3] / max(array.shape[-2:])))


def _cuts(chunks: ChunkAxis, length: int, pixels: float) -> list[float]:
    """Where chunks end within a side."""
    count = chunks.count(length)
    step = -(-count // (_CUTS_MAX + 1)) or 1
    return [chunks.place(index)[0] * pixels / length for index in range(step, count, step)]


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    return element("line", x1=f"{x1:.1f}", y1=f"{y1:.1f}", x2=f"{x2:.1f}", y2=f"{y2:.1f}", class_=kind)


def _polygon(points: list[tuple[float, float]], kind: str) -> Markup:
    return element("polygon", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points), class_=kind)


def _solid(array: Array, width: float, height: float, dx: float, dy: float) -> Iterator[Markup]:
    """The upper and the right side of a solid, with the ends of chunks along its depth."""
    if not dx:
        return
    yield _polygon([(0, dy), (dx, 0), (dx + width, 0), (width, dy)], "zs-side")
    yield _polygon([(width, dy), (dx + width, 0), (dx + width, height), (width, dy + height)], "zs-side")
    chunks = array.metadata.chunk_grid.axes[-3]
    for cut in _cuts(chunks, array.shape[-3], 1.0):
        x, y = dx * cut, dy * (1 - cut)
        yield _line(x, y, x + width, y, "zs-cut")
        yield _line(x + width, y, x + width, y + height, "zs-cut")


def _face(array: Array, width: float, height: float, dy: float) -> Iterator[Markup]:
    """The face with the ends of chunks, and of the chunks inside shards."""
    yield _polygon([(0, dy), (width, dy), (width, dy + height), (0, dy + height)], "zs-face")
    axes = array.metadata.chunk_grid.axes
    if array.shards is not None:
        yield from _grid(
            [RegularAxis(n) for n in array.inner_chunk_shape], array, width, height, dy, "zs-inner"
        )
    yield from _grid(list(axes), array, width, height, dy, "zs-cut")


def _grid(
    axes: list[ChunkAxis], array: Array, width: float, height: float, dy: float, kind: str
) -> Iterator[Markup]:
    for x in _cuts(axes[-1], array.shape[-1], width):
        yield _line(x, dy, x, dy + height, kind)
    if array.ndim > 1:
        for y in _cuts(axes[-2], array.shape[-2], height):
            yield _line(0, dy + y, width, dy + y, kind)


def _label(array: Array, axis: int) -> str:
    names = array.dimension_names
    name = names[axis] if names is not None else None
    length = f"{array.shape[axis]:,}"
    return f"{name[:24]} {length}" if name else length


def _labels(array: Array, width: float, height: float, dx: float, dy: float) -> Iterator[Markup]:
    below = _label(array, -1)
    yield element("text", below, x=f"{width / 2:.1f}", y=f"{height + dy + 15:.1f}", text_anchor="middle")
    if array.ndim > 1:
        yield element(
            "text", _label(array, -2), x=f"{width + dx + 7:.1f}", y=f"{dy / 2 + height / 2 + 4:.1f}"
        )
    if dx:
        yield element("text", _label(array, -3), x=f"{dx / 2 - 5:.1f}", y=f"{dy / 2:.1f}", text_anchor="end")
    if array.ndim > 3:
        others = " × ".join(_label(array, axis) for axis in range(min(3, array.ndim - 3)))
        more = " × …" if array.ndim > 6 else ""
        yield element("text", f"for each of {others}{more}", x=0, y=f"{height + dy + 30:.1f}")
