"""The threads that read and decode: their limits, their order, and how they end."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import zarrcore
from tests.core.array.counting_store import DATA, CountingStore
from tests.waiting import wait_until
from zarrcore.array import pools
from zarrcore.errors import (
    CodecError,
)


def test_requests_in_flight_are_bounded_and_used(written: Path) -> None:
    with CountingStore(written, remote=True) as store:
        array = zarrcore.open_hierarchy(store, format="v3")[
            "plain"
        ]  # no request without a reader that waits for it
        store.hold_chunks()
        with ThreadPoolExecutor(1) as threads:
            read = threads.submit(lambda: array[...])
            wait_until(lambda: store.most_at_once == store.requests_in_flight)
            store.released.set()
            assert np.array_equal(read.result(), DATA)
        assert store.most_at_once == store.requests_in_flight


def test_a_small_read_of_a_remote_store_starts_no_more_threads_than_it_has_chunks(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "_TURN_S", math.inf)  # a turn that takes long queues another one
    with CountingStore(written, remote=True) as store:
        array = zarrcore.open_hierarchy(store, format="v3")["plain"]
        store.hold_chunks()
        chunks = tuple(slice(length + 1) for length in array.chunk_shape[:2])  # four, two along each axis
        with ThreadPoolExecutor(1) as threads:
            read = threads.submit(lambda: array[*chunks, 0])
            wait_until(lambda: store.most_at_once == 4)
            store.released.set()
            assert np.array_equal(read.result(), DATA[*chunks, 0])
        # The last one may start before it is known that no chunk is left.
        assert len(pools.executor_for(store)[0]._threads) <= 5


PROGRAMS = {
    "a thread reads while the interpreter shuts down": """
import sys, threading, time, zarrcore
array = zarrcore.open_hierarchy(sys.argv[1])["sharded"]
threading.Thread(target=lambda: [array[...] for _ in range(20)]).start()
time.sleep(0.05)
""",
    "a thread starts to read after the main thread has ended": """
import sys, threading, time, zarrcore
array = zarrcore.open_hierarchy(sys.argv[1])["sharded"]
def late():
    threading.main_thread().join()
    time.sleep(0.1)
    assert array[...].sum() == SUM
threading.Thread(target=late).start()
""",
    "a child is forked while chunks are being decoded": """
import os, sys, threading, time, warnings, zarrcore
warnings.simplefilter("ignore")
cache = zarrcore.ChunkCache(1 << 24)
array = zarrcore.open_hierarchy(sys.argv[1], chunk_cache=cache)["plain"]
claim = cache.claim(array._reader._cache_key((0, 0, 0)))
child = os.fork()
if child == 0:
    os._exit(0 if array[...].sum() == SUM else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_process_ends_or_forks_during_reads_without_hanging(written: Path, name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAMS[name].replace("SUM", str(DATA.sum())), written],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_large_read_does_not_block_a_small_one(written: Path) -> None:
    with CountingStore(written, remote=True) as store:
        array = zarrcore.open_hierarchy(store)["plain"]
        store.delay_s = 0.03
        store.holds = lambda key: key == "plain/c/2/3/4"  # the last one of the large read
        with ThreadPoolExecutor(1) as threads:
            large = threads.submit(lambda: array[...])
            wait_until(lambda: bool(store.chunk_requests()))
            assert np.array_equal(array[15:25, 0:20, 3], DATA[15:25, 0:20, 3])
            assert not large.done()
            store.released.set()
            assert np.array_equal(large.result(), DATA)


def test_tasks_may_return_tasks_and_fail(store: CountingStore) -> None:
    done: list[int] = []

    def task(depth: int) -> list[pools.Task] | None:
        done.append(depth)
        return [lambda: task(depth - 1)] * 2 if depth else None

    pools.run_tasks(iter([lambda: task(6)] * 3), store)
    assert len(done) == 3 * (2**7 - 1)

    def failing() -> None:
        raise CodecError("no")

    with pytest.raises(CodecError):
        pools.run_tasks(iter([lambda: task(3), failing, *[lambda: task(3)] * 10]), store)


def test_results_are_in_order_and_errors_are_raised() -> None:
    count = 5 * pools._AT_ONCE + 3
    assert [*pools.in_order(lambda number: number**2, range(count))] == [number**2 for number in range(count)]
    assert [*pools.in_order(str, [])] == []

    def fail(number: int) -> int:
        if number == 7:
            raise CodecError("broken")
        return number

    with pytest.raises(CodecError, match="broken"):
        [*pools.in_order(fail, range(count))]


@pytest.mark.skipif(pools.CORES < 2, reason="there is only one core")
def test_several_threads_compute_results() -> None:
    together = threading.Barrier(2)

    def meet(number: int) -> int:
        if number < 2:
            together.wait(60)  # fails if one thread computes both
        return threading.get_ident()

    threads = {*pools.in_order(meet, range(pools._AT_ONCE))}
    assert threading.get_ident() in threads
    assert len(threads) > 1


def test_results_are_computed_while_all_threads_of_the_pool_wait() -> None:
    executor, width = pools._local_threads()
    may_end = threading.Event()
    waiting = [executor.submit(may_end.wait, 60) for _ in range(width)]
    try:
        assert [*pools.in_order(abs, range(-100, 0))] == [*range(100, 0, -1)]
        assert not any(future.done() for future in waiting)
    finally:
        may_end.set()


def test_threads_can_be_limited_to_fewer_than_cores(written: Path) -> None:
    """As in the processes of a cluster, of which each has its share of the machine's cores."""
    array = zarrcore.open_hierarchy(written)["plain"]
    threads: set[int] = set()
    pools.limit_threads(1)
    try:
        assert np.array_equal(array[...], DATA)
        executor, width = pools.executor_for(array.store)
        threads = {executor.submit(threading.get_ident).result() for _ in range(8)}
        with pools.decoding_permit():
            assert not pools.decoding_permit().acquire(blocking=False)
    finally:
        pools.limit_threads(pools.CORES)
    assert (width, len(threads)) == (1, 1)
    assert pools.executor_for(array.store)[1] == pools.CORES
