"""Archives: HDF5, NetCDF-4 and TIFF files that zarrscope and their own libraries read, list, index and convert alternately.

A command is measured from its start.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Container, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.results import OURS, Result
from tests.benchmarks.tasks import DELAY_S, TINY, Act, Task, measured, prepared
from tests.benchmarks.workloads import field

NAME = "archives"
KINDS = ("whole", "plane", "tree", "index", "convert")

_SHAPE = (240, 512, 512)
_CHUNKS = (24, 128, 128)
_NEW_CHUNKS = (240, 64, 64)
_DATASETS = 1000
_INDEXED = 100_000
_PLANE = 20
_VARIABLE = "t"
_WRITTEN = "written 3"
"""Exists beside the files, and has another name when they are other ones."""


def tasks() -> Iterator[Task]:
    """The tasks; peers are those that are installed."""
    nbytes = 4 * _SHAPE[0] * _SHAPE[1] * _SHAPE[2]
    chunked, far = "float32, chunks of 24×128×128, gzip 4 and shuffle", f"over {DELAY_S * 1e3:.0f} ms"
    whole: dict[str, Act] = {OURS: _read, "h5py": _read_h5py}
    yield Task("whole", chunked, "gzip.nc", whole, nbytes, target="2 × h5py")
    yield Task("whole", "float32, contiguous", "plain.nc", whole, nbytes, target="1 × h5py")
    yield Task("whole", "uint16, bitshuffle with lz4", "bitshuffle.h5", whole, nbytes // 2, target="1 × h5py")
    tiff: dict[str, Act] = {OURS: _read_image, "tifffile": _read_tifffile}
    yield Task(
        "whole",
        "TIFF, uint16, tiles of 256×256, deflate",
        "tiles.tif",
        tiff,
        nbytes // 2,
        target="1 × tifffile",
    )
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
    """Time all libraries for each task."""
    return measured(NAME, tasks(), prepared(folder / NAME, _WRITTEN, _write_all), rounds, only, peers)


def _write_all(files: Path) -> None:
    """Each file, and a small one like it."""
    values = field()[: _SHAPE[0]]
    counts = ((values + 2) * 8000).astype("u2")
    _write_netcdf(files, values)
    _write_hdf5(files)
    _write_bitshuffled(files, counts)
    _write_tiff(files, counts)


def _write_netcdf(files: Path, values: np.ndarray) -> None:
    import xarray

    for prefix, part in (("", values), (TINY, values[:48, :256, :256])):
        dataset = xarray.Dataset({_VARIABLE: (("time", "lat", "lon"), part, {"units": "K"})})
        packed = {"zlib": True, "complevel": 4, "shuffle": True, "chunksizes": _CHUNKS}
        dataset.to_netcdf(files / f"{prefix}gzip.nc", engine="netcdf4", encoding={_VARIABLE: packed})
        dataset.to_netcdf(
            files / f"{prefix}plain.nc", engine="netcdf4", encoding={_VARIABLE: {"contiguous": True}}
        )


def _write_hdf5(files: Path) -> None:
    import h5py

    for prefix, datasets, chunks in (("", _DATASETS, _INDEXED), (TINY, 3, 10)):
        with h5py.File(files / f"{prefix}tree.h5", "w") as file:
            for number in range(datasets):
                made = file.create_dataset(f"g{number % 10}/d{number}", data=np.arange(16.0), chunks=(8,))
                made.attrs["units"] = "m"
        with h5py.File(files / f"{prefix}chunks.h5", "w") as file:
            file.create_dataset("a", data=np.arange(4 * chunks), chunks=(4,))


def _write_bitshuffled(files: Path, counts: np.ndarray) -> None:
    """As the detectors of synchrotrons."""
    import h5py
    import hdf5plugin

    for prefix, part in (("", counts), (TINY, counts[:48, :256, :256])):
        with h5py.File(files / f"{prefix}bitshuffle.h5", "w") as file:
            file.create_dataset(_VARIABLE, data=part, chunks=(1, *part.shape[1:]), **hdf5plugin.Bitshuffle())


def _write_tiff(files: Path, counts: np.ndarray) -> None:
    import tifffile

    for prefix, part in (("", counts), (TINY, counts[:48, :256, :256])):
        options = {"photometric": "minisblack", "tile": (256, 256), "compression": "adobe_deflate"}
        tifffile.imwrite(files / f"{prefix}tiles.tif", part, metadata={"axes": "ZYX"}, **options)


# zarrscope


def _read(place: str, _: str, *, selection: Any = ...) -> np.ndarray:
    import zarrcore

    with zarrcore.open_hierarchy(place) as hierarchy:
        array: Any = hierarchy[_VARIABLE]
        found: np.ndarray = array[selection]
        return found


def _read_image(place: str, _: str) -> np.ndarray:
    import zarrcore

    with zarrcore.open_hierarchy(place) as hierarchy:
        array = max((node for node in hierarchy.walk() if hasattr(node, "shape")), key=lambda node: node.size)
        found: np.ndarray = array[...]
        return found


def _tree(place: str, _: str) -> list[tuple[str, Any]]:
    import zarrcore

    with zarrcore.open_hierarchy(place) as hierarchy:
        return sorted((node.path[1:], node.shape) for node in hierarchy.walk() if hasattr(node, "shape"))


def _tree_by_command(place: str, _: str) -> None:
    _run("tree", place)


def _index(place: str, output: str) -> None:
    import zarrcore
    from zarrcore.operations.reference import write_references
    from zarrcore.stores import open_store

    path = Path(f"{output}.json")
    with zarrcore.open_hierarchy(place) as hierarchy, open_store(path.parent, create=True) as folder:
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
    with zarrcore.open_hierarchy(place) as hierarchy, open_store(output, create=True) as destination:
        execute(plan_copy(hierarchy, layout=layout), hierarchy, destination)


def _convert_by_command(place: str, output: str) -> None:
    _run("copy", place, f"{output}.zarr", "--quiet")  # a folder must not have the name of a file


def _run(*arguments: str) -> None:
    command = (sys.executable, "-m", "zarrcore.cli.main", *arguments)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


# Peers


@contextmanager
def _opened_h5py(place: str, caching: str | None) -> Iterator[Any]:
    import h5py
    import hdf5plugin  # noqa: F401 - importing registers its filters

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


def _read_tifffile(place: str, _: str) -> np.ndarray:
    import tifffile

    return np.asarray(tifffile.imread(place))


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
