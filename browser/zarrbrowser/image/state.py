"""The state of an image pane as a value: the image, and how it is shown. `ImageModel` holds it and announces changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, Flag, auto
from typing import TYPE_CHECKING, Any

from zarrbrowser.image.axes import Axes
from zarrbrowser.image.labels import Labels
from zarrbrowser.image.levels import Image, proportion
from zarrbrowser.image.view_settings import ViewSettings

if TYPE_CHECKING:
    from zarrbrowser.maps.geography import Geography

_DEPTH_NAMES = ("z", "depth", "lev", "level")


class PlaneLayout(Enum):
    """Which planes are shown beside the main one."""

    SINGLE = "single"
    PAIR = "pair"
    ORTHOGONAL = "orthogonal"


class Change(Flag):
    """The parts in which two states differ."""

    IMAGE = auto()
    """A different image, or none; every other part may differ too."""
    AXES = auto()
    """The axes that span the picture."""
    POSITION = auto()
    """The position along the other axes."""
    ORIENTATION = auto()
    """Where rows and columns run."""
    VALUES = auto()
    """Which numbers represent the elements."""
    CONTRAST = auto()
    COLOURS = auto()
    """Colour map, norm, colours of channels."""
    CHANNELS = auto()
    """Which channels are blended."""
    LABELS = auto()
    CONTOURS = auto()
    DERIVATION = auto()
    """How the numbers are computed."""
    MAP = auto()
    """Where the image is on Earth, and what is drawn of that."""
    LAYOUT = auto()
    LIMIT = auto()
    """How much the user agreed to read."""
    MEASURE = auto()
    """Not a difference but a request: recompute the contrast from the part in view."""


EVERYTHING = ~Change.MEASURE
NOTHING = Change(0)


@dataclass(frozen=True, slots=True)
class ImageState:
    """One image and how the pane shows it."""

    image: Image
    settings: ViewSettings
    find: Callable[[str], Any]
    """Opens the node at a path of the image's hierarchy."""
    colour_map: str = "gray"
    """For images whose settings do not name a colour map."""
    layout: PlaneLayout = PlaneLayout.SINGLE
    labels: Labels | None = None
    """The opened labels; None without labels and while they are being opened."""
    upward: frozenset[int] = frozenset()
    """The axes that run up, not down, as rows: their coordinates say where the north is, or the surface of the sea."""
    leftward: frozenset[int] = frozenset()
    """The axes that run to the left as columns."""
    geography: Geography | None = None
    """Where the image is on Earth, if that is known."""

    def settled(self) -> ImageState:
        """The same state; without a third axis, orthogonal planes become a single plane."""
        settings = self.settings.settled(self.image)
        state = self if settings is self.settings else replace(self, settings=settings)
        if state.layout is PlaneLayout.ORTHOGONAL and not state.has_depth:
            return replace(state, layout=PlaneLayout.SINGLE)
        return state

    @property
    def has_depth(self) -> bool:
        """Whether there is a third axis besides those of the picture."""
        return bool(self.settings.sliders(self.image))

    @property
    def proportion(self) -> float:
        """The ratio of width to height of an element: on a map in degrees, else in units of length."""
        axes = self.settings.axes
        plane = None if self.geography is None else self.geography.plane(axes)
        on_earth = None if plane is None else plane.proportion
        return on_earth or proportion(self.image, axes.rows, axes.columns)

    @property
    def flips(self) -> tuple[bool, bool]:
        """Whether rows run up, and columns to the left: because of their coordinates, or because the user turned them."""
        axes, settings = self.settings.axes, self.settings
        return (
            (axes.rows in self.upward) != settings.flip_rows,
            (axes.columns in self.leftward) != settings.flip_columns,
        )

    def with_axes(self, axes: Axes) -> ImageState:
        """The same image at another plane."""
        return replace(self, settings=replace(self.settings, axes=axes).settled(self.image))

    def shows_same_image(self, other: ImageState | None) -> bool:
        """Whether two states show the same array, so that positions mean the same in both."""
        return other is not None and other.image.base is self.image.base

    def computes_like(self, other: ImageState) -> bool:
        """Whether two states show numbers of the same kind of the same array, so that one contrast fits both."""
        mine, theirs = self.settings, other.settings
        same = (mine.reduction, mine.comparison) == (theirs.reduction, theirs.comparison)
        return same and self.shows_same_image(other)

    def beside(self, pinned: ImageState | None) -> list[ImageState]:
        """The states of the views beside the main one.

        Args:
            pinned: the fixed state of the right view of a pair.
        """
        axes = self.settings.axes
        if self.layout is PlaneLayout.PAIR and pinned is not None:
            if self.shows_same_image(pinned) and not self.computes_like(pinned):
                return [replace(self, settings=pinned.settings, image=pinned.image)]
            if self.shows_same_image(pinned):
                return [replace(self.with_axes(pinned.settings.axes), image=pinned.image)]
            return [replace(pinned, colour_map=self.colour_map)]
        if self.layout is PlaneLayout.ORTHOGONAL:
            depths = self.settings.sliders(self.image)
            depth = next((axis for axis in depths if axes.names[axis].lower() in _DEPTH_NAMES), depths[0])
            return [self.with_axes(replace(axes, columns=depth)), self.with_axes(replace(axes, rows=depth))]
        return []


def changes(before: ImageState | None, after: ImageState | None) -> Change:
    """The parts in which two states differ."""
    if before is None or after is None or before.image is not after.image:
        return NOTHING if before is after else EVERYTHING
    one, other = before.settings, after.settings
    found = {
        Change.AXES: (one.axes.rows, one.axes.columns) != (other.axes.rows, other.axes.columns),
        Change.POSITION: one.axes.index != other.axes.index,
        Change.ORIENTATION: before.flips != after.flips,
        Change.VALUES: one.elements != other.elements,
        Change.DERIVATION: _derivation(one) != _derivation(other),
        Change.CONTRAST: _contrasts(one) != _contrasts(other),
        Change.COLOURS: _colours(before) != _colours(after),
        Change.CHANNELS: (one.is_blended, one.channels_on) != (other.is_blended, other.channels_on),
        Change.LABELS: before.labels is not after.labels or _labels(one) != _labels(other),
        Change.CONTOURS: one.contours != other.contours,
        Change.MAP: before.geography is not after.geography or _map(one) != _map(other),
        Change.LAYOUT: before.layout is not after.layout,
        Change.LIMIT: one.may_read_bytes != other.may_read_bytes,
    }
    different = NOTHING
    for part, is_different in found.items():
        different |= part if is_different else NOTHING
    return different


def _contrasts(settings: ViewSettings) -> tuple[Any, ...]:
    return (settings.contrast, *(one.contrast for one in settings.channels))


def _colours(state: ImageState) -> tuple[Any, ...]:
    settings = state.settings
    name = settings.colour_map or state.colour_map
    return (name, settings.norm, *(one.colour for one in settings.channels))


def _derivation(settings: ViewSettings) -> tuple[Any, ...]:
    told = settings.elements, settings.reduction, settings.comparison, settings.other
    return told if settings.is_derived else (settings.comparison,)


def _map(settings: ViewSettings) -> tuple[Any, ...]:
    return settings.coastlines, settings.graticule, settings.projection


def _labels(settings: ViewSettings) -> tuple[Any, ...]:
    return settings.labels, settings.labels_opacity
