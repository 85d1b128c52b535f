"""Worker threads for calls that wait, and clients that may go away meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, wait
from functools import partial
from typing import Any, TypeVar

from starlette.types import Receive

from zarrcore.threads import ThreadPool
from zarrfs.trees.errors import WouldBlockError

T = TypeVar("T")


class ClientGoneError(Exception):
    """The client has closed the connection, so the answer is not needed."""


class Client:
    """The client of one request.

    Args:
        receive: receives what the client sends. Its body must have been read before anything waits for the client.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._leaving: asyncio.Task[None] | None = None

    async def wait_for(self, answer: Awaitable[T]) -> T:
        """The result of ``answer``, which is cancelled when the client goes away.

        Raises:
            ClientGoneError: it has gone away.
        """
        if self._leaving is None:
            self._leaving = asyncio.ensure_future(self._leave())
        work = asyncio.ensure_future(answer)
        try:
            await asyncio.wait({work, self._leaving}, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                return work.result()
        finally:
            work.cancel()
        raise ClientGoneError

    async def _leave(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass

    def release(self) -> None:
        """Stop watching the client: its answer is complete."""
        if self._leaving is not None:
            self._leaving.cancel()


class Workers:
    """A pool of threads.

    Args:
        count: the number of threads.
    """

    def __init__(self, count: int) -> None:
        self._threads = ThreadPool(count, "zarrfs-http")
        self._unfinished: set[Future[Any]] = set()

    async def run(self, client: Client, call: Callable[[], T]) -> T:
        """Make the call in a thread. A call that has not begun when the client goes away is never made.

        Raises:
            ClientGoneError: the client has gone away.
            As ``call``.
        """
        future = self._threads.submit(call)
        self._unfinished.add(future)
        future.add_done_callback(self._unfinished.discard)
        return await client.wait_for(asyncio.wrap_future(future))

    async def ask(self, client: Client, call: Callable[[bool], T]) -> T:
        """Make a call of a tree: at once if the answer is in memory or on a local disk, otherwise in a thread.

        Args:
            client: the client that waits.
            call: takes ``wait``, as `zarrfs.trees.entry` describes.

        Raises:
            As `run`.
        """
        try:
            return call(False)
        except WouldBlockError:
            return await self.run(client, partial(call, True))

    def stop(self, grace_s: float) -> bool:
        """Begin no more calls, and wait for those in progress.

        Args:
            grace_s: how long to wait at most, in seconds.

        Returns:
            Whether all calls have ended. Python waits for the others when the process ends.
        """
        self._threads.shutdown(wait=False, cancel_futures=True)
        return not wait({*self._unfinished}, grace_s).not_done
