"""``tiff``: a BigTIFF of uncompressed pages, one for each plane, whose offsets are computed from metadata.

The description of the whole array in the first page is that of tifffile, its "shaped" metadata. The first page's
directory comes before the elements. All others, which differ only in two numbers, come after them, so that the elements are
contiguous and readers can map them as one array.
"""

from __future__ import annotations

import json
import math
from typing import Final

from zarrcore.array import Array, Selection, plane_ndim
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.body import ArrayBody
from zarrcore.filetypes.interface import HeaderAndBody
from zarrcore.filetypes.records import Linear
from zarrcore.filetypes.tiff.axes import AXES
from zarrcore.filetypes.tiff.directories import (
    HEADER_NBYTES,
    chained,
    check_type,
    description_entry,
    directories,
    directory_nbytes,
    file_header,
    page_entries,
    strip_entries,
)
from zarrcore.filetypes.tiff.pixel_size import Sizes, resolution_of

_ALIGN: Final = 64
_MORE_ENTRIES: Final = 4
"""The offsets in the first page: its strip and the description."""


class TiffFile(HeaderAndBody):
    """Planes of the last two dimensions, or three if the last one holds RGB or RGBA, as pages.

    Args:
        array: the array.
        selection: the selection.
        resolution: pixels per centimetre down and to the right; None if unknown.
    """

    suffix = "tiff"

    def __init__(
        self, array: Array, selection: Selection = ..., resolution: tuple[float, float] | None = None
    ) -> None:
        self._resolution = resolution
        super().__init__(array, selection)

    def _with_array(self, array: Array) -> TiffFile:
        return TiffFile(array, self._selection, self._resolution)

    def _make_header(self) -> bytes:
        shape, dtype = self.body.shape, self.array.dtype
        check_type(dtype)
        ndim = plane_ndim(shape, dtype)
        plane = shape[len(shape) - ndim :]
        if 0 in shape or max(plane, default=1) >= 1 << 32:
            raise UnsupportedError("shape", str(shape), "has no planes to write as pages")
        nbytes = math.prod(plane) * dtype.itemsize
        pages = self.body.nbytes // nbytes
        height, width, samples = plane if ndim == 3 else (*(1, 1, *plane)[-2:], 1)
        description = self._description()
        entries = page_entries(height, width, samples, dtype, self._resolution)
        text_at = HEADER_NBYTES + directory_nbytes(len(entries) + _MORE_ENTRIES)
        begin = -(-(text_at + len(description)) // _ALIGN) * _ALIGN
        end = begin + self.body.nbytes
        entries += strip_entries(height, nbytes, Linear(begin, nbytes))
        self._later = chained(entries, end, pages - 1)
        entries.append(description_entry(len(description), text_at))
        first = directories(entries, Linear(end if pages > 1 else 0))
        header = file_header(HEADER_NBYTES) + first.read(0, first.size) + description
        return header.ljust(begin, b"\0")

    def _description(self) -> bytes:
        """The description of all pages: the array's shape and, if all are known, the letters of its axes."""
        metadata: dict[str, object] = {"shape": list(self.body.shape)}
        axes = [AXES.get((name or "").lower()) for name in self.body.dimension_names]
        if plane_ndim(self.body.shape, self.array.dtype) == 3:
            axes[-1] = "S"
        letters = [letter for letter in axes if letter is not None]
        if letters and len(set(letters)) == len(axes):
            metadata["axes"] = "".join(letters)
        return json.dumps(metadata).encode("ascii") + b"\0"

    def _trailer_nbytes(self) -> int:
        return self._later.size

    def _trailer(self, start: int, stop: int) -> memoryview:
        """The directories of the pages after the first one; each has the offsets of its plane and of the next directory."""
        return self._later.read(start, stop - start)


def array_as_tiff(array: Array, selection: Selection = ..., sizes: Sizes | None = None) -> TiffFile:
    """``array[selection]`` as pages that state the size of their pixels.

    Args:
        array: the array.
        selection: the selection.
        sizes: as `pixel_sizes`; None if unknown.

    Raises:
        UnsupportedError: TIFF cannot store the data type, or the array has no planes.
        SelectionError: the selection is invalid or outside the array.
    """
    body = ArrayBody(array, selection)
    ndim = plane_ndim(body.shape, array.dtype)
    plane = body.kept[len(body.kept) - ndim :][:2]
    return TiffFile(array, selection, resolution_of(sizes or (), body.indices, plane))
