"""The missing value of an array of floats, as xarray writes it."""

from __future__ import annotations

import base64
import struct


def missing_float(value: float) -> str:
    """The attribute ``_FillValue`` in Zarr v3: the base64 of a little-endian float64, since JSON has no NaN.

    >>> missing_float(float("nan"))
    'AAAAAAAA+H8='
    """
    return base64.standard_b64encode(struct.pack("<d", value)).decode()
