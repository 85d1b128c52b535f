"""Everyday acts at a distance: what each of them asks of a server, by zarrscope and by peers.

A script does several acts, one after the other, as a person would: what an act left in memory helps the next one. Each runs
in a new process, first from a server without delay, so that imports do not count, then from the one that delays its answers:
connections and caches belong to an address, and are new there.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import xxhash

from tests.benchmarks.fairness import chosen, turns
from tests.benchmarks.own_process import in_new_process
from tests.benchmarks.results import OURS
from tests.servers.distant import Counts, Distance, asked, distant_process

NAME = "everyday"
BUCKET = "everyday"
_SETTLED_S = 0.2
"""How long requests may arrive whose answers are not waited for."""
_TTL_S = 6.0
_GROUPS, _ARRAYS = 4, 20
_SHAPE, _CHUNKS, _SHARDS = (16, 512, 512), (1, 64, 64), (16, 128, 128)
_PARTS = np.random.default_rng(3).integers(0, _SHAPE, (20, 3)).tolist()
_SLICE, _NEXT_SLICE = np.s_[3, :128, :256], np.s_[3, 64:192, :256]
_IN_FLIGHT = 64

Step = tuple[str, Any]
Script = Callable[[str], Iterator[Step]]
"""Does acts with the server at an address; after each, its name and its result, which are compared. Acts without a name
prepare others."""


@dataclass(frozen=True)
class Scene:
    """A script, by each reader that can do it."""

    describes: str
    readers: dict[str, Script]
    is_warmed: bool = True
    """Whether imports are done before: not for programs that the script starts."""


@dataclass
class Row:
    """An act, by each reader that can do it."""

    scene: str
    act: str
    counts: dict[str, Counts] = field(default_factory=dict)
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def figure(self, reader: str) -> str:
        """Requests / round trips in sequence / most in flight / MiB, and the median of seconds."""
        if reader not in self.counts:
            return "–"
        found, median_s = self.counts[reader], statistics.median(self.seconds[reader])
        counted = (
            f"{found.requests:,} / {found.round_trips} / {found.most_at_once} / {found.sent / 2**20:.2f}"
        )
        return f"{counted}, {median_s:.2f} s"


def scenes() -> list[Scene]:
    """The scripts; readers that are not installed are an error."""
    found = []
    for format_, kept in product(("v3", "v2"), (False, True)):
        peer = partial(_nodes_of_zarr, format_=int(format_[1]), kept=kept)
        title = f"hierarchy, {format_}{', consolidated' if kept else ''}"
        readers: dict[str, Script] = {OURS: _nodes, "zarr-python + obstore": peer}
        found.append(Scene(title, {name: _at(format_ + "-all" * kept, act) for name, act in readers.items()}))
    for what, place in (("chunks", "v3/plane"), ("shards", "v3/shards"), ("chunks, v2", "v2/plane")):
        format_number = int(place[1])
        readers = {
            OURS: partial(_parts, _ours),
            "tensorstore": partial(_parts, partial(_tensorstore, format_=format_number)),
            "zarr-python + obstore": partial(_parts, partial(_zarr, format_=format_number)),
            "zarr-python + fsspec": partial(_parts, partial(_zarr_fsspec, format_=format_number)),
        }
        found.append(Scene(f"array of {what}", {name: _at(place, act) for name, act in readers.items()}))
    xarray_zarr, xarray_ours = partial(_xarray, _store_of_zarr), partial(_xarray, None)
    netcdf, references = _at("data.nc", _xarray_h5netcdf), _at("data.nc", _xarray_kerchunk)
    return [
        *found,
        Scene(
            "xarray, Zarr v3, consolidated",
            {OURS: _at("data.zarr", xarray_ours), "zarr-python + obstore": _at("data.zarr", xarray_zarr)},
        ),
        Scene(
            "xarray, a NetCDF-4 file",
            {OURS: _at("data.nc", xarray_ours), "h5netcdf + fsspec": netcdf},
        ),
        Scene(
            "xarray, references to a NetCDF-4 file",
            {OURS: _at("data.nc", _references), "kerchunk + fsspec": references},
        ),
        Scene("Icechunk", {OURS: _at("icechunk", _icechunk_ours), "icechunk": _at("icechunk", _icechunk)}),
        Scene("copy", {OURS: _at("v3-all", _copies)}),
        Scene("mount", {OURS: _at("v3", _mount)}, is_warmed=False),
        Scene(
            "mount, files as stored", {OURS: _at("v3", _keys), "rclone": _at("v3", _keys_of_rclone)}, False
        ),
        Scene("window", {OURS: _at("v3", _window)}, is_warmed=False),
    ]


def measure(
    folder: Path, rounds: int, peers: bool, distance: Distance, only: Collection[str] = ()
) -> Iterator[Row]:
    """The rows of some scenes, or of all, in turns; an extra round, not counted, compares results."""
    root = written(folder)
    far, close = (distant_process(root, how_far, redirects=False) for how_far in (distance, Distance(0.0)))
    with far as url, close as near:
        for scene in scenes():
            if only and scene.describes not in only:
                continue
            rows: dict[str, Row] = {}
            digests: dict[str, str] = {}
            readers = chosen(scene.readers, peers)
            for turn, reader in turns(rounds, readers):
                steps = in_new_process(done, readers[reader], url, near if scene.is_warmed else "")
                for copied in root.glob("up*"):
                    shutil.rmtree(copied)
                for act, digest, taken_s, counts in steps:
                    row = rows.setdefault(act, Row(scene.describes, act))
                    if digest and digests.setdefault(act, digest) != digest:
                        raise SystemExit(f"{scene.describes}, {act}: {reader} finds something else")
                    row.counts[reader] = counts
                    if turn:
                        row.seconds.setdefault(reader, []).append(taken_s)
            yield from rows.values()


def done(script: Script, url: str, near: str) -> list[tuple[str, str, float, Counts]]:
    """Name, digest, seconds and counts of each act of a script."""
    if near:
        for _ in script(near):
            pass
    found = []
    asked(url)
    with closing(script(url)) as steps:  # type: ignore[type-var]
        begun_s = time.perf_counter()
        for act, result in steps:
            taken_s = time.perf_counter() - begun_s
            time.sleep(_SETTLED_S)
            counts = asked(url)
            if act:
                found.append((act, _digest(result), taken_s, counts))
            begun_s = time.perf_counter()
    return found


def describe(distance: Distance) -> str:
    """What the table shows."""
    return (
        f"Everyday acts over {distance}: requests / round trips in sequence / most in flight / MiB, seconds"
    )


def table(rows: list[Row]) -> str:
    """The rows as a table: an act in each, ours beside the peers."""
    lines = ["| | Act | zarrscope | Peers |", "|---|---|---|---|"]
    before = ""
    for row in rows:
        peers = "; ".join(f"{name}: {row.figure(name)}" for name in row.counts if name != OURS)
        scene = "" if row.scene == before else row.scene
        lines.append(f"| {scene} | {row.act} | {row.figure(OURS)} | {peers or '–'} |")
        before = row.scene
    return "\n".join(lines)


def _digest(result: Any) -> str:
    if result is None:
        return ""
    raw = np.ascontiguousarray(result) if isinstance(result, np.ndarray) else repr(result).encode()
    return xxhash.xxh3_64_hexdigest(raw)


def _at(name: str, script: Callable[[str, str], Iterator[Step]]) -> Script:
    return partial(script, name)


def _options(url: str) -> dict[str, Any]:
    return {"endpoint_url": url, "region": "us-east-1", "anonymous": True}


# Hierarchies and arrays ------------------------------------------------------------------------


def _nodes(name: str, url: str) -> Iterator[Step]:
    import zarrcore

    hierarchy = zarrcore.open_hierarchy(f"s3://{BUCKET}/{name}", **_options(url))
    yield "open", hierarchy["/"].path
    yield "tree", sorted((node.path, getattr(node, "shape", None)) for node in hierarchy.walk())


def _nodes_of_zarr(name: str, url: str, *, format_: int, kept: bool) -> Iterator[Step]:
    import zarr

    group = zarr.open_group(_store_of_zarr(name, url), mode="r", use_consolidated=kept, zarr_format=format_)
    yield "open", "/"
    members = [("/" + path, getattr(node, "shape", None)) for path, node in group.members(max_depth=None)]
    yield "tree", sorted([("/", None), *members])


def _parts(opened: Callable[[str, str], Any], name: str, url: str) -> Iterator[Step]:
    array = opened(name, url)
    yield "open an array by its path", None
    yield "a slice of 8 chunks", np.asarray(array[_SLICE])
    yield "a slice beside it, 4 chunks the same", np.asarray(array[_NEXT_SLICE])
    yield "a plane of 64 chunks", np.asarray(array[5])
    yield "a column of 128 chunks", np.asarray(array[:, 300, :])
    yield "a series of one pixel, 16 chunks", np.asarray(array[:, 450, 20])
    yield "20 elements, one after another", [int(np.asarray(array[tuple(part)])) for part in _PARTS]


def _ours(name: str, url: str) -> Any:
    import zarrcore

    return zarrcore.open_hierarchy(f"s3://{BUCKET}/{name}", **_options(url))["/"]


def _store_of_zarr(name: str, url: str) -> Any:
    import zarr
    from obstore.store import S3Store
    from zarr.storage import ObjectStore

    zarr.config.set({"async.concurrency": _IN_FLIGHT})
    options = {"region": "us-east-1", "skip_signature": True, "client_options": {"allow_http": True}}
    return ObjectStore(S3Store(BUCKET, prefix=name, endpoint=url, **options), read_only=True)  # type: ignore[arg-type]


def _zarr(name: str, url: str, *, format_: int) -> Any:
    import zarr

    return zarr.open_array(_store_of_zarr(name, url), mode="r", zarr_format=format_)


def _zarr_fsspec(name: str, url: str, *, format_: int) -> Any:
    import zarr

    zarr.config.set({"async.concurrency": _IN_FLIGHT})
    store = zarr.storage.FsspecStore.from_url(f"{url}/{BUCKET}/{name}", read_only=True)
    return zarr.open_array(store, mode="r", zarr_format=format_)


class _Readable:
    """An array of tensorstore that is read where it is indexed."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __getitem__(self, selection: Any) -> Any:
        return self._array[selection].read().result()


