"""A store of zarr-python: ``zarr.open(ZarrcoreStore(source))`` reads and writes what zarrscope opens.

A path, a URL or a store of zarrcore gives its keys as they are, so zarr-python finds the Zarr v2 or v3 hierarchy that is stored
there. An open hierarchy, of any format, gives its nodes as Zarr v3 with plain chunks, for reading: see `PlainZarrStore`.

The interface: https://zarr.readthedocs.io/en/stable/api/zarr/abc/store/.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any, Literal, TypeVar

from zarr.abc.store import (
    ByteRequest,
    OffsetByteRequest,
    RangeByteRequest,
    Store,
    SuffixByteRequest,
)
from zarr.core.buffer import Buffer, BufferPrototype, default_buffer_prototype

from zarrcore.hierarchy import Hierarchy
from zarrcore.interop.plain_zarr import PlainZarrStore
from zarrcore.stores import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    WritableStore,
    open_store,
    writable,
)
from zarrcore.stores.wrapper.interface import listable
from zarrcore.threads import ThreadPool

T = TypeVar("T")

_LISTED_AT_ONCE = 1000
"""Entries of a listing that are fetched before others have their turn."""


class ZarrcoreStore(Store):
    """A source of zarrcore as a store of zarr-python. It pickles, and works in forked processes.

    Args:
        source: a path or URL, opened here and closed with this store; an open store of zarrcore; or an open hierarchy.
        read_only: True refuses writing, and so does None if the source cannot be written; False makes a missing directory or
            zip file.
        storage_options: fields of `zarrcore.stores.StoreOptions`, for a path or URL.

    Raises:
        StoreError: the store cannot be opened.
        ReadOnlyError: the source cannot be written, and ``read_only`` is False.
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | ReadableStore | Hierarchy,
        *,
        read_only: bool | None = None,
        **storage_options: Any,
    ) -> None:
        self._is_owner = not isinstance(source, ReadableStore | Hierarchy)
        self.store: ReadableStore
        if isinstance(source, Hierarchy):
            self.store = PlainZarrStore(source)
        elif isinstance(source, ReadableStore):
            self.store = source
        else:
            self.store = open_store(source, **{"create": read_only is False, **storage_options})
        if read_only is False:
            writable(self.store)
        super().__init__(read_only=self.store.read_only if read_only is None else read_only)
        self._threads: tuple[int, ThreadPool] | None = None

    def with_read_only(self, read_only: bool = False) -> ZarrcoreStore:
        """The same source, which this store still closes, with another setting.

        Raises:
            ReadOnlyError: the source cannot be written.
        """
        return type(self)(self.store, read_only=read_only)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ZarrcoreStore)
            and self.store.identity == other.store.identity
            and self.read_only == other.read_only
        )

    def __hash__(self) -> int:
        return hash((self.store.identity, self.read_only))

    def __str__(self) -> str:
        return self.store.url

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.store.url!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_threads": None}

    def close(self) -> None:
        """Close the source if it was opened here."""
        super().close()
        if self._threads is not None:
            self._threads[1].shutdown(wait=False)
            self._threads = None
        if self._is_owner:
            self.store.close()

    async def _run(self, call: Callable[[], T]) -> T:
        """The result of a call, which may wait for the store, in a thread."""
        if not self.store.is_remote:
            return await asyncio.to_thread(call)
        # zarr-python has as many threads as suit a disk.
        threads, process = self._threads, os.getpid()
        if threads is None or threads[0] != process:  # threads do not survive a fork
            pool = ThreadPool(self.store.requests_in_flight, "zarrcore-zarr")
            threads = self._threads = (process, pool)
        return await asyncio.get_running_loop().run_in_executor(threads[1], call)

    # --- reading

    @property
    def _supports_sync_io(self) -> bool:
        """Whether zarr-python should use the methods below that do not end in a coroutine: over a network that is slower."""
        return not self.store.is_remote

    def get_sync(
        self, key: str, *, prototype: BufferPrototype | None = None, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        """As `get`, in this thread."""
        value = self.store.get(key, _range_of(byte_range)) if key else None
        if value is None:
            return None
        buffer = (prototype or default_buffer_prototype()).buffer
        return buffer.from_bytes(value)

    async def get(
        self, key: str, prototype: BufferPrototype, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        """A value, or a part of it; None if the key is absent.

        Raises:
            ValueError: another kind of byte range.
            StoreError: the store failed.
        """
        return await self._run(partial(self.get_sync, key, prototype=prototype, byte_range=byte_range))

    async def get_partial_values(
        self, prototype: BufferPrototype, key_ranges: Iterable[tuple[str, ByteRequest | None]]
    ) -> list[Buffer | None]:
        """Several values, or parts of them."""
        return await asyncio.gather(*(self.get(key, prototype, part) for key, part in key_ranges))

    async def exists(self, key: str) -> bool:
        """Whether the key has a value."""
        return await self._run(lambda: bool(key) and self.store.stat(key) is not None)

    async def getsize(self, key: str) -> int:
        """The bytes of a value.

        Raises:
            FileNotFoundError: the key is absent.
        """
        stat = await self._run(lambda: self.store.stat(key))
        if stat is None:
            raise FileNotFoundError(f"{key} in {self.store.url}")
        return stat.size

    # --- writing

    @property
    def supports_writes(self) -> bool:
        return isinstance(self.store, WritableStore) and not self.store.read_only

    @property
    def supports_deletes(self) -> bool:
        return self.supports_writes

    @property
    def supports_partial_writes(self) -> Literal[False]:
        return False  # zarr-python has not used them since version 3.1

    async def set_partial_values(self, key_start_values: Iterable[tuple[str, int, BytesLike]]) -> None:
        """Replace the bytes of values from given positions on, as zarr-python before 3.1 demands."""
        await self._run(lambda: self._writable().set_partial_values(key_start_values))

    def _writable(self) -> WritableStore:
        self._check_writable()
        return writable(self.store)

    def set_sync(self, key: str, value: Buffer) -> None:
        """As `set`, in this thread."""
        self._set(key, value)

    def _set(self, key: str, value: Buffer, *, if_absent: bool = False) -> None:
        if not isinstance(value, Buffer):
            raise TypeError(f"expected a Buffer, found {type(value).__name__}")
        self._writable().set(key, memoryview(value.as_buffer_like()), if_absent=if_absent)

    async def set(self, key: str, value: Buffer) -> None:
        """Store a value atomically.

        Raises:
            ValueError: this store is read-only.
            StoreError: the store failed.
        """
        await self._run(partial(self._set, key, value))

    async def set_if_not_exists(self, key: str, value: Buffer) -> None:
        """Store a value unless the key has one. Of several writers at once, one succeeds."""
        await self._run(partial(self._set, key, value, if_absent=True))

    def delete_sync(self, key: str) -> None:
        """As `delete`, in this thread."""
        self._writable().erase(key)

    async def delete(self, key: str) -> None:
        """Erase a value. An absent key is not an error."""
        await self._run(partial(self.delete_sync, key))

    async def delete_dir(self, prefix: str) -> None:
        """Erase all values of a folder."""
        await self._run(lambda: self._writable().erase_prefix(_folder(prefix)))

    # --- listing

    @property
    def supports_listing(self) -> bool:
        return isinstance(self.store, ListableStore)

    def list(self) -> AsyncIterator[str]:
        """All keys."""
        return self.list_prefix("")

    async def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        """All keys that begin with a text, which need not end at a ``/``."""
        folder = prefix[: prefix.rfind("/") + 1]
        async for key in self._listed(
            lambda: (entry.key for entry in listable(self.store).list_prefix(folder))
        ):
            if key.startswith(prefix):
                yield key

    async def list_dir(self, prefix: str) -> AsyncIterator[str]:
        """The names directly below a folder, of keys and of folders."""
        folder = _folder(prefix)
        async for key in self._listed(lambda: (entry.key for entry in listable(self.store).list_dir(folder))):
            yield key[len(folder) :].rstrip("/")

    async def _listed(self, begin: Callable[[], Iterator[str]]) -> AsyncIterator[str]:
        listing = await self._run(begin)
        while some := await self._run(lambda: [*islice(listing, _LISTED_AT_ONCE)]):
            for key in some:
                yield key


def _folder(prefix: str) -> str:
    return prefix if not prefix or prefix.endswith("/") else f"{prefix}/"


def _range_of(request: ByteRequest | None) -> ByteRange | None:
    if request is None:
        return None
    if isinstance(request, RangeByteRequest):
        return ByteRange(request.start, request.end)
    if isinstance(request, OffsetByteRequest):
        return ByteRange(request.offset)
    if isinstance(request, SuffixByteRequest):
        return ByteRange(-request.suffix) if request.suffix else ByteRange(0, 0)
    raise ValueError(f"Unexpected byte_range, got {request!r}")
