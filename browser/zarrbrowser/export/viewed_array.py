"""The displayed array and its visible part, for export and for code snippets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from zarrbrowser.image.axes import axis_names
from zarrbrowser.image.calculations.reduction import Reduction
from zarrbrowser.image.displayed_slice import DisplayedSlice
from zarrbrowser.nodes.protocols import ArrayLike
from zarrbrowser.nodes.source_name import source_name
from zarrbrowser.values.quantities import format_shape
from zarrcore.conventions.cf import Packing

Selection = tuple[int | slice, ...]
_LONGEST, _LONGEST_BYTES = 120, 240
"""The maximum length of a file name before its suffix: file systems accept 255 bytes."""


@dataclass(frozen=True, slots=True)
class ViewedArray:
    """An array, and which of its elements are displayed."""

    array: ArrayLike
    selection: Selection
    """The whole plane, line or table."""
    in_view: Selection
    """The part that is on the screen or selected."""
    displayed: DisplayedSlice | None = None
    """How it is drawn, if it is an image."""
    packing: Packing | None = None
    """How stored numbers are unpacked, if the window shows them unpacked."""
    levels: tuple[ViewedArray, ...] = ()
    """The same view at each level of a pyramid, the finest first; empty for a single level."""

    @classmethod
    def whole(cls, array: ArrayLike) -> ViewedArray:
        """All elements."""
        everything = (slice(None),) * array.ndim
        return cls(array, everything, everything)

    @classmethod
    def of(cls, shown: DisplayedSlice) -> ViewedArray:
        """The view of an image or a plot."""
        shape = tuple(shown.array.shape)
        selection, in_view = _plain(shown.selection, shape), _plain(shown.in_view, shape)
        return cls(shown.array, selection, in_view, shown, shown.elements.packing)

    @classmethod
    def of_levels(cls, shown: Sequence[DisplayedSlice]) -> ViewedArray:
        """The view of an image at its finest level.

        Args:
            shown: the view at each level, the finest first; at least one.
        """
        levels = tuple(cls.of(one) for one in shown)
        return replace(levels[0], levels=levels if len(levels) > 1 else ())

    @property
    def title(self) -> str:
        """The number and shape of the level."""
        number = self.displayed.level if self.displayed is not None else 0
        return f"level {number}: {format_shape(self.array.shape)}"

    def file_name(self, selection: Selection, suffix: str) -> str:
        """A file name from its content: array or image, level, position along axes, channels."""
        image = self.displayed.image if self.displayed is not None else None
        axis_labels = self.displayed.axes.names if self.displayed is not None else None
        names = axis_labels or axis_names(self.array.ndim, self.array.dimension_names)
        parts = [
            (image.name if image is not None else "") or self.array.name or source_name(self.array) or "array"
        ]
        if self.displayed is not None and image is not None and image.levels > 1:
            parts.append(f"level{self.displayed.level}")
        for axis, (name, part) in enumerate(zip(names, selection, strict=True)):
            where = str(part) if isinstance(part, int) else ""
            if image is not None and axis == image.channel_axis:
                where = self._channels(selection, suffix)
            if where:
                parts.append(f"{name.replace(' ', '')}{where}")
        return file_name_of("_".join(parts), suffix)

    def _channels(self, selection: Selection, suffix: str) -> str:
        """The channels in a file: their positions, or the name of a single one; empty for all."""
        shown = self.displayed
        assert shown is not None  # noqa: S101 - called only for pictures
        assert shown.image is not None  # noqa: S101 - likewise
        assert shown.image.channel_axis is not None  # noqa: S101 - likewise
        known, part = range(len(shown.image.channels)), selection[shown.image.channel_axis]
        chosen = [part] if isinstance(part, int) else list(known[part])
        if suffix == "png" and shown.channels:
            chosen = [one.position for one in shown.only(selection).channels]
        if len(chosen) == 1:
            return f"{chosen[0]}-{shown.image.channels[chosen[0]]}"
        return "" if chosen == list(known) else "+".join(map(str, chosen))


def computed_from(viewed: ViewedArray, reduction: Reduction | None) -> ViewedArray:
    """The elements of which a displayed plane is computed, without its picture."""

    def whole(selection: Selection) -> Selection:
        axis = -1 if reduction is None else reduction.axis
        return tuple(slice(None) if place == axis else part for place, part in enumerate(selection))

    levels = tuple(computed_from(level, reduction) for level in viewed.levels)
    selection, in_view = whole(viewed.selection), whole(viewed.in_view)
    return replace(viewed, selection=selection, in_view=in_view, displayed=None, levels=levels)


def file_name_of(text: str, suffix: str) -> str:
    """A file name from a text, without signs that need quotes.

    >>> file_name_of("tas, time = 3", "png")
    'tas,_time_=_3.png'
    """
    short = re.sub(r"[^\w.,=+-]+", "_", text)[:_LONGEST] or "figure"
    return short.encode()[:_LONGEST_BYTES].decode(errors="ignore") + f".{suffix}"


def _plain(selection: Selection, shape: tuple[int, ...]) -> Selection:
    """The same selection, with ``:`` for a slice of a whole axis."""
    return tuple(
        slice(None) if isinstance(part, slice) and range(length)[part] == range(length) else part
        for part, length in zip(selection, shape, strict=True)
    )


def complete_selection(selection: Sequence[object], shape: Sequence[int]) -> Selection:
    """One integer or slice per axis, the integers counted from 0.

    Raises:
        SelectionError: there are too many parts, or one is outside its axis.
    """
    from zarrcore.errors import SelectionError  # late: for a fast start

    given = [part for part in selection if part is not Ellipsis]
    if len(given) > len(shape):
        raise SelectionError(f"{len(given)} parts for {len(shape)} axes")
    at = list(selection).index(Ellipsis) if Ellipsis in selection else len(given)
    filled = [*given[:at], *[slice(None)] * (len(shape) - len(given)), *given[at:]]
    result: list[int | slice] = []
    for part, length in zip(filled, shape, strict=True):
        if isinstance(part, int):
            if not -length <= part < length:
                raise SelectionError(f"{part} is outside an axis of length {length:,}")
            part %= length
        result.append(part)  # type: ignore[arg-type]
    return tuple(result)


def selection_text(selection: Any) -> str:
    """A selection as text, as between brackets in Python.

    >>> selection_text((3, slice(None), slice(0, 100), slice(None, None, 2)))
    '3, :, 0:100, ::2'
    """
    return ", ".join(_part_text(part) for part in selection) if selection else "..."


def _part_text(part: int | slice) -> str:
    if not isinstance(part, slice):
        return str(part)
    start, stop, step = ("" if bound is None else str(bound) for bound in (part.start, part.stop, part.step))
    return f"{start}:{stop}" + (f":{step}" if step and step != "1" else "")