def _tensorstore(name: str, url: str, *, format_: int) -> Any:
    import tensorstore

    store = {"driver": "s3", "bucket": BUCKET, "endpoint": url, "path": f"{name}/", "aws_region": "us-east-1"}
    context = {"s3_request_concurrency": {"limit": _IN_FLIGHT}, "aws_credentials": {"type": "anonymous"}}
    driver = "zarr3" if format_ == 3 else "zarr"
    return _Readable(tensorstore.open({"driver": driver, "kvstore": store, "context": context}).result())


# Datasets --------------------------------------------------------------------------------------


def _steps_of(dataset: Any) -> Iterator[Step]:
    yield "open", sorted((str(name), found.shape) for name, found in dataset.variables.items())
    yield "a plane of 16 chunks", dataset["t"][3].to_numpy()
    yield "a series of one pixel, 4 chunks", dataset["t"][:, 100, 70].to_numpy()


def _xarray(store_of: Callable[[str, str], Any] | None, name: str, url: str) -> Iterator[Step]:
    import xarray

    if store_of is None:
        place = f"s3://{BUCKET}/{name}"
        dataset = xarray.open_dataset(place, engine="zarrscope", storage_options=_options(url))
    else:
        dataset = xarray.open_dataset(store_of(name, url), engine="zarr")
    yield from _steps_of(dataset)


