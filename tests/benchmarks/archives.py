"""Archives: HDF5 and NetCDF-4 files that zarrscope and the libraries of these files read, list, index and convert alternately.

Each figure comes from a process of its own, which has done the same with a small file before the clock starts, so that modules
are loaded. A command is measured from its start. The distant server delays each answer, and serves byte ranges.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import xxhash

from tests.benchmarks.fairness import back_memory, chosen, turns
from tests.benchmarks.own_process import in_new_process
from tests.benchmarks.results import OURS, Result
from tests.benchmarks.workloads import field
from tests.servers.distant import asked, distant_process

NAME = "archives"
KINDS = ("whole", "plane", "tree", "index", "convert")

_DELAY_S = 0.05
_SHAPE = (240, 512, 512)
_CHUNKS = (24, 128, 128)
_NEW_CHUNKS = (240, 64, 64)
_DATASETS = 1000
_INDEXED = 100_000
_PLANE = 20
_TINY = "tiny-"
_VARIABLE = "t"

Act = Callable[[str, str], Any]
"""Does a task with the file at a place, and writes to another place. Results that are not None are compared."""


@dataclass(frozen=True)
class Task:
    """One task with one file of the folder."""

    what: str
    describes: str
    file: str
    acts: dict[str, Act]
    nbytes: int = 0
    count: int = 0
    target: str = ""
    is_distant: bool = False


def tasks() -> Iterator[Task]:
    """The tasks; peers are those that are installed."""
    nbytes = 4 * _SHAPE[0] * _SHAPE[1] * _SHAPE[2]
    chunked, far = "float32, chunks of 24×128×128, gzip 4 and shuffle", f"over {_DELAY_S * 1e3:.0f} ms"
    whole: dict[str, Act] = {OURS: _read, "h5py": _read_h5py}
    yield Task("whole", chunked, "gzip.nc", whole, nbytes, target="2 × h5py")
    yield Task("whole", "float32, contiguous", "plain.nc", whole, nbytes, target="1 × h5py")
    plane: dict[str, Act] = {OURS: partial(_read, selection=_PLANE)}
    tree: dict[str, Act] = {OURS: _tree, f"{OURS} (command)": _tree_by_command}
    for caching in ("readahead", "blockcache"):
        plane[f"h5py on fsspec, {caching}"] = partial(_read_h5py, selection=_PLANE, caching=caching)
        tree[f"h5py on fsspec, {caching}"] = partial(_tree_h5py, caching=caching)
    yield Task("plane", f"{chunked}: a plane {far}", "gzip.nc", plane, target="4 × h5py", is_distant=True)
    yield Task("tree", f"{_DATASETS:,} datasets {far}", "tree.h5", tree, target="≤ 1.5 s", is_distant=True)
    index: dict[str, Act] = {OURS: _index, f"{OURS} (command)": _index_by_command, **_kerchunk()}
    yield Task("index", f"references of {_INDEXED:,} chunks", "chunks.h5", index, count=_INDEXED)
    same: dict[str, Act] = {OURS: _convert, f"{OURS} (command)": _convert_by_command, **_xarray()}
    yield Task(
        "convert", f"{chunked}: to Zarr, the same chunks", "gzip.nc", same, nbytes, target="2 × xarray"
    )
    other: dict[str, Act] = {OURS: partial(_convert, chunk_shape=_NEW_CHUNKS), **_xarray(_NEW_CHUNKS)}
    text = f"{chunked}: to Zarr, zstd, chunks of {'×'.join(map(str, _NEW_CHUNKS))}"
    yield Task("convert", text, "gzip.nc", other, nbytes, target="2 × xarray")


def measure(folder: Path, rounds: int, only: Container[str], peers: bool) -> Iterator[Result]:
    """Time all libraries for each task; an extra round, not counted, compares their results."""
    files = _written(folder)
    for task in tasks():
        if task.what in only:
            with _place(task, files) as place, tempfile.TemporaryDirectory(dir=folder) as outputs:
                yield _alternate(task, place, Path(outputs), rounds, peers)


def _alternate(task: Task, place: str, outputs: Path, rounds: int, peers: bool) -> Result:
    acts = chosen(task.acts, peers)
    seconds: dict[str, list[float]] = {name: [] for name in acts}
    requests: dict[str, int] = {}
    found: dict[str, Any] = {}
    for turn, name in turns(rounds, acts):
        output = outputs / f"{turn}"
        output.mkdir(parents=True)
        taken_s, result, requests_by_act = in_new_process(
            timed, acts[name], place, task.file, str(output), task.is_distant
        )
        if turn:
            seconds[name].append(taken_s)
        elif result is not None:
            found[name] = result
        if task.is_distant:
            requests[name] = requests_by_act
        shutil.rmtree(output)
    if len({repr(result) for result in found.values()}) > 1:
        raise SystemExit(f"{task.describes}: the results differ: {found}")
    return Result(
        NAME, task.describes, task.what, task.nbytes, seconds, requests, target=task.target, count=task.count
    )


def timed(act: Act, place: str, file: str, output: str, is_distant: bool) -> tuple[float, Any, int]:
    """The seconds of ``act``, what tells its result from others, and its requests."""
    act(f"{place}/{_TINY}{file}", f"{output}/{_TINY}{file}")
    if is_distant:
        asked(place)
    back_memory()
    begun_s = time.perf_counter()
    found = act(f"{place}/{file}", f"{output}/{file}")
    seconds = time.perf_counter() - begun_s
    if isinstance(found, np.ndarray):
        found = found.shape, found.dtype.str, float(found.sum(dtype="f8"))
    elif (references := Path(f"{output}/{file}.json")).exists():
        chunks = json.loads(references.read_text())["refs"]
        found = sorted(
            (key, place[1:]) for key, place in chunks.items() if not key.rpartition("/")[2].startswith(".")
        )
        found = len(found), xxhash.xxh3_64_hexdigest(repr(found).encode())
    return seconds, found, asked(place) if is_distant else 0


@contextmanager
def _place(task: Task, files: Path) -> Iterator[str]:
    """The address of the files."""
    if not task.is_distant:
        yield str(files)
        return
    with distant_process(files, _DELAY_S) as url:
        yield url


def _written(folder: Path) -> Path:
    """The folder of the files: each one, and a small one like it."""
    files = folder / NAME
    if not (files / "done").exists():
        shutil.rmtree(files, ignore_errors=True)
        files.mkdir(parents=True)
        values = field()[: _SHAPE[0]]
        _write_netcdf(files, values)
        _write_hdf5(files)
        (files / "done").touch()
    return files


def _write_netcdf(files: Path, values: np.ndarray) -> None:
    import xarray

    for prefix, part in (("", values), (_TINY, values[:48, :256, :256])):
        dataset = xarray.Dataset({_VARIABLE: (("time", "lat", "lon"), part, {"units": "K"})})
        packed = {"zlib": True, "complevel": 4, "shuffle": True, "chunksizes": _CHUNKS}
        dataset.to_netcdf(files / f"{prefix}gzip.nc", engine="netcdf4", encoding={_VARIABLE: packed})
        dataset.to_netcdf(
            files / f"{prefix}plain.nc", engine="netcdf4", encoding={_VARIABLE: {"contiguous": True}}
        )


def _write_hdf5(files: Path) -> None:
    import h5py

    for prefix, datasets, chunks in (("", _DATASETS, _INDEXED), (_TINY, 3, 10)):
        with h5py.File(files / f"{prefix}tree.h5", "w") as file:
            for number in range(datasets):
                made = file.create_dataset(f"g{number % 10}/d{number}", data=np.arange(16.0), chunks=(8,))
                made.attrs["units"] = "m"
        with h5py.File(files / f"{prefix}chunks.h5", "w") as file:
            file.create_dataset("a", data=np.arange(4 * chunks), chunks=(4,))


# zarrscope


def _read(place: str, _: str, *, selection: Any = ...) -> np.ndarray:
    import zarrcore

    with zarrcore.open(place) as hierarchy:
        array: Any = hierarchy[_VARIABLE]
        found: np.ndarray = array[selection]
        return found


def _tree(place: str, _: str) -> list[tuple[str, Any]]:
    import zarrcore

    with zarrcore.open(place) as hierarchy:
        return sorted((node.path[1:], node.shape) for node in hierarchy.walk() if hasattr(node, "shape"))


def _tree_by_command(place: str, _: str) -> None:
    _run("tree", place)


def _index(place: str, output: str) -> None:
    import zarrcore
    from zarrcore.operations.reference import write_references
    from zarrcore.stores import open_store

    path = Path(f"{output}.json")
    with zarrcore.open(place) as hierarchy, open_store(path.parent, create=True) as folder:
        write_references(hierarchy, folder, path.name)


def _index_by_command(place: str, output: str) -> None:
    _run("reference", place, "--output", f"{output}.json", "--quiet")


def _convert(place: str, output: str, *, chunk_shape: tuple[int, ...] | None = None) -> None:
    import zarrcore
    from zarrcore.metadata import NamedConfiguration
    from zarrcore.operations.copy import Layout, execute, plan_copy
    from zarrcore.stores import open_store

    layout = Layout()
    if chunk_shape is not None:
        # xarray writes the same: the default compressor of zarr-python.
        zstd = NamedConfiguration("zstd", {"level": 0, "checksum": False})
        layout = Layout(chunk_shape, codecs=(zstd,))
    with zarrcore.open(place) as hierarchy, open_store(output, create=True) as destination:
        execute(plan_copy(hierarchy, layout=layout), hierarchy, destination)


def _convert_by_command(place: str, output: str) -> None:
    _run("copy", place, output, "--quiet")


def _run(*arguments: str) -> None:
    command = (sys.executable, "-m", "zarrcore.cli.main", *arguments)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


# Peers


@contextmanager
def _opened_h5py(place: str, caching: str | None) -> Iterator[Any]:
    import h5py

    if caching is None:
        with h5py.File(place) as file:
            yield file
        return
    import fsspec

    with fsspec.open(place, cache_type=caching, block_size=1 << 20) as remote, h5py.File(remote) as file:
        yield file


def _read_h5py(place: str, _: str, *, selection: Any = ..., caching: str | None = None) -> np.ndarray:
    with _opened_h5py(place, caching) as file:
        found: np.ndarray = file[_VARIABLE][selection]
        return found


def _tree_h5py(place: str, _: str, *, caching: str) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []

    def keep(name: str, node: Any) -> None:
        if hasattr(node, "shape"):
            _ = node.dtype, dict(node.attrs)
            found.append((name, node.shape))

    with _opened_h5py(place, caching) as file:
        file.visititems(keep)
    return sorted(found)


def _kerchunk() -> dict[str, Act]:
    return {"kerchunk": _index_kerchunk} if importlib.util.find_spec("kerchunk") else {}


def _index_kerchunk(place: str, output: str) -> None:
    from kerchunk.hdf import SingleHdf5ToZarr

    references = SingleHdf5ToZarr(place, inline_threshold=0).translate()
    Path(f"{output}.json").write_text(json.dumps(references))


def _xarray(chunk_shape: tuple[int, ...] | None = None) -> dict[str, Act]:
    return {
        "xarray": partial(_convert_xarray, chunk_shape=chunk_shape, threads=None),
        "xarray, 2 threads": partial(_convert_xarray, chunk_shape=chunk_shape, threads=2),
    }


def _convert_xarray(
    place: str, output: str, *, chunk_shape: tuple[int, ...] | None, threads: int | None
) -> None:
    """As ``xarray.open_dataset(…, chunks={}).to_zarr(…)`` with Dask's scheduler of threads."""
    import dask
    import xarray

    with xarray.open_dataset(place, chunks={}) as dataset, dask.config.set(num_workers=threads):
        for variable in dataset.variables.values():
            variable.encoding.pop("chunksizes", None)
            if chunk_shape is not None:
                variable.encoding.pop("preferred_chunks", None)
        if chunk_shape is not None:
            dataset = dataset.chunk(dict(zip(dataset[_VARIABLE].dims, chunk_shape, strict=True)))
        dataset.to_zarr(output, consolidated=False)
