"""Requests for a tree, and again after its time limit."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

import zarrcore
from tests.command import Run
from tests.core.distance.asked import AT_ROOT, FORMATS, GROUPS, NODES, await_root, keys, listings
from tests.servers.distant import DistantServer
from zarrcore.stores import open_store


class TestTree:
    @pytest.mark.parametrize("format_", FORMATS)
    def test_requests_each_document_and_listing_once(
        self,
        server: DistantServer,
        source: Callable[[str], list[str]],
        zarrscope: Run,
        format_: str,
        root: Path,
    ) -> None:
        shown = zarrscope("tree", *source(format_))
        assert shown.text == zarrscope("tree", root / "bucket" / format_).text
        assert len(set(server.requests)) == len(server.requests)
        listings = [target for _, target in server.requests if "?" in target or target.endswith("/")]
        # Of a bucket all keys below a prefix are asked for first, and what stands directly below it where there are many.
        assert 1 + GROUPS <= len(listings) <= 2 * (1 + GROUPS)
        documents = {"v3": NODES + 1, "v2": 3 * (1 + GROUPS) + 2 * (NODES - GROUPS)}[format_]
        assert len(server.requests) - len(listings) <= documents + len(AT_ROOT)

    @pytest.mark.parametrize("format_", FORMATS)
    def test_requests_only_consolidated_metadata(
        self,
        server: DistantServer,
        source: Callable[[str], list[str]],
        zarrscope: Run,
        format_: str,
        root: Path,
    ) -> None:
        shown = zarrscope("tree", *source(f"{format_}-all"))
        assert shown.text == zarrscope("tree", root / "bucket" / format_).text
        await_root(server, f"{format_}-all")
        assert len(server.requests) == len(AT_ROOT)

    def test_waits_for_many_answers_at_once(self, server: DistantServer, zarrscope: Run) -> None:
        server.delay_s = 0.05
        assert zarrscope("tree", f"{server.url}/bucket/v3").status == 0
        in_flight = open_store(server.url).requests_in_flight
        assert in_flight // 8 < server.most_at_once <= in_flight

    def test_looks_no_deeper_than_it_shows(self, server: DistantServer, zarrscope: Run) -> None:
        assert zarrscope("tree", f"{server.url}/bucket/v3", "--depth", "1").status == 0
        await_root(server, "v3")
        assert len(server.requests) == len(AT_ROOT) + 1 + GROUPS + 1


@pytest.mark.parametrize("format_", FORMATS)
def test_a_walk_after_the_time_limit_takes_a_listing_and_what_changed(
    server: DistantServer, format_: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """21 nodes, of which one has changed."""
    path = server.root / f"bucket/again-{format_}"
    local = zarrcore.create(path, format=format_)
    for group, number in itertools.product(range(4), range(4)):
        made = local.create_array(f"g{group}/a{number:02}", shape=(4,), dtype="u1", attributes={"n": 0})
        made[...] = 1
    later_s = [0.0]
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + later_s[0])
    for module in ("listings", "node_loader", "kept_nodes", "revalidated"):
        monkeypatch.setattr(f"zarrcore.hierarchy.{module}.time", clock)
    name = f"s3://bucket/again-{format_}"
    hierarchy = zarrcore.open_hierarchy(name, metadata_max_age_s=60, **server.s3_options)
    assert sum(1 for _ in hierarchy.walk()) == 21
    await_root(server, f"again-{format_}")
    local["g3/a03"].attributes["n"] = 1
    server.forget()
    later_s[0] = 61.0
    found = {node.path: node.attributes.get("n") for node in hierarchy.walk()}
    assert len(found) == 21
    assert [path for path, n in found.items() if n] == ["/g3/a03"]
    # Those of the root are needed before it is known that a walk begins, in v2 also .zmetadata.
    of_root, changed = {"v3": (1, "zarr.json"), "v2": (4, ".zattrs")}[format_]
    assert listings(server) == 1, "a page of it"
    assert [key for key in keys(server) if "/a03/" in key] == [f"again-{format_}/g3/a03/{changed}"]
    assert len(server.requests) == 1 + 1 + of_root