def _xarray_h5netcdf(name: str, url: str) -> Iterator[Step]:
    import fsspec
    import xarray

    with fsspec.open(f"{url}/{BUCKET}/{name}").open() as file:
        yield from _steps_of(xarray.open_dataset(file, engine="h5netcdf"))


def _references_at(name: str, url: str, folder: str) -> str:
    """A document of references to a file at this address: it names the address, which differs each time."""
    found = Path(folder) / "refs.json"
    with urllib.request.urlopen(f"{url}/{BUCKET}/{name}.refs.json") as answer:
        found.write_text(answer.read().decode().replace("PLACE", f"{url}/{BUCKET}/{name}"))
    return str(found)


def _open_references(place: str, url: str) -> Any:
    import xarray

    allowed = {"allow_targets": (f"{url}/{BUCKET}/",)}
    return xarray.open_dataset(place, engine="zarrscope", storage_options=allowed)


def _references(name: str, url: str) -> Iterator[Step]:
    with TemporaryDirectory() as folder:
        place = _references_at(name, url, folder)
        yield "", None
        yield from _steps_of(_open_references(place, url))


def _xarray_kerchunk(name: str, url: str) -> Iterator[Step]:
    import xarray

    with TemporaryDirectory() as folder:
        place = _references_at(name, url, folder)
        yield "", None
        yield from _steps_of(xarray.open_dataset(place, engine="kerchunk"))


