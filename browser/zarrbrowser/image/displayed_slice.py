"""The displayed slice as a value: enough to read it again, to draw it elsewhere and to write it as code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from zarrbrowser.image.axes import Axes
from zarrbrowser.image.colours.render import NOTHING, Style, blend, coloured, colours_of
from zarrbrowser.image.labels import DrawnLabels, lay_over
from zarrbrowser.image.levels import Channel
from zarrbrowser.nodes.protocols import ArrayLike
from zarrbrowser.values.elements import Elements
from zarrcore.typing import AnyArray

Selection = tuple[int | slice, ...]


@dataclass(frozen=True, slots=True)
class DisplayedChannel:
    """One visible channel of a blend."""

    channel: Channel
    position: int
    """The position along the channel axis."""
    levels: tuple[float, float]


@dataclass(frozen=True, slots=True)
class ImageInfo:
    """The role of an array in an image: one level of a pyramid, with channels and a scale."""

    name: str
    levels: int = 1
    channel_axis: int | None = None
    channels: tuple[str, ...] = ()
    """Names, one per position of the channel axis."""
    pixel_cm: tuple[float | None, ...] = ()
    """The distance between elements of the array along each axis, in centimetres; None if unknown."""


@dataclass(frozen=True, slots=True)
class DisplayedSlice:
    """A plane or a line as displayed."""

    array: ArrayLike
    """The array of the displayed level."""
    path: str
    """The path of ``array``."""
    level: int
    """0 is the finest."""
    axes: Axes
    """Counted in elements of ``array``."""
    selection: Selection
    """The whole plane, in the array's order of axes."""
    in_view: Selection
    """The visible part."""
    flip_rows: bool = False
    flip_columns: bool = False
    elements: Elements = field(default_factory=Elements)
    style: Style = field(default_factory=Style)
    brightest: float = 255.0
    """The RGB value of full brightness."""
    channel_axis: int | None = None
    channels: tuple[DisplayedChannel, ...] = ()
    """The blended channels; empty without blending."""
    image: ImageInfo | None = None
    """The image that the array belongs to; None for an array by itself."""
    labels: DrawnLabels | None = None
    """The labels over the picture."""

    @property
    def transposed(self) -> bool:
        """Whether the picture is the transpose of the selected array."""
        return self.axes.rows > self.axes.columns

    def only(self, selection: Selection) -> DisplayedSlice:
        """The same slice with only the channels in a selection."""
        if not self.channels or self.channel_axis is None:
            return self
        part = selection[self.channel_axis]
        length = self.array.shape[self.channel_axis]
        chosen = range(length)[part] if isinstance(part, slice) else (part,)
        return replace(self, channels=tuple(one for one in self.channels if one.position in chosen))

    def oriented(self, values: AnyArray) -> AnyArray:
        """The selected elements, transposed as on the screen: rows down, columns to the right, then colours."""
        if self.array.ndim < 2:
            return values
        shown = sorted(self.axes.shown)
        turned = values.transpose([shown.index(axis) for axis in self.axes.shown])
        return turned[
            :: -1 if self.flip_rows else 1,
            :: -1 if self.flip_columns else 1,
        ]

    def read(
        self, selection: Selection | None = None, cancelled: Callable[[], bool] | None = None
    ) -> tuple[AnyArray, ...]:
        """The elements of a selection (by default the visible part), once per channel.

        Raises:
            ReadCancelledError: ``cancelled`` became true.
            ZarrError: a chunk cannot be read or decoded.
        """
        wanted = self.in_view if selection is None else selection
        if not self.channels or self.channel_axis is None:
            return (self.array.read(wanted, cancelled=cancelled),)
        parts = []
        for one in self.channels:
            at = (*wanted[: self.channel_axis], one.position, *wanted[self.channel_axis + 1 :])
            parts.append(self.array.read(at, cancelled=cancelled))
        return tuple(parts)

    def picture(
        self, selection: Selection | None = None, cancelled: Callable[[], bool] | None = None
    ) -> NDArray[np.uint8]:
        """The picture of a selection with its labels, as on the screen, shape (h, w, 4); missing values are transparent.

        Raises:
            As `read`.
        """
        wanted = self.in_view if selection is None else selection
        picture = self.rgba(self.read(wanted, cancelled))
        rows, columns = wanted[self.axes.rows], wanted[self.axes.columns]
        if self.labels is None or not isinstance(rows, slice) or not isinstance(columns, slice):
            return picture
        over = self.labels.over(rows, columns, cancelled)
        over = over[:: -1 if self.flip_rows else 1, :: -1 if self.flip_columns else 1]
        return lay_over(picture, over, self.labels.opacity)

    def rgba(self, parts: tuple[AnyArray, ...]) -> NDArray[np.uint8]:
        """The picture of the result of `read`, as on the screen, shape (h, w, 4); missing values are transparent."""
        turned = [self.oriented(part) for part in parts]
        plain = replace(self.style, nan=NOTHING, fill=NOTHING)
        if self.channels:
            return blend(
                turned,
                self.elements,
                [one.levels for one in self.channels],
                [one.channel.colour for one in self.channels],
                plain,
            )
        if self.axes.channel is not None:
            return coloured(turned[0], self.brightest, self.elements, plain)
        return colours_of(turned[0], self.elements, plain)
