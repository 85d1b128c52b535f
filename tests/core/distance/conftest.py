"""A server that is far away, with hierarchies."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import zarrcore
from tests.core.distance.asked import ARRAYS, FORMATS, GROUPS, PLANE
from tests.servers.distant import DistantServer, distant_server


def _write(path: Path, format_: str) -> None:
    hierarchy = zarrcore.create(path, format=format_)
    for group, array in itertools.product(range(GROUPS), range(ARRAYS)):
        hierarchy.create_array(
            f"g{group}/a{array:02}", shape=(4,), dtype="u1", chunks=(2,), attributes={"n": array}
        )
    hierarchy["g0/a00"][...] = 1
    hierarchy.create_array("plane", shape=PLANE.shape, dtype="u2", chunks=(1, 8, 8))[...] = PLANE


@pytest.fixture(scope="package")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder ``bucket`` with a hierarchy of each format, with and without consolidated metadata, and with shards."""
    root = tmp_path_factory.mktemp("distant")
    for format_ in FORMATS:
        _write(root / "bucket" / format_, format_)
        shutil.copytree(root / "bucket" / format_, root / "bucket" / f"{format_}-all")
        zarrcore.open_hierarchy(root / "bucket" / f"{format_}-all", "r+").consolidate()
    shards = zarrcore.create(root / "bucket/shards").create_array(
        "plane", shape=(64, 256, 256), dtype="u2", chunks=(8, 64, 64), shards=(64, 128, 128)
    )
    shards[...] = np.random.default_rng(0).integers(0, 60000, shards.shape, "u2")
    return root


@pytest.fixture(scope="package")
def _server(root: Path) -> Iterator[DistantServer]:
    with distant_server(root) as server:
        yield server


@pytest.fixture
def server(_server: DistantServer) -> Iterator[DistantServer]:
    """The server, which has been asked for nothing."""
    _server.forget()
    yield _server
    _server.delay_s, _server.lists, _server.in_waves = 0.0, True, False


@pytest.fixture(params=["http", "s3"])
def source(request: pytest.FixtureRequest, server: DistantServer) -> Callable[[str], list[str]]:
    """The arguments of the command line that name a hierarchy on the server."""
    if request.param == "http":
        return lambda name: [f"{server.url}/bucket/{name}"]
    options = ["--endpoint-url", server.url, "--region", "us-east-1", "--anonymous"]
    return lambda name: [f"s3://bucket/{name}", *options]
