"""The hidden directory that controls a mount."""

from __future__ import annotations

import json

import pytest

from zarrcore.errors import ReadOnlyError
from zarrfs.trees.control import Control
from zarrfs.trees.entry import File
from zarrfs.trees.root import NamedTrees


def test_statistics_are_current_and_writing_refreshes() -> None:
    counts = {"reads": 1}
    refreshed: list[int] = []
    keys = NamedTrees({}, None)
    control = Control(lambda: counts, lambda: refreshed.append(1), keys)
    assert [name for name, _ in control.entries()] == ["stats.json", "refresh", "keys"]
    assert control.lookup("keys", wait=False) is keys
    stats, refresh = (control.lookup(name, wait=False) for name in ("stats.json", "refresh"))
    assert isinstance(stats, File)
    assert isinstance(refresh, File)
    counts["reads"] = 2
    opened = stats.open(wait=False)
    assert json.loads(bytes(opened.read(0, 999, wait=False))) == {"reads": 2}
    assert (stats.caching.uses_pages, refresh.caching.uses_pages) == (False, False)
    refresh.resize(0, wait=False)
    assert refresh.open_to_write(truncate=True, wait=False).write(0, b"now", wait=False) == 3
    assert refreshed == [1]
    with pytest.raises(ReadOnlyError):
        stats.open_to_write(truncate=False, wait=False)
