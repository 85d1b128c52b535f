"""One resolution of an image as a Zarr array: its dimensions and codecs, and where the bytes of its chunks are.

"TIFF Revision 6.0"; "BigTIFF Design"; SGI's tags of depth. An image is a sequence of pages of one form. A page has the dimensions
plane of samples, depth, length, width and sample, which are stored in this order, in tiles or strips.

Leading dimensions number the pages. Dimensions are put into the order that OME-Zarr demands: t, others, c, z, y, x. The samples
of colours are a part of dimension c.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from zarrcore.stores.tiff.masks import is_mask
from zarrcore.stores.tiff.no_data import no_data
from zarrcore.stores.tiff.ome_set import SetSeries
from zarrcore.stores.tiff.page_codec import is_plain, segment_configuration
from zarrcore.stores.virtual.file_reader import BrokenFileError, FileReader
from zarrcore.stores.virtual.row_chunks import row_chunk_shape, rows_of

_ORDER: Final = {"t": 0, "c": 2, "z": 3, "y": 4, "x": 5}
_OTHERS: Final = 1
_MAX_CHUNK_NBYTES: Final = 1 << 31
_TINY_PAGE_NBYTES: Final = 64 << 10
_NODATA: Final = 42113
_MOST_MISSING: Final = 64
"""How many times as long as the file an uncompressed image may be: the file may end early."""
_SMALL_FILE: Final = 1 << 20
_LEAST_PLACE_NBYTES: Final = 2
_LEAST_PAGE_NBYTES: Final = 18
"""Of its table: a number of tags, one tag, and the place of the next table."""
_EER: Final = (65000, 65001, 65002)
_SHOWN_TYPES: Final = {
    "bool",
    *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
    *("float16", "float32", "float64", "complex64", "complex128"),
}


def _order_of(name: str) -> int:
    return _ORDER.get(name, _OTHERS)


class UnshownError(ValueError):
    """Something that is not shown; the message says what it is."""


class Place(NamedTuple):
    """The bytes of a chunk in the file."""

    start: int
    nbytes: int
    reader: FileReader | None = None
    """Of the file of a set that has them; None for the file that was opened."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """A dimension of the array."""

    name: str
    length: int
    chunk: int
    stored: int
    """Its place among the dimensions of a stored chunk; -1 for one that is merged into another."""
    inner: int = 1
    """Chunks along it in a page; the rest of the number of a chunk counts pages."""
    page_stride: int = 0
    segment_stride: int = 0

    @property
    def grid_length(self) -> int:
        return -(-self.length // self.chunk)


class Level:
    """A series of pages.

    Args:
        series: the ``tifffile.TiffPageSeries``, or that of a set; used only while the lock of the store is held.

    Raises:
        BrokenFileError: it is broken.
        UnshownError: it cannot be shown.
    """

    def __init__(self, series: Any) -> None:
        self._series = series
        page = series.keyframe
        _check_shown(series, page)
        self.dtype: np.dtype[Any] = np.dtype(page.dtype)
        self.nodata = no_data(page.tags.valueof(_NODATA), self.dtype)
        self.is_mask = is_mask(series)
        self.byteorder: str = page.parent.byteorder
        leading, names = _leading(series, page)
        self._stored: tuple[int, ...] = ()
        """The shape of what is stored in rows: a page, or all of them."""
        self._chunk: tuple[int, ...] = ()
        """The shape of its chunks."""
        self._base: int | None = None
        plain = is_plain(page)
        kept = [place for place, length in enumerate(page.shaped) if length != 1 or place in (2, 3)]
        page_names = [("c", "z", "y", "x", "c")[place] for place in kept]
        page_shape = [int(page.shaped[place]) for place in kept]
        is_merged = "c" in names and "c" in page_names
        if plain and not is_merged and series.dataoffset is not None:
            self._base = int(series.dataoffset)
            self._set_rows((*leading, *page_shape), self._kept_apart(names, page_shape))
            self.dimensions = self._rows_dimensions([*names, *page_names], 0)
        else:
            self._set_pages(leading, names, page, page_names, page_shape, kept, plain=plain)
        if math.prod(self.chunk_shape) * self.dtype.itemsize > _MAX_CHUNK_NBYTES:
            raise UnshownError(f"the image has chunks of {self.chunk_shape}, which are too large")
        if math.prod(self.shape) * self.dtype.itemsize >= 2**63:
            raise BrokenFileError(f"an image has the shape {self.shape}")
        self._check_claims(page, leading)
        self._segment: dict[str, Any] | None = None if plain else segment_configuration(page)

    def _check_claims(self, page: Any, leading: tuple[int, ...]) -> None:
        """Check that the file has about as many chunks as it says, so that all can be listed."""
        count = len(page.dataoffsets)
        size = int(page.parent.filehandle.size)
        is_one = self._base is not None or (bool(self._stored) and count == 1)
        if self._stored:
            # The pages of a set are in other files.
            pages = 1 if self._base is not None or isinstance(self._series, SetSeries) else math.prod(leading)
            nbytes = pages * math.prod(self._stored) * self.dtype.itemsize
            is_listable = not is_one and self.segment_count <= _MOST_MISSING * count * math.prod(leading)
            if nbytes > _MOST_MISSING * max(size, _SMALL_FILE) and not is_listable:
                raise BrokenFileError(f"an image of shape {self.shape} cannot be in {size:,} bytes")
        if self._base is not None:
            return
        nbytes = _LEAST_PAGE_NBYTES * math.prod(leading)
        if nbytes > size and not isinstance(self._series, SetSeries):
            raise BrokenFileError(
                f"an image of {math.prod(leading):,} pages needs more bytes than the file has"
            )
        if math.prod(leading) > len(self._series):
            raise BrokenFileError(
                f"an image should have {math.prod(leading):,} pages, found {len(self._series):,}"
            )
        if is_one:
            return
        wanted = math.prod(int(number) for number in page.chunked)
        if not self._stored:
            wanted = max(wanted, self.segment_count // math.prod(leading))
        # tifffile takes segments for missing ones if there is no table of them.
        if wanted > count or _LEAST_PLACE_NBYTES * wanted > size:
            raise BrokenFileError(f"a page states the places of {count:,} of its {wanted:,} segments")

    def _kept_apart(self, names: list[str], page_shape: list[int]) -> int:
        """The number of leading dimensions along which each chunk has length 1.

        Pages that are stored in another order become one chunk each, unless they are tiny. Such chunks need no transposition,
        so references can name them, and one plane can be read without the others.
        """
        in_order = sorted(names, key=_order_of) == names
        is_tiny = math.prod(page_shape) * self.dtype.itemsize < _TINY_PAGE_NBYTES
        return 0 if in_order or is_tiny else len(names)

    def _set_rows(self, stored: tuple[int, ...], kept_apart: int = 0) -> None:
        self._stored = stored
        self._chunk = (1,) * kept_apart + row_chunk_shape(stored[kept_apart:], self.dtype.itemsize)

    def _rows_dimensions(self, names: list[str], skipped: int) -> list[Dimension]:
        return [
            Dimension(name, length, chunk, skipped + place, -(-length // chunk))
            for place, (name, length, chunk) in enumerate(zip(names, self._stored, self._chunk, strict=True))
        ]

    def _set_pages(
        self,
        leading: tuple[int, ...],
        names: list[str],
        page: Any,
        page_names: list[str],
        page_shape: list[int],
        kept: list[int],
        *,
        plain: bool,
    ) -> None:
        """Chunks within pages: rows of plain pages, otherwise tiles or strips."""
        if plain and not page.is_tiled:
            self._set_rows(tuple(page_shape))
            inside = self._rows_dimensions(page_names, len(leading))
        else:
            tile = (1, page.tiledepth, page.tilelength, page.tilewidth, page.shaped[4])
            strip = (1, 1, min(page.rowsperstrip, page.shaped[2]), page.shaped[3], page.shaped[4])
            chunk = [int(length) for length in (tile if page.is_tiled else strip)]
            if min(chunk) < 1:
                raise BrokenFileError(f"a page has segments of shape {tuple(chunk)}")
            counts = [-(-int(length) // size) for length, size in zip(page.shaped, chunk, strict=True)]
            inside = [
                Dimension(name, length, chunk[at], place, counts[at], 0, math.prod(counts[at + 1 :]))
                for place, name, length, at in zip(
                    range(len(leading), 5 + len(leading)), page_names, page_shape, kept, strict=False
                )
            ]
        outside = [
            Dimension(name, length, 1, place, 1, math.prod(leading[place + 1 :]))
            for place, (name, length) in enumerate(zip(names, leading, strict=True))
        ]
        colours = next((each for each in inside if each.name == "c"), None)
        merged = next((each for each in outside if each.name == "c"), None)
        if colours is not None and merged is not None:
            inside[inside.index(colours)] = Dimension(
                "c",
                merged.length * colours.length,
                colours.chunk,
                colours.stored,
                colours.inner,
                merged.page_stride,
                colours.segment_stride,
            )
            outside.remove(merged)
        self.dimensions = [*outside, *inside]

    @cached_property
    def ordered(self) -> list[Dimension]:
        """The dimensions in the order of the array."""
        return sorted(self.dimensions, key=lambda dimension: _order_of(dimension.name))

    @property
    def names(self) -> list[str]:
        """The names of the dimensions, each once."""
        names: list[str] = []
        for dimension in self.ordered:
            name = dimension.name
            while name in names:
                name += "_"
            names.append(name)
        return names

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(dimension.length for dimension in self.ordered)

    @property
    def chunk_shape(self) -> tuple[int, ...]:
        return tuple(dimension.chunk for dimension in self.ordered)

    @cached_property
    def grid_shape(self) -> tuple[int, ...]:
        """The number of chunks along each dimension."""
        return tuple(dimension.grid_length for dimension in self.ordered)

    @property
    def is_cut(self) -> bool:
        """Whether chunks end where the array ends, as strips do; tiles are whole."""
        return bool(self._stored) or not self._series.keyframe.is_tiled

    def codecs(self) -> list[dict[str, Any]]:
        """The codecs of the array."""
        ordered = self.ordered
        stored = sorted(range(len(ordered)), key=lambda place: ordered[place].stored)
        codecs = []
        # The order of dimensions of one element changes no bytes.
        extended = [place for place in stored if ordered[place].chunk > 1]
        if extended != sorted(extended):
            codecs.append({"name": "transpose", "configuration": {"order": stored}})
        if self._segment is not None:
            return [*codecs, {"name": "tiff.segment", "configuration": self._segment}]
        endian = {"endian": "little" if self.byteorder == "<" else "big"}
        return [*codecs, {"name": "bytes", "configuration": endian}]

    def places(self, index: tuple[int, ...]) -> list[Place | bytes]:
        """Where the bytes of a chunk are, or what they are, one after another; empty for a missing chunk.

        Raises:
            BrokenFileError: the file is broken there.
            Exception: anything that tifffile raises.
        """
        number = segment = 0
        stored = []
        for at, dimension in zip(index, self.ordered, strict=True):
            outer, rest = divmod(at, dimension.inner)
            if dimension.page_stride:
                number += outer * dimension.page_stride
            else:
                rest = at
            segment += rest * dimension.segment_stride
            stored.append((dimension.stored, rest))
        inside = tuple(at for _, at in sorted(stored))[-len(self._stored) :]
        if self._base is not None:
            rows = rows_of(self._stored, self._chunk, inside, self.dtype.itemsize)
            return [Place(self._base + rows.offset, rows.stored_nbytes)]
        page = self._series[number]
        if page is None:
            return []
        found = self._places_in(page, segment, inside)
        reader = self._series.reader_of(number) if isinstance(self._series, SetSeries) else None
        if reader is None:
            return found
        return [place._replace(reader=reader) if isinstance(place, Place) else place for place in found]

    def _places_in(self, page: Any, segment: int, inside: tuple[int, ...]) -> list[Place | bytes]:
        """Where the bytes of a chunk of a page are."""
        if self._stored:
            rows = rows_of(self._stored, self._chunk, inside, self.dtype.itemsize)
            return self._rows_of_strips(page, rows.offset, rows.stored_nbytes)
        offsets, counts = page.dataoffsets, page.databytecounts
        if segment >= min(len(offsets), len(counts)) or not offsets[segment] or not counts[segment]:
            return []
        nbytes = int(counts[segment])
        if self._segment is None:
            # The bytes of a tile may be followed by others.
            nbytes = min(nbytes, math.prod(self.chunk_shape) * self.dtype.itemsize)
        start, tables = int(offsets[segment]), page.jpegtables
        if tables and tables != self._series.keyframe.jpegtables:
            # The codec has the tables of the first page; those in an image replace them.
            return [tables[:-2], Place(start + 2, nbytes - 2)]
        return [Place(start, nbytes)]

    def _rows_of_strips(self, page: Any, offset: int, nbytes: int) -> list[Place | bytes]:
        """Some of the bytes of a page that is stored in strips."""
        frame = self._series.keyframe
        planes, depth, length, width, samples = (int(number) for number in frame.shaped)
        row = width * samples * self.dtype.itemsize
        rows = min(int(frame.rowsperstrip), length)
        if rows < 1:
            raise BrokenFileError(f"a page has strips of {frame.rowsperstrip} rows")
        strips = -(-length // rows)
        offsets, counts = page.dataoffsets, page.databytecounts
        if len(offsets) == 1 and planes * depth * strips > 1:  # all strips as one
            return [Place(int(offsets[0]) + offset, nbytes)] if offsets[0] else []
        found: list[Place] = []
        missing, stop = 0, offset + nbytes
        while offset < stop:
            plane, within = divmod(offset, length * row)
            strip, at = divmod(within, rows * row)
            number = plane * strips + strip
            whole = min(rows, length - strip * rows) * row
            take = min(whole - at, stop - offset)
            start = int(offsets[number]) if number < len(offsets) else 0
            if not start or not (int(counts[number]) if number < len(counts) else 0):
                missing += take
            elif found and found[-1].start + found[-1].nbytes == start + at:
                found[-1] = Place(found[-1].start, found[-1].nbytes + take)
            else:
                found.append(Place(start + at, take))
            offset += take
        if missing and found:
            raise BrokenFileError("a page has no bytes for some of the strips of a chunk")
        return [*found]

    @property
    def segment_count(self) -> int:
        """The number of chunks."""
        return math.prod(self.grid_shape)


def _check_shown(series: Any, page: Any) -> None:
    if page.dtype is None or series.dtype is None:
        raise UnshownError(
            f"the image has samples of {page.bitspersample} bits and format {page.sampleformat}, which are not read"
        )
    if series.transform is not None:
        raise UnshownError("the image has stored values that only functions of its program turn into pixels")
    if page.dtype != series.dtype or str(page.dtype) not in _SHOWN_TYPES:
        raise UnshownError(f"the image holds {series.dtype}, which zarrscope does not read")
    if page.compression in _EER:
        raise UnshownError("the image holds electron events, which zarrscope does not read")
    try:
        page.decode(None, 0)
    except MemoryError:
        raise
    except Exception as error:  # tifffile raises several kinds
        raise UnshownError(f"tifffile does not decode the image: {' '.join(str(error).split())}") from error


def _leading(series: Any, page: Any) -> tuple[tuple[int, ...], list[str]]:
    """The dimensions that number pages, and their names.

    Dimensions of one element can be missing in the shape of the series, or of a page.
    """
    shape, axes = [int(length) for length in series.shape], str(series.axes)
    wanted = [int(length) for length in page.shaped if length != 1]
    if math.prod(page.shaped) == 0 or math.prod(shape) == 0:
        raise UnshownError("the image has no samples")
    kept = [(length, name) for length, name in zip(shape, axes, strict=True) if length != 1]
    count = len(kept) - len(wanted)
    if count >= 0 and [length for length, _ in kept[count:]] == wanted:
        leading = kept[:count]
        if _is_named_so(kept[count:], page):
            names = [name.lower() for _, name in leading]
            return tuple(length for length, _ in leading), ["c" if name == "s" else name for name in names]
    pages = math.prod(shape) // math.prod(wanted)
    if pages * math.prod(wanted) != math.prod(shape):
        raise BrokenFileError(f"pages of shape {page.shape} cannot make up an image of shape {tuple(shape)}")
    return ((pages,), ["i"]) if pages > 1 else ((), [])


def _is_named_so(kept: list[tuple[int, str]], page: Any) -> bool:
    """Whether a series does not call the dimensions of its pages by names of those that number pages."""
    return all(name in "YXSZCQ" or page.shaped[1] > 1 for _, name in kept) and len(kept) <= len(page.shaped)
