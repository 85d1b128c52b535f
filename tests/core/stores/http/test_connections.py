"""Deadlines of whole answers, on a stream that answers by the clock of the test; bytes left over from earlier answers."""

from __future__ import annotations

import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from tests.waiting import PATIENCE_S
from zarrcore.stores.http.connections import send, until, watch


class Stream:
    """Remembers how long each read may take."""

    def __init__(self) -> None:
        self.waits: list[float | None] = []

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self.waits.append(timeout)
        return bytes(max_bytes)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        pass


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    clock = SimpleNamespace(s=100.0)
    monkeypatch.setattr(time, "monotonic", lambda: clock.s)
    return clock


def bound(event: str = "connection.connect_tcp.complete") -> Any:
    stream = Stream()
    watch(event, {"return_value": stream})
    return stream


def test_a_read_takes_no_longer_than_the_deadline_leaves(now: SimpleNamespace) -> None:
    stream = bound()
    with until(103.0):
        stream.read(1, 9.0)
        stream.read(1, 2.0)
        stream.read(1)
        now.s = 102.5
        stream.read(1, 2.0)
        now.s = 103.0
        with pytest.raises(httpx.ReadTimeout):
            stream.read(1, 2.0)
    assert stream.waits == [3.0, 2.0, 3.0, 0.5]


def test_without_a_deadline_reads_are_as_before(now: SimpleNamespace) -> None:
    stream = bound()
    stream.read(1, 9.0)
    stream.read(1)
    assert stream.waits == [9.0, None]


def test_an_inner_deadline_ends_with_its_block_and_is_that_of_its_thread(now: SimpleNamespace) -> None:
    stream = bound()
    with until(110.0):
        with until(101.0):
            stream.read(1)
            thread = threading.Thread(target=stream.read, args=(1,))
            thread.start()
            thread.join()
        stream.read(1)
    assert stream.waits == [1.0, None, 10.0]


@pytest.mark.parametrize(
    "event", ["connection.start_tls.complete", "http11.receive_response_headers.started"]
)
def test_only_new_streams_are_bound(event: str, now: SimpleNamespace) -> None:
    stream = bound(event)
    with until(101.0):
        stream.read(1, 9.0)
    assert stream.waits == ([1.0] if "tls" in event else [9.0])


class _Scripted(socketserver.StreamRequestHandler):
    """Sends the next of the server's answers to each request; ends the connection when none is left."""

    def handle(self) -> None:
        script: list[list[bytes]] = self.server.script  # type: ignore[attr-defined]
        answers = script.pop(0)
        for answer in answers:
            while self.rfile.readline().strip():
                pass
            self.wfile.write(answer)


@contextmanager
def scripted(*connections: list[bytes]) -> Iterator[str]:
    """The URL of a server that sends these answers on its first, second, … connection."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Scripted) as server:
        server.script = list(connections)  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()


def an_answer(body: bytes, excess: bytes = b"") -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s%s" % (len(body), body, excess)


EXCESS = {
    "an answer": an_answer(b"forged"),
    "a paragraph": b"no answer\r\n\r\n",
}


@pytest.mark.parametrize("excess", EXCESS.values(), ids=EXCESS)
def test_bytes_after_an_answer_are_no_part_of_the_next_one(excess: bytes) -> None:
    # The second answer of the first connection is read only if the excess did not end the connection.
    kept, new = [an_answer(b"one", excess), an_answer(b"wrong")], [an_answer(b"two")]
    with scripted(kept, new) as url, httpx.Client(timeout=PATIENCE_S) as client:
        bodies = []
        for _ in range(2):
            answer = send(client, client.build_request("GET", url))
            bodies.append(answer.read())
            answer.close()
    assert bodies == [b"one", b"two"]


@pytest.mark.parametrize("excess", [b"HTTP/1.1 200 OK\r\n", b"the file has grown"])
def test_a_request_fails_if_bytes_after_the_last_answer_are_not_complete(excess: bytes) -> None:
    kept, new = [an_answer(b"one", excess), an_answer(b"wrong")], [an_answer(b"two")]
    with scripted(kept, new) as url, httpx.Client(timeout=PATIENCE_S) as client:
        assert send(client, client.build_request("GET", url)).read() == b"one"
        with pytest.raises(httpx.RemoteProtocolError):
            send(client, client.build_request("GET", url))
        assert send(client, client.build_request("GET", url)).read() == b"two"
