"""Connections to a SQLite database: one per active thread, none kept after a fork, errors as zarrcore's errors."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import stat
import threading
import time
import weakref
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import quote

from zarrcore.errors import (
    AccessDeniedError,
    BrokenBodyError,
    StoreError,
    StoreFullError,
    StoreNotFoundError,
    StoreTimeoutError,
    ValueTooLargeError,
)
from zarrcore.stores.descriptors import open_flags
from zarrcore.stores.local.file_reading import file_failure
from zarrcore.system import os

_CREATE: Final = "CREATE TABLE IF NOT EXISTS zarr(k TEXT PRIMARY KEY, v BLOB)"
_MADE: Final = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'zarr' COLLATE NOCASE"
_ODD: Final = re.compile(r"CREATE\s+VIRTUAL\b|\bAS\s*\(|\bWITHOUT\s+ROWID\b", re.IGNORECASE)
"""Kinds of table that are refused."""

_CLOCK_S: Final = 0.1
"""Longer than a tick of the clock for file times."""

_JOURNAL: Final = "-journal"
_RESERVED_NBYTES: Final = 64 << 10
"""Enough for the pages that erasing a value of some hundred MB changes."""
_JOURNAL_MAX_NBYTES: Final = 1 << 20
"""How much of a journal is kept after a transaction."""

_Place = tuple[int, int]
"""Device and inode of a file."""

_LOCKED: Final = "another program keeps the database locked (--timeout)"
_FAILURES: Final[dict[int, tuple[type[StoreError], str]]] = {
    sqlite3.SQLITE_BUSY: (StoreTimeoutError, _LOCKED),
    sqlite3.SQLITE_LOCKED: (StoreTimeoutError, _LOCKED),
    sqlite3.SQLITE_PERM: (AccessDeniedError, "access is denied"),
    sqlite3.SQLITE_AUTH: (AccessDeniedError, "access is denied"),
    sqlite3.SQLITE_READONLY: (AccessDeniedError, "the file, or its directory, is read-only"),
    sqlite3.SQLITE_CANTOPEN: (AccessDeniedError, "the file, or the journal beside it, cannot be opened"),
    sqlite3.SQLITE_CORRUPT: (BrokenBodyError, "the database is damaged"),
    sqlite3.SQLITE_NOTADB: (BrokenBodyError, "it is not a SQLite database"),
    sqlite3.SQLITE_FULL: (StoreFullError, "the disk is full"),
    sqlite3.SQLITE_TOOBIG: (ValueTooLargeError, "it is larger than SQLite allows"),
    sqlite3.SQLITE_NOMEM: (StoreError, "there is not enough memory for it"),
}


class Connections:
    """Connections to a database file, each for one user at a time.

    Args:
        path: the file.
        url: the URL to show in errors.
        durable: write each transaction through to the disk before it counts as done.
        timeout_s: how long to wait for programs that lock the database.
    """

    def __init__(self, path: str, url: str, *, durable: bool, timeout_s: float) -> None:
        self.path = path
        self.url = url
        self.durable = durable
        self.timeout_s = timeout_s
        self._begin()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()

    def _begin(self) -> None:
        self._idle = _Idle(self.path)
        self._writing = threading.Lock()
        weakref.finalize(self, self._idle.close)

    def close(self) -> None:
        """Close the connections that are not in use."""
        self._idle.close()

    def create(self) -> None:
        """Create the file and its table if they are missing.

        Raises:
            StoreError: they cannot be created.
        """
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
        except OSError as error:
            raise file_failure(error, None, self.url) from error
        with self._failing(None):
            self._connect("rwc").close()

    @contextmanager
    def reading(self, key: str | None = None) -> Iterator[sqlite3.Connection]:
        """A connection for the block. Errors of SQLite become zarrcore's errors.

        Raises:
            StoreError: an error of SQLite; the file is gone, or does not have the table.
        """
        place = self._place()
        # SQLite forbids using or even closing inherited connections in a forked process.
        if self._idle.pid != os.getpid():
            _left.append(self._idle)
            self._begin()
        idle = self._idle
        with self._failing(key):
            connection = idle.take(place) or self._connect("rw")
            try:
                yield connection
            except StoreError:  # one of zarrcore's errors: the connection is still usable
                idle.put(place, connection)
                raise
            except BaseException:
                connection.close()
                raise
        idle.put(place, connection)

    @contextmanager
    def writing(self, key: str | None = None) -> Iterator[sqlite3.Connection]:
        """A connection for a writer. A process's writers take turns, because SQLite itself waits by sleeping."""
        with self.reading(key) as connection, self._writing:
            if _journal_mode(connection) == "delete":
                connection.execute("PRAGMA journal_mode = PERSIST")
            try:
                yield connection
            finally:
                self._reserve_room()

    def _reserve_room(self) -> None:
        """Keep some room in the journal, so that values can be erased on a full disk.

        SQLite keeps the journal, and never reads behind its records. Another program's journal only grows by zeros.
        """
        with contextlib.suppress(
            OSError
        ):  # there is none in another mode; on a full disk, it is as large as it is
            journal = os.open(self.path + _JOURNAL, open_flags("O_RDWR", "O_CLOEXEC"))
            try:
                if os.fstat(journal).st_size < _RESERVED_NBYTES:
                    os.posix_fallocate(journal, 0, _RESERVED_NBYTES)
            finally:
                os.close(journal)

    def version(self) -> Hashable:
        """A version that changes with the database; None so soon after a change that another one could have the same time."""
        facts = []
        for path in (self.path, f"{self.path}-wal"):
            with contextlib.suppress(OSError):
                facts.append(os.stat(path))
        if not facts or time.time() - max(fact.st_mtime for fact in facts) < _CLOCK_S:
            return None
        return tuple((fact.st_ino, fact.st_size, fact.st_mtime_ns) for fact in facts)

    def _place(self) -> _Place:
        """The identity of the file: a replaced file is opened again, a removed file is an error."""
        try:
            facts = os.stat(self.path)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise StoreNotFoundError(f"there is no file {self.path}", url=self.url) from error
        except OSError as error:
            raise file_failure(error, None, self.url) from error
        if not stat.S_ISREG(facts.st_mode):
            raise StoreNotFoundError(f"{self.path} is not a file", url=self.url)
        return facts.st_dev, facts.st_ino

    def _connect(self, mode: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"file:{quote(os.fsencode(self.path))}?mode={mode}",
            uri=True,
            timeout=self.timeout_s,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            # A file from an unknown source must not run functions that are written in its schema.
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute(f"PRAGMA synchronous = {'FULL' if self.durable else 'NORMAL'}")
            # Erasing a value must not write as many bytes as it has.
            connection.execute("PRAGMA secure_delete = FAST")
            connection.execute(f"PRAGMA journal_size_limit = {_JOURNAL_MAX_NBYTES}")
            connection.text_factory = _decode
            if mode == "rwc":
                connection.execute(_CREATE)
            self._check_layout(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_layout(self, connection: sqlite3.Connection) -> None:
        columns = {name for (name,) in connection.execute("SELECT name FROM pragma_table_info('zarr')")}
        made = connection.execute(_MADE).fetchone()
        # A view or a virtual table runs foreign code, possibly forever.
        if made is None or not {"k", "v"} <= columns or _ODD.search(made[0]):
            raise StoreNotFoundError(f"{self.url} has no table zarr(k, v) with keys", url=self.url)
        if connection.execute("PRAGMA encoding").fetchone() != ("UTF-8",):
            raise StoreError(f"{self.url} stores its texts in UTF-16: only UTF-8 can be listed", url=self.url)

    @contextmanager
    def _failing(self, key: str | None) -> Iterator[None]:
        """Turn errors of SQLite into zarrcore's errors."""
        try:
            yield
        except (sqlite3.Error, OverflowError, MemoryError) as error:
            code = getattr(error, "sqlite_errorcode", None)
            if code is None:  # Python's wrapper refuses a value of 2 GiB
                code = sqlite3.SQLITE_NOMEM if isinstance(error, MemoryError) else sqlite3.SQLITE_TOOBIG
            kind, reason = _FAILURES.get(code & 0xFF, (StoreError, str(error)))
            what = f"{key} in {self.url}" if key else self.url
            raise kind(f"{what}: {reason}", key=key, url=self.url) from error


class _Idle:
    """The idle connections of one process."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.pid = os.getpid()
        self._waiting: list[tuple[_Place, sqlite3.Connection]] = []

    def take(self, place: _Place) -> sqlite3.Connection | None:
        """A connection to the file that has the name now; connections to a former file are closed."""
        while waiting := self._pop():
            opened, connection = waiting
            if opened == place:
                return connection
            connection.close()
        return None

    def put(self, place: _Place, connection: sqlite3.Connection) -> None:
        self._waiting.append((place, connection))

    def close(self) -> None:
        """Close the connections of this process, and remove the journal that they kept."""
        while self.pid == os.getpid() and (waiting := self._pop()):
            place, connection = waiting
            with contextlib.suppress(sqlite3.Error, OSError):  # another program writes, or the file is gone
                facts = os.stat(self.path)
                # The journal of another file of this name is not ours.
                if place == (facts.st_dev, facts.st_ino) and _journal_mode(connection) == "persist":
                    connection.execute("PRAGMA journal_mode = DELETE")
            connection.close()

    def _pop(self) -> tuple[_Place, sqlite3.Connection] | None:
        try:
            return self._waiting.pop()
        except IndexError:
            return None


_left: list[_Idle] = []
"""The inherited connections, which a forked process keeps and does not touch."""


def _journal_mode(connection: sqlite3.Connection) -> str:
    return str(connection.execute("PRAGMA journal_mode").fetchone()[0])


def _decode(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")