def _icechunk_ours(name: str, url: str) -> Iterator[Step]:
    import zarrcore

    array: Any = zarrcore.open_hierarchy(f"s3://{BUCKET}/{name}", **_options(url))["x"]
    yield from _steps_of_icechunk(array)


def _icechunk(name: str, url: str) -> Iterator[Step]:
    import icechunk
    import zarr

    zarr.config.set({"async.concurrency": _IN_FLIGHT})
    storage = icechunk.s3_storage(
        bucket=BUCKET,
        prefix=name,
        region="us-east-1",
        endpoint_url=url,
        allow_http=True,
        anonymous=True,
        force_path_style=True,
    )
    session = icechunk.Repository.open(storage).readonly_session("main")
    yield from _steps_of_icechunk(zarr.open_group(session.store, mode="r")["x"])


def _steps_of_icechunk(array: Any) -> Iterator[Step]:
    yield "open an array of the branch main", array.shape
    yield "a slice of 8 chunks", np.asarray(array[_SLICE])
    yield "a plane of 64 chunks", np.asarray(array[5])


# Copies, mounts, the window --------------------------------------------------------------------


def _copies(name: str, url: str) -> Iterator[Step]:
    import zarrcore

    with TemporaryDirectory() as folder:
        place = f"s3://{BUCKET}/{name}"
        zarrcore.copy(zarrcore.open_hierarchy(place, **_options(url)), f"{folder}/down.zarr")
        yield "down, 83 arrays of 1,376 chunks and shards", None
        there = zarrcore.open_store(f"s3://up{url.rpartition(':')[2]}", create=True, **_options(url))
        zarrcore.copy(zarrcore.open_hierarchy(f"{folder}/down.zarr"), there)
        yield "up, the same", None


@contextmanager
def _mounted(command: list[str]) -> Iterator[Path]:
    with TemporaryDirectory() as path:
        process = subprocess.Popen([*command, path])
        try:
            while f" {path} " not in Path("/proc/self/mountinfo").read_text():
                if process.poll() is not None:
                    raise SystemExit(f"this command does not mount: {command}")
                time.sleep(0.002)
            yield Path(path)
        finally:
            subprocess.run(["fusermount3", "-u", "-z", path], check=False, capture_output=True)
            process.terminate()
            process.wait(20)


def _mount_command(name: str, url: str) -> list[str]:
    command = [sys.executable, "-m", "zarrcore.cli.main", "mount", "-f", "--metadata-ttl", str(_TTL_S)]
    options = ["--anonymous", "--endpoint-url", url, "--region", "us-east-1"]
    return [*command, *options, f"s3://{BUCKET}/{name}"]


def _mount(name: str, url: str) -> Iterator[Step]:
    with _mounted(_mount_command(name, url)) as path:
        subprocess.run(["ls", path], check=True, capture_output=True)
        yield "mount", None
        for act in ("find arrays", "find arrays again", "find arrays after the time to live"):
            if act.endswith("live"):
                time.sleep(_TTL_S)
                yield "", None
            subprocess.run(["find", path / "arrays"], check=True, capture_output=True)
            yield act, None
        (path / "arrays/plane/[3,0:128,0:256].npy").read_bytes()
        yield "cat '[3,0:128,0:256].npy', 8 chunks", None
        (path / "arrays/series/data.npy").read_bytes()
        yield "cat data.npy, 16 chunks", None
        with open(path / "arrays/plane/data.raw", "rb", 0) as file:
            row = _SHAPE[2] * 2
            for plane, line, column in _PARTS:
                os.pread(file.fileno(), 64, (plane * _SHAPE[1] + line) * row + column * 2)
        yield "20 small random reads of data.raw", None
        code = "import h5py, sys; h5py.File(sys.argv[1])['plane'][3, :128, :256]"
        subprocess.run([sys.executable, "-c", code, path / "hdf5/plane.h5"], check=True)
        yield "8 chunks of the HDF5 view, by h5py", None


def _keys(name: str, url: str) -> Iterator[Step]:
    with _mounted(_mount_command(name, url)) as path:
        yield from _steps_of_keys(path / "keys")


