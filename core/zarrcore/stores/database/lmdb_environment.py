"""LMDB environments: each file is open once per process, for any number of stores; errors as zarrcore's errors.

LMDB maps the file into memory. A process must not open it twice, nor use it after a fork while it was open. LMDB trusts the
mapped file: damaged pages may crash the process. Writers of all processes wait for each other without a time limit and cannot
give up. So a separate thread writes, and callers wait for it up to their own time limit.
"""

from __future__ import annotations

import errno
import queue
import stat
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from zarrcore.errors import (
    AccessDeniedError,
    BrokenBodyError,
    KeyTooLongError,
    MissingExtraError,
    StoreError,
    StoreFullError,
    StoreNotFoundError,
    StoreTimeoutError,
)
from zarrcore.late_imports import from_extra
from zarrcore.stores.local.file_reading import file_failure
from zarrcore.system import os

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    import lmdb

_MAP_BYTES: Final = 1 << 40
"""Maximum size of the file: address space, not memory. The same as in zarr-python."""

_MOST_READERS: Final = 1024

_LITTLE: Final = 1 << 20
"""With less free space than this, a disk counts as full."""

_BROKEN: Final = (BrokenBodyError, "the database is damaged")
_FAILURES: Final[dict[str, tuple[type[StoreError], str]]] = {
    "BadValsizeError": (KeyTooLongError, "the key is too long for LMDB"),
    "MapFullError": (StoreFullError, "the database has reached its maximum size"),
    "ReadersFullError": (StoreError, "too many programs read the database at once"),
    "ReadonlyError": (AccessDeniedError, "the database, or its directory, is read-only"),
    "InvalidError": (BrokenBodyError, "it is not an LMDB database"),
    "VersionMismatchError": (BrokenBodyError, "it is a database of another version of LMDB"),
    "CorruptedError": _BROKEN,
    "PageNotFoundError": _BROKEN,
    "PanicError": _BROKEN,
    "BadChecksumError": _BROKEN,
    "MemoryError": (StoreError, "there is not enough memory for it"),
}


class Environment:
    """An open database, shared by the stores of a process. Obtained from `environment_at`; closed with its last user.

    Attributes:
        pid: the process that opened it.
        token: identifies it uniquely.
        nbytes: the size of its file when it was opened.
    """

    def __init__(self, path: str, file: str, *, create: bool) -> None:
        self.pid = os.getpid()
        self.token = object()
        self._env = _opened(path, create=create)
        weakref.finalize(self, self._env.close)
        self.nbytes = os.stat(file).st_size
        pages = self._env.info()["last_pgno"] + 1
        if self.nbytes < pages * self._env.stat()["psize"]:  # reading beyond the end would crash the process
            raise BrokenBodyError("the file is shorter than the database in it")
        self._jobs: queue.SimpleQueue[_Job | None] | None = None
        self._starting = threading.Lock()

    @contextmanager
    def reading(self) -> Iterator[lmdb.Transaction]:
        """A snapshot of the database. Its values are invalid after the block."""
        try:
            transaction = self._env.begin(buffers=True)
        except Exception as error:
            if type(error).__name__ != "ReadersFullError":
                raise
            self._env.reader_check()  # killed readers still count
            transaction = self._env.begin(buffers=True)
        with transaction:
            yield transaction

    def write(self, change: Callable[[lmdb.Transaction], bool], timeout_s: float, *, durable: bool) -> bool:
        """The result of ``change``, after it is committed and visible to all.

        Raises:
            TimeoutError: another program was writing all the time; nothing was changed.
        """
        job = _Job(change, durable)
        with self._starting:
            if self._jobs is None:
                self._jobs = queue.SimpleQueue()
                thread = threading.Thread(target=_work, args=(self._env, self._jobs), daemon=True)
                thread.start()
                weakref.finalize(self, _end, self._jobs, thread)
        self._jobs.put(job)
        try:
            return job.done.result(timeout_s)
        except TimeoutError:
            if job.done.cancel():
                raise
            return job.done.result()  # it has already started

    def sync(self) -> None:
        """Write everything through to the disk."""
        if not self._env.flags()["readonly"]:
            self._env.sync(True)


class _Job:
    """One change and its outcome."""

    def __init__(self, change: Callable[[lmdb.Transaction], bool], durable: bool) -> None:
        self.change = change
        self.durable = durable
        self.done: Future[bool] = Future()


