"""The metadata cache image: metadata that a file has in one block, and perhaps not where they belong.

HDF5 File Format Specification, version 3, "Metadata Cache Image" of the superblock extension. A program that asks for it
(``H5Pset_mdc_image_config``) gets a file that opens with one read. The specification leaves the block's form to the library:
``H5C__write_cache_image``.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from zarrcore.stores.hdf5.object_header import ObjectHeader
from zarrcore.stores.virtual.file_reader import UNDEFINED, BrokenFileError, FileReader, unsigned

_MESSAGE: Final = 0x18
_HEAD_NBYTES: Final = 18
_ENTRY_NBYTES: Final = 30


def cached_metadata(reader: FileReader, extension: int) -> list[tuple[int, bytes]]:
    """The pieces of metadata in the image, each with its address; none if the file has no image.

    Args:
        reader: the file.
        extension: the address of its superblock extension.

    Raises:
        BrokenFileError: the image is broken.
    """
    message = None if extension == UNDEFINED else ObjectHeader(reader, extension).first(_MESSAGE)
    if message is None or unsigned(message, 1, 8) == UNDEFINED:
        return []
    image = reader.read_checked(unsigned(message, 1, 8), unsigned(message, 9, 8), "the metadata cache image")
    if unsigned(message, 0, 1) or image[:5] != b"MDCI\0":
        raise BrokenFileError("its metadata cache image is of a version that is not supported")
    found, at = [], _HEAD_NBYTES
    for _ in range(unsigned(image, _HEAD_NBYTES - 4, 4)):
        parents, address, nbytes = (
            unsigned(image, at + start, size) for start, size in ((8, 2), (14, 8), (22, 8))
        )
        at += _ENTRY_NBYTES + 8 * parents
        if at + nbytes > len(image) or reader.base + address + nbytes > reader.nbytes:
            raise BrokenFileError("an entry of its metadata cache image ends outside")
        found.append((address, image[at : at + nbytes]))
        at += nbytes
    if any(address + len(piece) > after for (address, piece), (after, _) in pairwise(sorted(found))):
        raise BrokenFileError("entries of its metadata cache image overlap")
    return found
