"""References as other programs read them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import zarr

import zarrcore as zc
from zarrcore.formats import Format
from zarrcore.operations.reference import ReferenceResult, write_references
from zarrcore.stores import open_store

FORMATS = {2: Format.V2, 3: Format.V3}


def store_of(path: Path) -> zarr.storage.FsspecStore:
    """The store of zarr-python."""
    filesystem = fsspec.filesystem(
        "reference", fo=str(path), remote_protocol="file", asynchronous=True, skip_instance_cache=True
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return zarr.storage.FsspecStore(filesystem, read_only=True, path="")


def by_zarr(path: Path, zarr_format: int) -> zarr.Group:
    """The hierarchy as zarr-python reads it through fsspec."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return zarr.open_group(store_of(path), mode="r", zarr_format=zarr_format)


def written(source: Path, zarr_format: int, **options: Any) -> tuple[Path, ReferenceResult]:
    """References to a source beside it."""
    name = f"{source.name}.{zarr_format}.refs.json"
    result = write_references(
        zc.open_hierarchy(source), open_store(source.parent), name, to=FORMATS[zarr_format], **options
    )
    return source.parent / name, result


def assert_equal(found: Any, expected: Any) -> None:
    """Compare elements of any type."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    if expected.dtype.kind in "fc":
        assert np.array_equal(found, expected, equal_nan=True)
    else:
        assert found.tolist() == expected.tolist()
