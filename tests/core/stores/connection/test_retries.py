"""When a request is repeated, and after which pause."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.servers import fault_server
from tests.servers.redis import redis_server
from tests.waiting import recorded_pauses
from zarrcore.errors import UnreachableError
from zarrcore.stores import StoreOptions, open_store
from zarrcore.stores.connection.retries import _RANDOM, Retries, no_repeats, repeats_of_parts


@pytest.fixture
def slept_s(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses, which take no time."""
    return recorded_pauses(monkeypatch)


@pytest.fixture
def longest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_RANDOM, "uniform", lambda _, most: most)


@pytest.mark.usefixtures("longest")
def test_the_longest_pause_doubles(slept_s: list[float]) -> None:
    retries = Retries(StoreOptions(retries=7, timeout_s=1000))
    while retries.wait():
        pass
    assert slept_s == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]


def test_pauses_are_random(slept_s: list[float]) -> None:
    for _ in range(50):
        assert Retries(StoreOptions()).wait()
    assert len(set(slept_s)) > 40
    assert min(slept_s) < 0.2
    assert 0.3 < max(slept_s) <= 0.5


@pytest.mark.usefixtures("longest")
def test_the_pause_that_the_server_asks_for_is_kept(slept_s: list[float]) -> None:
    retries = Retries(StoreOptions(retries=2, timeout_s=1000))
    assert retries.wait(7.0)
    assert retries.wait(0.0)
    assert slept_s == [7.5, 1.0]


def test_repeats_last_for_twice_the_timeout(slept_s: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: sum(slept_s))
    retries = Retries(StoreOptions())
    while retries.wait():
        pass
    assert 52 < sum(slept_s) <= 60, "one minute by default, less at most one pause"
    assert not Retries(StoreOptions(timeout_s=1.0)).wait(2.0), (
        "a pause that would end too late does not begin"
    )


@pytest.mark.usefixtures("longest")
def test_repeats_end_soon_where_no_server_answers(
    slept_s: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: sum(slept_s))
    retries = Retries(StoreOptions())
    while retries.wait(briefly=True):
        pass
    assert slept_s == [0.5, 1.0]
    assert retries.wait(), "there is a server after all"
    assert retries.wait(briefly=True), "it restarts"


@pytest.fixture
def briefly(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """How repeats are limited; none is made."""
    noted: list[bool] = []

    def wait(self: Retries, wanted_s: float = 0.0, *, briefly: bool = False) -> bool:
        noted.append(briefly)
        return False

    monkeypatch.setattr(Retries, "wait", wait)
    return noted


@pytest.mark.parametrize("kind", ["s3", "http", "redis", "fsspec"])
def test_a_server_that_was_there_is_awaited(kind: str, tmp_path: Path, briefly: list[bool]) -> None:
    options = {}
    with redis_server(tmp_path) if kind == "redis" else fault_server() as server:
        url = {
            "redis": server.url,
            "http": f"{server.url}/bucket",
            "fsspec": f"simplecache::{server.url}",
        }.get(kind)
        if kind == "s3":
            url, options = "s3://bucket", {"endpoint_url": server.url, "region": "us-east-1"}
        if kind != "redis":
            server.headers["Connection"] = "close"  # it must not go on after its end
        store = open_store(url, **options)
        assert store.get("key") is None
    for one, expected in ((store, False), (open_store(url, **options), True)):
        with pytest.raises(UnreachableError):
            one.get("key")
        assert briefly.pop() is expected
        one.close()


def test_no_repeats(slept_s: list[float]) -> None:
    assert not Retries(StoreOptions(retries=0)).wait()
    assert slept_s == []


def test_obstore_repeats_only_parts_of_uploads() -> None:
    assert no_repeats()["max_retries"] == 0
    config = repeats_of_parts(StoreOptions(retries=5, timeout_s=2.0))
    assert config["max_retries"] == 5
    assert config["retry_timeout"] == timedelta(seconds=4)
    assert config["backoff"]["init_backoff"] == timedelta(seconds=0.5)
    assert config["backoff"]["max_backoff"] == timedelta(seconds=2)


def test_who_waits_for_seconds_learns_why(
    slept_s: list[float], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Once, however many requests wait."""
    monkeypatch.setattr(time, "monotonic", lambda: 1e9 + sum(slept_s))
    several = [Retries(StoreOptions(timeout_s=4.0), "s3://bucket") for _ in range(3)]
    while any(retries.wait() for retries in several):
        pass
    assert [record.getMessage().partition(";")[0] for record in caplog.records] == ["s3://bucket fails"]


def test_a_program_that_has_ended_does_not_wait_for_a_server_that_is_gone(tmp_path: Path) -> None:
    """A thread whose answer is not needed any more does not delay the end of the program by a minute."""
    program = """
import sys, threading, time
from zarrcore.stores.connection.retries import Retries
from zarrcore.stores.options import StoreOptions
from zarrcore.threads import ThreadPool
def ask():
    retries, asked = Retries(StoreOptions()), 0
    while retries.wait():
        asked += 1
        begun.set()
    print("ended")
begun = threading.Event()
pool = ThreadPool(1, "asks")
pool.submit(ask)
pool.shutdown(wait=False)
begun.wait()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout) == (0, "ended\n"), done.stderr
