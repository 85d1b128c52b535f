"""The counters of a mount."""

from __future__ import annotations

import errno
import os

from zarrfs.fuse.counters import Counters


def test_a_snapshot_has_errors_by_name_and_the_memory_of_the_process() -> None:
    counters = Counters()
    counters.failed(errno.ENOENT)
    counters.failed(9999)
    counters.requests["read"] += 2
    snapshot = counters.snapshot()
    assert (snapshot["errors"], snapshot["requests"]) == ({"ENOENT": 1, "9999": 1}, {"read": 2})
    assert snapshot["pid"] == os.getpid()
    assert snapshot["resident_bytes"] > 1 << 20
