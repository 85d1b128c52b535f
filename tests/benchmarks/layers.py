"""Layers of napari: an OME-Zarr image opened by zarrscope's reader and by napari-ome-zarr, and planes of it, alternately."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Container, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.results import OURS, Result
from tests.benchmarks.tasks import TINY, Act, Task, measured, prepared
from tests.benchmarks.workloads import field

NAME = "napari"
KINDS = ("open", "planes")

_SHAPE = (2, 64, 1024, 1024)
_CHUNKS = (1, 1, 512, 512)
_DONE = "done"

Layers = list[tuple[Any, ...]]


def tasks() -> Iterator[Task]:
    """The tasks."""
    text = "OME-Zarr 0.4, 2 channels, uint16, chunks of 1×512×512, blosc lz4"
    yield Task("open", text, "image.zarr", _acts(_open))
    yield Task("planes", f"{text}: 32 planes", "image.zarr", _acts(_planes), 32 * 2 * _SHAPE[2] * _SHAPE[3])


def measure(folder: Path, rounds: int, only: Container[str], peers: bool) -> Iterator[Result]:
    """Time both readers for each task."""
    return measured(NAME, tasks(), prepared(folder / NAME, _DONE, _write_all), rounds, only, peers)


def _write_all(files: Path) -> None:
    """The image, and a small one like it."""
    counts = ((field().reshape(_SHAPE) + 2) * 8000).astype("u2")
    _write(files / "image.zarr", counts)
    _write(files / f"{TINY}image.zarr", counts[:, :2, :512, :512])


def _write(path: Path, counts: np.ndarray) -> None:
    import zarr
    from numcodecs import Blosc

    group = zarr.open_group(path, mode="w", zarr_format=2)
    levels = [counts, counts[..., ::2, ::2]]
    for number, level in enumerate(levels):
        group.create_array(
            str(number),
            data=level,
            chunks=_CHUNKS,
            compressors=Blosc("lz4"),
            chunk_key_encoding={"name": "v2", "separator": "/"},
        )
    axes = [{"name": name, "type": "channel" if name == "c" else "space"} for name in "czyx"]
    scales = [[{"type": "scale", "scale": [1.0, 1.0, 2.0**number, 2.0**number]}] for number in range(2)]
    datasets = [
        {"path": str(number), "coordinateTransformations": scale} for number, scale in enumerate(scales)
    ]
    group.attrs["multiscales"] = [{"version": "0.4", "axes": axes, "datasets": datasets}]


def _acts(act: Callable[..., Any]) -> dict[str, Act]:
    acts: dict[str, Act] = {OURS: partial(act, layers_of=_ours)}
    if importlib.util.find_spec("napari_ome_zarr"):
        acts["napari-ome-zarr"] = partial(act, layers_of=_theirs)
    return acts


def _ours(place: str) -> Layers:
    from zarrcore.interop.napari import read_layers

    return list(read_layers(place))


def _theirs(place: str) -> Layers:
    from napari_ome_zarr import napari_get_reader

    return list(napari_get_reader(place)(place))


def _open(place: str, _: str, *, layers_of: Callable[[str], Layers]) -> int:
    return len(layers_of(place))


def _planes(place: str, _: str, *, layers_of: Callable[[str], Layers]) -> np.ndarray:
    """As napari does when the user moves along an axis: one plane of the finest level after another."""
    data = layers_of(place)[0][0]
    finest = data[0] if isinstance(data, list | tuple) or not hasattr(data, "dtype") else data
    middle = finest[0] if finest.ndim == 4 else finest  # napari-ome-zarr may split channels
    return np.stack([np.asarray(middle[number]) for number in range(min(32, middle.shape[0]))])
