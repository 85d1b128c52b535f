"""At a distance: the same hierarchies and arrays on a server that is far away, zarrscope and peers alternately.

All of them read with the S3 API in path style; the server counts requests. The upper bound of the server and the machine is
measured too: the same chunks fetched by 64 threads that do nothing else.
"""

from __future__ import annotations

import importlib
import importlib.util
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import xxhash

from tests.benchmarks.fairness import back_memory
from tests.benchmarks.results import BARE_GETS, OURS
from tests.servers.distant import Distance, asked, distant_process

_WRITTEN, _ARRAY = "written", "array"  # a bucket, and the name in it
_EDGE, _CHUNK_EDGE = 384, 64
IN_FLIGHT = 64
NAME = "distance"

Act = Callable[[str], Any]
"""Does a task with the server at an address; the results are compared."""


@dataclass(frozen=True)
class Task:
    """One task with one hierarchy of the folder ``bucket``."""

    what: str
    describes: str
    target: str
    hierarchy: str
    nbytes: int
    acts: dict[str, Act]


def timed(act: Act, place: str) -> tuple[str, float]:
    """A digest of the result of ``act``, or "", and its seconds.

    To be run in a new process, where connections and threads left from the round before do not help.
    """
    for name in _IMPORTS[act.func if isinstance(act, partial) else act]:
        importlib.import_module(name)
    back_memory()
    begun_s = time.perf_counter()
    found = act(place)
    seconds = time.perf_counter() - begun_s
    if found is None:
        return "", seconds
    shown = repr(found).encode() if isinstance(found, list) else found
    return xxhash.xxh3_128_hexdigest(
        shown if isinstance(shown, bytes) else np.ascontiguousarray(shown)
    ), seconds


def tasks() -> list[Task]:
    """The tasks; peers are those that are installed."""
    trees = [
        Task(
            "tree",
            f"tree of 1,000 nodes, {format_}{', consolidated' if kept else ''}",
            "≤ 0.4 s" if kept else "≤ 2.5 s",
            f"tree-{format_}{'-consolidated' if kept else ''}",
            0,
            _chosen("tree", kept),
        )
        for format_, kept in product(("v3", "v2"), (False, True))
    ]
    return [
        *trees,
        Task("plane", "plane of 64 chunks of 32 KiB", "≤ 0.4 s", "plane", 1 << 21, _chosen("plane")),
        Task(
            "plane",
            "plane of 16 shards, 16 inner chunks of each",
            "≤ 0.4 s",
            "shards",
            1 << 21,
            _chosen("plane"),
        ),
        Task(
            "whole",
            "array of 1,000 chunks of 1 MiB",
            "≥ 500 MiB/s",
            "whole",
            1000 << 20,
            {**_chosen("whole"), BARE_GETS: _bare},
        ),
        Task(
            "write", "array of 216 chunks of 1 MiB", "", f"{_WRITTEN}/{_ARRAY}", 216 << 20, _chosen("write")
        ),
    ]


def _chosen(what: str, kept: bool = False) -> dict[str, Act]:
    acts: dict[str, tuple[str, Act]] = {}
    if what == "tree":
        acts[OURS] = ("zarrcore", _tree)
        acts[f"{OURS} (command)"] = ("zarrcore", _command)
        acts["zarr-python"] = ("zarr", partial(_zarr_tree, kept=kept))
    elif what == "write":
        acts[OURS] = ("zarrcore", _write_ours)
        acts["tensorstore"] = ("tensorstore", _write_tensorstore)
        acts["zarr-python"] = ("zarr", _write_zarr)
    else:
        selection = ... if what == "whole" else 5
        acts[OURS] = ("zarrcore", partial(_read, selection=selection))
        acts["tensorstore"] = ("tensorstore", partial(_read_tensorstore, selection=selection))
        acts["zarr-python"] = ("zarr", partial(_read_zarr, selection=selection))
    return {name: act for name, (package, act) in acts.items() if importlib.util.find_spec(package)}


def _split(place: str) -> tuple[str, str, str]:
    """The address of the server, the bucket and the name in it."""
    url, _, path = place.partition("#")
    bucket, _, name = path.rpartition("/")
    return url, bucket or "bucket", name


