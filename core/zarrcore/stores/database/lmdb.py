"""An LMDB database in the layout of zarr-python 2: the database's keys are the store's keys in UTF-8."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import xxhash

from zarrcore.errors import BodyTooLargeError
from zarrcore.stores.database.key_order import KeyOrderedStore, KnownStats
from zarrcore.stores.database.lmdb_environment import Environment, environment_at, failing
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ReadableStore,
    StoreEntry,
    StoreStat,
    WritableStore,
)
from zarrcore.stores.keys import check_key, encoded_key
from zarrcore.stores.options import DEFAULTS
from zarrcore.stores.validation import check_place

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    import lmdb

_ERASED_AT_ONCE: Final = 1000


class LMDBStore(ReadableStore, KeyOrderedStore, WritableStore):
    """The main database of an LMDB file. Each value is stored in its own transaction.

    Reading never blocks. Keys have at most 511 bytes. LMDB keeps a lock file beside the database, and creates it
    if it is missing; if it may not create it, no program must write meanwhile. The etag is a hash of the value.

    Args:
        path: the directory that contains ``data.mdb``, or a database file.
        create: create the directory and the database if they are missing.
        durable: write each value through to the disk before ``set`` returns, so that it survives a crash of the machine.
        timeout_s: how long to wait for other writers.

    Raises:
        StoreNotFoundError: there is no database.
        BrokenBodyError: the file is not an LMDB database, or is damaged.
        AccessDeniedError: access is denied.
        MissingExtraError: the Python package lmdb is not installed.
    """

    fills_buffers = True

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
        self.url = f"lmdb://{self.path}"
        self.durable = durable
        self.timeout_s = timeout_s
        self._known = KnownStats()
        self._environment: Environment | None = environment_at(self.path, self.url, create=create)

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_environment": None}

    @property
    def identity(self) -> Hashable:
        return "lmdb", os.path.realpath(self.path)

    def close(self) -> None:
        environment, self._environment = self._environment, None
        if environment is not None:
            with failing(None, self.url):
                environment.sync()

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        with self._value(key) as value:
            return None if value is None else bytes(self._part(key, value, byte_range, max_nbytes))

    def get_into(self, key: str, buffer: memoryview, byte_range: ByteRange | None = None) -> int | None:
        with self._value(key) as value:
            if value is None:
                return None
            part = self._part(key, value, byte_range, len(buffer))
            buffer[: len(part)] = part
            return len(part)

    def stat(self, key: str) -> StoreStat | None:
        name = self._name(key)
        with failing(key, self.url), (database := self._database()).reading() as transaction:
            version = database.token, transaction.id()
            known = self._known.get(key, version)
            if known is not None:
                return known
            value: Any = transaction.get(name)
            if value is None:
                return None
            facts = StoreStat(len(value), None, xxhash.xxh3_128_hexdigest(value))
            return self._known.put(key, version, facts)

    def _part(
        self, key: str, value: memoryview, byte_range: ByteRange | None, max_nbytes: int | None
    ) -> memoryview:
        start, stop = (0, len(value)) if byte_range is None else byte_range.resolve(len(value))
        if max_nbytes is not None and stop - start > max_nbytes:
            raise BodyTooLargeError(stop - start, max_nbytes, key=key, url=self.url)
        return value[start:stop]

    @contextmanager
    def _value(self, key: str) -> Iterator[memoryview | None]:
        """A view of the value in the mapped file, valid in the block."""
        name = self._name(key)
        with failing(key, self.url), self._database().reading() as transaction:
            value: Any = transaction.get(name)  # a memoryview, as asked for in `Environment.reading`
            yield value

    def _page(self, start: str, stop: str | None, limit: int, directly_under: str | None) -> list[StoreEntry]:
        end = None if stop is None else encoded_key(stop, self.url)
        above = None if directly_under is None else len(directly_under)
        page: list[StoreEntry] = []
        with (
            failing(None, self.url),
            self._database().reading() as transaction,
            transaction.cursor() as cursor,
        ):
            more = cursor.set_range(encoded_key(start, self.url)) if start else cursor.first()
            while more and len(page) < limit:
                name = bytes(cursor.key())
                if end is not None and name >= end:
                    break
                key = name.decode("utf-8", "surrogateescape")
                # The Python package reads a whole value from the disk to get its size.
                told = above is None or "/" not in key[above:]
                page.append(StoreEntry(key, len(cursor.value()) if told else None))
                more = cursor.next()
        return page

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        name = self._name(key)
        return self._write(key, lambda transaction: transaction.put(name, value, overwrite=not if_absent))

    def erase(self, key: str) -> None:
        self.erase_values((key,))

    def erase_values(self, keys: Iterable[str]) -> None:
        names = (self._name(key) for key in keys)
        while batch := [*islice(names, _ERASED_AT_ONCE)]:
            self._write(None, partial(_delete, names=batch))

    def _write(self, key: str | None, change: Callable[[lmdb.Transaction], bool]) -> bool:
        with failing(key, self.url):
            return self._database().write(change, self.timeout_s, durable=self.durable)

    def _database(self) -> Environment:
        """The environment of the file that has the name now."""
        self._environment = found = environment_at(self.path, self.url)
        return found

    def _name(self, key: str) -> bytes:
        check_key(key, self.url)
        return encoded_key(key, self.url)


def _delete(transaction: lmdb.Transaction, names: list[bytes]) -> bool:
    for name in names:
        transaction.delete(name)
    return True
