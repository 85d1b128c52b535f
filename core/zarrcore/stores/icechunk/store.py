"""One version of a repository as a store.

icechunk finds keys and reads chunks. It takes exact byte ranges only, lists only groups and arrays, and fails on ranges
of documents; this module adds the rest.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from zarrcore.errors import BodyTooLargeError
from zarrcore.stores.icechunk.event_loop import run
from zarrcore.stores.icechunk.failures import kind_of, translated
from zarrcore.stores.icechunk.repository import Repository
from zarrcore.stores.icechunk.versions import Version
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    StoreEntry,
    StoreStat,
)
from zarrcore.stores.keys import check_key, check_prefix

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    import icechunk

_DOCUMENT: Final = "zarr.json"
_PAGE: Final = 1000
_LOGGED: Final = 5
_NOT_KEYS: Final = {
    "invalid-key",
    "not-an-array",
    "not-a-group",
    "invalid-path",
    "invalid-chunk-index",
    "key-not-found",
    "node-not-found",
    "ancestor-node-not-found",
}
"""Icechunk's refusals of keys that no node has."""
_NOT_PREFIXES: Final = {"bad-key-prefix", "bad-prefix", *_NOT_KEYS}
_OUTSIDE: Final = "invalid-byte-range"


class IcechunkStore(ReadableStore, ListableStore):
    """A version of a repository, as the keys of a Zarr v3 hierarchy. It cannot be written.

    A branch is looked up once, and again after `refresh` or when ``options.branch_max_age_s`` have passed: between, all
    values are those of one snapshot.

    Args:
        repository: the repository; closed with this store if it ``is_owner``.
        version: the version.
        is_owner: whether closing this store closes the repository.
        is_chosen: whether the user chose this version.
    """

    presents = "Icechunk"

    def __init__(
        self, repository: Repository, version: Version, *, is_owner: bool = True, is_chosen: bool = True
    ) -> None:
        self.repository = repository
        self.version = version
        self.is_chosen = is_chosen
        self.options = repository.options
        self.url = f"{repository.url}|icechunk://{version.authority}/"
        self.is_remote = repository.source.is_remote
        self.requests_in_flight = repository.source.requests_in_flight
        self._is_owner = is_owner
        self._lock = threading.Lock()
        self._session: icechunk.Session | None = None
        self._store: Any = None
        self._looked_up_s = 0.0

    def __getstate__(self) -> dict[str, Any]:
        # Other processes read the same snapshot.
        return {
            "repository": self.repository,
            "version": Version("snapshot", self.snapshot_id),
            "url": self.url,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["repository"], state["version"])  # type: ignore[misc]
        self.url = state["url"]

    @property
    def identity(self) -> Hashable:
        return type(self).__name__, self.repository.source.identity, self.version

    @property
    def snapshot_id(self) -> str:
        """The snapshot that is read now."""
        self.opened()
        assert self._session is not None  # noqa: S101 - `opened` has set it
        return str(self._session.snapshot_id)

    def description(self) -> list[tuple[str, str]]:
        log = self.repository.log(Version("snapshot", self.snapshot_id), _LOGGED + 1)
        lines = [f"{one.id}  {one.written_at:%Y-%m-%d %H:%M:%S}  {one.message}" for one in log]
        if len(lines) > _LOGGED:
            lines[_LOGGED:] = ["…"]
        return [("version", f"{self.version}, snapshot {self.snapshot_id}"), ("log", "\n".join(lines))]

    def notes(self) -> list[str]:
        if self.is_chosen:
            return []
        return [
            f"this is {self.version} of an Icechunk repository: choose another with --branch, --tag or --snapshot"
        ]

    def choices(self) -> list[tuple[str, str]]:
        return self.repository.choices()

    def refresh(self) -> None:
        self.repository.source.refresh()
        with self._lock:
            self._looked_up_s = 0.0

    def close(self) -> None:
        if self._is_owner:
            self.repository.close()

    def opened(self) -> Any:
        """The store of icechunk, of the newest snapshot if it is time to look."""
        max_age_s = self.options.branch_max_age_s if self.options is not None else None
        with self._lock:
            now_s = time.monotonic()
            if self._looked_up_s and (max_age_s is None or now_s - self._looked_up_s < max_age_s):
                return self._store
            session = self._session
            if session is None:
                session = self.repository.read_version(self.version)
            elif session.snapshot_id != (snapshot_id := self.repository.snapshot_id(self.version)):
                session = self.repository.read(snapshot_id)
            if session is not self._session:
                self._session = session
                self._store = session.store._store  # noqa: SLF001 - the store of zarr-python would wrap each value
            self._looked_up_s = now_s
            return self._store

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        check_key(key, self.url)
        return self._run(key, _get(self.opened(), key, byte_range, max_nbytes, self.url))  # type: ignore[no-any-return]

    def get_partial_values(
        self, key_ranges: Iterable[tuple[str, ByteRange | None]]
    ) -> list[BytesLike | None]:
        wanted = [*key_ranges]
        for key, _ in wanted:
            check_key(key, self.url)
        return self._run(None, _get_all(self.opened(), wanted, self.url))  # type: ignore[no-any-return]

    def stat(self, key: str) -> StoreStat | None:
        check_key(key, self.url)
        nbytes = self._run(key, _nbytes(self.opened(), key))
        return None if nbytes is None else StoreStat(nbytes, etag=self.snapshot_id)

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        store = self.opened()
        names = self._listed(store, "list_dir", prefix.removesuffix("/"))
        are_keys: bool | None = None
        for name in names:
            if name == _DOCUMENT:
                yield StoreEntry(prefix + name)
                continue
            if are_keys is None:
                # All other names of a directory are of one kind: nodes, or chunks of one array.
                are_keys = self._run(prefix + name, _nbytes(store, prefix + name)) is not None
            yield StoreEntry(prefix + name if are_keys else f"{prefix}{name}/")

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        store, path = self.opened(), prefix.removesuffix("/")
        while path and self._run(path, _nbytes(store, f"{path}/{_DOCUMENT}")) is None:
            path = path.rpartition("/")[0]  # icechunk lists nodes only
        if path != prefix.removesuffix("/") and self._is_group(store, path):
            return
        for key in self._listed(store, "list_prefix", path):
            if key.startswith(prefix):
                yield StoreEntry(key)

    def _is_group(self, store: Any, path: str) -> bool:
        key = f"{path}/{_DOCUMENT}".removeprefix("/")
        value = self._run(key, _get(store, key, None, None, self.url))
        try:
            return value is None or json.loads(bytes(value)).get("node_type") != "array"
        except (ValueError, AttributeError, RecursionError):
            return True

    def _listed(self, store: Any, method: str, path: str) -> Iterator[str]:
        """The results of one of icechunk's listings, a page at a time."""
        try:
            listing = run(_begun(store, method, path))
            try:
                while names := run(_page(listing)):
                    yield from names
            finally:
                run(_ended(listing))  # most callers do not need all names
        except Exception as error:
            if kind_of(error) in _NOT_PREFIXES:
                return
            raise translated(error, self.url, path or None) from error

    def _run(self, key: str | None, coroutine: Any) -> Any:
        try:
            return run(coroutine)
        except Exception as error:
            raise translated(error, self.url, key) from error


