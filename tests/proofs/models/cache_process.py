"""A process that reads and writes through the cache on disk, as another process asks.

python -m tests.proofs.models.cache_process SOCKET VALUES CACHE BUDGET TTL
"""

from __future__ import annotations

import hashlib
import os
import random
import signal
import sys
from multiprocessing.connection import Client
from pathlib import Path
from typing import Any

from zarrcore.errors import BodyTooLargeError, UnreachableError
from zarrcore.stores import ByteRange, BytesLike, LocalStore, StoreStat
from zarrcore.stores.cache.directory import CacheDirectory
from zarrcore.stores.cache.store import CacheStore


class Distant(LocalStore):
    """A directory that acts like a server: with a version for each content, and sometimes it is down."""

    is_remote = True
    is_down = False

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        self._answer()
        return super().get(key, byte_range, max_nbytes=max_nbytes)

    def stat(self, key: str) -> StoreStat | None:
        self._answer()
        value = super().get(key)
        return None if value is None else StoreStat(len(value), None, hashlib.sha1(value).hexdigest())

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> tuple[BytesLike, StoreStat] | None:
        self._answer()
        value = super().get(key)
        if value is None:
            return None
        stat = StoreStat(len(value), None, hashlib.sha1(value).hexdigest())
        start, stop = (byte_range or ByteRange(0)).resolve(len(value))
        if max_nbytes is not None and stop - start > max_nbytes:
            raise BodyTooLargeError(stop - start, max_nbytes, key=key, url=self.url)
        return value[start:stop], stat  # of one version, although others write at this moment

    def _answer(self) -> None:
        if self.is_down:
            raise UnreachableError("down")


def value_of(key: str, number: int) -> bytes:
    """The value with a number; no two keys or numbers have the same."""
    return (f"{key} {number} ".encode() * (1 + number % 7 * 97))[: 5000 + number % 11]


def is_value(found: bytes, key: str, until: int) -> bool:
    """Whether it is the value of a key with a number below ``until``."""
    number = found[len(key) + 1 :].partition(b" ")[0]
    return number.isdigit() and int(number) < until and found == value_of(key, int(number))


def burst(store: Any, seed: int, keys: list[str], known: int, until: int) -> str | None:
    """Read and write at random; tells a value that was never stored."""
    choice = random.Random(seed)
    for number in range(known, until):
        key = choice.choice(keys)
        if choice.random() < 0.3:
            store.set(key, value_of(key, number))
        else:
            found = store.get(key)
            if found is not None and not is_value(bytes(found), key, until):
                return f"{key}: {bytes(found)[:40]!r}"
    return None


def answer(socket: str, values: str, cache: str, budget: str, ttl_s: str) -> None:
    """Answer until the other process ends or kills this one."""
    beneath = Distant(Path(values))
    now = [0.0]
    store: Any = CacheStore(beneath, CacheDirectory(cache, int(budget)), float(ttl_s), lambda: now[0])
    connection = Client(socket, "AF_UNIX")
    connection.send(os.getpid())
    while True:
        try:
            now[0], beneath.is_down, method, arguments = connection.recv()
        except (EOFError, OSError):
            os._exit(0)
        try:
            found = burst(store, *arguments) if method == "burst" else getattr(store, method)(*arguments)
            connection.send(bytes(found) if isinstance(found, memoryview) else found)
        except Exception as error:  # noqa: BLE001 - the other process raises it
            connection.send(error)


def main() -> None:
    """Fork until the standard input ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        if os.fork() == 0:
            answer(*line.split())


if __name__ == "__main__":
    main()
