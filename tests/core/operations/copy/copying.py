"""Copying, and reading with zarr-python and tensorstore."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import tensorstore
import zarr

import zarrcore as zc
from zarrcore.formats import format_named
from zarrcore.operations.copy import CopyResult, Layout, execute, plan_copy
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.local.store import LocalStore
from zarrcore.typing import AnyArray

DATA = np.arange(1, 24 * 36 + 1, dtype="f4").reshape(24, 36)


def copy(
    source: Any, destination: ReadableStore | Path, path: str = "/", to: str | None = None, **options: Any
) -> CopyResult:
    layout = Layout(**{name: options.pop(name) for name in tuple(options) if name in Layout.__slots__})
    hierarchy = zc.open_hierarchy(source)
    memory = options.pop("memory_nbytes", 64 << 20)
    plan = plan_copy(
        hierarchy, path, to=format_named(to) if to else None, layout=layout, memory_nbytes=memory
    )
    store = LocalStore(destination, create=True) if isinstance(destination, Path) else destination
    return execute(plan, hierarchy, store, **options)


def read_by_zarr(path: Path) -> AnyArray:
    with warnings.catch_warnings(action="ignore"):
        found = np.asarray(zarr.open_array(path, mode="r")[...])
    return found.astype(found.dtype.newbyteorder("="))


def read_by_tensorstore(path: Path) -> AnyArray:
    drivers = {"attributes.json": "n5", "zarr.json": "zarr3", ".zarray": "zarr"}
    driver = next(driver for name, driver in drivers.items() if (path / name).exists())
    spec = {"driver": driver, "kvstore": {"driver": "file", "path": f"{path}/"}}
    found = tensorstore.open(spec, open=True).result()
    values = np.asarray(found.read(order="C").result())
    return values.T if driver == "n5" else values


EXPECTED = DATA.copy()
EXPECTED[5:10, 12:24] = 7
