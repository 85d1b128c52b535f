"""Statistics of a store: requests, bytes, seconds and errors by kind of operation."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from zarrcore.errors import StoreError
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ReadableStore,
    StoreEntry,
    StoreStat,
)
from zarrcore.stores.wrapper.interface import WrapperStore
from zarrcore.stores.wrapper.request_log import REACHED, RequestLog, RequestRecord

OPERATIONS: Final = ("get", "stat", "list", "set", "erase")
"""The kinds that are counted separately."""


@dataclass(frozen=True, slots=True)
class OperationStatistics:
    """The counts of one kind of operation so far."""

    requests: int = 0
    """Number of requests; each key of a request for several keys counts."""
    errors: int = 0
    """Number of requests that failed."""
    bytes: int = 0
    """Bytes of values that were read or written."""
    seconds: float = 0.0
    """Time spent waiting for the store, summed over threads."""


class StatisticsStore(WrapperStore):
    """A store that counts its requests; it lists and writes if ``store`` does. Closing it closes the store.

    It costs about a microsecond per request. A pickled store starts counting at zero.

    Args:
        store: the wrapped store.

    >>> from zarrcore.stores.memory import MemoryStore
    >>> store = StatisticsStore(MemoryStore(values={"a": b"12"}))
    >>> store.get("a"), store.get("b"), [entry.key for entry in store.list()]
    (b'12', None, ['a'])
    >>> found = store.statistics()
    >>> found["get"].requests, found["get"].bytes, found["list"].requests
    (2, 2, 1)
    """

    def __init__(self, store: ReadableStore) -> None:
        super().__init__(store)
        self._tallies = {name: _Tally() for name in OPERATIONS}
        self._log: RequestLog | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.store,)

    def statistics(self) -> dict[str, OperationStatistics]:
        """The counts so far, by kind of operation."""
        return {name: tally.read() for name, tally in self._tallies.items()}

    def log_to(self, log: RequestLog | None) -> None:
        """Let ``log`` get each request from now on; None ends that, and then it costs nothing."""
        self._log = log

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        with self._counting("get", key) as count:
            value = super().get(key, byte_range, max_nbytes=max_nbytes)
            count(value)
            return value

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> tuple[BytesLike, StoreStat] | None:
        with self._counting("get", key) as count:
            found = super().get_with_stat(key, byte_range, max_nbytes=max_nbytes)
            count(None if found is None else found[0])
            return found

    def get_into(self, key: str, buffer: memoryview, byte_range: ByteRange | None = None) -> int | None:
        with self._counting("get", key) as count:
            size = super().get_into(key, buffer, byte_range)
            count(None if size is None else buffer[:size])
            return size

    def get_partial_values(
        self, key_ranges: Iterable[tuple[str, ByteRange | None]]
    ) -> list[BytesLike | None]:
        asked = [*key_ranges]
        with self._counting("get", *(key for key, _ in asked)) as count:
            values = super().get_partial_values(asked)
            count(*values)
            return values

    def stat(self, key: str) -> StoreStat | None:
        with self._counting("stat", key) as count:
            found = super().stat(key)
            count.found = found is not None
            return found

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        return self._listing(prefix, super().list_prefix(prefix))

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        return self._listing(prefix, super().list_dir(prefix))

    def has_prefix(self, prefix: str) -> bool:
        with self._counting("list", prefix):
            return super().has_prefix(prefix)

    def _listing(self, prefix: str, entries: Iterator[StoreEntry]) -> Iterator[StoreEntry]:
        """The listing; only the store's time is counted, not that of the caller's loop."""
        seconds, failed = 0.0, ""
        try:
            while True:
                started_s = time.perf_counter()
                try:
                    entry = next(entries, None)
                except StoreError as error:
                    failed = str(error) or type(error).__name__
                    raise
                finally:
                    seconds += time.perf_counter() - started_s
                if entry is None:
                    return
                yield entry
        finally:
            self._add("list", (prefix,), _Count(seconds=seconds, failed=failed))

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        with self._counting("set", key) as count:
            stored = super().set(key, value, if_absent=if_absent)
            count(value)
            return stored

    def set_attested(self, key: str, value: BytesLike) -> bool:
        with self._counting("set", key) as count:
            attested = super().set_attested(key, value)
            count(value)
            return attested

    def replace(self, key: str, value: BytesLike, stat: StoreStat) -> bool:
        with self._counting("set", key) as count:
            stored = super().replace(key, value, stat)
            count(value)
            return stored

    def set_file(self, key: str, descriptor: int, *, if_absent: bool = False) -> bool:
        with self._counting("set", key) as count:
            stored = super().set_file(key, descriptor, if_absent=if_absent)
            count.nbytes += os.fstat(descriptor).st_size
            return stored

    def set_partial_values(self, key_start_values: Iterable[tuple[str, int, BytesLike]]) -> None:
        parts = [*key_start_values]
        with self._counting("set", *(key for key, _, _ in parts)) as count:
            super().set_partial_values(parts)
            count(*(value for _, _, value in parts))

    def erase(self, key: str) -> None:
        with self._counting("erase", key):
            super().erase(key)

    def erase_values(self, keys: Iterable[str]) -> None:
        asked = [*keys]
        with self._counting("erase", *asked):
            super().erase_values(asked)

    def erase_prefix(self, prefix: str) -> None:
        with self._counting("erase", prefix):
            super().erase_prefix(prefix)

    @contextmanager
    def _counting(self, operation: str, *keys: str) -> Iterator[_Count]:
        """Count the block as a request for each key; yields a counter for the bytes that were read or written."""
        count = _Count()
        before, started_s = REACHED.count, time.perf_counter()
        try:
            yield count
        except StoreError as error:
            count.failed = str(error) or type(error).__name__
            raise
        finally:
            count.seconds = time.perf_counter() - started_s
            # The parts of a request for several keys may have been read in other threads.
            count.is_kept = self.remembers and REACHED.count == before and len(keys) == 1
            self._add(operation, keys, count)

    def _add(self, operation: str, keys: tuple[str, ...], count: _Count) -> None:
        self._tallies[operation].add(len(keys), bool(count.failed), count.nbytes, count.seconds)
        log = self._log
        if log is not None and keys:
            is_read = operation in ("get", "stat")
            log.add(
                RequestRecord(
                    time.time(),
                    operation,
                    keys[0],
                    len(keys),
                    count.nbytes,
                    count.seconds,
                    count.failed,
                    is_read and not count.failed and not count.found,
                    is_read and count.is_kept,
                )
            )


class _Tally:
    """Counts of one kind of operation. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts = (0, 0, 0, 0.0)

    def add(self, requests: int, errors: int, nbytes: int, seconds: float) -> None:
        with self._lock:
            before = self._counts
            self._counts = (
                before[0] + requests,
                before[1] + errors,
                before[2] + nbytes,
                before[3] + seconds,
            )

    def read(self) -> OperationStatistics:
        return OperationStatistics(*self._counts)


class _Count:
    """Adds up the sizes of values."""

    __slots__ = ("failed", "found", "is_kept", "nbytes", "seconds")

    def __init__(self, seconds: float = 0.0, failed: str = "") -> None:
        self.nbytes, self.seconds, self.failed = 0, seconds, failed
        self.found = True
        self.is_kept = False

    def __call__(self, *values: BytesLike | None) -> None:
        self.found = any(value is not None for value in values)
        for value in values:
            if value is not None:
                self.nbytes += value.nbytes if isinstance(value, memoryview) else len(value)
