"""Media types of files. A stored value is never sent as a type in which a browser would run code."""

from __future__ import annotations

from typing import Final

_TYPES: Final = {
    "json": "application/json",
    "txt": "text/plain; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "png": "image/png",
    "tiff": "image/tiff",
    "tif": "image/tiff",
    "h5": "application/x-hdf5",
    "nc": "application/x-netcdf",
}
_DOCUMENTS: Final = (".zarray", ".zattrs", ".zgroup", ".zmetadata")


def media_type(name: str) -> str:
    """The media type of a file with this name.

    >>> media_type("zarr.json"), media_type(".zattrs"), media_type("index.html")
    ('application/json', 'application/json', 'application/octet-stream')
    """
    if name in _DOCUMENTS:
        return _TYPES["json"]
    return _TYPES.get(name.rpartition(".")[2].lower(), "application/octet-stream")
