"""Repositories written by icechunk, and their values as zarr-python reads them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import icechunk
import numpy as np
import zarr

from zarrcore.typing import AnyArray

Values = dict[str, AnyArray]


@dataclass(frozen=True)
class Repository:
    """A repository with a tag ``v1``, a branch ``side`` that is there, too, and a later commit on ``main``."""

    path: Path
    first: str
    second: str


def create(storage: icechunk.Storage, spec_version: int = 2, **options: Any) -> tuple[str, str]:
    """Write a repository with two commits; returns their identifiers."""
    repository = icechunk.Repository.create(storage, spec_version=spec_version, **options)
    session = repository.writable_session("main")
    root = zarr.create_group(session.store, attributes={"title": "weather"})
    array = root.create_array("a/b", shape=(4, 6), chunks=(2, 3), dtype="i4", fill_value=-1)
    array[:2] = np.arange(12).reshape(2, 6)
    root.create_array("large", data=np.random.default_rng(7).random((100, 90)), chunks=(40, 45))
    root.create_array("sharded", data=np.arange(64).reshape(8, 8), chunks=(2, 2), shards=(4, 8))
    root.create_array("scalar", data=np.float32(3.5))
    first = session.commit("first")
    repository.create_tag("v1", first)
    repository.create_branch("side", first)
    session = repository.writable_session("main")
    zarr.open_group(session.store)["a/b"][3, 3] = 99
    return first, session.commit("second")


def write(path: Path, spec_version: int = 2) -> Repository:
    """A local repository."""
    return Repository(path, *create(icechunk.local_filesystem_storage(str(path)), spec_version))


def values_of(storage: icechunk.Storage, **version: str) -> Values:
    """All arrays of a version, as zarr-python reads them."""
    session = icechunk.Repository.open(storage).readonly_session(**version)
    root = zarr.open_group(session.store, mode="r")
    return {
        f"/{path}": np.asarray(node[...]) for path, node in root.members(None) if isinstance(node, zarr.Array)
    }


def assert_same(hierarchy: Any, values: Values, below: str = "") -> None:
    """Check that zarrscope shows the same arrays, bit for bit."""
    arrays = {node.path: node for node in hierarchy.walk(below or "/") if node.kind == "array"}
    assert set(arrays) == {below + path for path in values}
    for path, expected in values.items():
        found = np.asarray(arrays[below + path][...])
        assert found.dtype == expected.dtype
        assert found.tobytes() == expected.tobytes()
