"""What everyday acts at a distance ask of a server: a request or a round trip more than now is an error.

The acts are those of `tests.benchmarks.everyday`, one after the other: what an act left in memory helps the next one.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks import everyday
from tests.benchmarks.own_process import in_new_process
from tests.benchmarks.results import OURS
from tests.servers.distant import distant_server

for needed in ("h5netcdf", "h5py", "icechunk", "kerchunk", "xarray", "zarr"):
    pytest.importorskip(needed)

_CHUNKS = {
    "open an array by its path": (6, 1),
    "a slice of 8 chunks": (8, 1),
    "a slice beside it, 4 chunks the same": (8, 1),
    "a plane of 64 chunks": (64, 1),
    "a column of 128 chunks": (128, 2),
    "a series of one pixel, 16 chunks": (16, 1),
    "20 elements, one after another": (20, 20),
}

BUDGETS: dict[str, dict[str, tuple[int, int]]] = {
    "hierarchy, v3": {"open": (6, 1), "tree": (92, 5)},
    "hierarchy, v3, consolidated": {"open": (6, 1), "tree": (0, 0)},
    "hierarchy, v2": {"open": (6, 1), "tree": (181, 8)},
    "hierarchy, v2, consolidated": {"open": (6, 1), "tree": (0, 0)},
    "array of chunks": _CHUNKS,
    "array of chunks, v2": _CHUNKS,
    "array of shards": {
        "open an array by its path": (6, 1),
        "a slice of 8 chunks": (4, 2),
        "a slice beside it, 4 chunks the same": (8, 2),
        "a plane of 64 chunks": (32, 2),
        "a column of 128 chunks": (8, 2),
        "a series of one pixel, 16 chunks": (2, 2),
        "20 elements, one after another": (40, 40),
    },
    "xarray, Zarr v3, consolidated": {
        "open": (9, 2),
        "a plane of 16 chunks": (16, 1),
        "a series of one pixel, 4 chunks": (4, 1),
    },
    "xarray, a NetCDF-4 file": {
        "open": (4, 2),
        "a plane of 16 chunks": (8, 1),  # threads join neighbours that wait together
        "a series of one pixel, 4 chunks": (4, 1),
    },
    "xarray, references to a NetCDF-4 file": {
        "open": (2, 1),
        "a plane of 16 chunks": (8, 1),
        "a series of one pixel, 4 chunks": (4, 1),
    },
    "Icechunk": {
        "open an array of the branch main": (18, 5),
        "a slice of 8 chunks": (9, 2),
        "a plane of 64 chunks": (64, 1),
    },
    "copy": {"down, 83 arrays of 1,376 chunks and shards": (1384, 33), "up, the same": (1477, 33)},
    "mount": {
        "mount": (1, 1),
        "find arrays": (98, 8),
        "find arrays again": (0, 0),
        "find arrays after the time to live": (3, 3),
        "cat '[3,0:128,0:256].npy', 8 chunks": (8, 1),
        "cat data.npy, 16 chunks": (16, 2),
        "20 small random reads of data.raw": (152, 19),
        # Two of them ask again for the array, which is known for only 6 s here.
        "8 chunks of the HDF5 view, by h5py": (18, 4),
    },
    "mount, files as stored": {
        "stat a key": (6, 4),
        "cat a key": (5, 3),
        "ls -l of 20 arrays": (3, 2),
        "stat what does not exist": (6, 3),
    },
    "window": {
        "open the root": (21, 4),
        "open an array by its path: a plane of 64 chunks": (79, 5),
        "next plane": (64, 1),
    },
}
"""By scene and act: requests, and round trips in sequence."""
ATTEMPTS = 8
"""On a busy machine threads come late: fewer neighbours are joined to one request, or a wave ends without them. A request that
is always made is made in each attempt."""


def in_fork(function: Callable[..., Any], *arguments: Any) -> Any:
    """In a process of its own: these modules, which many of them need, take a second or two to import."""
    multiprocessing.set_forkserver_preload(
        ["tests.benchmarks.everyday", "zarrcore.interop.xarray", "dask.array"]
    )
    return in_new_process(function, *arguments, how="forkserver")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return in_fork(everyday.written, tmp_path_factory.mktemp("everyday"))


@pytest.mark.timeout(400)
@pytest.mark.parametrize("scene", everyday.scenes(), ids=lambda scene: scene.describes)
def test_acts_ask_no_more_than_they_did(scene: everyday.Scene, root: Path) -> None:
    if scene.describes.startswith("mount") and not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("this user cannot open /dev/fuse")
    budget, least = BUDGETS[scene.describes], dict[str, tuple[int, ...]]()
    for attempt in range(ATTEMPTS):
        time.sleep(attempt)  # what keeps the processors busy may take seconds
        asked = requests_of(scene, root)
        assert asked.keys() == budget.keys()
        least = {act: tuple(map(min, count, least.get(act, count))) for act, count in asked.items()}
        more = {act: count for act, count in least.items() if any(map(int.__gt__, count, budget[act]))}
        if not more:
            return
    assert more == {}


def requests_of(scene: everyday.Scene, root: Path) -> dict[str, tuple[int, int]]:
    """Requests and round trips of each act."""
    with distant_server(root) as near, distant_server(root, 0.05) as far:
        near.redirects, far.redirects, far.in_waves = False, False, True
        near_url = near.url if scene.is_warmed else ""
        steps = in_fork(everyday.done, scene.readers[OURS], far.url, near_url)
    return {act: (counts.requests, counts.round_trips) for act, _, _, counts in steps}
