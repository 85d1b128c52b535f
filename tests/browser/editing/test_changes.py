"""Where nodes are after a change."""

from __future__ import annotations

import pytest

from zarrbrowser.editing.changes import Outcome

MOVED = Outcome("", path="/b/new", gone="/a", is_moved=True)
DELETED = Outcome("", path="/g", gone="/g/a")


@pytest.mark.parametrize(
    ("outcome", "path", "now"),
    [
        (MOVED, "/a", "/b/new"),
        (MOVED, "/a/x/y", "/b/new/x/y"),
        (MOVED, "/ab", "/ab"),
        (MOVED, "/", "/"),
        (DELETED, "/g/a/x", "/g"),
        (DELETED, "/g/a", "/g"),
        (DELETED, "/g/ab", "/g/ab"),
        (DELETED, "/g", "/g"),
        (Outcome("", path="/c"), "/a", "/a"),
    ],
)
def test_a_path_after_a_change(outcome: Outcome, path: str, now: str) -> None:
    assert outcome.now_at(path) == now
