"""Work on a Dask cluster: the workers' processes instead of threads of this one.

Work is a callable with its witnesses, and the items that it is called with. It is pickled once, and each worker unpickles it once
for all its items. Calling it twice with an item must do no harm: other workers repeat what a lost worker did.
"""

from __future__ import annotations

import gc
import hashlib
import logging
import pickle
import threading
import time
from asyncio import CancelledError as TaskCancelledError
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple, Protocol

from zarrcore.array.pools import limit_threads
from zarrcore.errors import ClusterError, MissingExtraError, StoreError, ZarrError
from zarrcore.operations.parallel import in_parallel
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.memory import MemoryStore
from zarrcore.stores.wrapper.interface import WrapperStore

_log = logging.getLogger(__name__)

_AHEAD: Final = 2
"""Tasks at the cluster for each of its threads, so that no worker waits for the next one."""

_TASK_S: Final = 0.5
"""The time that a task should take on a small cluster."""

_TASK_S_PER_THREAD: Final = 0.01
"""The same on a large one, for each of its threads: so the scheduler starts about 100 tasks in a second."""

_MOST_ITEMS: Final = 1024
_MOST_RESULTS: Final = 64
"""Tasks for each that is at the cluster, of which the first is not done: the others' results wait in memory."""

_LOOK_S: Final = 2.0
"""How often the cluster is asked for its size, which may change."""


class Witness(NamedTuple):
    """A key that every worker must find with the value that this process finds.

    A worker that does not see a directory, or sees another one under its name, would take all of its chunks for missing.
    """

    store: ReadableStore
    key: str

    def digest(self) -> bytes | None:
        """What distinguishes its value from others."""
        value = self.store.get(self.key)
        return None if value is None else hashlib.sha256(value).digest()


class Work(Protocol):
    """What the cluster calls with each item. It can be pickled."""

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """What every worker must see."""

    @property
    def at_once(self) -> int:
        """How many items a thread of a worker does at once: more than one if they wait for a network most of the time."""

    def __call__(self, item: Any, /) -> Any:
        """The result for an item."""


RunWork = Callable[[Iterable[tuple[Any, Any]]], Iterator[Any]]
"""Calls work with items; the results, in the order of the items."""