def _work(env: lmdb.Environment, jobs: queue.SimpleQueue[_Job | None]) -> None:
    while (job := jobs.get()) is not None:
        try:
            with env.begin(write=True) as transaction:
                if not job.done.set_running_or_notify_cancel():
                    continue
                result = job.change(transaction)
            if job.durable:
                env.sync(True)
        except BaseException as error:  # noqa: BLE001 - it is passed to the waiting thread
            if not job.done.cancelled():
                job.done.set_exception(error)
        else:
            job.done.set_result(result)


def _end(jobs: queue.SimpleQueue[_Job | None], thread: threading.Thread) -> None:
    jobs.put(None)
    thread.join(1.0)  # longer only if another program keeps it waiting


_open: weakref.WeakValueDictionary[tuple[int, int], Environment] = weakref.WeakValueDictionary()
_opening = threading.Lock()


def environment_at(path: str, url: str, *, create: bool = False) -> Environment:
    """The database at ``path``, a directory or a file.

    Raises:
        MissingExtraError: the Python package lmdb is not installed.
        StoreError: there is no database, or it cannot be opened.
    """
    file = os.path.join(path, "data.mdb") if os.path.isdir(path) else path
    with failing(None, url):
        if create and not _is_filled(file):
            os.makedirs(path, exist_ok=True)
            file = os.path.join(path, "data.mdb")
        elif not _is_filled(file):
            raise StoreNotFoundError(f"there is no LMDB database at {path}", url=url)
        with _opening:
            facts = os.stat(file) if _is_filled(file) else None
            found = None if facts is None else _open.get((facts.st_dev, facts.st_ino))
            if found is None:
                found = Environment(path, file, create=create)
                facts = os.stat(file)
                _open[facts.st_dev, facts.st_ino] = found
    if found.pid != os.getpid():
        raise StoreError(f"{url} cannot be used in a process that was forked while it was open", url=url)
    if facts is not None and facts.st_size < found.nbytes:
        raise BrokenBodyError(f"{url}: the file became shorter", url=url)
    return found


def _is_filled(file: str) -> bool:
    """Whether a file exists and is not empty: LMDB always turns an empty file into a database."""
    try:
        facts = os.stat(file)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return stat.S_ISREG(facts.st_mode) and facts.st_size > 0


def _opened(path: str, *, create: bool) -> lmdb.Environment:
    from_extra("lmdb", "reading LMDB databases", "lmdb")
    import lmdb

    options: dict[str, Any] = {
        "subdir": os.path.isdir(path),
        "map_size": _MAP_BYTES,
        "max_readers": _MOST_READERS,
        "max_spare_txns": 0,  # a forked process would take over the reader slots of idle threads
        "sync": False,  # the order of the writes that matter is kept anyway
        "metasync": False,
    }
    if create:
        return lmdb.open(path, **options)
    for less in ({}, {"readonly": True}, {"readonly": True, "lock": False}):
        try:
            return lmdb.open(path, create=False, **options, **less)
        except lmdb.Error as error:
            if less.get("lock") is False or not _is_denied(error):
                raise
    raise AssertionError("unreachable")


def _is_full(path: str) -> bool:
    try:
        disk = os.statvfs(path)
    except OSError:
        return False
    return disk.f_bavail * disk.f_frsize < _LITTLE


def _is_denied(error: Exception) -> bool:
    return type(error).__name__ in {"ReadonlyError", "LockError"} or "ermission denied" in str(error)


@contextmanager
def failing(key: str | None, url: str) -> Iterator[None]:
    """Turn errors of LMDB and of the operating system into zarrcore's errors."""
    try:
        yield
    except (StoreError, MissingExtraError):
        raise
    except TimeoutError as error:
        what = f"{key} in {url}" if key else url
        text = f"{what}: another program keeps the database locked (--timeout)"
        raise StoreTimeoutError(text, key=key, url=url) from error
    except OSError as error:
        raise file_failure(error, key, url) from error
    except Exception as error:
        name, what = type(error).__name__, f"{key} in {url}" if key else url
        if type(error).__module__.partition(".")[0] != "lmdb" and name != "MemoryError":
            raise
        code = getattr(error, "code", None) or 0
        if code == errno.EIO and _is_full(url.partition("://")[2]):
            code = errno.ENOSPC  # LMDB does not report separately that only a part could be written
        if name not in _FAILURES and code > 0:
            raise file_failure(OSError(code, os.strerror(code)), key, url) from error
        kind, reason = _FAILURES.get(name, (StoreError, str(error)))
        raise kind(f"{what}: {reason}", key=key, url=url) from error
