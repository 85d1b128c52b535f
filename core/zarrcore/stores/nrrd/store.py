"""A NRRD file in any store, as the keys of a Zarr v3 hierarchy."""

from __future__ import annotations

import math
from typing import ClassVar, Final

from zarrcore.stores.interface import ByteRange, ReadableStore
from zarrcore.stores.keys import join_url
from zarrcore.stores.nrrd.geometry import axes_of, is_colour
from zarrcore.stores.nrrd.header import MAX_HEADER_NBYTES, NrrdHeader, parse_header
from zarrcore.stores.targets.opening import Targets
from zarrcore.stores.virtual.file_image import FileImage, Place
from zarrcore.stores.virtual.file_reader import BrokenFileError
from zarrcore.stores.virtual.image_file import ImageFile, Read
from zarrcore.stores.virtual.inflated_file import InflatedFile
from zarrcore.stores.virtual.sequential_streams import BZIP2_FORM, GZIP_FORM, text_form

_FIRST_NBYTES: Final = 4096
_MAX_LINES_NBYTES: Final = 1 << 20


class NrrdSource(ImageFile):
    """The elements of a NRRD file, and its header. They may be in other files that the rules of references allow."""

    presents = "NRRD"
    not_pickled: ClassVar[tuple[str, ...]] = (*ImageFile.not_pickled, "_targets")

    def _reset(self) -> None:
        super()._reset()
        folder, slash, _ = self.key.rpartition("/")
        self._targets = Targets(self.source, folder + slash, self.url)

    def refresh(self) -> None:
        super().refresh()
        self._targets.refresh()

    def close(self) -> None:
        self._targets.close()
        super().close()

    def parse(self, read: Read) -> FileImage:
        header = _header(read)
        names = header.data_files
        if names is None:
            places: list[tuple[ReadableStore, str, int]] = [(self.reads, self.key, header.nbytes)]
        else:
            places = [(*self._targets.find(name, "0"), 0) for name in names]
        if header.encoding != "raw" and len(places) > 1:
            raise BrokenFileError(
                "its elements are in several files that are compressed or text, which zarrscope does not read"
            )
        nbytes = math.prod(header.sizes) * header.dtype.itemsize // len(places)
        return FileImage(
            header.dtype,
            header.sizes[::-1],
            tuple(axes_of(header)[::-1]),
            tuple(_place(header, *place, nbytes) for place in places),
            {"nrrd": header.shown()},
            is_colour=is_colour(header),
        )


def _header(read: Read) -> NrrdHeader:
    nbytes = _FIRST_NBYTES
    while True:
        head = read(nbytes)
        header = parse_header(head, is_whole=len(head) < nbytes)
        if header is not None:
            return header
        if nbytes >= MAX_HEADER_NBYTES:
            raise BrokenFileError(f"its header has more than {MAX_HEADER_NBYTES:,} bytes")
        nbytes *= 16


def _place(header: NrrdHeader, store: ReadableStore, key: str, start: int, nbytes: int) -> Place:
    """Where the elements in a file begin, after what is to be skipped.

    Args:
        header: the header.
        store: the store of the file.
        key: its key there.
        start: where its data begin.
        nbytes: of the elements in it.
    """
    lines, skipped = header.skip("line skip"), header.skip("byte skip")
    encoding = header.encoding
    if lines < 0 or (skipped < 0 and encoding != "raw"):
        raise BrokenFileError(f"its line skip is {lines} and its byte skip {skipped}")
    if lines:
        start = _after_lines(store, key, start, lines)
    if encoding == "ascii":
        return Place(
            InflatedFile(store, key, join_url(store.url, key), start + skipped, text_form(header.dtype)),
            key,
            0,
        )
    if encoding != "raw":
        form = GZIP_FORM if encoding == "gzip" else BZIP2_FORM
        return Place(InflatedFile(store, key, join_url(store.url, key), start, form), key, skipped)
    if skipped < 0:  # the elements are at the end
        facts = store.stat(key)
        if facts is None or facts.size < start + nbytes:
            raise BrokenFileError(f"{key} has fewer than the {nbytes:,} bytes of its elements")
        return Place(store, key, facts.size - nbytes)
    return Place(store, key, start + skipped)


def _after_lines(store: ReadableStore, key: str, start: int, count: int) -> int:
    data = bytes(store.get(key, ByteRange(start, start + _MAX_LINES_NBYTES)) or b"")
    at = 0
    for _ in range(min(count, len(data) + 1)):
        at = data.find(b"\n", at) + 1
        if not at:
            raise BrokenFileError(
                f"{key} does not have {count:,} lines to skip in its first {len(data):,} bytes"
            )
    return start + at
