"""Keys in a dictionary: for tests, demonstrations and temporary data of a program."""

from __future__ import annotations

import threading
import time
from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple

from zarrcore.errors import BodyTooLargeError
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    StoreEntry,
    StoreStat,
    WritableStore,
)
from zarrcore.stores.keys import check_key, check_prefix


class _Value(NamedTuple):
    data: bytes
    mtime_s: float
    revision: int


class _Values:
    """The keys of one store; stores of the same name share them."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.by_key: dict[str, _Value] = {}
        self.revision = 0
        self.identity = object()


_named: dict[str, _Values] = {}
_named_lock = threading.Lock()


class MemoryStore(ReadableStore, ListableStore, WritableStore):
    """Values in memory.

    Stores of the same name share their values within the process, as with ``memory://name``; a store without a name
    shares nothing. A pickled store takes its values along, unless the other process already has that name.

    Args:
        name: the name to share values by, or "" for none.
        values: initial values.

    >>> store = MemoryStore(values={"a/zarr.json": b"{}"})
    >>> bytes(store.get("a/zarr.json")), [entry.key for entry in store.list_dir("")]
    (b'{}', ['a/'])
    """

    def __init__(self, name: str = "", values: dict[str, BytesLike] | None = None) -> None:
        self.name = name
        self.url = f"memory://{name}"
        if name:
            with _named_lock:
                self._values = _named.setdefault(name, _Values())
        else:
            self._values = _Values()
        for key, value in (values or {}).items():
            self.set(key, value)

    def __getstate__(self) -> dict[str, Any]:
        with self._values.lock:
            return {"name": self.name, "values": dict(self._values.by_key), "revision": self._values.revision}

    def __setstate__(self, state: dict[str, Any]) -> None:
        values = _Values()
        values.by_key, values.revision = state["values"], state["revision"]
        self.name = state["name"]
        self.url = f"memory://{self.name}"
        if self.name:
            with _named_lock:
                values = _named.setdefault(self.name, values)
        self._values = values

    @property
    def identity(self) -> Hashable:
        return self._values.identity

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        check_key(key, self.url)
        value = self._values.by_key.get(key)
        if value is None:
            return None
        size = len(value.data)
        start, stop = (0, size) if byte_range is None else byte_range.resolve(size)
        if max_nbytes is not None and stop - start > max_nbytes:
            raise BodyTooLargeError(stop - start, max_nbytes, key=key, url=self.url)
        return value.data if byte_range is None else memoryview(value.data)[start:stop]

    def stat(self, key: str) -> StoreStat | None:
        check_key(key, self.url)
        value = self._values.by_key.get(key)
        return None if value is None else StoreStat(len(value.data), value.mtime_s, str(value.revision))

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        with self._values.lock:
            found = [key for key in self._values.by_key if key.startswith(prefix)]
        for key in found:
            value = self._values.by_key.get(key)
            if value is not None:
                yield StoreEntry(key, len(value.data), value.mtime_s)

    def replace(self, key: str, value: BytesLike, stat: StoreStat) -> bool:
        with self._values.lock:
            return super().replace(key, value, stat)

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        check_key(key, self.url)
        data = bytes(value)
        with self._values.lock:
            if if_absent and key in self._values.by_key:
                return False
            self._values.revision += 1
            self._values.by_key[key] = _Value(data, time.time(), self._values.revision)
        return True

    def erase(self, key: str) -> None:
        check_key(key, self.url)
        with self._values.lock:
            self._values.by_key.pop(key, None)

    def erase_prefix(self, prefix: str) -> None:
        check_prefix(prefix, self.url)
        with self._values.lock:
            for key in [key for key in self._values.by_key if key.startswith(prefix)]:
                del self._values.by_key[key]
