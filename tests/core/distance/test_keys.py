"""Requests for keys of a store."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from tests.command import Run
from tests.servers.distant import DistantServer
from zarrcore.cli.main import main
from zarrcore.stores import open_store
from zarrcore.stores.interface import StoreEntry
from zarrcore.stores.memory import MemoryStore


class TestKeys:
    def test_listing_streams(self, server: DistantServer) -> None:
        folder = server.root / "bucket/many"
        folder.mkdir()
        for number in range(2500):
            (folder / f"{number:05}").touch()
        (folder / "00000").write_bytes(b"-")
        store: Any = open_store("s3://bucket/many", **server.s3_options)
        entries = store.list_prefix("")
        assert next(entries).key == "00000"
        assert len(server.requests) == 1
        assert sum(1 for _ in entries) == 2499
        assert len(server.requests) == 3

    def test_are_printed_as_they_are_listed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Many(MemoryStore):
            def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
                return (StoreEntry(f"{number:07}", 1) for number in range(100_000))

        monkeypatch.setattr("zarrcore.cli.ls.source_store", lambda namespace: Many())
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            monkeypatch.setattr("sys.stdout", nowhere)
            tracemalloc.start()
            try:
                assert main(["ls", "memory://many"]) == 0
                _, peak = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
        assert peak < 4 << 20, "not even the names"

    def test_a_store_that_cannot_list(self, server: DistantServer, zarrscope: Run) -> None:
        server.lists = False
        told = zarrscope("ls", f"{server.url}/bucket/v3")
        assert told.status == 1
        assert "shows no directory listings" in told.stderr
        told = zarrscope("tree", f"{server.url}/bucket/v3")
        assert told.status == 1
        assert "cannot be listed and has no consolidated metadata: name the path of a node" in told.stderr
        assert zarrscope("tree", f"{server.url}/bucket/v3-all").status == 0
