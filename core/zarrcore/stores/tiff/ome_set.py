"""Images of OME-TIFF whose pages are in several files, or are not all there, as series of pages.

OME Data Model, "TiffData". tifffile finds pages in other files only by paths of the local file system, and takes pages
of missing files for zeros. So the places of planes are read here, and a missing file is an error for its planes.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree

from zarrcore.errors import BrokenReferenceError
from zarrcore.stores.tiff.file import MAX_PAGES, tifffile_module
from zarrcore.stores.tiff.set_files import SetFiles
from zarrcore.stores.virtual.file_reader import BrokenFileError, FileReader

_KEPT_PAGES: Final = 256
_FEW_PLANES: Final = 4096
_MOST_MISSING: Final = 64
"""How many times as many planes an image may have as its metadata mention."""


class Run(NamedTuple):
    """Consecutive planes that are consecutive pages of one file."""

    first: int
    """The number of the plane, counted in the order of the image's dimensions."""
    length: int
    """The number of planes; 0 for all pages of the file."""
    file: str
    """Its name; empty for the file that was opened."""
    page: int


@dataclass(slots=True)
class Planes:
    """What OME-XML states about the planes of an image."""

    name: str
    axes: str
    """The dimensions, the slowest first."""
    shape: tuple[int, ...]
    samples: int
    """Channels that a page has."""
    runs: list[Run] = field(default_factory=list)


def planes_of(xml: str, own_uuid: str | None, own_name: str) -> list[Planes]:
    """The planes of all images.

    Args:
        xml: OME-XML.
        own_uuid: the identifier of the file that was opened.
        own_name: its name.

    Raises:
        BrokenFileError: it is broken.
    """
    try:
        root = _root(xml)
        return [
            _planes(image, pixels, own_uuid or root.get("UUID"), own_name.lower())
            for image in _children(root, "Image")
            for pixels in _children(image, "Pixels")
        ]
    except (ElementTree.ParseError, KeyError, ValueError, OverflowError) as error:
        raise BrokenFileError(f"its OME-XML is broken: {error!r}") from error


def binary_only(xml: str) -> tuple[str, str | None] | None:
    """The file that has the metadata of a file that has none, and the identifier of the latter; None if it has its own."""
    try:
        root = _root(xml)
    except ElementTree.ParseError:
        return None
    name = next((told.get("MetadataFile") for told in _children(root, "BinaryOnly")), None)
    return None if not name else (name, root.get("UUID"))


def _root(xml: str) -> ElementTree.Element:
    return ElementTree.fromstring(xml)  # noqa: S314 - expat limits the expansion of entities


def _children(element: ElementTree.Element, name: str) -> Iterator[ElementTree.Element]:
    return (child for child in element if child.tag.rpartition("}")[2] == name)


def _planes(
    image: ElementTree.Element, pixels: ElementTree.Element, own_uuid: str | None, own_name: str
) -> Planes:
    axes = pixels.attrib["DimensionOrder"][::-1]
    samples = max(int(channel.get("SamplesPerPixel", 1)) for channel in [*_channels(pixels)])
    lengths = [int(pixels.attrib[f"Size{axis}"]) for axis in axes]
    shape = tuple(
        length // samples if axis == "C" else length for axis, length in zip(axes, lengths, strict=True)
    )
    if sorted(axes) != sorted("TCZYX") or axes[-2:] != "YX" or min(shape) < 1 or samples < 1:
        raise ValueError(f"an image has the dimensions {axes} and the lengths {lengths}")
    if math.prod(shape[:-2]) > MAX_PAGES:
        raise ValueError(f"an image has {math.prod(shape[:-2]):,} planes; at most {MAX_PAGES:,} are read")
    planes = Planes(image.get("Name", ""), axes, shape, samples)
    for told in _children(pixels, "TiffData"):
        at = [int(told.get(f"First{axis}", 0)) for axis in axes[:-2]]
        if all(0 <= place < length for place, length in zip(at, shape, strict=False)):
            first = sum(place * math.prod(shape[d + 1 : -2]) for d, place in enumerate(at))
            count = int(told.get("PlaneCount", told.get("NumPlanes", 1 if "IFD" in told.attrib else 0)))
            file = _file_of(told, own_uuid, own_name)
            planes.runs.append(Run(first, max(0, count), file, max(0, int(told.get("IFD", 0)))))
    planes.runs.sort(key=lambda run: run.first)
    return planes


def _file_of(told: ElementTree.Element, own_uuid: str | None, own_name: str) -> str:
    """The file that has planes; empty for the one that names them."""
    uuid = next(_children(told, "UUID"), None)
    if uuid is None:
        return ""
    name = uuid.get("FileName", "")
    is_own = own_uuid is not None and (uuid.text or "").strip() == own_uuid.strip()
    return "" if is_own or name.lower() == own_name else name


def _channels(pixels: ElementTree.Element) -> Iterator[ElementTree.Element]:
    found = [*_children(pixels, "Channel")]
    return iter(found or [ElementTree.Element("Channel")])


