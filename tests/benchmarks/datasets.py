"""Datasets of xarray: opened and read with the engine of zarrscope and with xarray's own, alternately."""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.results import OURS, Result
from tests.benchmarks.tasks import DELAY_S, TINY, Act, Task, measured, prepared
from tests.benchmarks.workloads import field

NAME = "xarray"
KINDS = ("open", "load", "column", "mean")

_VARIABLES, _GROUPS = 200, 50
_SHAPE = (240, 512, 512)
_CHUNKS, _SMALL = (24, 256, 256), (24, 64, 64)
_DONE = f"done, {_GROUPS} groups, shards"


def tasks() -> Iterator[Task]:
    """The tasks. The hierarchies have consolidated metadata, as xarray writes them."""
    nbytes = 4 * _SHAPE[0] * _SHAPE[1] * _SHAPE[2]
    many, one = f"{_VARIABLES} variables", "float32, chunks of 24×256×256, zstd"
    for format_name, engine in (("Zarr v3", "zarr"), ("NetCDF-4", "netcdf4")):
        file = "many.zarr" if engine == "zarr" else "many.nc"
        yield Task("open", f"{many}, {format_name}", file, _acts(_open, engine))
    far = f"{many}, Zarr v3, over {DELAY_S * 1e3:.0f} ms"
    yield Task("open", far, "many.zarr", _acts(_open, "zarr"), is_distant=True)
    tree = f"{_VARIABLES} variables in {_GROUPS} groups, Zarr v3"
    yield Task("open", tree, "tree.zarr", _acts(_open_tree, "zarr"))
    yield Task("load", f"{one}, Zarr v3", "one.zarr", _acts(_load, "zarr"), nbytes)
    shards = "float32, chunks of 24×64×64 in shards of 24×256×256, zstd, Zarr v3"
    yield Task("load", shards, "shards.zarr", _acts(_load, "zarr"), nbytes)
    yield Task("column", f"a series at one point: {shards}", "shards.zarr", _acts(_column, "zarr"))
    yield Task("mean", f"{one}, Zarr v3, chunk by chunk with Dask", "one.zarr", _acts(_mean, "zarr"), nbytes)


def measure(folder: Path, rounds: int, only: Container[str], peers: bool) -> Iterator[Result]:
    """Time both engines for each task."""
    return measured(NAME, tasks(), prepared(folder / NAME, _DONE, _write_all), rounds, only, peers)


def _write_all(files: Path) -> None:
    """Each hierarchy and file, and a small one like it."""
    import xarray

    for prefix, count, part in (
        ("", _VARIABLES, field()[: _SHAPE[0]]),
        (TINY, 2, field()[:24, :256, :256]),
    ):
        small = {f"v{number}": (("y", "x"), np.arange(100.0).reshape(10, 10)) for number in range(count)}
        many = xarray.Dataset(small)
        many.to_zarr(files / f"{prefix}many.zarr", zarr_format=3, consolidated=True)
        many.to_netcdf(files / f"{prefix}many.nc", engine="netcdf4")
        groups = {
            f"g{group}": many[[f"v{number}" for number in range(group, count, _GROUPS)]]
            for group in range(min(count, _GROUPS))
        }
        tree = xarray.DataTree.from_dict(groups)
        tree.to_zarr(files / f"{prefix}tree.zarr", zarr_format=3, consolidated=True)
        one = xarray.Dataset({"t": (("time", "lat", "lon"), part)})
        chunks = {"t": {"chunks": _CHUNKS}}
        one.to_zarr(files / f"{prefix}one.zarr", zarr_format=3, consolidated=True, encoding=chunks)
        shards = {"t": {"chunks": _SMALL, "shards": _CHUNKS}}
        one.to_zarr(files / f"{prefix}shards.zarr", zarr_format=3, consolidated=True, encoding=shards)


def _acts(act: Any, engine: str) -> dict[str, Act]:
    return {OURS: partial(act, engine=OURS), f"xarray, {engine}": partial(act, engine=engine)}


def _open(place: str, _: str, *, engine: str) -> list[tuple[str, Any]]:
    import xarray

    with xarray.open_dataset(place, engine=engine) as dataset:
        return sorted((str(name), variable.shape) for name, variable in dataset.items())


def _open_tree(place: str, _: str, *, engine: str) -> list[tuple[str, list[str]]]:
    import xarray

    with xarray.open_datatree(place, engine=engine) as tree:
        return sorted((node.path, sorted(map(str, node.data_vars))) for node in tree.subtree)


def _column(place: str, _: str, *, engine: str) -> np.ndarray:
    import xarray

    with xarray.open_dataset(place, engine=engine) as dataset:
        return dataset["t"].isel(lat=100, lon=70).to_numpy()


def _load(place: str, _: str, *, engine: str) -> np.ndarray:
    import xarray

    with xarray.open_dataset(place, engine=engine) as dataset:
        return dataset["t"].to_numpy()


def _mean(place: str, _: str, *, engine: str) -> float:
    import xarray

    with xarray.open_dataset(place, engine=engine, chunks={}) as dataset:
        return round(float(dataset["t"].mean(dtype="f8").compute()), 6)
