"""The bytes of a file for a client: read in threads, one piece ahead of what the client has, and no more than it asked for."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final

from zarrcore.errors import ChangedError
from zarrfs.http.answers.ranges import Interval
from zarrfs.http.workers import Client, Workers
from zarrfs.trees.entry import BytesLike, OpenFile
from zarrfs.trees.errors import WouldBlockError

_FIRST: Final = 256 << 10
"""The first piece is small, so that the client soon gets something; each next one is twice as large."""
_LEAST: Final = 64 << 10
"""A piece when memory is short."""
_LARGEST: Final = 4 << 20
_AHEAD: Final = 1
"""Pieces that are read while the client receives one."""
_INLINE_MAX: Final = 256 << 10
"""The largest piece that is read without a thread if it is in memory; larger ones would delay other clients."""


class Memory:
    """The memory for all pieces that are read and not sent yet, or for all documents that were made and not sent yet.

    Args:
        limit: in bytes. Without memory, a client still gets pieces, but small ones.

    Attributes:
        used: the bytes of all of these.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.used = 0

    def permitted(self, wanted: int) -> int:
        """The length of a piece, in bytes."""
        return wanted if self.used + wanted <= self._limit else min(wanted, _LEAST)

    @contextmanager
    def holding(self, nbytes: int) -> Iterator[None]:
        """Count a document while the block runs. One that is larger than the limit is sent when no other is.

        Raises:
            MemoryError: there is no room for it now.
        """
        if nbytes > _LEAST and self.used and self.used + nbytes > self._limit:
            raise MemoryError("the documents that are being sent take all memory for documents")
        self.used += nbytes
        try:
            yield
        finally:
            self.used -= nbytes


class Body:
    """Reads one open file for one client.

    Args:
        file: the file.
        client: the client that waits for it.
        workers: read the file.
        memory: the memory for pieces of all clients.
    """

    def __init__(self, file: OpenFile, client: Client, workers: Workers, memory: Memory) -> None:
        self._file = file
        self._client = client
        self._workers = workers
        self._memory = memory

    async def pieces(self, interval: Interval) -> AsyncGenerator[BytesLike]:
        """A part of the file in pieces.

        Raises:
            ClientGoneError: the client has gone away.
            As `OpenFile.read`.
        """
        begun: deque[asyncio.Future[BytesLike]] = deque()
        sizes: deque[int] = deque()
        try:
            for offset, nbytes in self._spans(interval):
                self._memory.used += nbytes
                sizes.append(nbytes)
                begun.append(self._begin(offset, nbytes))
                if len(begun) > _AHEAD:
                    yield await begun.popleft()
                    self._memory.used -= sizes.popleft()
            while begun:
                yield await begun.popleft()
                self._memory.used -= sizes.popleft()
        finally:
            self._memory.used -= sum(sizes)
            for reading in begun:
                reading.cancel()

    def _spans(self, interval: Interval) -> Iterator[Interval]:
        """Offset and length of each piece."""
        offset, stop = interval
        wanted = _FIRST
        while offset < stop:
            nbytes = self._memory.permitted(min(wanted, stop - offset))
            yield offset, nbytes
            offset, wanted = offset + nbytes, min(2 * wanted, _LARGEST)

    def _begin(self, offset: int, nbytes: int) -> asyncio.Future[BytesLike]:
        if nbytes <= _INLINE_MAX:
            with suppress(WouldBlockError):
                ready = asyncio.get_running_loop().create_future()
                ready.set_result(self._read(offset, nbytes, wait=False))
                return ready
        call = partial(self._read, offset, nbytes, wait=True)
        return asyncio.ensure_future(self._workers.run(self._client, call))

    def _read(self, offset: int, nbytes: int, wait: bool) -> BytesLike:
        piece = self._file.read(offset, nbytes, wait)
        if len(piece) != nbytes:
            raise ChangedError("the file has become shorter while it was sent")
        return piece
