"""The hierarchies at a distance, and what was requested of their server."""

from __future__ import annotations

import itertools
import time

import numpy as np

from tests.servers.distant import DistantServer

GROUPS, ARRAYS = 4, 20
NODES = 1 + GROUPS * (1 + ARRAYS)
PLANE = np.arange(4 * 64 * 64, dtype="u2").reshape(4, 64, 64)

FORMATS = ("v3", "v2")
NUMBERS = itertools.count()


AT_ROOT = [".zarray", ".zattrs", ".zgroup", ".zmetadata", "attributes.json", "zarr.json"]
"""What is asked of a place, together, to open it whatever its format."""


OLD = ["meta", "meta/root.array", "meta/root.group"]
"""What is also asked of a place, to make a hierarchy there."""


def await_root(server: DistantServer, name: str, *, is_new: bool = False) -> None:
    """Wait until all that is asked of a place has arrived: what turned out not to matter is not waited for."""
    asked = {f"/bucket/{name}/{key}" for key in (AT_ROOT + OLD * is_new)}
    deadline_s = time.monotonic() + 30
    while not asked <= {target for _, target in server.requests}:
        assert time.monotonic() < deadline_s, server.requests
        time.sleep(0.005)


def await_requests(server: DistantServer, count: int) -> None:
    """Wait until this many requests have arrived, and see that these are all."""
    deadline_s = time.monotonic() + 30
    while len(server.requests) < count:
        assert time.monotonic() < deadline_s, server.requests
        time.sleep(0.005)
    assert len(server.requests) == count


def keys(server: DistantServer) -> list[str]:
    """The keys whose values were requested, without the bucket."""
    return [
        target[len("/bucket/") :] for _, target in server.requests if "?" not in target and target[-1] != "/"
    ]


def listings(server: DistantServer) -> int:
    """The number of listings that were requested."""
    return sum("list-type" in target for _, target in server.requests)
