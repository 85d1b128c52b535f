"""Shards between us and zarr-python, in both directions: its pipelines, orders of inner chunks, and ways to join reads."""

from __future__ import annotations

import inspect
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st
from zarr.codecs import BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec, TransposeCodec, ZstdCodec

import zarrcore
from tests.campaigns import ALL
from tests.zarr_python import PIPELINE_OF_ZARRS, PIPELINES, use_pipeline

SHAPE, SHARD, FILL = (22, 35), (12, 16), 7
ORDERS = ("morton", "unordered", "lexicographic", "colexicographic")
ORDER, GAP, MOST = (
    "subchunk_write_order",
    "array.sharding_coalesce_max_gap_bytes",
    "array.sharding_coalesce_max_bytes",
)
LAYOUTS: dict[str, dict[str, Any]] = {
    "plain": {"chunk_shape": (4, 4)},
    "zstd, index first": {"chunk_shape": (4, 4), "codecs": [BytesCodec(), ZstdCodec()], "index_location": "start"},
    "transposed": {
        "chunk_shape": (6, 4),
        "codecs": [TransposeCodec(order=(1, 0)), BytesCodec(endian="big"), GzipCodec(), Crc32cCodec()],
    },
    "big-endian index without checksum": {"chunk_shape": (3, 8), "index_codecs": [BytesCodec(endian="big")]},
    "nested": {
        "chunk_shape": (6, 8),
        "codecs": [ShardingCodec(chunk_shape=(3, 4), codecs=[BytesCodec(), ZstdCodec()], index_location="start")],
    },
    "one chunk": {"chunk_shape": SHARD, "codecs": [BytesCodec(), ZstdCodec()]},
}  # fmt: skip


def slices(length: int) -> st.SearchStrategy[slice]:
    ends = st.tuples(st.integers(0, length), st.integers(0, length)).filter(lambda pair: pair[0] != pair[1])
    return st.builds(
        lambda pair, step: slice(min(pair), max(pair), step), ends, st.sampled_from([None, 1, 3])
    )


PARTS = st.lists(st.tuples(*map(slices, SHAPE)), min_size=1, max_size=3)
"""Selections with steps forward, the only ones that zarr-python has, and not empty, as its first pipelines demand."""


@pytest.mark.sampled
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("pipeline", [*PIPELINES, PIPELINE_OF_ZARRS])
@settings(max_examples=15 if ALL else 5)
@given(
    order=st.sampled_from(ORDERS),
    joined=st.sampled_from([None, (0, 1), (0, 1 << 20), (64, 256), (1 << 20, 1)]),
    stored=PARTS,
    changed=PARTS,
    read=PARTS,
)
def test_shards_written_and_changed_by_either_are_read_by_both(
    pipeline: str, layout: str, order: str, joined: Any, stored: Any, changed: Any, read: Any
) -> None:
    options = dict(LAYOUTS[layout])
    if ORDER in inspect.signature(ShardingCodec).parameters:
        options[ORDER] = order
    joins = {}
    if joined is not None and zarr.config.get(GAP, None) is not None:
        joins = {GAP: joined[0], MOST: joined[1]}
    expected = np.full(SHAPE, FILL, "<i4")
    rng = np.random.default_rng(len(stored))
    with use_pipeline(pipeline), zarr.config.set(joins), tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        theirs = zarr.create_array(
            path, shape=SHAPE, chunks=SHARD, dtype="<i4", fill_value=FILL, compressors=None,
            serializer=ShardingCodec(**options),
        )  # fmt: skip
        for part in stored:
            theirs[part] = expected[part] = rng.integers(0, 9, expected[part].shape)
        ours = zarrcore.open_hierarchy(path, mode="r+")["/"]
        assert np.array_equal(ours[...], expected)
        for part in changed:
            ours[part] = expected[part] = rng.integers(0, 9, expected[part].shape)
        theirs = zarr.open_array(path, mode="r+")
        for part in read:
            assert np.array_equal(theirs[part], expected[part])
            assert np.array_equal(ours[part], expected[part])
        for part in stored:
            theirs[part] = expected[part] = rng.integers(0, 9, expected[part].shape)
        assert np.array_equal(zarrcore.open_hierarchy(path)["/"][...], expected)
