"""The link of two images: which axes belong together, and which place of one is which place of the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.image.axes import Axes, axis_names
from zarrbrowser.image.linking.axis_link import (
    AxisLink,
    Basis,
    Range,
    by_extent,
    by_index,
    by_labels,
    by_rulers,
)
from zarrbrowser.image.linking.rulers import Scale, rulers_of

Ranges = tuple[Range, Range]
_SAME = {"lat": "latitude", "lon": "longitude", "t": "time"}
"""Names that mean the same."""


@dataclass(frozen=True, slots=True)
class Side:
    """What one image says about places in it."""

    axes: Axes
    coordinates: Mapping[int, Coordinate] = field(default_factory=dict)
    """By axis."""
    scale: Scale | None = None

    @property
    def own_names(self) -> list[str]:
        """The name of each axis in its usual form; empty for an axis without a name of its own."""
        generated = axis_names(len(self.axes.shape), None)
        names = zip(self.axes.names, generated, strict=True)
        return ["" if name == other else _SAME.get(name.lower(), name.lower()) for name, other in names]


@dataclass(frozen=True, slots=True)
class ImageLink:
    """Places of one image as places of another. The planes that both show now decide nothing but which axes pair."""

    links: Mapping[int, tuple[int, AxisLink]]
    """By axis of the one image: the axis of the other, and how positions correspond."""

    def places(self, position: Sequence[float]) -> dict[int, float | None]:
        """The position along each axis of the other image that is linked; None for a label that it lacks."""
        return {axis: link.place(position[own]) for own, (axis, link) in self.links.items()}

    def place(self, axes: Axes, place: tuple[float, float], others: Axes) -> tuple[float, float] | None:
        """The place in the other picture of a place down and to the right in this one; None if it is outside.

        Args:
            axes: the plane in which the place is.
            others: the plane of the other picture.
        """
        position: list[float] = [*axes.index]
        position[axes.rows], position[axes.columns] = place
        found = []
        for axis in (others.rows, others.columns):
            own = self._own(axis)
            at = None if own is None else self.links[own][1].place(position[own])
            if own is None or at is None or not self.links[own][1].holds(at):
                return None
            found.append(at)
        return found[0], found[1]

    def ranges(self, axes: Axes, ranges: Ranges, others: Axes) -> tuple[Range | None, Range | None]:
        """The rows and columns of the other picture that show the same as these; None for an axis that is not linked."""
        shown = {axes.rows: ranges[0], axes.columns: ranges[1]}
        found = []
        for axis in (others.rows, others.columns):
            own = self._own(axis)
            found.append(None if own not in shown or own is None else self.links[own][1].range(shown[own]))
        return found[0], found[1]

    def move(self, axes: Axes, others: Axes) -> tuple[Axes, list[int]]:
        """The plane of the other image at the positions of this one.

        Returns:
            That plane, and the sliders of this image whose position the other one does not have: it keeps its own there.
        """
        outside = []
        for own, (axis, link) in self.links.items():
            if own in axes.shown or axis in others.shown:
                continue
            position = link.nearest(axes.index[own])
            if position is None:
                outside.append(own)
            else:
                others = others.at(axis, position)
        return others, outside

    def basis(self, axes: Axes) -> str:
        """By what places correspond, as text: ``physical size``, or ``y by coordinates, x by index``."""
        shown = {axis: self.links[axis][1].basis for axis in (axes.rows, axes.columns) if axis in self.links}
        if len(set(shown.values())) == 1 and len(shown) == 2:
            return next(iter(shown.values())).value
        return ", ".join(f"{axes.names[axis]} by {basis.value}" for axis, basis in shown.items())

    def is_measured(self, axes: Axes) -> bool:
        """Whether rows and columns correspond by what they stand for: coordinates, or sizes."""
        bases = self._bases(axes)
        return len(bases) == 2 and all(basis in (Basis.COORDINATES, Basis.SIZE) for basis in bases)

    def is_more_than_index(self, axes: Axes) -> bool:
        """Whether rows and columns correspond by more than their numbers."""
        bases = self._bases(axes)
        return len(bases) == 2 and Basis.INDEX not in bases

    def _bases(self, axes: Axes) -> list[Basis]:
        return [self.links[axis][1].basis for axis in (axes.rows, axes.columns) if axis in self.links]

    def _own(self, axis: int) -> int | None:
        return next((own for own, (other, _link) in self.links.items() if other == axis), None)


def link_images(one: Side, other: Side) -> ImageLink:
    """Link two images.

    Axes pair by their names; those without a name of their own by their place, counted from the last. Rows and columns
    without a partner pair with rows and columns. Positions correspond by coordinates or sizes if both images state them in
    the same unit; else by index, or by the whole extent if one picture has the shape of the other at another resolution.
    """
    pairs = dict(_pairs(one, other))
    rulers = [rulers_of(side.coordinates, side.scale, len(side.axes.shape)) for side in (one, other)]
    links = {}
    for own, axis in pairs.items():
        link = None
        if own in rulers[0] and axis in rulers[1]:
            link = by_rulers(rulers[0][own], rulers[1][axis], other.axes.shape[axis])
        links[own] = (axis, link or _by_labels(one, own, other, axis) or by_index(other.axes.shape[axis]))
    return ImageLink(_stretched(one, other, links))


def _pairs(one: Side, other: Side) -> Iterator[tuple[int, int]]:
    names, others = one.own_names, other.own_names
    mine, theirs = set(range(len(names))), set(range(len(others)))
    for own, name in enumerate(names):
        if name and names.count(name) == 1 and others.count(name) == 1:
            mine.remove(own)
            theirs.remove(others.index(name))
            yield own, others.index(name)
    for pair in ((one.axes.rows, other.axes.rows), (one.axes.columns, other.axes.columns)):
        if pair[0] in mine and pair[1] in theirs:
            mine.remove(pair[0])
            theirs.remove(pair[1])
            yield pair
    for own in sorted(mine):
        axis = own - len(names) + len(others)
        is_unnamed = axis in theirs and not (names[own] and others[axis])
        # The axis of colours has no positions.
        if is_unnamed and own != one.axes.channel and axis != other.axes.channel:
            yield own, axis


def _by_labels(one: Side, own: int, other: Side, axis: int) -> AxisLink | None:
    mine, theirs = one.coordinates.get(own), other.coordinates.get(axis)
    if mine is None or theirs is None or any(side.values.dtype.kind in "iufM" for side in (mine, theirs)):
        return None
    return by_labels([*map(str, mine.values)], [*map(str, theirs.values)])


def _stretched(
    one: Side, other: Side, links: dict[int, tuple[int, AxisLink]]
) -> dict[int, tuple[int, AxisLink]]:
    """The same links, by extent for pictures of which nothing but their shapes is known, if these are similar."""
    shown = [axis for axis in (one.axes.rows, one.axes.columns) if axis in links]
    if len(shown) < 2 or any(links[axis][1].basis is not Basis.INDEX for axis in shown):
        return links
    lengths = [(one.axes.shape[axis], other.axes.shape[links[axis][0]]) for axis in shown]
    if not _are_similar(*lengths):
        return links
    stretched = {axis: (links[axis][0], by_extent(*pair)) for axis, pair in zip(shown, lengths, strict=True)}
    return {**links, **stretched}


def _are_similar(rows: tuple[int, int], columns: tuple[int, int]) -> bool:
    """Whether one picture is the other at another resolution: the same factor along both, up to a rounding of the shape."""
    if rows[0] == rows[1] or columns[0] == columns[1] or min(*rows, *columns) < 2:
        return False
    factor = max(rows[0], columns[0]) / (rows[1] if rows[0] >= columns[0] else columns[1])
    large, small = (0, 1) if factor > 1 else (1, 0)
    ratio = max(factor, 1 / factor)
    return all(abs(pair[large] / ratio - pair[small]) <= 1 for pair in (rows, columns))
