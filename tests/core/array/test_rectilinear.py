"""Arrays whose chunks differ in shape, against NumPy and zarr-python, and with chunks made by hand as the specification says."""

from __future__ import annotations

import json
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.zarr_python import PIPELINES, RECTILINEAR, has_rectilinear_grids, use_pipeline
from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.metadata import NamedConfiguration
from zarrcore.stores import MemoryStore

EDGES = st.lists(st.integers(1, 6), min_size=1, max_size=5)
ZSTD = {"name": "zstd", "configuration": {"level": 1, "checksum": False}}
RAW: list[Any] = ["bytes"]
PACKED = [{"name": "bytes", "configuration": {"endian": "little"}}, ZSTD]


def shards(inner: list[int]) -> list[Any]:
    index_codecs = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]
    configuration = {"chunk_shape": inner, "codecs": PACKED, "index_codecs": index_codecs}
    return [{"name": "sharding_indexed", "configuration": configuration}]


def document(edges: Any, shape: tuple[int, ...], codecs: list[Any]) -> bytes:
    return json.dumps(
        {
            "zarr_format": 3,
            "node_type": "array",
            "shape": shape,
            "data_type": "uint16",
            "chunk_grid": {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": edges}},
            "chunk_key_encoding": {"name": "default"},
            "fill_value": 7,
            "codecs": codecs,
        }
    ).encode()


def written(edges: list[list[int]], data: np.ndarray, codecs: list[Any], missing: int = -1) -> MemoryStore:
    """A store with the chunks of ``data``; one of them is missing and reads as 7."""
    store = MemoryStore()
    store.set("zarr.json", document(edges, data.shape, codecs))
    named = [NamedConfiguration(c) if isinstance(c, str) else NamedConfiguration(**c) for c in codecs]
    for number, index in enumerate(product(*(range(len(axis)) for axis in edges))):
        start = [sum(axis[:i]) for axis, i in zip(edges, index, strict=True)]
        shape = tuple(axis[i] for axis, i in zip(edges, index, strict=True))
        region = tuple(slice(first, first + length) for first, length in zip(start, shape, strict=True))
        if any(first >= length for first, length in zip(start, data.shape, strict=True)):
            continue
        if number == missing:
            data[region] = 7
            continue
        chunk = np.zeros(shape, data.dtype)
        part = data[region]
        chunk[tuple(map(slice, part.shape))] = part
        spec = ArraySpec(shape, data.dtype, np.array(7, "u2"))
        store.set("c/" + "/".join(map(str, index)), bytes(Pipeline(named, spec).encode(chunk)))
    return store


def selections(shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
    def item(length: int) -> st.SearchStrategy[Any]:
        bound = st.none() | st.integers(-length - 2, length + 2)
        slices = st.builds(slice, bound, bound, st.none() | st.integers(-4, 4).filter(bool))
        return st.integers(-length, length - 1) | slices

    return st.tuples(*map(item, shape))


@settings(max_examples=60, deadline=None)
@given(data=st.data(), rows=EDGES, columns=EDGES, missing=st.integers(-1, 8))
@pytest.mark.parametrize("codecs", [RAW, PACKED], ids=["raw", "zstd"])
@pytest.mark.parametrize("cached", [False, True])
def test_selections_read_as_in_numpy(
    codecs: list[Any], cached: bool, data: st.DataObject, rows: list[int], columns: list[int], missing: int
) -> None:
    # The array may end within its last chunks, or before them.
    shape = (data.draw(st.integers(1, sum(rows))), data.draw(st.integers(1, sum(columns))))
    values = np.arange(shape[0] * shape[1], dtype="u2").reshape(shape) + 100
    store = written([rows, columns], values, codecs, missing)
    cache = zarrcore.ChunkCache(1 << 20) if cached else None
    array = zarrcore.open_hierarchy(store, chunk_cache=cache)["/"]
    assert np.array_equal(array[...], values)
    for _ in range(3):
        selection = data.draw(selections(shape))
        assert np.array_equal(array[selection], values[selection])


@settings(max_examples=30, deadline=None)
@given(data=st.data(), rows=EDGES, columns=EDGES, missing=st.integers(-1, 8))
@pytest.mark.parametrize("cached", [False, True])
def test_shards_may_differ_in_shape_but_their_inner_chunks_do_not(
    cached: bool, data: st.DataObject, rows: list[int], columns: list[int], missing: int
) -> None:
    edges = [[2 * edge for edge in rows], [3 * edge for edge in columns]]
    shape = (data.draw(st.integers(1, sum(edges[0]))), data.draw(st.integers(1, sum(edges[1]))))
    values = np.arange(shape[0] * shape[1], dtype="u2").reshape(shape) + 100
    store = written(edges, values, shards([2, 3]), missing)
    cache = zarrcore.ChunkCache(1 << 20) if cached else None
    array = zarrcore.open_hierarchy(store, chunk_cache=cache)["/"]
    assert array.inner_chunk_shape == (2, 3)
    for _ in range(3):
        selection = data.draw(selections(shape))
        assert np.array_equal(array[selection], values[selection])


@pytest.mark.parametrize("codecs", [RAW, PACKED, shards([2, 3])], ids=["raw", "zstd", "shards"])
def test_written_elements_read_back_and_are_in_the_right_chunks(codecs: list[Any]) -> None:
    edges = [[4, 2, 6], [3, 9, 3, 3]]
    values = np.random.default_rng(1).integers(0, 1000, (11, 13)).astype("u2")
    expected = written(edges, values.copy(), codecs)
    store = MemoryStore()
    store.set("zarr.json", document(edges, values.shape, codecs))
    array = zarrcore.open_hierarchy(store, mode="r+")["/"]
    array[...] = values
    assert np.array_equal(array[...], values)
    assert {entry.key for entry in store.list()} == {entry.key for entry in expected.list()}
    array[3:5, 2:11] = values[3:5, 2:11] = 5
    assert np.array_equal(zarrcore.open_hierarchy(store)["/"][...], values)


def test_an_array_describes_its_chunks() -> None:
    store = MemoryStore()
    store.set("zarr.json", document([[4, 2, [3, 5]], 4], (20, 9), RAW))
    array = zarrcore.open_hierarchy(store)["/"]
    assert array.chunk_shape == (4, 4)
    assert array.chunk_grid_shape == (7, 3)
    assert array.read_chunk((1, 2)).shape == (2, 1)
    assert array.chunk_key((6, 0)) == "c/6/0"


@pytest.mark.sampled
@pytest.mark.skipif(not has_rectilinear_grids(), reason="zarr-python without rectilinear grids")
@settings(max_examples=10, deadline=None)
@given(data=st.data(), rows=EDGES, columns=EDGES, step=st.integers(1, 6), shorter=st.integers(0, 12))
@pytest.mark.parametrize("inner", [None, (2, 3)], ids=["chunks", "shards"])
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_both_read_what_the_other_wrote(
    pipeline: str,
    inner: Any,
    data: st.DataObject,
    rows: list[int],
    columns: list[int],
    step: int,
    shorter: int,
) -> None:
    """zarr-python writes edges that sum to the length of the axis; afterwards the array may shrink or grow."""
    scale = inner or (1, 1)
    edges: list[Any] = [[scale[0] * edge for edge in rows], [scale[1] * edge for edge in columns]]
    shape = (sum(edges[0]), sum(edges[1]))
    if data.draw(st.booleans()):
        edges[1] = scale[1] * step  # a single number repeats along its axis
    layout = {"chunks": edges} if inner is None else {"chunks": inner, "shards": edges}
    values = np.arange(shape[0] * shape[1], dtype="u2").reshape(shape) + 100
    with (
        use_pipeline(pipeline),
        zarr.config.set({RECTILINEAR: True}),
        tempfile.TemporaryDirectory() as folder,
    ):
        path = Path(folder) / "a"
        theirs = zarr.create_array(path, shape=shape, dtype="u2", fill_value=7, **layout)
        grid = json.loads((path / "zarr.json").read_text())["chunk_grid"]
        assert grid["name"] == "rectilinear"
        theirs[...] = values
        ours = zarrcore.open_hierarchy(path, mode="r+")["/"]
        assert np.array_equal(ours[...], values)
        selection = data.draw(selections(shape))
        assert np.array_equal(ours[selection], values[selection])
        assert json.loads(json.dumps(ours.metadata.document()["chunk_grid"])) == grid
        part = (slice(shape[0] // 3, None), slice(None, max(1, shape[1] // 2)))
        ours[part] = values[part] = 5
        assert np.array_equal(zarr.open_array(path, mode="r")[...], values)
        resized = (max(1, shape[0] - shorter), shape[1] + scale[1] * shorter)
        zarr.open_array(path, mode="r+").resize(resized)
        again = zarr.open_array(path, mode="r")[...]
        assert np.array_equal(zarrcore.open_hierarchy(path)["/"][...], again)


@pytest.mark.skipif(not has_rectilinear_grids(), reason="zarr-python without rectilinear grids")
@pytest.mark.parametrize("codecs", [RAW, PACKED, shards([2, 3])], ids=["raw", "zstd", "shards"])
@pytest.mark.parametrize(
    "edges",
    [[[4, 2, 6], [3, 9, 3, 3]], [[[2, 4], 4], 3], [4, [[3, 2], [6, 2]]], [[4, 8, 40], [[6, 20]]]],
    ids=["lists", "runs", "number first", "beyond the end"],
)
def test_zarr_python_reads_every_spelling_of_edges(edges: Any, codecs: list[Any], tmp_path: Path) -> None:
    shape = (11, 17)
    with use_pipeline(PIPELINES[0]), zarr.config.set({RECTILINEAR: True}):
        (tmp_path / "zarr.json").write_bytes(
            document(edges, shape, codecs).replace(
                b'"bytes"]', b'{"name": "bytes", "configuration": {"endian": "little"}}]'
            )
        )
        values = np.random.default_rng(1).integers(0, 1000, shape).astype("u2")
        ours = zarrcore.open_hierarchy(tmp_path, mode="r+")["/"]
        ours[1:, :15] = values[1:, :15]
        values[:1] = values[:, 15:] = 7
        assert np.array_equal(zarr.open_array(tmp_path, mode="r")[...], values)
