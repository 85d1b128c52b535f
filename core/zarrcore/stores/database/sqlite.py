"""A SQLite database with one row for each key, in the layout of zarr-python 2: ``zarr(k TEXT PRIMARY KEY, v BLOB)``."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Final, TypeVar

import xxhash

from zarrcore.errors import BodyTooLargeError, InvalidKeyError
from zarrcore.stores.database.key_order import KeyOrderedStore, KnownStats, stop_of
from zarrcore.stores.database.sqlite_connections import Connections
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ReadableStore,
    StoreEntry,
    StoreStat,
    WritableStore,
)
from zarrcore.stores.keys import check_key, check_prefix
from zarrcore.stores.options import DEFAULTS
from zarrcore.stores.validation import check_place

Result = TypeVar("Result")

_ERASED_AT_ONCE: Final = 1000
_HASHED_AT_ONCE: Final = 1 << 20

_FIND: Final = "SELECT rowid, v IS NULL FROM zarr WHERE k = ?"
# The length of a blob is known without reading it; the length of a text counts characters.
_PAGE: Final = """
    SELECT k, CASE typeof(v) WHEN 'text' THEN length(CAST(v AS BLOB)) ELSE coalesce(length(v), 0) END
    FROM zarr WHERE k >= ? AND k < ? ORDER BY k LIMIT ?"""
_AFTER_ALL_TEXTS: Final = b""
"""In SQLite's order, every blob, even an empty one, comes after every text."""


class SQLiteStore(ReadableStore, KeyOrderedStore, WritableStore):
    """The rows of the table ``zarr`` of a database file. Each value is stored in its own transaction.

    Threads read concurrently; threads that write take turns. If another program keeps the database locked, a request
    waits up to ``timeout_s``. The etag is a hash of the value, which is read once for it.

    Args:
        path: the file.
        create: create file and table if they are missing.
        durable: write each value through to the disk before ``set`` returns, so that it survives a crash of the machine.
        timeout_s: how long to wait for programs that lock the database.

    Raises:
        StoreNotFoundError: the file or its table does not exist.
        BrokenBodyError: the file is not a SQLite database, or is damaged.
        AccessDeniedError: access is denied.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        create: bool = False,
        durable: bool = False,
        timeout_s: float = DEFAULTS.timeout_s,
    ) -> None:
        check_place(os.fspath(path))
        self.path = os.path.abspath(os.fspath(path))
        self.url = f"sqlite://{self.path}"
        self._connections = Connections(self.path, self.url, durable=durable, timeout_s=timeout_s)
        self._known = KnownStats()
        if create:
            self._connections.create()
        with self._connections.reading():
            """Open a connection, so that errors are reported now."""

    @property
    def identity(self) -> Hashable:
        return "sqlite", os.path.realpath(self.path)

    def close(self) -> None:
        self._connections.close()

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        def read(size: int, blob: sqlite3.Blob | None) -> bytes:
            start, stop = (0, size) if byte_range is None else byte_range.resolve(size)
            if max_nbytes is not None and stop - start > max_nbytes:
                raise BodyTooLargeError(stop - start, max_nbytes, key=key, url=self.url)
            if blob is None or start == stop:
                return b""
            blob.seek(start)
            return blob.read(stop - start)

        return self._look(key, read)

    def stat(self, key: str) -> StoreStat | None:
        def tell(size: int, blob: sqlite3.Blob | None) -> StoreStat:
            digest = xxhash.xxh3_128()
            while part := b"" if blob is None else blob.read(_HASHED_AT_ONCE):
                digest.update(part)
            return StoreStat(size, None, digest.hexdigest())

        version = self._connections.version()
        known = self._known.get(key, version)
        if known is not None:
            return known
        found = self._look(key, tell)
        return None if found is None else self._known.put(key, version, found)

    def _look(self, key: str, use: Callable[[int, sqlite3.Blob | None], Result]) -> Result | None:
        """The result of ``use`` for a value's size and blob (None if it is empty); None if the key is absent."""
        self._check(key)
        with self._connections.reading(key) as connection, _transaction(connection, "DEFERRED"):
            row = connection.execute(_FIND, (key,)).fetchone()
            if row is None:
                return None
            if row[1]:  # how some versions of Python stored an empty value
                return use(0, None)
            with connection.blobopen("zarr", "v", row[0], readonly=True) as blob:
                return use(len(blob), blob)

    def _page(self, start: str, stop: str | None, limit: int, directly_under: str | None) -> list[StoreEntry]:
        bounds = (self._encodable(start), _AFTER_ALL_TEXTS if stop is None else stop)
        with self._connections.reading() as connection:
            return [StoreEntry(*row) for row in connection.execute(_PAGE, (*bounds, limit))]

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        self._check(key)
        verb = "INSERT OR IGNORE" if if_absent else "REPLACE"
        with self._connections.writing(key) as connection:
            done = connection.execute(f"{verb} INTO zarr(k, v) VALUES (?, ?)", (key, memoryview(value)))
            return done.rowcount == 1

    def erase(self, key: str) -> None:
        self.erase_values((key,))

    def erase_values(self, keys: Iterable[str]) -> None:
        rows = ((self._check(key),) for key in keys)
        while batch := [*islice(rows, _ERASED_AT_ONCE)]:
            with self._connections.writing() as connection, _transaction(connection, "IMMEDIATE"):
                connection.executemany("DELETE FROM zarr WHERE k = ?", batch)

    def erase_prefix(self, prefix: str) -> None:
        check_prefix(prefix, self.url)
        stop = stop_of(prefix)
        bounds = (self._encodable(prefix), _AFTER_ALL_TEXTS if stop is None else stop)
        with self._connections.writing(prefix) as connection:
            connection.execute("DELETE FROM zarr WHERE k >= ? AND k < ?", bounds)

    def _check(self, key: str) -> str:
        check_key(key, self.url)
        return self._encodable(key)

    def _encodable(self, key: str) -> str:
        try:
            key.encode()
        except UnicodeEncodeError as error:
            raise InvalidKeyError(
                f"{key!r} is not a text that a database can store", key=key, url=self.url
            ) from error
        return key


@contextmanager
def _transaction(connection: sqlite3.Connection, kind: str) -> Iterator[None]:
    connection.execute(f"BEGIN {kind}")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
