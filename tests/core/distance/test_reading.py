"""Requests to read elements."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zarrcore
from tests.core.distance.asked import FORMATS, PLANE, await_root, keys
from tests.servers.distant import DistantServer


class TestReading:
    @pytest.mark.parametrize("format_", FORMATS)
    def test_a_plane_requests_its_chunks(self, server: DistantServer, format_: str) -> None:
        array: Any = zarrcore.open_hierarchy(f"{server.url}/bucket/{format_}")["plane"]
        await_root(server, format_)
        server.forget()
        server.delay_s = 0.05
        np.testing.assert_array_equal(array[2], PLANE[2])
        chunks = [key for key in keys(server) if not key.endswith("/.zgroup")]  # which may arrive late
        assert len(set(chunks)) == len(chunks) == 64
        assert server.most_at_once > array.store.requests_in_flight // 8

    def test_a_sharded_plane_requests_indices_and_inner_chunks(
        self, server: DistantServer, root: Path
    ) -> None:
        array: Any = zarrcore.open_hierarchy(f"{server.url}/bucket/shards")["plane"]
        local: Any = zarrcore.open_hierarchy(root / "bucket/shards")["plane"]
        await_root(server, "shards")
        server.forget()
        np.testing.assert_array_equal(array[10], local[10])
        assert len(keys(server)) == 2 * 4, "an index and a run of inner chunks for each shard"
        stored = sum(
            file.stat().st_size for file in (root / "bucket/shards/plane/c").rglob("*") if file.is_file()
        )
        inner = stored / (4 * 32)
        assert server.sent < 4 * (4 * 1.05 * inner + 16 * 32 + 4), "four of the 32 inner chunks of each"

    def test_a_sharded_element_requests_an_index_and_an_inner_chunk(self, server: DistantServer) -> None:
        array: Any = zarrcore.open_hierarchy(
            f"{server.url}/bucket/shards", chunk_cache=zarrcore.ChunkCache(1 << 24)
        )["plane"]
        await_root(server, "shards")
        server.forget()
        element = array[5, 100, 200]
        assert len(server.requests) == 2
        assert array[5, 100, 200] == element
        assert len(server.requests) == 2
        _ = array[50, 100, 200]
        assert len(server.requests) == 3, "the index is kept"