class SetSeries:
    """One resolution of an image, as a series of pages like those of tifffile. Used under the lock of its store.

    Args:
        tiff: the ``tifffile.TiffFile`` that was opened.
        files: the other files of the set.
        planes: where its pages are.
        level: the number of the resolution.

    Raises:
        BrokenReferenceError: none of its files exists.
        BrokenFileError: there are no pages.
        StoreError: a store failed.
    """

    kind = "ome"
    transform = None
    dataoffset = None

    def __init__(self, tiff: Any, files: SetFiles, planes: Planes, level: int = 0) -> None:
        self._tiff = tiff
        self._files = files
        self._planes = planes
        self._level = level
        told = sum(run.length for run in planes.runs)
        if len(self) > max(_FEW_PLANES, _MOST_MISSING * told) and all(run.length for run in planes.runs):
            raise BrokenFileError(f"its OME-XML mentions {told:,} of {len(self):,} planes")
        self._firsts = [run.first for run in planes.runs]
        self._pages: OrderedDict[tuple[str, int], Any] = OrderedDict()
        self.name = planes.name
        self.keyframe: Any = self._first_page()
        self.dtype = self.keyframe.dtype
        self._form = _form(self.keyframe)
        outside, page = planes.shape[:-2], self.keyframe
        shape, axes = [*outside, int(page.imagelength), int(page.imagewidth)], planes.axes
        if planes.samples > 1:
            at = len(shape) if int(page.planarconfig) == 1 else len(shape) - 2
            shape.insert(at, planes.samples)
            axes = axes[:at] + "S" + axes[at:]
        self.shape, self.axes = tuple(shape), axes

    @property
    def levels(self) -> list[SetSeries]:
        """All resolutions, if this is the first one."""
        count = len(self.keyframe.subifds or ())
        return [
            self,
            *(SetSeries(self._tiff, self._files, self._planes, level + 1) for level in range(count)),
        ]

    def __len__(self) -> int:
        return math.prod(self._planes.shape[:-2])

    def __getitem__(self, number: int) -> Any:
        """The page of a plane; None if the metadata do not mention one.

        Raises:
            BrokenReferenceError: its file does not exist, or is another one.
            StoreError: a store failed.
        """
        run = self._run(number)
        if run is None:
            return None
        page = self._page(run.file, run.page + number - run.first)
        if _form(page) != self._form:
            where = f" in {run.file}" if run.file else ""
            raise BrokenFileError(
                f"page {run.page + number - run.first:,}{where} differs from others of its image"
            )
        return page

    def reader_of(self, number: int) -> FileReader | None:
        """What reads the file of a plane; None for the file that was opened."""
        run = self._run(number)
        return self._files.reader(run.file) if run is not None and run.file else None

    def _run(self, number: int) -> Run | None:
        at = bisect_right(self._firsts, number) - 1
        if at < 0:
            return None
        run = self._planes.runs[at]
        count = run.length or len(self._tiff_of(run.file).pages) - run.page
        return run if number < run.first + count else None

    def _tiff_of(self, name: str) -> Any:
        return self._files.tiff(name) if name else self._tiff

    def _first_page(self) -> Any:
        failure: BrokenReferenceError | None = None
        missing: set[str] = set()
        for run in self._planes.runs:
            if run.file in missing:
                continue
            try:
                return self._page(run.file, run.page)
            except BrokenReferenceError as error:
                failure = failure or error
                missing.add(run.file)
        raise failure or BrokenFileError("its OME-XML mentions no pages")

    def _page(self, name: str, number: int) -> Any:
        key = (name, number)
        tiff = self._tiff_of(name)
        page = self._pages.get(key)
        if page is not None and page.parent is tiff:
            self._pages.move_to_end(key)
            return page
        if name:
            page = self._files.page(name, number)
        else:
            try:
                page = tiff.pages[number]
            except IndexError as error:
                raise BrokenFileError(
                    f"its OME-XML mentions page {number:,}, which does not exist"
                ) from error
        page = page.aspage()
        if self._level:
            page = self._reduced(page, name, number)
        self._pages[key] = page
        if len(self._pages) > _KEPT_PAGES:
            self._pages.popitem(last=False)
        return page

    def _reduced(self, page: Any, name: str, number: int) -> Any:
        """The page of a lower resolution, among the SubIFDs of a page."""
        offsets = page.subifds or ()
        if len(offsets) < self._level or not offsets[self._level - 1]:
            where = f" in {name}" if name else ""
            raise BrokenFileError(f"page {number:,}{where} has no resolution {self._level}")
        page.parent.filehandle.seek(offsets[self._level - 1])
        return tifffile_module().TiffPage(page.parent, index=(number, self._level))


def _form(page: Any) -> tuple[Any, ...]:
    """What pages of one image have in common: it decides how they are decoded."""
    return (
        tuple(page.shaped),
        page.parent.byteorder,
        page.dtype,
        page.bitspersample,
        page.compression,
        page.predictor,
        page.fillorder,
        page.photometric,
        page.planarconfig,
        page.is_tiled and (page.tiledepth, page.tilelength, page.tilewidth),
        page.rowsperstrip,
    )
