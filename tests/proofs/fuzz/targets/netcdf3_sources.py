"""Broken NetCDF-3 files as sources: an error of zarrscope with one line, or nodes and values."""

from __future__ import annotations

import io
from collections.abc import Iterable

import numpy as np
import scipy.io

from tests.proofs.fuzz.sources import check_source
from zarrcore.stores import MemoryStore
from zarrcore.stores.netcdf3.store import NetCDF3Store

WORDS = ("CDF\x01", "CDF\x02", "CDF\x05", "\x00\x00\x00\x0a", "\x00\x00\x00\x0b", "\x00\x00\x00\x0c")


def check(data: bytes) -> None:
    """All nodes open and small arrays are read, or an error says why not."""
    store = NetCDF3Store(MemoryStore("", {"a.nc": data}), "a.nc", "memory://a.nc")
    check_source(store)


def examples() -> Iterable[bytes]:
    """Files with and without records, of both offsets."""
    for version in (1, 2):
        memory = io.BytesIO()
        file = scipy.io.netcdf_file(memory, "w", version=version)
        file.title = "a"
        file.createDimension("record", None)
        file.createDimension("x", 3)
        for name, kind in (("a", "h"), ("b", "d")):
            variable = file.createVariable(name, kind, ("record", "x"))
            variable[0] = np.arange(3)
            variable[1] = np.arange(3)
        file.createVariable("fixed", "i", ("x",))[:] = [1, 2, 3]
        file.flush()
        yield memory.getvalue()
        file.close()
