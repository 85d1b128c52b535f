"""CacheStore in several processes that need the same bytes at once."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest

from tests.core.stores.cache.distant import Distant
from tests.waiting import PATIENCE_S
from zarrcore.errors import (
    StoreTimeoutError,
)
from zarrcore.stores import (
    ByteRange,
    MemoryStore,
)
from zarrcore.stores.cache import store as cache_store
from zarrcore.stores.cache.directory import CacheDirectory
from zarrcore.stores.cache.entries import CacheEntries
from zarrcore.stores.cache.shared import SharedCache
from zarrcore.stores.cache.store import CacheStore


class Slow(Distant):
    """Values that arrive late."""

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> Any:
        time.sleep(0.1)
        return super().get_with_stat(key, byte_range, max_nbytes=max_nbytes)


@pytest.fixture(params=["directory", "store"])
def entries(request: pytest.FixtureRequest, tmp_path: Path) -> CacheEntries:
    """A cache, for several processes."""
    return CacheDirectory(tmp_path, 1 << 30) if request.param == "directory" else SharedCache(MemoryStore())


def test_processes_that_need_the_same_bytes_at_once_fetch_them_once(entries: CacheEntries) -> None:
    slow = Slow("", {"a": b"value"})
    processes = [CacheStore(slow, entries) for _ in range(8)]
    processes[0].stat("absent")  # the first use begins the era of all
    slow.counts()
    with ThreadPoolExecutor(16) as threads:
        whole = [threads.submit(process.get, "a") for process in processes]
        part = [threads.submit(process.get, "a", ByteRange(1, 3)) for process in processes]
        assert {bytes(value.result() or b"") for value in whole} == {b"value"}
        assert {bytes(value.result() or b"") for value in part} == {b"al"}
        assert {value.result() for value in [threads.submit(each.get, "b") for each in processes]} == {None}
    assert slow.asked.total() <= 3


@pytest.mark.parametrize("fails", [False, True])
def test_nobody_waits_for_a_process_that_keeps_nothing(
    entries: CacheEntries, fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It hangs, or it failed and gave its claim back."""
    monkeypatch.setattr(cache_store, "_OTHERS_S", 0.3 if not fails else 1e9)
    beneath = Distant("", {"a": b"value"})
    other, here = CacheStore(beneath, entries), CacheStore(beneath, entries)
    claim, is_mine = other._values.claim("a", None)
    assert is_mine
    if fails:
        threading.Timer(0.1, claim.drop).start()
    assert here.get("a") == b"value"
    assert not claim.is_held, "the next process need not wait"


_CLAIMING = """
import sys, time
from zarrcore.stores.cache.directory import CacheDirectory
print(CacheDirectory(sys.argv[1], 1 << 30).claim(sys.argv[2]), flush=True)
time.sleep(60)
"""


def test_the_claim_of_a_killed_process_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_store, "_OTHERS_S", 1e9)
    here = CacheStore(Distant("", {"a": b"value"}), CacheDirectory(tmp_path, 1 << 30))
    name = here._values.claim("a", None)[0].name
    here.entries.unclaim(name)
    with subprocess.Popen(
        [sys.executable, "-c", _CLAIMING, tmp_path, name], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        assert here.entries.is_claimed(name)
        with ThreadPoolExecutor() as threads:
            value = threads.submit(here.get, "a")
            assert not wait([value], 0.2).done
            other.kill()
            assert value.result(PATIENCE_S) == b"value"
    assert not here.entries.is_claimed(name)
    assert here.entries.claim(name)


def test_a_process_that_fails_gives_its_claim_back(entries: CacheEntries) -> None:
    beneath = Distant("", {"a": b"value"})
    first = CacheStore(beneath, entries)
    beneath.failure = StoreTimeoutError("no answer")
    with pytest.raises(StoreTimeoutError):
        first.get("a")
    beneath.failure = None
    assert CacheStore(beneath, entries)._values.claim("a", None)[1]
