"""The nesting levels of shards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zarrcore
from tests.core.array.test_rectilinear import document, shards
from zarrcore.array.shards.levels import level_of, shard_levels
from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.errors import MetadataError
from zarrcore.metadata import RectilinearChunkGrid
from zarrcore.metadata.chunk_grid import rectilinear_axis
from zarrcore.metadata.fill_value import zero
from zarrcore.metadata.named_configuration import parse_named_configuration
from zarrcore.stores import MemoryStore


def test_shards_that_inner_chunks_do_not_divide_are_refused() -> None:
    store = MemoryStore()
    store.set("zarr.json", document([[4, 2, 3], 4], (9, 4), shards([2, 2])))
    with pytest.raises(MetadataError, match="inner chunks of 2 elements do not divide shards of 3"):
        zarrcore.open_hierarchy(store)["/"]


def test_shards_that_only_the_innermost_chunks_divide_are_refused() -> None:
    nested = shards([4, 2])
    nested[0]["configuration"]["codecs"] = shards([2, 2])
    store = MemoryStore()
    store.set("zarr.json", document([[4, 2], 4], (6, 4), nested))
    with pytest.raises(MetadataError, match="inner chunks of 4 elements do not divide shards of 2"):
        zarrcore.open_hierarchy(store)["/"]


def pipeline(shape: tuple[int, ...], codecs: list[Any]) -> Pipeline:
    kind = np.dtype("u2")
    named = [parse_named_configuration(codec, "codecs") for codec in codecs]
    return Pipeline(named, ArraySpec(shape, kind, zero(kind)))


def grid_of(chunk_shape: list[int]) -> Any:
    """The chunk grid of an array with chunks of this shape."""
    node = zarrcore.create(MemoryStore()).create_array(
        "a", shape=chunk_shape, chunks=chunk_shape, dtype="uint16"
    )
    return node.metadata.chunk_grid


def test_levels_of_nested_shards_are_in_order_outermost_first() -> None:
    nested = shards([4, 6])
    nested[0]["configuration"]["codecs"] = shards([2, 3])
    levels = shard_levels(pipeline((8, 12), nested), grid_of([8, 12]))
    assert [level.grid_shape for level in levels] == [(2, 2), (2, 2)]
    assert [level.shard.chunk_shape for level in levels] == [(4, 6), (2, 3)]
    assert [level.pipeline.spec.shape for level in levels] == [(8, 12), (4, 6)]
    assert levels[0].inner is levels[1].pipeline
    assert levels[1].inner.shard is None


def test_chunks_that_are_not_shards_have_no_levels() -> None:
    plain = pipeline((8, 12), ["bytes"])
    assert shard_levels(plain, grid_of([8, 12])) == []
    assert shard_levels(plain, RectilinearChunkGrid((rectilinear_axis([8, 4]), rectilinear_axis([12])))) == []


def test_positions_of_inner_chunks_count_in_c_order() -> None:
    level = level_of(pipeline((4, 6), shards([2, 3])))
    elements = np.array([[0, 0], [1, 2], [1, 3], [2, 0], [3, 5]])
    assert level.positions(elements).tolist() == [0, 0, 1, 2, 3]


def test_a_shard_without_dimensions_has_one_inner_chunk() -> None:
    level = level_of(pipeline((), shards([])))
    assert level.grid_shape == ()
    assert level.positions(np.zeros((3, 0), int)).tolist() == [0, 0, 0]
