"""Export elements to a file: as plain numbers with zarrcore's file types, or as the picture on the screen."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from zarrbrowser.export.viewed_array import Selection, ViewedArray
from zarrbrowser.nodes.read_cost import Cancelled
from zarrcore.conventions.cf import Packing
from zarrcore.filetypes import FILE_TYPES, file_type

if TYPE_CHECKING:  # the code that writes files is loaded when one is written
    from zarrcore.filetypes import VirtualFile

PICTURE = "png"
"""The file type of a picture drawn as on the screen."""
ENDINGS = {PICTURE: f"{file_type(PICTURE).title}, as shown"} | {
    kind.suffix: kind.title
    for kind in sorted(FILE_TYPES, key=lambda kind: (kind.is_text, kind.is_editable))
    if kind.takes_selection and kind.suffix != PICTURE
}
"""The titles of the types of files for a selection: pictures, plain bytes, text."""
_NO_FACTS: dict[str, Any] = {}
"""Whether a file can be written is asked while the dialog is used, which must not wait for a store."""
MOST_PIXELS = 2**26
"""A limit, because a picture is built in memory."""
MOST_CELLS = 2**22
"""The limit of zarrcore for text files, which are built in memory too."""
Encoder = Callable[[NDArray[np.uint8]], bytes]
"""Makes a PNG file of pixels, shape (h, w, 4)."""


@dataclass(frozen=True, slots=True)
class Export:
    """What to write, and where."""

    viewed: ViewedArray
    selection: Selection
    suffix: str
    path: str


def why_not(viewed: ViewedArray, selection: Selection, suffix: str) -> str:
    """Why a selection cannot be written in a file type; empty if it can."""
    from zarrcore.errors import ZarrError
    from zarrcore.filetypes import TEXT_SUFFIXES

    if suffix == PICTURE:
        return _why_no_picture(viewed, selection)
    if suffix in TEXT_SUFFIXES:
        return _why_no_text(viewed, selection, suffix)
    try:
        _file(Export(viewed, selection, suffix, ""), _NO_FACTS)
    except ZarrError as error:
        return str(error)
    return ""


def how_changed(viewed: ViewedArray, suffix: str) -> str:
    """If the window does not show stored numbers as they are: whether a file holds these or what is shown; else empty."""
    from zarrcore.filetypes import TEXT_SUFFIXES

    mask = "" if viewed.displayed is None else viewed.displayed.elements.mask(viewed.array.dtype)
    if mask:
        return f"{mask} masked" if suffix == PICTURE else f"{mask} as stored, not masked"
    if viewed.packing is None or suffix == PICTURE:
        return ""
    return "unpacked" if suffix in TEXT_SUFFIXES else "as stored, not unpacked"


def _why_no_picture(viewed: ViewedArray, selection: Selection) -> str:
    shown = viewed.displayed
    if shown is None or shown.array.ndim < 2:
        return "Only a picture can be written as shown."
    axes = {axis for axis, part in enumerate(selection) if isinstance(part, slice)} - {shown.channel_axis}
    if axes != set(shown.axes.shown):
        names = [shown.axes.names[axis] for axis in sorted(shown.axes.shown)]
        return f"A picture as shown has the axes {' and '.join(names)}."
    if shown.channels and not shown.only(selection).channels:
        return "A picture as shown has only the visible channels: switch this one on, or write numbers."
    shape = [n for axis, n in enumerate(shown.array.shape) if axis in axes]
    size = _size(tuple(part for axis, part in enumerate(selection) if axis in axes), shape)
    if size > MOST_PIXELS:
        return f"A picture of {size:,} elements is too large (at most {MOST_PIXELS:,}): zoom in, or write numbers."
    return ""


def _why_no_text(viewed: ViewedArray, selection: Selection, suffix: str) -> str:
    if suffix == "csv" and sum(isinstance(part, slice) for part in selection) > 2:
        return "A CSV file holds a table: select at most two axes."
    size = _size(selection, viewed.array.shape)
    if size > MOST_CELLS:
        return f"{size:,} elements are too many for a text file (at most {MOST_CELLS:,}): select fewer, or write a NumPy file."
    return ""


def _size(selection: Selection, shape: Sequence[int]) -> int:
    parts = zip(selection, shape, strict=True)
    return math.prod(len(range(length)[part]) for part, length in parts if isinstance(part, slice))


def _file(export: Export, facts: Any = None) -> VirtualFile:
    """A file of the stored numbers.

    Args:
        export: what to write.
        facts: what other nodes say about the array; by default they are read from the store.

    Raises:
        ZarrError: the file type cannot hold the selection.
    """
    from zarrcore.filetypes import TiffFile

    array: Any = export.viewed.array  # zarrcore's files need zarrcore's own arrays
    if export.suffix == TiffFile.suffix:
        return TiffFile(array, export.selection, _resolution(export))
    return file_type(export.suffix).of_array(array, export.selection, facts)


def _resolution(export: Export) -> tuple[float, float] | None:
    """Pixels per centimetre, down and to the right, of the pages of a selection."""
    shown = export.viewed.displayed
    image = shown.image if shown is not None else None
    if shown is None or image is None or not image.pixel_cm:
        return None
    sizes = []
    for axis, part in enumerate(export.selection):
        if isinstance(part, slice) and axis != shown.axes.channel:
            size = image.pixel_cm[axis]
            sizes.append(None if size is None else size * abs(part.step or 1))
    down, right = (None, None, *sizes)[-2:]
    return (1 / down, 1 / right) if down and right else None


def write(
    export: Export, encode: Encoder, cancelled: Callable[[], bool], progress: Callable[[float], None]
) -> int:
    """Write the file atomically; returns its size in bytes.

    Raises:
        Cancelled: ``cancelled`` became true.
        OSError: the file cannot be written.
        ZarrError: a chunk cannot be read, or the file type cannot hold the selection.
    """
    from zarrcore.filetypes import TEXT_SUFFIXES, values_as_text, whole_or_nothing

    array: Any = export.viewed.array
    shown, written = export.viewed.displayed, 0
    with whole_or_nothing(export.path) as stream:
        if export.suffix == PICTURE and shown is not None:
            part = shown.only(export.selection)
            stream.write(encode(part.picture(export.selection, cancelled)))
        elif export.suffix in TEXT_SUFFIXES:
            packing = export.viewed.packing or Packing()
            stream.write(values_as_text(array, export.selection, export.suffix, convert=packing.unpacked))
        else:
            file = _file(export)

            def report(nbytes: int) -> None:
                nonlocal written
                written += nbytes
                if cancelled():
                    raise Cancelled
                progress(written / max(1, file.size))

            file.write_to(stream, report)
        if cancelled():
            raise Cancelled
    return os.path.getsize(export.path)