async def _begun(store: Any, method: str, path: str) -> Any:
    return getattr(store, method)(path)


async def _ended(listing: Any) -> None:
    await listing.aclose()


async def _page(listing: Any) -> list[str]:
    found: list[str] = []
    async for name in listing:
        found.append(name)
        if len(found) == _PAGE:
            break
    return found


async def _get_all(
    store: Any, wanted: list[tuple[str, ByteRange | None]], url: str
) -> list[BytesLike | None]:
    return await asyncio.gather(*(_get(store, key, byte_range, None, url) for key, byte_range in wanted))


async def _get(
    store: Any, key: str, byte_range: ByteRange | None, max_nbytes: int | None, url: str
) -> BytesLike | None:
    if key.rpartition("/")[2] == _DOCUMENT:  # they are made when they are read, and small
        document = await _value(store, key, None)
        if document is None:
            return None
        start, stop = (byte_range or ByteRange(0)).resolve(len(document))
        _check_size(stop - start, max_nbytes, key, url)
        return bytes(document[start:stop])
    if byte_range is not None and byte_range.is_empty:
        return None if await _nbytes(store, key) is None else b""
    if byte_range is None and max_nbytes is not None:
        _check_size(await _nbytes(store, key) or 0, max_nbytes, key, url)
    found = await _value(store, key, byte_range)
    _check_size(0 if found is None else len(found), max_nbytes, key, url)
    return found


def _check_size(nbytes: int, max_nbytes: int | None, key: str, url: str) -> None:
    if max_nbytes is not None and nbytes > max_nbytes:
        raise BodyTooLargeError(nbytes, max_nbytes, key=key, url=url)


async def _value(store: Any, key: str, byte_range: ByteRange | None) -> memoryview | None:
    """A value, or the part of it that exists; None if it is absent."""
    try:
        return memoryview(await store.get(key, _as_icechunk(byte_range)))
    except Exception as error:
        if type(error) is KeyError or kind_of(error) in _NOT_KEYS:
            return None
        if kind_of(error) != _OUTSIDE or byte_range is None:
            raise
        return await _clipped(store, key, byte_range)


async def _clipped(store: Any, key: str, byte_range: ByteRange) -> memoryview | None:
    """A range that ends, or begins, after the end of a value."""
    nbytes = await _nbytes(store, key)
    if nbytes is None:
        return None
    start, stop = byte_range.resolve(nbytes)
    return memoryview(b"") if start >= stop else memoryview(await store.get(key, (start, stop)))


def _as_icechunk(byte_range: ByteRange | None) -> tuple[int | None, int | None] | None:
    if byte_range is None:
        return None
    return (None, -byte_range.start) if byte_range.start < 0 else (byte_range.start, byte_range.stop)


async def _nbytes(store: Any, key: str) -> int | None:
    """The size of a value; None if it is absent."""
    try:
        nbytes: int = await store.getsize(key)
        if nbytes == 0 and not await store.exists(key):
            return None
    except Exception as error:
        if type(error) is KeyError or kind_of(error) in _NOT_KEYS:
            return None
        raise
    return nbytes
