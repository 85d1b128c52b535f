"""What httpx does not check on its connections: the time that a whole answer takes, and that it answers this request.

httpx limits only the time of each single read. So a server that sends its headers, or its body, byte by byte could keep a request
for ever. Here each read of a connection also ends at the moment that the thread has set with `until`.

If a server sends more bytes than it announced, httpx keeps the rest and reads it as the answer to the next request. One key
could then get part of the value of another.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import inf
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    import httpx

_CONNECTED: Final = ("connect_tcp.complete", "start_tls.complete")
"""How httpcore's names of events end after which there is a new stream."""
_HEAD_ARRIVED: Final = "http11.receive_response_headers.complete"


class _Thread(threading.local):
    """What a thread does on its connections."""

    give_up: float = inf
    """When its reads end, by `time.monotonic`."""
    has_read: bool = True
    """Whether it has read since it last wrote."""


_thread = _Thread()


@contextmanager
def until(give_up: float) -> Iterator[None]:
    """Let the reads of this thread end at a moment, by `time.monotonic`."""
    before, _thread.give_up = _thread.give_up, give_up
    try:
        yield
    finally:
        _thread.give_up = before


def send(client: httpx.Client, request: httpx.Request) -> httpx.Response:
    """Send a request that is safe to repeat, and return its answer before the body is read.

    A connection may still hold extra bytes from an earlier answer. If httpx reads them as the answer to this request, the
    request is sent once more, on another connection.

    Raises:
        httpx.HTTPError: the request failed.
    """
    import httpx

    request.extensions["trace"] = watch
    try:
        return client.send(request, stream=True)
    except httpx.RemoteProtocolError:
        if _thread.has_read:
            raise
    return client.send(request, stream=True)


def watch(event: str, facts: Mapping[str, Any]) -> None:
    """A ``trace`` extension for requests: reads end at the moment of `until`, and leftover bytes are refused as an answer.

    Raises:
        httpx.RemoteProtocolError: the answer arrived before the request was sent.
    """
    if event.endswith(_CONNECTED):
        _watch_stream(facts["return_value"])
    elif event == _HEAD_ARRIVED and not _thread.has_read:
        import httpx

        raise httpx.RemoteProtocolError("the server sent more than the earlier answer")


def _watch_stream(stream: Any) -> None:
    read, write = stream.read, stream.write

    def read_in_time(max_bytes: int, timeout: float | None = None) -> bytes:
        import httpx

        _thread.has_read = True
        left_s = _thread.give_up - time.monotonic()
        if left_s <= 0:
            raise httpx.ReadTimeout("the answer takes too long")
        wait_s = left_s if timeout is None else min(timeout, left_s)
        data: bytes = read(max_bytes, None if wait_s == inf else wait_s)
        return data

    def write_request(buffer: bytes, timeout: float | None = None) -> None:
        _thread.has_read = False
        write(buffer, timeout)

    stream.read, stream.write = read_in_time, write_request
