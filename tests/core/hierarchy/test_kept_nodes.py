"""What is kept of nodes, for how long, and what is forgotten."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from zarrcore.hierarchy import kept_nodes
from zarrcore.hierarchy.kept_nodes import KeptNodes


@pytest.fixture
def now_s(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(kept_nodes, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def test_a_node_is_kept_until_it_is_too_old(now_s: list[float]) -> None:
    kept: KeptNodes[str] = KeptNodes(10.0)
    kept.keep("/a", 100.0, "A")
    now_s[0] = 109.9
    assert kept.get("/a") == "A"
    now_s[0] = 110.0
    assert kept.get("/a") is None


def test_forgetting_a_node_forgets_all_below_it() -> None:
    kept: KeptNodes[str] = KeptNodes(None)
    for path in ("/", "/a", "/a/b", "/ab"):
        kept.keep(path, time.monotonic(), path)
    kept.forget("/a")
    assert [kept.get(path) for path in ("/", "/a", "/a/b", "/ab")] == ["/", None, None, "/ab"]
    kept.clear()
    assert kept.get("/") is None


def test_a_node_requested_before_it_was_forgotten_is_not_kept(now_s: list[float]) -> None:
    kept: KeptNodes[str] = KeptNodes(None)
    asked_s = now_s[0]
    now_s[0] += 1
    kept.forget("/a")
    kept.keep("/a", asked_s, "stale")
    assert kept.get("/a") is None
    kept.keep("/a", now_s[0], "fresh")
    assert kept.get("/a") == "fresh"


def test_the_nodes_used_longest_ago_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_nodes, "_KEPT_NODES", 2)
    kept: KeptNodes[str] = KeptNodes(None)
    kept.keep("/a", time.monotonic(), "A")
    kept.keep("/b", time.monotonic(), "B")
    assert kept.get("/a") == "A"
    kept.keep("/c", time.monotonic(), "C")
    assert [kept.get(path) for path in ("/a", "/b", "/c")] == ["A", None, "C"]
