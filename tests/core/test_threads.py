"""Threads where there is no memory for one, in a process of its own, and requests that wait together."""

from __future__ import annotations

import subprocess
import sys

import pytest

from zarrcore.errors import StoreError
from zarrcore.threads import at_once

SCRIPT = """
import resource
from zarrcore.threads import ThreadPool

pool = ThreadPool(2)
assert pool.submit(int, "1").result() == 1
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + (10 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
try:
    pool.submit(int, "2")
except MemoryError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert pool.submit(int, "3").result() == 3
"""


def test_a_thread_is_refused_without_memory_for_it() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("there is not enough memory for a thread\n", "")


def test_values_requested_at_once_are_requested_once() -> None:
    asked: list[str] = []

    def get(key: str) -> bytes | None:
        asked.append(key)
        if key == "failing":
            raise StoreError("no answer")
        return key.encode()

    known = at_once(get, ["a", "b", "a", "failing"])
    assert (known("a"), known("a"), known("b"), known("c")) == (b"a", b"a", b"b", b"c")
    with pytest.raises(StoreError, match="no answer"):
        known("failing")
    assert sorted(asked) == ["a", "b", "c", "failing"]
    assert at_once(get, ["a"]) is get
