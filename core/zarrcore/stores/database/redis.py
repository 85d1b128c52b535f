"""A Redis server in the layout of zarr-python 2: keys are ``prefix:key``."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Hashable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, quote, unquote

from zarrcore.errors import BodyTooLargeError, StoreError, ValueTooLargeError
from zarrcore.stores.connection.clients import REQUESTS_IN_FLIGHT
from zarrcore.stores.database.redis_server import DEFAULT_PORT, PASSWORD, REFUSED, Address, RedisServer
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    StoreEntry,
    StoreStat,
    WritableStore,
)
from zarrcore.stores.keys import check_key, check_prefix, encoded_key
from zarrcore.stores.options import StoreOptions
from zarrcore.stores.validation import check_address

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    import redis

_LARGEST: Final = 512 << 20
_PAGE: Final = 1000
_SPECIAL: Final = re.compile(rb"[][*?\\^]")
"""The special characters in patterns of SCAN."""

_STAT: Final = """
local value = redis.call('GET', KEYS[1])
return value and {#value, redis.sha1hex(value)}"""
"""Size and checksum of the same version; the value is not transferred."""

_SIZES: Final = """
local sizes = {}
for number, key in ipairs(KEYS) do
    local size = redis.pcall('STRLEN', key)
    sizes[number] = type(size) == 'number' and size or -1
end
return sizes"""


class RedisStore(ReadableStore, ListableStore, WritableStore):
    """The strings of a Redis database whose names begin with a prefix. The server is not contacted before the first request.

    The password comes from the environment variable REDISCLI_AUTH, as for redis-cli. Redis does not order its keys:
    a listing goes through all keys of the database, and may list a key twice while many others are erased.

    Args:
        url: ``redis://[user@]host[:port][/database][?prefix=zarr]``, or ``rediss`` for TLS.
        options: how to reach it.

    Raises:
        StoreError: the URL has no server, contains a password, or has an unknown query.
    """

    is_remote = True
    requests_in_flight = REQUESTS_IN_FLIGHT

    def __init__(self, url: str, options: StoreOptions | None = None) -> None:
        scheme, _, rest = url.partition("://")
        parts = check_address(f"http://{rest}", f"{scheme}://", f"{scheme}://host:port/database?prefix=zarr")
        if parts.password is not None:
            raise StoreError(f"{scheme}://: a URL must not contain a password; put it into {PASSWORD}")
        database = parts.path.strip("/") or "0"
        if not (database.isascii() and database.isdigit()):
            raise StoreError(f"{scheme}://: the path is the number of a database; a node is named after '#'")
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        if not {*query} <= {"prefix"}:
            raise StoreError(f"{scheme}://: the only supported query is ?prefix=")
        self.prefix = query.get("prefix", "zarr")
        place = f"{parts.netloc.rpartition('@')[2]}{'' if parts.port else f':{DEFAULT_PORT}'}/{int(database)}"
        self.url = f"{scheme}://{place}?prefix={quote(self.prefix, safe='/:')}"
        self._before = encoded_key(f"{self.prefix}:", self.url)
        address = Address(
            parts.hostname or "",
            parts.port or DEFAULT_PORT,
            int(database),
            user=unquote(parts.username or "") or None,
            tls=scheme == "rediss",
        )
        self._server = RedisServer(address, self.url, options or StoreOptions())

    @property
    def identity(self) -> Hashable:
        return self.url, self._server.identity

    def close(self) -> None:
        self._server.close()

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        name = self._name(key)
        if byte_range is None and max_nbytes is None:
            whole: bytes | None = self._server.ask(key, lambda client: client.get(name))
            return whole
        wanted = byte_range or ByteRange(0)
        # No value is larger than 512 MiB, and Redis does not accept numbers beyond 64 bits.
        start = max(-_LARGEST, min(wanted.start, _LARGEST))
        stop = None if wanted.stop is None or start < 0 else min(wanted.stop, _LARGEST)
        if max_nbytes is not None:
            start, stop = self._little_more(key, start, stop, max_nbytes)
        value = b""
        if stop is None or stop > start:
            last = -1 if stop is None else stop - 1
            value = self._server.ask(key, lambda client: client.getrange(name, start, last))
        if max_nbytes is not None and len(value) > max_nbytes:
            start, stop = wanted.resolve(self._nbytes(key))
            raise BodyTooLargeError(max(stop - start, len(value)), max_nbytes, key=key, url=self.url)
        # An empty part may also mean that the key is absent.
        return value if value or self._server.ask(key, lambda client: client.exists(name)) else None

    def _little_more(self, key: str, start: int, stop: int | None, max_nbytes: int) -> tuple[int, int | None]:
        """The part of a range to request: a byte more than allowed, if there is one, shows that there are too many."""
        if start < -max_nbytes:  # the value may have fewer bytes than requested
            stop = self._nbytes(key)
            start = max(0, stop + start)
        if start >= 0 and (stop is None or stop - start > max_nbytes):
            stop = start + max_nbytes + 1
        return start, stop

    def _nbytes(self, key: str) -> int:
        """The size of a value; 0 if it is absent."""
        nbytes: int = self._server.ask(key, lambda client: client.strlen(self._name(key)))
        return nbytes

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> tuple[BytesLike, StoreStat] | None:
        if byte_range is not None:
            return super().get_with_stat(key, byte_range, max_nbytes=max_nbytes)
        value = self.get(key, max_nbytes=max_nbytes)
        if value is None:
            return None
        return value, StoreStat(len(value), None, hashlib.sha1(value, usedforsecurity=False).hexdigest())

    def stat(self, key: str) -> StoreStat | None:
        name = self._name(key)
        found = self._server.ask(key, lambda client: client.eval(_STAT, 1, name), refusable=True)
        if found is not REFUSED:
            return None if found is None else StoreStat(found[0], None, found[1].decode())
        size = self._nbytes(key)
        return StoreStat(size) if size or self._server.ask(key, lambda client: client.exists(name)) else None

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        for page in self._pages(prefix):
            yield from self._entries(page)

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        told: set[str] = set()
        for page in self._pages(prefix):
            direct = []
            for key in page:
                name, slash, _ = key[len(prefix) :].partition("/")
                if not slash:
                    direct.append(key)
                elif name not in told:
                    told.add(name)
                    yield StoreEntry(f"{prefix}{name}/")
            yield from self._entries(direct)

    def _pages(self, prefix: str) -> Iterator[list[str]]:
        """All keys under a prefix, in batches."""
        check_prefix(prefix, self.url)
        before = self._before + encoded_key(prefix, self.url)
        pattern = _SPECIAL.sub(rb"\\\g<0>", before) + b"*"
        cursor = 0
        while True:
            page = partial(_scan, cursor, pattern)
            cursor, names = self._server.ask(prefix, page)
            start = len(self._before)
            keys = [name[start:].decode("utf-8", "surrogateescape") for name in dict.fromkeys(names)]
            # Other programs may keep names that are not keys.
            yield [key for key in keys if key and key[-1] != "/"]
            if cursor == 0:
                return

    def _entries(self, keys: list[str]) -> Iterator[StoreEntry]:
        if not keys:
            return
        names = [self._name(key) for key in keys]
        sizes = self._server.ask(None, lambda client: client.eval(_SIZES, len(names), *names), refusable=True)
        if sizes is REFUSED:
            sizes = [None] * len(keys)
        for key, size in zip(keys, sizes, strict=True):
            if size != -1:  # otherwise it is a list or a set of Redis, not a value
                yield StoreEntry(key, size)

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        name, data = self._name(key), memoryview(value).cast("B")
        if len(data) > _LARGEST:
            raise ValueTooLargeError(
                f"{key} in {self.url}: {len(data)} bytes are more than the maximum of Redis, {_LARGEST}",
                key=key,
                url=self.url,
            )
        # A repeat after a broken connection would find the value that the first attempt stored.
        return bool(
            self._server.ask(key, lambda client: client.set(name, data, nx=if_absent), again=not if_absent)
        )

    def erase(self, key: str) -> None:
        self.erase_values((key,))

    def erase_values(self, keys: Iterable[str]) -> None:
        names = (self._name(key) for key in keys)
        while batch := [*islice(names, _PAGE)]:
            self._erase(batch)

    def erase_prefix(self, prefix: str) -> None:
        for page in self._pages(prefix):
            if page:
                self._erase([self._name(key) for key in page])

    def _erase(self, names: list[bytes]) -> None:
        self._server.ask(None, lambda client: client.delete(*names))

    def _name(self, key: str) -> bytes:
        check_key(key, self.url)
        return self._before + encoded_key(key, self.url)


def _scan(cursor: int, pattern: bytes, client: redis.Redis) -> Any:
    return client.scan(cursor, match=pattern, count=_PAGE)