def _options(url: str) -> dict[str, Any]:
    return {"endpoint_url": url, "region": "us-east-1", "anonymous": True}


def _tree(place: str) -> list[tuple[str, Any]]:
    import zarrcore

    url, bucket, name = _split(place)
    hierarchy = zarrcore.open_hierarchy(f"s3://{bucket}/{name}", **_options(url))
    return sorted((node.path, getattr(node, "shape", None)) for node in hierarchy.walk())


def _command(place: str) -> list[tuple[str, Any]] | None:
    url, bucket, name = _split(place)
    command = [sys.executable, "-m", "zarrcore.cli.main", "tree", f"s3://{bucket}/{name}"]
    options = ["--anonymous", "--endpoint-url", url, "--region", "us-east-1"]
    shown = subprocess.run([*command, *options], check=True, capture_output=True, text=True).stdout
    if len(shown.splitlines()) != 1000:
        raise SystemExit("the command shows a different number of nodes")
    return None


def _values() -> np.ndarray:
    return np.arange(_EDGE**3, dtype="f4").reshape((_EDGE,) * 3)


def _write_ours(place: str) -> None:
    import zarrcore

    url, bucket, name = _split(place)
    hierarchy = zarrcore.create(f"s3://{bucket}", **_options(url))
    array = hierarchy.create_array(
        name, shape=(_EDGE,) * 3, dtype="float32", chunks=(_CHUNK_EDGE,) * 3, codecs=[]
    )
    array[...] = _values()


def _write_zarr(place: str) -> None:
    import zarr

    array = zarr.create_array(
        _zarr_store(place, read_only=False),
        shape=(_EDGE,) * 3,
        dtype="f4",
        chunks=(_CHUNK_EDGE,) * 3,
        compressors=None,
    )
    array[...] = _values()


def _write_tensorstore(place: str) -> None:
    import tensorstore

    grid = {"name": "regular", "configuration": {"chunk_shape": [_CHUNK_EDGE] * 3}}
    little = {"name": "bytes", "configuration": {"endian": "little"}}
    metadata = {"shape": [_EDGE] * 3, "data_type": "float32", "chunk_grid": grid, "codecs": [little]}
    spec = {**_tensorstore_spec(place), "metadata": metadata, "create": True}
    tensorstore.open(spec).result().write(_values()).result()


