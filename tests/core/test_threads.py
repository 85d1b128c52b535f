"""Threads where there is no memory for one, in a process of its own, and requests that wait together."""

from __future__ import annotations

import _thread
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future

import pytest

from tests.waiting import PATIENCE_S
from zarrcore.errors import StoreError
from zarrcore.operations.parallel import in_parallel
from zarrcore.threads import ThreadPool, at_once, meanwhile, result_of, wait_for

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


def test_values_requested_meanwhile_need_no_idle_thread() -> None:
    """The caller is the only thread of the pool, so no other thread can request them."""
    asked: list[str] = []

    def get(key: str) -> str:
        asked.append(key)
        if key == "failing":
            raise StoreError("no answer")
        return key.upper()

    with ThreadPool(1) as threads:

        def use() -> list[str]:
            known = meanwhile(get, ["a", "failing", "b"], threads)
            with pytest.raises(StoreError, match="no answer"):
                known("failing")
            return [known("a"), known("a"), known("c")]

        assert threads.submit(use).result() == ["A", "A", "C"]
    assert asked == ["failing", "a", "c", "b"], "each once"


def test_idle_threads_request_values_meanwhile() -> None:
    begun = threading.Event()

    def get(key: str) -> str:
        if key == "second":
            begun.set()
        elif not begun.wait(PATIENCE_S):
            raise StoreError("no thread requested the second value")
        return key

    with ThreadPool(1) as threads:
        known = meanwhile(get, ["second"], threads)
        assert (known("first"), known("second")) == ("first", "second")


WAITS: dict[str, Callable[[Callable[[], object]], object]] = {
    "at once": lambda stuck: at_once(lambda _key: stuck(), ["a", "b"])("a"),
    "in parallel": lambda stuck: [*in_parallel(lambda _item: stuck(), range(3), 2)],
    "an event": lambda _stuck: wait_for(threading.Event()),
    "a future": lambda _stuck: result_of(Future[None]()),
}


@pytest.fixture
def _interruptible() -> Iterator[None]:
    """Where a shell started the tests in the background, this process ignores interrupts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interruptible")
@pytest.mark.parametrize("waits", WAITS.values(), ids=WAITS)
def test_an_interrupt_just_before_a_wait_ends_it(waits: Callable[[Callable[[], object]], object]) -> None:
    """`interrupt_main` leaves a note for this thread, as such a signal does, and does not wake it."""
    release = threading.Event()
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            waits(lambda: release.wait(60))
    finally:
        release.set()
        timer.join()


def test_an_error_of_the_work_is_not_taken_for_a_wait() -> None:
    failed = Future[None]()
    failed.set_exception(TimeoutError("of the work"))
    with pytest.raises(TimeoutError, match="of the work"):
        result_of(failed)
