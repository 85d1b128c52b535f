"""Requests as bytes, for what clients of HTTP would not send."""

from __future__ import annotations

import contextlib
import socket

from tests.waiting import PATIENCE_S

HOST = b"Host: localhost\r\n"
CLOSE = b"Host: localhost\r\nConnection: close\r\n\r\n"


def connected(port: int, address: str = "127.0.0.1") -> socket.socket:
    """A connection from an address of this machine."""
    return socket.create_connection(("127.0.0.1", port), PATIENCE_S, source_address=(address, 0))


def received(connection: socket.socket) -> bytes:
    """All that the server sends until it closes the connection."""
    parts = []
    with contextlib.suppress(ConnectionError):
        while part := connection.recv(1 << 16):
            parts.append(part)
    return b"".join(parts)


def exchanged(port: int, request: bytes) -> bytes:
    """All that the server sends after a request that ends the connection."""
    with connected(port) as connection:
        connection.sendall(request)
        return received(connection)


def status(answer: bytes) -> int:
    """The status of the first answer."""
    return int(answer.split(b" ", 2)[1])
