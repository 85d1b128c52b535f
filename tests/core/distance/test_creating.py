"""Requests to make, change and erase nodes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs

import pytest

import zarrcore
from tests.core.distance.asked import AT_ROOT, NUMBERS, OLD, await_root
from tests.servers.distant import DistantServer
from zarrcore.operations.copy.destination import prepare
from zarrcore.operations.marker import MARKER_KEY
from zarrcore.stores import open_store
from zarrcore.stores.wrapper.interface import writable


class TestCreating:
    """Each answer is delayed, so that requests at once count as one round trip."""

    place: str
    """The folder of the test in the bucket. Requests of an earlier test may arrive late."""

    @pytest.fixture
    def make(self, server: DistantServer) -> Iterator[Callable[..., zarrcore.Hierarchy]]:
        """Makes or opens a hierarchy in a new bucket whose store has been used, with counts from then on."""
        server.delay_s, server.in_waves = 0.5, True
        self.place = f"new{next(NUMBERS)}"
        folder = server.root / "bucket" / self.place

        def make(mode: Any = "w-", format_: str | None = None, **options: Any) -> zarrcore.Hierarchy:
            folder.mkdir(exist_ok=True)
            store = open_store(f"s3://bucket/{self.place}", create=True, **server.s3_options)  # type: ignore[arg-type]
            store.get("used")
            writable(store).erase("used")  # what is imported to send takes longer than a wave
            server.forget()
            return zarrcore.open_hierarchy(store, mode, format_, **options)

        yield make
        shutil.rmtree(folder, ignore_errors=True)

    def requests(self, server: DistantServer) -> tuple[list[str], list[str], list[str]]:
        """The keys that were requested and the prefixes that were listed, sorted, and the keys that were stored, in order."""
        got, put = (
            [
                target.removeprefix(f"/bucket/{self.place}/")
                for method, target in server.requests
                if method == wanted and "?" not in target and target.startswith(f"/bucket/{self.place}/")
            ]
            for wanted in ("GET", "PUT")
        )
        queries = (parse_qs(target.partition("?")[2]) for _, target in server.requests if "?" in target)
        place = f"{self.place}/"
        prefixes = [
            query["prefix"][0].removeprefix(place)
            for query in queries
            if query["prefix"][0].startswith(place)
        ]
        return sorted(got), sorted(prefixes), put

    @pytest.mark.parametrize(
        ("format_", "document"), [("v3", "zarr.json"), ("v2", ".zgroup"), ("n5", "attributes.json")]
    )
    @pytest.mark.parametrize("mode", ["w-", "w"])
    def test_a_hierarchy_takes_a_look_and_a_document(
        self,
        server: DistantServer,
        make: Callable[..., zarrcore.Hierarchy],
        mode: str,
        format_: str,
        document: str,
    ) -> None:
        make(mode, format_)
        await_root(server, self.place, is_new=True)
        assert self.requests(server) == (sorted(AT_ROOT + OLD), [""], [document])
        assert server.round_trips <= 2

    def test_a_hierarchy_unless_there_is_one(
        self, server: DistantServer, make: Callable[..., zarrcore.Hierarchy]
    ) -> None:
        make("a")
        await_root(server, self.place, is_new=True)
        assert self.requests(server) == (sorted(AT_ROOT + OLD), [""], ["zarr.json"])
        assert server.round_trips <= 3, "it lists only if there are no documents"
        make("a")
        await_root(server, self.place, is_new=True)
        assert self.requests(server) == (sorted(AT_ROOT + OLD), [], [])
        assert server.round_trips == 1
        make("r+")
        await_root(server, self.place)
        assert self.requests(server) == (sorted(AT_ROOT), [], [])
        assert server.round_trips == 1

    @pytest.mark.parametrize(
        ("format_", "documents", "group", "array"),
        [
            ("v3", ["zarr.json"], "zarr.json", "zarr.json"),
            ("v2", [".zarray", ".zattrs", ".zgroup"], ".zgroup", ".zarray"),
            ("n5", ["attributes.json"], "attributes.json", "attributes.json"),
        ],
    )
    def test_nodes(
        self,
        server: DistantServer,
        make: Callable[..., zarrcore.Hierarchy],
        format_: str,
        documents: list[str],
        group: str,
        array: str,
    ) -> None:
        hierarchy = make("w-", format_)
        await_root(server, self.place, is_new=True)
        copy = [".zmetadata"] if format_ == "v2" else []

        def looked(*paths: str) -> list[str]:
            return sorted([*copy, *(path + name for path in ("", *paths) for name in documents)])

        server.forget()
        hierarchy.create_array("x", shape=(4,), dtype="u1")
        assert self.requests(server) == (looked("x/"), ["x/"], [f"x/{array}"])
        assert server.round_trips <= 2
        server.forget()
        hierarchy.create_array("a/b/x", shape=(4,), dtype="u1")
        got, listed, stored = self.requests(server)
        assert (got, listed) == (looked("a/", "a/b/", "a/b/x/"), ["a/b/x/"])
        assert sorted(stored[:2]) == sorted([f"a/{group}", f"a/b/{group}"])
        assert stored[2:] == [f"a/b/x/{array}"], "after the groups above"
        assert server.round_trips <= 3
        server.forget()
        hierarchy.create_group("a/c")
        assert self.requests(server) == (looked("a/", "a/c/"), [], [f"a/c/{group}"])
        assert server.round_trips <= 2
        assert sorted(node.path for node in hierarchy.walk()) == ["/", "/a", "/a/b", "/a/b/x", "/a/c", "/x"]

    def test_a_node_is_decided_on_what_is_stored_now(
        self, server: DistantServer, make: Callable[..., zarrcore.Hierarchy]
    ) -> None:
        hierarchy = make()
        hierarchy.create_group("g")
        assert hierarchy["g"].kind == "group"
        other = make("r+")
        other.create_array("x", shape=(4,), dtype="u1")
        document = (server.root / "bucket" / self.place / "x/zarr.json").read_bytes()
        (server.root / "bucket" / self.place / "g/zarr.json").write_bytes(document)
        for path, reason in (
            ("x", "already exists, as an array"),
            ("g/y", "is an array: /g/y cannot be below it"),
        ):
            with pytest.raises(zarrcore.NodeExistsError, match=reason):
                hierarchy.create_group(path)

    def test_a_copy_looks_at_its_place_at_once(
        self, server: DistantServer, make: Callable[..., zarrcore.Hierarchy], root: Path
    ) -> None:
        plan: Any = SimpleNamespace(fingerprint="1", source_url="here")
        (server.root / "bucket" / self.place).mkdir()
        store = open_store(f"s3://bucket/{self.place}", **server.s3_options)  # type: ignore[arg-type]
        server.delay_s, server.in_waves = 0.5, True
        assert not prepare(plan, open_store(root / "bucket/v3"), store, overwrite=False)
        await_root(server, self.place, is_new=True)
        got, listed, stored = self.requests(server)
        assert (got, listed, stored) == (sorted([MARKER_KEY, *AT_ROOT, *OLD]), [""], [])
        assert server.round_trips <= 3
