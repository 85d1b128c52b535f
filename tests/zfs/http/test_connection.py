"""Connections: deadlines for clients that do not ask or do not read, and how many one address may open."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from tests.waiting import PATIENCE_S, wait_until
from tests.zfs.http.raw import CLOSE, HOST, connected, exchanged, received, status
from tests.zfs.http.serving import Served, get, serving
from zarrfs.http.connection import Connection, Limits, neighbourhood

GET = b"GET /keys/file HTTP/1.1\r\n"
CONTENT = bytes(range(256)) * (48 << 10)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("connections")
    (path / "file").write_bytes(CONTENT)
    (path / "small").write_bytes(b"1")
    return path


@contextlib.contextmanager
def limited(folder: Path, **limits: Any) -> Iterator[Served]:
    """A server whose connections have these limits."""
    before, Connection.limits = Connection.limits, Limits(**limits)
    try:
        with serving(folder) as server:
            yield server
    finally:
        Connection.limits = before


def open_connections(server: Served) -> int:
    return len(server.server.server_state.connections)


@pytest.mark.parametrize(
    "begun",
    [b"", b"GET /", GET + HOST + b"X: ", b"PROPFIND / HTTP/1.1\r\n" + HOST + b"Content-Length: 9\r\n\r\n<",
     b"PROPFIND / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n5\r\n<",
     b"GET /keys/small HTTP/1.1\r\n" + HOST + b"Content-Length: 9\r\n\r\n",
     b"PUT /keys/small HTTP/1.1\r\n" + HOST + b"Content-Length: 1000000000\r\n\r\n"],
)  # fmt: skip
def test_a_request_that_is_never_complete_ends(folder: Path, begun: bytes) -> None:
    """Bytes that arrive now and then do not make the time longer."""
    with limited(folder, request_s=0.3) as server, connected(server.port) as client:
        client.sendall(begun)
        ended = threading.Event()

        def drip() -> None:
            with contextlib.suppress(OSError):
                while not ended.wait(0.05):
                    client.sendall(b"a" if begun else b"\n")

        dripping = threading.Thread(target=drip)
        dripping.start()
        try:
            received(client)  # ends when the server closes the connection
        finally:
            ended.set()
            dripping.join()
        wait_until(lambda: open_connections(server) == 0)
        assert get(f"{server.url}/keys/small").content == b"1"


def test_half_a_request_between_others_ends(folder: Path) -> None:
    with limited(folder, request_s=0.3) as server, connected(server.port) as client:
        client.sendall(b"GET /keys/small HTTP/1.1\r\n" + HOST + b"\r\nGET /keys/sm")
        answer = received(client)
        assert (status(answer), answer[-1:], answer.count(b"HTTP/1.1 ")) == (200, b"1", 1)


def test_many_half_open_connections_block_nobody(folder: Path) -> None:
    with limited(folder, connections=30, of_one_address=20) as server, contextlib.ExitStack() as opened:
        kept = http.client.HTTPConnection("127.0.0.1", server.port, source_address=("127.0.0.2", 0))
        kept.request("GET", "/keys/small")
        assert kept.getresponse().read() == b"1"
        half = [opened.enter_context(connected(server.port)) for _ in range(90)]
        for each in half:
            with contextlib.suppress(OSError):
                each.sendall(b"GET / HTTP/1.1\r\n")
        # The same address is answered, since connections that wait make room; and others do not notice.
        assert get(f"{server.url}/keys/small").content == b"1"
        wait_until(lambda: open_connections(server) <= 21)
        kept.request("GET", "/keys/small")
        assert kept.getresponse().read() == b"1"
        kept.close()


def test_all_addresses_together_are_limited_and_the_busiest_makes_room(folder: Path) -> None:
    with limited(folder, connections=6, of_one_address=5) as server, contextlib.ExitStack() as opened:
        kept = opened.enter_context(connected(server.port, "127.0.0.2"))
        for _ in range(5):
            opened.enter_context(connected(server.port, "127.0.0.3"))
        opened.enter_context(connected(server.port, "127.0.0.4"))
        wait_until(lambda: open_connections(server) == 6)
        kept.sendall(b"GET /keys/small HTTP/1.1\r\n" + CLOSE)
        assert status(received(kept)) == 200


def test_a_connection_that_is_answered_makes_no_room(folder: Path) -> None:
    with limited(folder, of_one_address=1) as server:
        with unread(server) as busy:
            wait_until(lambda: server.site.memory.used)
            with connected(server.port) as other:
                with contextlib.suppress(OSError):
                    other.sendall(b"GET /keys/small HTTP/1.1\r\n" + CLOSE)
                assert received(other) == b""
            assert received(busy).endswith(CONTENT)
        wait_until(lambda: open_connections(server) == 0)
        assert status(exchanged(server.port, b"GET /keys/small HTTP/1.1\r\n" + CLOSE)) == 200


@contextlib.contextmanager
def unread(server: Served, request: bytes = GET + CLOSE) -> Iterator[socket.socket]:
    """A connection whose client has asked for much and takes little."""
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(PATIENCE_S)
        client.connect(("127.0.0.1", server.port))
        client.sendall(request)
        yield client


def test_a_client_that_does_not_read_is_left(folder: Path) -> None:
    with limited(folder, answer_s=0.3) as server, unread(server), unread(server, GET + HOST + b"\r\n"):
        wait_until(lambda: server.site.memory.used)
        wait_until(lambda: open_connections(server) == 0)
        wait_until(lambda: server.site.memory.used == 0)


def test_the_end_of_an_answer_that_is_not_read_does_not_stay(folder: Path) -> None:
    """Connections whose answer is complete, and closed by the server, still hold what was not taken."""
    with limited(folder, answer_s=0.3) as server:
        part = GET + b"Range: bytes=0-299999\r\n"
        with unread(server, part + CLOSE), unread(server, part + HOST + b"\r\n"):
            wait_until(lambda: open_connections(server) == 2)
            wait_until(lambda: open_connections(server) == 0)


def test_what_is_not_taken_is_not_read_ahead(folder: Path) -> None:
    with limited(folder) as server, contextlib.ExitStack() as opened:
        clients = [opened.enter_context(unread(server)) for _ in range(3)]
        wait_until(lambda: server.site.memory.used >= 3 * (512 << 10))
        assert server.site.memory.used <= 3 * (8 << 20)
        for client in clients:
            assert received(client).endswith(CONTENT)
        wait_until(lambda: server.site.memory.used == 0)


def test_a_body_that_is_broken_after_the_answer_began_ends_the_connection(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        limited(folder) as server,
        unread(server, GET + HOST + b"Transfer-Encoding: chunked\r\n\r\n") as client,
    ):
        wait_until(lambda: server.site.memory.used)
        client.sendall(b"no length\r\n")
        assert len(received(client)) < len(CONTENT)
        wait_until(lambda: open_connections(server) == 0)
    assert not [record for record in caplog.records if record.name == "asyncio"]


class Transport:
    """The sending side of a connection, as far as `Connection.check` looks at it."""

    def __init__(self) -> None:
        self.left, self.ended = 0, ""

    def get_write_buffer_size(self) -> int:
        return self.left

    def get_extra_info(self, name: str) -> Any:
        return ("192.0.2.1", 1) if name == "peername" else None

    def close(self) -> None:
        self.ended = "closed"

    def abort(self) -> None:
        self.ended = "aborted"


class Loop:
    """A loop whose time the test sets."""

    now_s = 100.0

    def time(self) -> float:
        return self.now_s


@pytest.fixture
def made() -> tuple[Connection, Transport, Loop]:
    loop: Any = Loop()
    transport: Any = Transport()
    connection = Connection(_config(), ServerState(), {}, loop)
    connection.connection_made(transport)
    return connection, transport, loop


def _config() -> uvicorn.Config:
    async def answers(scope: Any, receive: Any, send: Any) -> None: ...

    return uvicorn.Config(answers, http=Connection, lifespan="off", log_config=None)


def test_the_deadline_for_a_request_begins_with_the_connection(
    made: tuple[Connection, Transport, Loop],
) -> None:
    connection, transport, loop = made
    loop.now_s += 30
    connection.check()
    assert transport.ended == ""
    loop.now_s += 0.1
    connection.check()
    assert transport.ended == "closed"


def test_a_slow_client_has_a_minute_for_each_64_kib(made: tuple[Connection, Transport, Loop]) -> None:
    connection, transport, loop = made
    connection.limits = Limits(request_s=1e9)  # type: ignore[misc]
    transport.left = 256 << 10
    for _ in range(3):
        connection.check()
        loop.now_s += 59
        transport.left -= 64 << 10
    connection.check()
    assert (transport.left, transport.ended) == (64 << 10, "")
    for _ in range(6):  # one byte now and then is too slow
        loop.now_s += 10.1
        transport.left -= 1
        connection.check()
    assert transport.ended == "aborted"


def test_a_client_that_takes_all_is_never_too_slow(made: tuple[Connection, Transport, Loop]) -> None:
    connection, transport, loop = made
    connection.limits = Limits(request_s=1e9)  # type: ignore[misc]
    transport.left = 100_000
    for _ in range(10):  # the same number of bytes each time, but others
        connection.check()
        loop.now_s += 59
        connection.check()
        connection.resume_writing()
    assert transport.ended == ""
    transport.left = 0
    connection.check()
    loop.now_s += 1000
    connection.check()
    assert transport.ended == ""


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", "127.0.0.1"), ("::1", "::/64"), ("2001:db8::1:2:3:4", "2001:db8::/64"),
     ("2001:db8:0:1::", "2001:db8:0:1::/64"), ("fe80::1%eth0", "fe80::/64"), ("::ffff:192.0.2.1", "192.0.2.1"),
     ("/run/socket", "/run/socket")],
)  # fmt: skip
def test_the_addresses_of_one_user(host: str, expected: str) -> None:
    assert neighbourhood(host) == expected