def written(folder: Path) -> str:
    """A digest of the chunks that were written to the server, which are then removed."""
    place = folder / NAME / _WRITTEN
    digest = xxhash.xxh3_128()
    for index in product(range(_EDGE // _CHUNK_EDGE), repeat=3):
        digest.update((place / _ARRAY / "c" / "/".join(map(str, index))).read_bytes())
    shutil.rmtree(place)
    return digest.hexdigest()


def _zarr_store(place: str, *, read_only: bool = True) -> Any:
    import zarr
    from obstore.store import S3Store
    from zarr.storage import ObjectStore

    zarr.config.set({"async.concurrency": IN_FLIGHT})
    url, bucket, name = _split(place)
    client = {"allow_http": True}
    store = S3Store(
        bucket, prefix=name, endpoint=url, region="us-east-1", skip_signature=True, client_options=client
    )
    return ObjectStore(store, read_only=read_only)


def _zarr_tree(place: str, kept: bool) -> list[tuple[str, Any]]:
    import zarr

    format_ = 2 if "-v2" in place else 3
    group = zarr.open_group(_zarr_store(place), mode="r", use_consolidated=kept, zarr_format=format_)
    members = group.members(max_depth=None)
    return sorted([("/", None), *(("/" + path, getattr(node, "shape", None)) for path, node in members)])


def _read(place: str, selection: Any) -> np.ndarray:
    import zarrcore

    url, bucket, name = _split(place)
    array: Any = zarrcore.open_hierarchy(f"s3://{bucket}/{name}", **_options(url))["/"]
    found: np.ndarray = array[selection]
    return found


def _read_zarr(place: str, selection: Any) -> Any:
    import zarr

    return zarr.open_array(_zarr_store(place), mode="r", zarr_format=3)[selection]


def _read_tensorstore(place: str, selection: Any) -> Any:
    import tensorstore

    return tensorstore.open(_tensorstore_spec(place)).result()[selection].read().result()


def _tensorstore_spec(place: str) -> dict[str, Any]:
    url, bucket, name = _split(place)
    store = {
        "driver": "s3",
        "bucket": bucket,
        "endpoint": url,
        "path": f"{name}/",
        "aws_region": "us-east-1",
    }
    context = {"s3_request_concurrency": {"limit": IN_FLIGHT}, "aws_credentials": {"type": "anonymous"}}
    return {"driver": "zarr3", "kvstore": store, "context": context}


def _bare(place: str) -> None:
    """Fetch the chunks of the array, and discard them."""
    url, bucket, name = _split(place)
    local = threading.local()

    def fetch(index: tuple[int, ...]) -> None:
        if not hasattr(local, "connection"):
            local.connection, local.buffer = HTTPConnection(urlsplit(url).netloc), bytearray(1 << 20)
        local.connection.request("GET", f"/{bucket}/{name}/c/{'/'.join(map(str, index))}")
        answer, view = local.connection.getresponse(), memoryview(local.buffer)
        while count := answer.readinto(view):
            view = view[count:]

    with ThreadPoolExecutor(IN_FLIGHT) as pool:
        list(pool.map(fetch, product(range(10), repeat=3)))


_IMPORTS: dict[Any, tuple[str, ...]] = {
    _tree: (
        "zarrcore.hierarchy",
        "zarrcore.stores.object.s3",
        "zarrcore.codecs.bytes_to_bytes.zstd",
        "obstore.store",
    ),
    _read: (
        "zarrcore.hierarchy",
        "zarrcore.stores.object.s3",
        "zarrcore.codecs.bytes_to_bytes.zstd",
        "obstore.store",
    ),
    _zarr_tree: ("zarr.storage", "obstore.store"),
    _read_zarr: ("zarr.storage", "obstore.store"),
    _read_tensorstore: ("tensorstore",),
    _write_ours: ("zarrcore.hierarchy", "zarrcore.stores.object.s3", "obstore.store"),
    _write_zarr: ("zarr.storage", "obstore.store"),
    _write_tensorstore: ("tensorstore",),
    _command: (),
    _bare: (),
}
"""Import everything that the libraries import at first use."""


@contextmanager
def served(folder: Path, far: Distance) -> Iterator[str]:
    """The address of a server with all hierarchies to measure."""
    root = folder / NAME
    if not (root / "done").exists():
        shutil.rmtree(root, ignore_errors=True)
        _write(root / "bucket")
        (root / "done").touch()
    shutil.rmtree(root / _WRITTEN, ignore_errors=True)  # of a run that was interrupted
    with distant_process(root, far) as url:
        yield url


def count(url: str) -> int:
    """Requests since the last call."""
    return asked(url).requests


def _write(bucket: Path) -> None:
    import zarrcore

    for format_ in ("v3", "v2"):
        path = bucket / f"tree-{format_}"
        hierarchy = zarrcore.create(path, format=format_)
        for group, array in product(range(9), range(110)):
            made = hierarchy.create_array(
                f"g{group}/a{array:03}",
                shape=(4, 4),
                dtype="i4",
                chunks=(2, 2),
                attributes={"unit": "m"},
            )
            made[...] = 1
        shutil.copytree(path, bucket / f"tree-{format_}-consolidated")
        zarrcore.open_hierarchy(bucket / f"tree-{format_}-consolidated", "r+").consolidate()
    values = np.random.default_rng(0).normal(0, 1, (640,) * 3).astype("f4")
    _array(bucket / "whole", values, (64,) * 3, None, [])
    counts = (np.abs(values[:128]).ravel()[: 8 << 20] * 100).astype("u2").reshape(8, 1024, 1024)
    _array(bucket / "plane", counts, (1, 128, 128), None, [])
    _array(bucket / "shards", np.tile(counts, (16, 1, 1)), (16, 64, 64), (128, 256, 256), [{"name": "zstd"}])


def _array(path: Path, values: np.ndarray, chunks: tuple[int, ...], shards: Any, codecs: list[Any]) -> None:
    import zarrcore

    array = zarrcore.create(path).create_array(
        "/",
        shape=values.shape,
        dtype=values.dtype.name,
        chunks=chunks,
        shards=shards,
        codecs=codecs,
    )
    array[...] = values