@contextmanager
def on_cluster(address: str) -> Iterator[RunWork]:
    """A function that calls work with items on the cluster whose scheduler is at ``address``.

    Every worker must reach the stores; local ones through a shared file system.

    Raises:
        MissingExtraError: Dask's distributed scheduler is not installed.
        ClusterError: no scheduler answers at ``address``.
    """
    try:
        from distributed import Client
        from distributed.comm import get_address_host_port
    except ImportError as error:
        raise MissingExtraError("working on a cluster", "dask") from error
    with _quiet():
        # A client that could not connect closes itself when it is collected, and needs a lock for it that the next client holds
        # while the thread of its event loop starts. If that thread collects it, both wait for each other.
        gc.collect()
        try:
            if "://" not in address or address.startswith(("tcp://", "tls://")):
                get_address_host_port(
                    address
                )  # a client of a malformed one takes 20 s to end, and prints a traceback
            client: Any = Client(address, timeout="10s", set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise ClusterError(f"no Dask scheduler answers at {address}: {error}", address) from error
        try:
            yield lambda pairs: _Run(client, address).results(pairs)
        finally:
            with suppress(Exception):  # it may be lost, which was raised before
                client.close(timeout=2)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the log of distributed, which reports the same failures in many lines."""
    # Each of its loggers has a level and a handler of its own.
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]
    loud = [log for log in map(logging.getLogger, names) if not log.disabled]
    for log in loud:
        log.disabled = True
    try:
        yield
    finally:
        for log in loud:
            log.disabled = False


@dataclass(slots=True)
class _Task:
    """Some items of one piece of work, at the cluster."""

    future: Any
    items: int
    is_done: bool = False


class _Run:
    """Calling work with items on a cluster."""

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._address = address
        self._done: SimpleQueue[_Task] = SimpleQueue()
        self._tasks: deque[_Task] = deque()
        self._at_cluster = 0
        self._threads = 0
        self._looked_s = 0.0
        self._told = False
        self._work: Work | None = None
        self._packed = b""
        self._item_s = 0.0
        self._most_items = 1

    def results(self, pairs: Iterable[tuple[Work, Any]]) -> Iterator[Any]:
        """The results, in the order of the items."""
        rest = iter(pairs)
        held: list[tuple[Work, Any]] = []
        try:
            while True:
                while self._has_room() and (held or (held := list(islice(rest, 1)))):
                    held = self._submit(held[0], rest)
                if not self._tasks:
                    return
                self._wait()
                while self._tasks and self._tasks[0].is_done:
                    yield from self._result(self._tasks.popleft())
        finally:
            if self._tasks:
                with suppress(Exception, TaskCancelledError):
                    self._client.cancel([task.future for task in self._tasks], asynchronous=False)

    def _has_room(self) -> bool:
        now_s = time.monotonic()
        if now_s >= self._looked_s:
            self._looked_s = now_s + _LOOK_S
            self._look()
        room = _AHEAD * max(1, self._threads)
        return self._at_cluster < room and len(self._tasks) < _MOST_RESULTS * room

    def _look(self) -> None:
        """Ask for the number of threads: workers may join at any time, and a queue of jobs may start with none."""
        with self._told_plainly():
            self._threads = sum(self._client.nthreads().values())
        if not self._threads and not self._told:
            self._told = True
            _log.warning("the Dask cluster at %s has no worker yet: waiting for one", self._address)

    def _submit(self, first: tuple[Work, Any], rest: Iterator[tuple[Work, Any]]) -> list[tuple[Work, Any]]:
        """Submit an item and those that follow it. Returns the next one if it is of other work."""
        work, item = first
        if work is not self._work:
            self._packed = _pack(work, self._address)
            self._work, self._item_s, self._most_items = work, 0.0, work.at_once
        items = [item]
        other: list[tuple[Work, Any]] = []
        most = self._most_items
        if self._item_s:
            task_s = max(_TASK_S, _TASK_S_PER_THREAD * self._threads)
            most = min(most, max(work.at_once, int(task_s / self._item_s)))
        while len(items) < most and (pair := next(rest, None)) is not None:
            if pair[0] is not work:
                other = [pair]
                break
            items.append(pair[1])
        with self._told_plainly():
            future = self._client.submit(_call, self._packed, items, pure=False, retries=1)
        task = _Task(future, len(items))
        self._tasks.append(task)
        self._at_cluster += 1
        future.add_done_callback(lambda _: self._done.put(task))
        return other

    def _wait(self) -> None:
        """Wait for a task, but no longer than until the cluster's size is asked for again."""
        try:
            done = self._done.get(timeout=_LOOK_S)
            while True:
                done.is_done = True
                self._at_cluster -= 1
                done = self._done.get_nowait()
        except Empty:
            return

    def _result(self, task: _Task) -> list[Any]:
        with self._told_plainly():
            results, taken_s = task.future.result()
        self._item_s = max(taken_s / task.items, 1e-6)
        self._most_items = min(_MOST_ITEMS, 2 * max(self._most_items, task.items))
        return list(results)

    @contextmanager
    def _told_plainly(self) -> Iterator[None]:
        """Errors of the cluster as one sentence; errors of the work stay as they are."""
        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker

        try:
            yield
        except ZarrError:
            raise
        # The connection may break before the client notices that it has no scheduler any more.
        except (CancelledError, TaskCancelledError, CommClosedError) as error:
            raise self._lost() from error
        except KilledWorker as error:
            sentence = "workers ended again and again at the same part; they may need more memory"
            raise ClusterError(
                f"the Dask cluster at {self._address} failed: {sentence}", self._address
            ) from error
        except MemoryError:
            raise
        except Exception as error:
            if self._client.status != "running":
                raise self._lost() from error
            sentence = f"{type(error).__name__}: {error}"
            raise ClusterError(
                f"a worker of the Dask cluster at {self._address} failed ({sentence});"
                " all workers need the same version of zarrscope and of Python as this process",
                self._address,
            ) from error

    def _lost(self) -> ClusterError:
        return ClusterError(
            f"the Dask scheduler at {self._address} was lost or restarted before the work was done",
            self._address,
        )


def _pack(work: Work, address: str) -> bytes:
    for witness in work.witnesses:
        store = witness.store
        while isinstance(store, WrapperStore):
            store = store.store
        if isinstance(store, MemoryStore):
            raise ClusterError(
                f"{store.url} is in the memory of this process, which a cluster does not share", address
            )
    seen = [(witness, witness.digest()) for witness in work.witnesses]
    return pickle.dumps((work, [(witness, digest) for witness, digest in seen if digest is not None]))


def _call(packed: bytes, items: list[Any]) -> tuple[list[Any], float]:
    """The results of the items, and the seconds that they took."""
    work = _unpacked(packed)
    begun_s = time.perf_counter()
    threads = min(work.at_once, len(items))
    results = [*in_parallel(work, items, threads)] if threads > 1 else [work(item) for item in items]
    return results, time.perf_counter() - begun_s


_unpacking = threading.Lock()


def _unpacked(packed: bytes) -> Work:
    with _unpacking:  # several threads of a worker begin at once
        return _unpack(packed)


@lru_cache(maxsize=8)
def _unpack(packed: bytes) -> Work:
    """Made once for all items of an array: opening the connections of a store is expensive."""
    from distributed import get_worker

    worker: Any = get_worker()
    limit_threads(worker.state.nthreads)  # a machine may have a worker for each core
    work: Work
    try:
        work, seen = pickle.loads(packed)  # noqa: S301 - from this program, through Dask, which pickles itself
        for witness, digest in seen:
            if witness.digest() != digest:
                where = f"{witness.key} in {witness.store.url}"
                raise ClusterError(
                    f"{where} is not what the worker {worker.address} sees there", worker.address
                )
    except StoreError as error:
        raise ClusterError(f"the worker {worker.address} cannot work: {error}", worker.address) from error
    return work
