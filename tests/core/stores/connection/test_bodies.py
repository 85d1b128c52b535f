"""Bodies that come slowly, break off, or are longer than announced: a real server sends them."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.utils import formatdate

import pytest

from tests.any_store import AnyStore, open_store
from zarrcore.errors import BodyTooLargeError, BrokenBodyError, StoreError, StoreTimeoutError
from zarrcore.stores import ByteRange
from zarrcore.stores.connection import bodies
from zarrcore.stores.connection.bodies import BodyError, Pace

VALUE = os.urandom(300_000)


@dataclass
class Sender:
    """A server that answers each request as a function decides, and closes the connection."""

    url: str = ""
    ranges: list[str] = field(default_factory=list)
    """The ranges of the requests; empty for whole values."""
    answer: Callable[[socket.socket, int, int], None] = lambda connection, start, stop: None
    """Sends bytes ``[start, stop)`` of the value after their head."""
    version: str = 'ETag: "e"\r\nLast-Modified: Wed, 01 Jan 2025 00:00:00 GMT\r\n'
    """The headers that identify the version of the value."""

    def serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(4096)
            wanted = head.lower().partition(b"range: bytes=")[2].partition(b"\r\n")[0].decode()
            self.ranges.append(wanted)
            start, _, last = wanted.partition("-")
            begin, stop = int(start or 0), int(last) + 1 if last else len(VALUE)
            span = f"Content-Range: bytes {begin}-{stop - 1}/{len(VALUE)}\r\n" if wanted else ""
            status = "206 Partial Content" if wanted else "200 OK"
            connection.sendall(
                f"HTTP/1.1 {status}\r\n{self.version}{span}"
                f"Connection: close\r\nContent-Length: {stop - begin}\r\n\r\n".encode()
            )
            self.answer(connection, begin, stop)


@pytest.fixture
def sender() -> Iterator[Sender]:
    made = Sender()
    with socket.create_server(("127.0.0.1", 0)) as server:
        made.url = f"http://127.0.0.1:{server.getsockname()[1]}"

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    threading.Thread(target=made.serve, args=(connection,), daemon=True).start()

        thread = threading.Thread(target=accept)
        thread.start()
        yield made
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.fixture(params=["s3", "http"])
def opened(request: pytest.FixtureRequest, sender: Sender) -> Callable[..., AnyStore]:
    """Opens the server as a bucket and as a web folder."""

    def open_it(**options: object) -> AnyStore:
        chosen = {"timeout_s": 1.0, "retries": 0, **options}
        if request.param == "http":
            return open_store(sender.url, **chosen)
        return open_store(
            "s3://bucket", endpoint_url=sender.url, region="us-east-1", anonymous=True, **chosen
        )

    return open_it


def slowly(step: int, pause_s: float) -> Callable[[socket.socket, int, int], None]:
    def send(connection: socket.socket, start: int, stop: int) -> None:
        for at in range(start, stop, step):
            connection.sendall(VALUE[at : min(at + step, stop)])
            time.sleep(pause_s)

    return send


def test_a_large_value_over_a_slow_line_arrives(sender: Sender, opened: Callable[..., AnyStore]) -> None:
    """It takes longer than the timeout, and than obstore lets an answer take."""
    sender.answer = slowly(12_000, 0.06)
    store = opened(timeout_s=0.7)
    assert store.get("key") == VALUE
    assert store.get("key", ByteRange(1000, 120_000)) == VALUE[1000:120_000]


def test_a_body_that_drips_ends_within_the_timeout(sender: Sender, opened: Callable[..., AnyStore]) -> None:
    sender.answer = slowly(1, 0.05)
    for byte_range in (None, ByteRange(5, 100_000)):
        with pytest.raises(StoreTimeoutError, match="less than 1024 bytes per second arrive"):
            opened(timeout_s=1.0).get("key", byte_range)


def test_a_body_that_broke_off_continues_where_it_ended(
    sender: Sender, opened: Callable[..., AnyStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "_WORTHWHILE", 1000)
    monkeypatch.setattr(bodies, "_AT_ONCE_MAX", 0)

    def cut(connection: socket.socket, start: int, stop: int) -> None:
        connection.sendall(VALUE[start : min(start + 100_000, stop)])

    sender.answer = cut
    assert opened().get("key") == VALUE
    assert sender.ranges == ["", "100000-299999", "200000-299999"]


@pytest.mark.parametrize("version", ["", 'ETag: W/"e"\r\n', "Last-Modified: {now}\r\n"])
def test_a_body_continues_only_if_the_version_is_certain(
    sender: Sender, opened: Callable[..., AnyStore], monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    """The value may have been replaced by one of the same size, within the same second."""
    monkeypatch.setattr(bodies, "_WORTHWHILE", 1000)
    monkeypatch.setattr(bodies, "_AT_ONCE_MAX", 0)
    sender.version = version.format(now=formatdate(usegmt=True))
    sender.answer = lambda connection, start, _stop: connection.sendall(VALUE[start : start + 200_000])
    with pytest.raises(StoreError):
        opened().get("key")


def test_versions_are_never_mixed(
    sender: Sender, opened: Callable[..., AnyStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "_WORTHWHILE", 1000)
    monkeypatch.setattr(bodies, "_AT_ONCE_MAX", 0)

    def send(connection: socket.socket, start: int, _stop: int) -> None:
        connection.sendall(VALUE[start : start + 100_000])
        sender.version = f'ETag: "{len(sender.ranges)}"\r\nLast-Modified: Wed, 01 Jan 2025 00:00:00 GMT\r\n'

    sender.answer = send
    with pytest.raises(StoreError):
        opened().get("key")


def test_a_body_that_always_breaks_off_early_is_an_error(
    sender: Sender, opened: Callable[..., AnyStore]
) -> None:
    sender.answer = lambda connection, start, _stop: connection.sendall(VALUE[start : start + 10])
    with pytest.raises(BrokenBodyError):
        opened().get("key")
    assert len(sender.ranges) == 1


def test_a_value_larger_than_any_is_refused_before_it_is_read(
    sender: Sender, opened: Callable[..., AnyStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zarrcore.stores.object.store.WHOLE_MAX", 1000)
    sender.answer = slowly(1000, 0)
    with pytest.raises(BodyTooLargeError, match="it has 300000 bytes"):
        opened().get("key")


def test_a_pace_is_measured_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    pace = Pace(10.0)
    pace.count(1 << 30)  # what came fast at first does not count later
    now[0] = 10.0
    pace.count(0)
    now[0] = 19.9
    pace.count(10)
    now[0] = 20.0
    with pytest.raises(BodyError):
        pace.count(10_000)
