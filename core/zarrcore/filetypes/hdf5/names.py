"""Names in HDF5, which are text in UTF-8 with a zero byte at the end, and names in NetCDF.

NetCDF programs refuse a whole file for one invalid name.
Specification: NetCDF, "File Format Specifications", ``name`` in the classic format's grammar; names are in Unicode's form NFC.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from zarrcore.errors import UnsupportedError

_MAX_NETCDF_NBYTES: Final = 255
"""The C library allows 256, but then loses the zero byte at the end, and ncdump fails."""
_NETCDF_NAME: Final = re.compile(r"[\w\x80-\U0010FFFF][^\x00-\x1F/\x7F]*(?<! )", re.ASCII)
"""It begins with a letter, a digit, an underscore or a non-ASCII character, has no control characters, and does not end with
a space."""
_MAX_NBYTES: Final = 32_768
"""A limit that leaves room for a value after an attribute's name."""


@lru_cache(1024)
def file_name(name: str, *, netcdf: bool) -> bytes:
    """The name of a node, a dimension, an attribute or a field in the file.

    In NetCDF, several names may become one.

    Raises:
        UnsupportedError: it cannot be a name in the file.
    """
    if netcdf:
        name = unicodedata.normalize("NFC", name)
    try:
        encoded = name.encode()
    except UnicodeEncodeError as error:
        raise UnsupportedError("name", name, "is not text") from error
    if not encoded or b"\0" in encoded:
        raise UnsupportedError("name", name, "cannot be a name in HDF5")
    if netcdf and not _NETCDF_NAME.fullmatch(name):
        raise UnsupportedError("name", name, "cannot be a name in NetCDF")
    if netcdf and len(encoded) > _MAX_NETCDF_NBYTES:
        raise UnsupportedError("name", f"{name[:20]}…", "is too long for NetCDF")
    if len(encoded) > _MAX_NBYTES:
        raise UnsupportedError("name", f"{name[:20]}…", "is too long for HDF5")
    return encoded
