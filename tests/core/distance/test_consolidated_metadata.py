"""Requests where consolidated metadata is there, or out of date."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

import zarrcore
from tests.core.distance.asked import await_root, keys
from tests.servers.distant import DistantServer
from zarrcore.operations.check import check


class TestConsolidatedMetadata:
    def test_are_used_for_remote_stores_only(self, tmp_path: Path, server: DistantServer) -> None:
        root = server.root / "bucket/stale"
        hierarchy = zarrcore.create(root)
        hierarchy.create_array("x", shape=(4,), dtype="u1")
        hierarchy.consolidate()
        document = (root / "x/zarr.json").read_bytes()
        (root / "x/zarr.json").write_bytes(document.replace(b"4", b"6", 1))
        (root / "later").mkdir()
        (root / "later/zarr.json").write_bytes(document)
        remote = zarrcore.open_hierarchy(f"{server.url}/bucket/stale")
        assert zarrcore.open_hierarchy(root)["x"].shape == (6,)
        assert remote["x"].shape == (4,)
        assert [node.path for node in remote.walk()] == ["/", "/x"]
        assert remote["later"].shape == (4,), "what they do not tell of is asked for itself"
        own = zarrcore.open_hierarchy(f"{server.url}/bucket/stale", believe_consolidated=False)
        assert own["x"].shape == (6,)
        assert [node.path for node in own.walk()] == ["/", "/later", "/x"]
        stale = [finding.path for finding in check(remote) if finding.what == "stale-consolidated"]
        assert stale == ["/later", "/x"]

    def test_nodes_are_as_old_as_the_consolidated_metadata(
        self, server: DistantServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now_s = [0.0]
        for module in ("collections.collection", "listings", "node_loader", "kept_nodes"):
            monkeypatch.setattr(
                f"zarrcore.hierarchy.{module}.time", SimpleNamespace(monotonic=lambda: now_s[0])
            )
        hierarchy = zarrcore.open_hierarchy(f"{server.url}/bucket/v3-all", metadata_max_age_s=60)
        assert hierarchy["g0/a00"].shape == (4,)
        await_root(server, "v3-all")
        server.forget()
        now_s[0] = 50.0
        assert hierarchy["g0/a01"].shape == (4,)
        assert server.requests == []
        now_s[0] = 70.0
        assert hierarchy["g0/a01"].shape == (4,)
        assert keys(server) == ["v3-all/zarr.json"], "what is known of it is older than 60 s"

    def test_are_not_used_if_broken(self, server: DistantServer) -> None:
        root = server.root / "bucket/broken"
        zarrcore.create(root, format="v2").create_array("x", shape=(4,), dtype="u1")
        (root / ".zmetadata").write_bytes(b"no JSON")
        assert [node.path for node in zarrcore.open_hierarchy(f"{server.url}/bucket/broken").walk()] == [
            "/",
            "/x",
        ]
