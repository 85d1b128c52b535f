"""A hierarchy to damage."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import zarr

from tests.core.operations.check.findings import DATA


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    # zarr-python warns about consolidated metadata.
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        yield


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A group with an array of 4 × 3 chunks, ``a``, and one of 2 × 2 shards, ``s``."""
    group = zarr.create_group(tmp_path / "x.zarr")
    group.create_array("a", data=DATA, chunks=(3, 4))
    group.create_array("s", data=DATA, chunks=(1, 5), shards=(5, 5))
    return tmp_path / "x.zarr"
