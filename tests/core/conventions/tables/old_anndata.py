"""Tables as anndata before 0.8 wrote them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import zarr


def write_old(path: Path) -> None:
    """Write three observations ``a``, ``b``, ``c`` of a ``type`` and a number ``n``: HDF5 in ``.h5ad``, or Zarr v2."""
    if path.suffix == ".h5ad":
        with h5py.File(path, "w") as file:
            _write(file, h5py.string_dtype())
    else:
        _write(zarr.open_group(path, mode="w", zarr_format=2), str)


def _write(file: Any, text: Any) -> None:
    """A table as anndata 0.7 writes it, with a group of ``h5py`` or ``zarr``."""
    obs = file.create_group("obs")
    obs.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.1.0", "_index": "i"})
    obs.attrs["column-order"] = ["type", "n"]
    categories = obs.create_group("__categories")
    for group, name, values in ((obs, "i", ["a", "b", "c"]), (categories, "type", ["B", "T"])):
        _create(group)(name, shape=(len(values),), dtype=text)[...] = np.array(values, object)
    for name, numbers in (("type", np.array([1, 0, -1], "i1")), ("n", np.arange(3))):
        _create(obs)(name, shape=numbers.shape, dtype=numbers.dtype)[...] = numbers
    categories["type"].attrs["ordered"] = False
    is_hdf5 = isinstance(file, h5py.File)
    obs["type"].attrs["categories"] = categories["type"].ref if is_hdf5 else "__categories/type"
    _create(file)("X", shape=(3, 1), dtype="f4")[...] = np.zeros((3, 1))
    var = file.create_group("var")
    var.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.1.0", "_index": "i"})
    var.attrs["column-order"] = np.zeros(0) if is_hdf5 else []
    _create(var)("i", shape=(1,), dtype=text)[...] = np.array(["x"], object)


def _create(group: Any) -> Any:
    return group.create_dataset if isinstance(group, h5py.Group) else group.create_array
