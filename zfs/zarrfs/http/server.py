"""The server from start to end: uvicorn on one socket, and signals."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from zarrfs.http.connection import Connection
from zarrfs.http.listening import BACKLOG

_HEADERS_MAX: Final = 32 << 10
"""Bytes of the request line and the headers together."""
_IDLE_S: Final = 15
"""How long a connection stays open without a byte between two requests."""
_ACCEPTED_AT_ONCE: Final = 16
"""New connections that asyncio takes before it calls `Connection.connection_made`. All that wait could be more than the files
that a process may open."""
_GRACE_S: Final = 3
"""How long answers in progress may delay the end."""


class Server(uvicorn.Server):
    """Answers requests on one socket until a signal arrives.

    Args:
        answers: the application.
        refresh: called at SIGHUP.
    """

    def __init__(self, answers: ASGIApp, refresh: Callable[[], None]) -> None:
        self._refresh = refresh
        self._is_stale = False
        super().__init__(
            uvicorn.Config(
                answers,
                # Based on h11, which limits the length of headers; the faster parser does not.
                http=Connection,
                ws="none",
                loop="asyncio",
                lifespan="off",
                log_config=None,
                access_log=False,  # it would log the query, and thus the token
                server_header=False,
                proxy_headers=False,
                backlog=_ACCEPTED_AT_ONCE,
                h11_max_incomplete_event_size=_HEADERS_MAX,
                timeout_keep_alive=_IDLE_S,
                timeout_graceful_shutdown=_GRACE_S,
            )
        )

    def serve_on(self, listening: socket.socket) -> None:
        """Answer until `should_exit` is set, or SIGINT or SIGTERM arrives."""
        self.run(sockets=[listening])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept connections. The system keeps more of them waiting than asyncio accepts at once."""
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(BACKLOG)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals while the block runs. A signal that ends the server is not raised again: its end is orderly."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        handlers: dict[signal.Signals, Callable[[int, FrameType | None], None]]
        handlers = {signal.SIGINT: self.handle_exit, signal.SIGTERM: self.handle_exit}
        if hasattr(signal, "SIGHUP"):
            handlers[signal.SIGHUP] = self._hang_up
        before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _hang_up(self, number: int, frame: FrameType | None) -> None:
        # A signal may arrive while this thread holds a lock that refreshing needs.
        self._is_stale = True

    async def on_tick(self, counter: int) -> bool:
        """Called several times a second."""
        if self._is_stale:
            self._is_stale = False
            self._refresh()
        for connection in [*self.server_state.connections]:
            if isinstance(connection, Connection):
                connection.check()
        return await super().on_tick(counter)
