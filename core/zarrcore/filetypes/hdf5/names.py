"""Names in HDF5: text in UTF-8 that a zero byte ends."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from zarrcore.errors import UnsupportedError

_MAX_NETCDF_NBYTES: Final = 255
"""The C library says 256, and then loses the zero byte at the end: ncdump gives up."""
_MAX_NBYTES: Final = 32_768
"""What leaves room for a value beside an attribute's name."""


@lru_cache(1024)
def file_name(name: str, *, netcdf: bool) -> bytes:
    """The name of a node, an attribute or a field, in the file.

    Raises:
        UnsupportedError: it can be no name there.
    """
    try:
        encoded = name.encode()
    except UnicodeEncodeError as error:
        raise UnsupportedError("name", ascii(name), "is no text") from error
    if not encoded or b"\0" in encoded:
        raise UnsupportedError("name", ascii(name), "can be no name in HDF5")
    if netcdf and len(encoded) > _MAX_NETCDF_NBYTES:
        raise UnsupportedError("name", f"{name[:20]}…", "is too long for NetCDF")
    if len(encoded) > _MAX_NBYTES:
        raise UnsupportedError("name", f"{name[:20]}…", "is too long for HDF5")
    return encoded
