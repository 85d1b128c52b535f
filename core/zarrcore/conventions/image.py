"""Multiscale images: one image at several resolutions, each an array."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from zarrcore.conventions.axis import Axis
from zarrcore.conventions.georeference import Georeference
from zarrcore.conventions.interface import Meaning, plural
from zarrcore.conventions.units import symbol
from zarrcore.conventions.values import Numbers
from zarrcore.sizes import format_shape

Colour = tuple[int, int, int]

_COLOURS: Final[tuple[Colour, ...]] = (
    (0, 255, 0),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 0),
    (255, 0, 0),
    (64, 96, 255),
)


def channel_colour(number: int) -> Colour:
    """The colour of a channel whose metadata name none."""
    return _COLOURS[number % len(_COLOURS)]


@dataclass(frozen=True, slots=True)
class Level:
    """One resolution of an image.

    Position ``i`` along an axis is at ``i * factor + offset``, in elements of the first level.
    """

    node: Any
    """The array, or the node in its place, which may be broken, or a group."""
    factors: Numbers | None
    """Elements of the first level for each element, per axis; None if unknown."""
    offsets: Numbers | None
    """The centre of element 0, in elements of the first level, per axis; None if unknown."""


@dataclass(frozen=True, slots=True)
class Channel:
    """The display settings of a channel."""

    name: str = ""
    colour: Colour | None = None
    bounds: tuple[float, float] | None = None
    """The range of values to show."""
    is_on: bool = True


@dataclass(frozen=True, slots=True)
class Label:
    """What is known of the elements with one value in an image of labels."""

    colour: tuple[int, int, int, int] | None = None
    """Red, green, blue and opacity, from 0 to 255."""
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MultiscaleImage(Meaning):
    """An image as its group describes it."""

    kind: ClassVar[str] = "image"

    name: str
    levels: tuple[Level, ...]
    """The levels, finest first; the first is an array. Missing levels are in `missing`."""
    axes: tuple[Axis, ...]
    """One per dimension of the first level."""
    spacing: Numbers
    """The distance between two elements of the first level, per axis, in units; empty if unknown."""
    origin: Numbers
    """The position of element 0 of the first level, as `spacing`."""
    channels: tuple[Channel, ...] = ()
    """The channels from the first; there may be too few or too many."""
    is_labels: bool = False
    """Whether elements are labels, not amounts."""
    labels: Mapping[int, Label] = field(default_factory=dict)
    """Colours and properties of labels, by value."""
    missing: tuple[str, ...] = ()
    """Paths, relative to the group, of levels that are described but missing."""
    unapplied: tuple[str, ...] = ()
    """Transformations to other coordinate systems, which are not applied, in words."""
    unapplied_to_levels: tuple[str, ...] = ()
    """Transformations of levels that are invalid or mix axes, in words: without them, positions are wrong."""
    georeference: Georeference | None = None
    """Where the first level is on Earth."""
    images: tuple[str, ...] = ()
    """The names of all images that the group describes, this one among them; `image_named` reads another than the first."""

    def channel(self, number: int) -> Channel:
        """The settings of a channel, possibly empty."""
        return self.channels[number] if number < len(self.channels) else Channel()

    @property
    def channel_axis(self) -> int | None:
        """The axis of channels."""
        return next((number for number, axis in enumerate(self.axes) if axis.is_channel), None)

    @property
    def summary(self) -> str:
        if not self.is_labels:
            return self.sentence(self.details())
        return ", ".join([f"{self.convention} label image", *self.details()])

    def details(self) -> list[str]:
        found = []
        channels = self.channel_axis
        if channels is not None:
            found.append(plural(self.levels[0].node.shape[channels], "channel"))
        found.append(plural(len(self.levels), "level"))
        if spacing := self._spacing_text():
            found.append(spacing)
        if self.georeference is not None and self.georeference.crs is not None:
            found.append(self.georeference.crs.code or self.georeference.crs.name)
        return found

    def _spacing_text(self) -> str:
        """The distances of elements in space, such as ``1 × 0.325 × 0.325 µm``, or ``0.325 µm`` if all are alike."""
        space = [number for number, axis in enumerate(self.axes) if axis.is_space and self.spacing]
        units = {symbol(self.axes[number].unit) for number in space}
        if units in (set(), {""}):
            return ""
        lengths = [f"{abs(self.spacing[number]):.6g}" for number in space]
        if len(units) > 1:
            return " × ".join(
                f"{length} {symbol(self.axes[number].unit)}".rstrip()
                for length, number in zip(lengths, space, strict=True)
            )
        return f"{lengths[0] if len(set(lengths)) == 1 else ' × '.join(lengths)} {units.pop()}"

    def facts(self) -> list[tuple[str, str]]:
        found = [("name", self.name)] if self.name else []
        found.append(("axes", "\n".join(map(self._axis_text, range(len(self.axes))))))
        found.append(
            (
                "levels",
                "\n".join([*map(_level_text, self.levels), *(f"{path}  missing" for path in self.missing)]),
            )
        )
        if any(channel.name for channel in self.channels):
            found.append(("channels", ", ".join(channel.name or "–" for channel in self.channels)))
        unapplied = (*(f"levels: {one}" for one in self.unapplied_to_levels), *self.unapplied)
        if unapplied:
            found.append(("not applied", "\n".join(unapplied)))
        if len(self.images) > 1:
            found.append(("images", ", ".join(self.images)))
        return [*found, *(self.georeference.facts() if self.georeference is not None else [])]

    def contents(self) -> dict[str, Any]:
        # Nodes are not values: a level is told by its path and shape.
        bare = replace(self, levels=())
        return {**Meaning.contents(bare), "levels": [_level_document(level) for level in self.levels]}

    def _axis_text(self, number: int) -> str:
        axis = self.axes[number]
        parts = [axis.name or "–", axis.kind]
        if self.spacing and not axis.is_channel:
            parts.append(f"{self.spacing[number]:.6g} {symbol(axis.unit)}".rstrip())
            if self.origin[number]:
                parts.append(f"from {self.origin[number]:.6g} {symbol(axis.unit)}".rstrip())
        else:
            parts.append(symbol(axis.unit))
        return "  ".join(part for part in parts if part)


def _level_text(level: Level) -> str:
    return (
        f"{level.node.name}  {format_shape(level.node.shape)}"
        if level.node.kind == "array"
        else level.node.name
    )


def _level_document(level: Level) -> dict[str, Any]:
    shape = list(level.node.shape) if level.node.kind == "array" else None
    return {
        "path": level.node.path,
        "kind": level.node.kind,
        "shape": shape,
        "factors": level.factors,
        "offsets": level.offsets,
    }
