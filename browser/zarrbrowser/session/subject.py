"""What the person looks at, as something that can be exported or written as code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from zarrbrowser.session.axes import axis_names
from zarrbrowser.session.elements import Packing
from zarrbrowser.session.nodes import ArrayLike
from zarrbrowser.session.shown import Shown

Selection = tuple[int | slice, ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """An array, and which elements of it are looked at."""

    array: ArrayLike
    selection: Selection
    """The whole plane, line or table."""
    in_view: Selection
    """The part of it that is on the screen or selected."""
    shown: Shown | None = None
    """How it is drawn, where it is a picture."""
    packing: Packing | None = None
    """How stored numbers are unpacked where they are shown so."""

    @classmethod
    def whole(cls, array: ArrayLike) -> Subject:
        """All elements."""
        everything = (slice(None),) * array.ndim
        return cls(array, everything, everything)

    @classmethod
    def of(cls, shown: Shown) -> Subject:
        """What a picture or a plot shows."""
        shape = tuple(shown.array.shape)
        selection, in_view = _plain(shown.selection, shape), _plain(shown.in_view, shape)
        return cls(shown.array, selection, in_view, shown, shown.elements.packing)

    def file_name(self, selection: Selection, suffix: str) -> str:
        """A name that tells what is in the file."""
        names = axis_names(self.array.ndim, self.array.dimension_names)
        parts = [
            f"{name.replace(' ', '')}{part}"
            for name, part in zip(names, selection, strict=False)
            if isinstance(part, int)
        ]
        text = "_".join([self.array.name or "array", *parts])
        return re.sub(r"[^\w.,=+-]+", "_", text)[:120] + f".{suffix}"


def _plain(selection: Selection, shape: tuple[int, ...]) -> Selection:
    """The same selection, in which a slice of all of an axis is ``:``."""
    return tuple(
        slice(None) if isinstance(part, slice) and range(length)[part] == range(length) else part
        for part, length in zip(selection, shape, strict=True)
    )


def selection_text(selection: Any) -> str:
    """A selection as it is written in brackets.

    >>> selection_text((3, slice(None), slice(0, 100), slice(None, None, 2)))
    '3, :, 0:100, ::2'
    """
    return ", ".join(_part_text(part) for part in selection) if selection else "..."


def _part_text(part: int | slice) -> str:
    if not isinstance(part, slice):
        return str(part)
    start, stop, step = ("" if bound is None else str(bound) for bound in (part.start, part.stop, part.step))
    return f"{start}:{stop}" + (f":{step}" if step and step != "1" else "")