def _keys_of_rclone(name: str, url: str) -> Iterator[Step]:
    command = ["rclone", "--config", os.devnull, "mount", "--read-only"]
    command += [f"--http-url={url}/{BUCKET}/{name}/", ":http:"]
    with _mounted(command) as path:
        yield from _steps_of_keys(path)


def _steps_of_keys(path: Path) -> Iterator[Step]:
    yield "", None
    yield "stat a key", os.stat(path / "g1/a03/zarr.json").st_size
    yield "cat a key", (path / "plane/zarr.json").read_bytes()
    yield "ls -l of 20 arrays", sorted(os.listdir(path / "g2"))
    with suppress(FileNotFoundError):
        os.stat(path / "g3/a05/nothing")
    yield "stat what does not exist", None


def _window(name: str, url: str) -> Iterator[Step]:
    from tests.benchmarks.browser import Browser
    from zarrbrowser.session.sources import SourceRequest
    from zarrcore.stores import StoreOptions

    browser = Browser()
    pane = browser.ready()
    options = StoreOptions(**_options(url))
    yield "", None
    browser.window.open(SourceRequest(f"s3://{BUCKET}/{name}", "/", None, options))
    browser.until(lambda: browser.window.session.node is not None and not browser.window.workers.active)
    yield "open the root", None
    browser.window.open(SourceRequest(f"s3://{BUCKET}/{name}", "/plane", None, options))
    browser.until(lambda: pane.view.is_complete)
    yield "open an array by its path: a plane of 64 chunks", None
    spin = pane.body.sliders.spins[0]
    spin.setValue((spin.value() + 1) % _SHAPE[0])
    browser.until(lambda: pane.view.is_complete)
    yield "next plane", None


# What is read ----------------------------------------------------------------------------------


def written(folder: Path) -> Path:
    """The folder of the bucket, written once."""
    root = folder / NAME
    if not (root / "done").exists():
        shutil.rmtree(root, ignore_errors=True)
        _write(root / BUCKET)
        (root / "done").touch()
    return root


def _write(bucket: Path) -> None:
    import xarray
    from kerchunk.hdf import SingleHdf5ToZarr

    import zarrcore
    from zarrcore.cli.main import main

    values = np.random.default_rng(0).integers(0, 3000, _SHAPE, "u2")
    for format_ in ("v3", "v2"):
        hierarchy = zarrcore.create(bucket / format_, format=format_)
        for group, number in product(range(_GROUPS), range(_ARRAYS)):
            made = hierarchy.create_array(
                f"g{group}/a{number:02}", shape=(4, 4), dtype="i4", chunks=(2, 2), attributes={"unit": "m"}
            )
            made[...] = 1
        hierarchy.create_array("plane", shape=_SHAPE, dtype="u2", chunks=_CHUNKS)[...] = values
        hierarchy.create_array("series", shape=(16, 64, 64), dtype="u2", chunks=_CHUNKS)[...] = values[
            :, :64, :64
        ]
        if format_ == "v3":
            shards = hierarchy.create_array(
                "shards", shape=_SHAPE, dtype="u2", chunks=_CHUNKS, shards=_SHARDS
            )
            shards[...] = values
        shutil.copytree(bucket / format_, bucket / f"{format_}-all")
        zarrcore.open_hierarchy(bucket / f"{format_}-all", "r+").consolidate()
    field_ = xarray.Dataset(
        {"t": (("time", "lat", "lon"), values.astype("f4"))},
        {"time": np.arange(16), "lat": np.arange(512.0), "lon": np.arange(512.0)},
    )
    encoding = {"t": {"chunks": (4, 128, 128)}}
    field_.to_zarr(bucket / "data.zarr", zarr_format=3, consolidated=True, encoding=encoding)
    encoding = {"t": {"chunksizes": (4, 128, 128), "zlib": True}}
    field_.to_netcdf(bucket / "data.nc", engine="netcdf4", encoding=encoding)
    references = json.dumps(SingleHdf5ToZarr(str(bucket / "data.nc"), inline_threshold=0).translate())
    (bucket / "data.nc.refs.json").write_text(references.replace(str(bucket / "data.nc"), "PLACE"))
    with TemporaryDirectory() as single:  # copied chunk by chunk, several times faster than by zarr-python
        zarrcore.create(single).close()
        shutil.copytree(bucket / "v3/plane", f"{single}/x")
        if main(["copy", single, str(bucket / "icechunk"), "--to", "icechunk", "--quiet"]):
            raise SystemExit("the repository is not written")
