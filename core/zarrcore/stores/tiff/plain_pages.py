"""Files of many pages without metadata of their own program: series of pages of one form.

tifffile reads the tables of all pages when it is asked for series, and compares each page with all others of its form. Here
pages of a file of one form are read when they are needed, and others are compared once.
"""

from __future__ import annotations

from typing import Any, Final

from zarrcore.stores.tiff.file import tifffile_module

_FEW_PAGES: Final = 16
_OTHER_KINDS: Final = ("uniform", "generic")


class UniformSeries:
    """All pages of a file, like a series of tifffile. Used under the lock of its store."""

    kind = "uniform"
    name = ""
    transform = None
    dataoffset = None

    def __init__(self, tiff: Any) -> None:
        self._pages = tiff.pages
        self._pages.cache = True
        self._pages.useframes = True
        self._pages.set_keyframe(0)
        self.keyframe = tiff.pages.first
        self.dtype = self.keyframe.dtype
        self.shape = (len(self._pages), *self.keyframe.shape)
        self.axes = f"I{self.keyframe.axes}"
        self.levels = [self]

    def __len__(self) -> int:
        return len(self._pages)

    def __getitem__(self, number: int) -> Any:
        return self._pages[number]


def plain_series(tiff: Any) -> list[Any] | None:
    """The series of a file of many pages, if no program's metadata mention them; None for other files.

    Pages that are one after another are left to tifffile: it finds that they are one array.

    Args:
        tiff: a ``tifffile.TiffFile``.
    """
    module = tifffile_module()
    kinds = getattr(module.TIFF, "SERIES", None)
    if kinds is None or len(tiff.pages) < _FEW_PAGES:
        return None
    if any(getattr(tiff, f"is_{kind}", False) for kind in kinds if kind not in _OTHER_KINDS):
        return None
    first, second = tiff.pages.first, tiff.pages[1].aspage()
    if first.is_scanimage or first.is_nih:
        return None
    if not tiff.is_uniform:
        return _grouped(tiff, module)
    is_consecutive = first.is_contiguous and second.dataoffsets[:1] == (first.dataoffsets[0] + first.nbytes,)
    return None if is_consecutive or first.dtype is None else [UniformSeries(tiff)]


def _grouped(tiff: Any, module: Any) -> list[Any] | None:
    """Pages of each form as a series, in the order of the first pages. Each page is taken once."""
    join_pyramids = getattr(module.tifffile, "pyramidize_series", None)
    if join_pyramids is None or tiff.is_agilent:
        return None
    groups: dict[int, dict[int, Any]] = {}
    for number in range(len(tiff.pages)):
        page = tiff.pages[number].aspage()
        if page.subifds is not None:
            return None
        if page.size:
            groups.setdefault(page.hash, {}).setdefault(page.offset, page)
    series = []
    for pages in groups.values():
        first = next(iter(pages.values()))
        shape = (len(pages), *first.shape)
        series.append(
            module.TiffPageSeries([*pages.values()], shape, first.dtype, f"I{first.axes}", kind="generic")
        )
    join_pyramids(series)
    return series
