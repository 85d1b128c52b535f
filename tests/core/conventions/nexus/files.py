"""NeXus files with one NXdata group, /entry/data, as h5py writes them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np

import zarrcore as zc

DATA = "/entry/data"


def opened(
    path: Path,
    attributes: Mapping[str, Any],
    of_arrays: Mapping[str, Mapping[str, Any]] | None = None,
    **arrays: Any,
) -> zc.Hierarchy:
    """A file, opened.

    Args:
        path: of the file, which must not exist.
        attributes: those of the NXdata group.
        of_arrays: attributes of arrays, by name.
        arrays: elements, or a shape, which is filled with 0, 1, 2, …
    """
    with h5py.File(path, "w") as file:
        file.attrs.update({"NX_class": "NXroot", "default": "entry"})
        entry = file.create_group("entry")
        entry.attrs.update({"NX_class": "NXentry", "default": "data"})
        data = entry.create_group("data")
        data.attrs.update({"NX_class": "NXdata", **attributes})
        for name, told in arrays.items():
            is_shape = isinstance(told, tuple)
            data[name] = np.arange(np.prod(told), dtype="f8").reshape(told) if is_shape else told
        for name, more in (of_arrays or {}).items():
            data[name].attrs.update(more)
    return zc.open_hierarchy(path)
