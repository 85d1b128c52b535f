"""A server on this machine that sends the bytes that a target gives it, over HTTP or instead of it."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from unittest import mock

_RESOLVE = socket.getaddrinfo


@dataclass
class Answers:
    """What the server sends: the first answer, and another to all later requests.

    Attributes:
        first: the next answer, if no request has taken it.
        later: all other answers.
        closes: whether the connection ends with each answer.
    """

    first: bytes | None = None
    later: bytes = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    closes: bool = False
    url: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> bytes:
        """The next answer."""
        with self._lock:
            answer, self.first = self.first, None
        return self.later if answer is None else answer


class _Handler(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        answers: Answers = self.server.answers  # type: ignore[attr-defined]
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            while self._has_request():
                self.request.sendall(answers.take())
                if answers.closes:
                    return
        except OSError:
            return

    def _has_request(self) -> bool:
        received = b""
        while not received.endswith(b"\r\n\r\n"):
            part = self.request.recv(65536)
            received += part
            if not part:
                return False
        return True


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64


@cache
def answers() -> Answers:
    """The server of this process."""
    server = _Server(("127.0.0.1", 0), _Handler)
    found = Answers(url=f"http://127.0.0.1:{server.server_address[1]}")
    server.answers = found  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 60}, daemon=True).start()
    return found


def http_answer(body: bytes, content_type: str, status: str = "200 OK") -> bytes:
    """An answer with a body."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


@contextmanager
def only_this_machine() -> Iterator[None]:
    """Let no host but this machine be found: answers may redirect to any."""

    def resolved(host: Any, *arguments: Any, **options: Any) -> Any:
        if host != "127.0.0.1":
            raise socket.gaierror(socket.EAI_NONAME, f"{host} is not this machine")
        return _RESOLVE(host, *arguments, **options)

    with mock.patch.object(socket, "getaddrinfo", resolved):
        yield
