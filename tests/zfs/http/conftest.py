"""A server that all tests share which only read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest

import zarrcore as zc
from tests.waiting import PATIENCE_S
from tests.zfs.http.serving import Served, serving

VALUES = np.arange(4 * 50 * 60, dtype="<i4").reshape(4, 50, 60)
RAW = VALUES.tobytes()
HOSTILE = '<script>alert("x")</script>&\'" %2F?#'
"""A name of a node that is markup, and has all characters with a meaning in a URL."""


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hierarchy with an array, an array of text, a broken chunk, and a hostile name."""
    path = tmp_path_factory.mktemp("served") / "a.zarr"
    hierarchy = zc.create(path)
    hierarchy.create_array("g/x", shape=VALUES.shape, dtype="int32", chunks=(1, 25, 60))[...] = VALUES
    hierarchy.create_array("words", shape=(2,), dtype="string")[...] = ["a", "b"]
    hierarchy.create_array("damaged", shape=(4,), dtype="int32", codecs=["bytes", "crc32c"])[...] = 1
    chunk = next(
        file for file in (path / "damaged").rglob("*") if file.name != "zarr.json" and file.is_file()
    )
    chunk.write_bytes(bytes(20))
    hierarchy.create_group(HOSTILE.replace("/", "|"))
    return path


@pytest.fixture(scope="session")
def served(source: Path) -> Iterator[Served]:
    """That hierarchy, served."""
    with serving(source, origins=("https://viewer.example",)) as server:
        yield server


@pytest.fixture(scope="session")
def client(served: Served) -> Iterator[httpx.Client]:
    """A client of that server."""
    with httpx.Client(base_url=served.url, timeout=PATIENCE_S) as opened:
        yield opened
