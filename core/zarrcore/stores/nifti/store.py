"""A NIfTI file in any store, as the keys of a Zarr v3 hierarchy."""

from __future__ import annotations

import zlib
from typing import Any

from zarrcore.stores.interface import ByteRange, ReadableStore
from zarrcore.stores.nifti.geometry import affine_of, axes_of
from zarrcore.stores.nifti.header import (
    HEAD_NBYTES,
    MAX_EXTENSIONS_NBYTES,
    Header,
    header_kind,
    parse_extensions,
    parse_header,
)
from zarrcore.stores.virtual.file_image import Axis, FileImage, Place
from zarrcore.stores.virtual.file_reader import BrokenFileError
from zarrcore.stores.virtual.image_file import ImageFile, Read
from zarrcore.stores.virtual.inflated_file import GZIP, InflatedFile


def is_nifti(head: bytes) -> bool:
    """Whether a file with these first bytes is a NIfTI file, perhaps compressed by gzip."""
    if head.startswith(GZIP):
        try:
            head = zlib.decompressobj(31).decompress(head, HEAD_NBYTES)
        except zlib.error:
            return False
    return header_kind(head) is not None


class NiftiFile(ImageFile):
    """The elements of a NIfTI file, and what its header states."""

    presents = "NIfTI"

    def parse(self, read: Read) -> FileImage:
        content: ReadableStore = self.reads
        if read(len(GZIP)) == GZIP:
            inflated = content = InflatedFile(self.source, self.key, self.url)

            def read(nbytes: int) -> bytes:
                return bytes(inflated.get(self.key, ByteRange(0, nbytes)) or b"")

        header = parse_header(read(HEAD_NBYTES))
        key = self.key
        if header.is_pair:
            key = self._beside()
            content = self.elements(key)
        return _image(header, Place(content, key, header.data_start), _extensions(header, read))

    def _beside(self) -> str:
        """The key of the file with the elements."""
        stem, dot, suffix = self.key.removesuffix(".gz").rpartition(".")
        if suffix.lower() != "hdr":
            raise BrokenFileError("it is the header of a pair of files, whose name does not end in .hdr")
        img = f"{stem}{dot}{'img' if suffix == 'hdr' else 'IMG'}"
        keys = (img, f"{img}.gz")
        for key in keys if self.key.endswith(suffix) else keys[::-1]:
            if self.source.stat(key) is not None:
                return key
        raise BrokenFileError(f"{img} with its elements does not exist")


def _extensions(header: Header, read: Read) -> list[dict[str, Any]]:
    """The extensions; those of a pair end with the file of the header."""
    first = header.nbytes - 4
    if read(HEAD_NBYTES)[first : first + 1] in (b"", b"\0"):
        return []
    stop = header.nbytes + MAX_EXTENSIONS_NBYTES
    return parse_extensions(
        read(stop if header.is_pair else min(stop, header.data_start))[first:], header.byte_order
    )


def _image(header: Header, place: Place, extensions: list[dict[str, Any]]) -> FileImage:
    dtype, channels = header.element
    affine = affine_of(header)
    has_colours = channels > 1
    axes = axes_of(header, affine, has_colours=has_colours)[::-1]
    shape = header.shape[::-1]
    if has_colours:
        shape, axes = (*shape, channels), [*axes, Axis("c", "channel")]
    told = {"version": header.version} | header.shown()
    if affine is not None:
        told["affine"] = affine.tolist()
    if extensions:
        told["extensions"] = extensions
    scaling = None if has_colours else header.scaling
    names = ("scale_factor", "add_offset")
    return FileImage(
        dtype,
        shape,
        tuple(axes),
        (place,),
        {"nifti": told},
        {} if scaling is None else dict(zip(names, scaling, strict=True)),
        is_colour=has_colours,
    )
