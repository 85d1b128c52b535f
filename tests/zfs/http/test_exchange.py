"""Requests as ASGI brings them, and answers as ASGI takes them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from zarrfs.http.exchange import Exchange


class Connection:
    """The messages of one request, and those of its answer."""

    def __init__(self, raw_path: bytes, query: bytes = b"", bodies: tuple[bytes, ...] = (b"",)) -> None:
        self.sent: list[dict[str, Any]] = []
        self._bodies = list(bodies)
        self.exchange = Exchange(
            {
                "type": "http",
                "method": "GET",
                "scheme": "http",
                "raw_path": raw_path,
                "query_string": query,
                "headers": [(b"host", b"127.0.0.1:8000")],
            },
            self._receive,
            self._send,
        )

    async def _receive(self) -> dict[str, Any]:
        body = self._bodies.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(self._bodies)}

    async def _send(self, message: Any) -> None:
        self.sent.append(dict(message))


@pytest.mark.parametrize(
    ("path", "names", "is_directory"),
    [
        (b"/", [""], True),
        (b"/a/b", ["a", "b"], False),
        (b"/a//b/", ["a", "b", ""], True),
        (b"/a%2Fb/%3Cscript%3E", ["a/b", "<script>"], False),
        (b"/%ff", ["\udcff"], False),
    ],
)
def test_names(path: bytes, names: list[str], is_directory: bool) -> None:
    exchange = Connection(path).exchange
    assert (exchange.names, exchange.is_directory) == (names, is_directory)
    assert exchange.origin == "http://127.0.0.1:8000"


def test_parameters() -> None:
    exchange = Connection(b"/", b"token=a%20b&token=c&empty=").exchange
    assert exchange.parameter("token") == "a b"
    assert exchange.parameter("empty") is None
    assert exchange.parameter("other") is None
    assert Connection(b"/").exchange.parameter("token") is None


@pytest.mark.parametrize(
    ("bodies", "expected"), [((b"ab", b"c"), b"abc"), ((b"",), b""), ((b"x" * 65_537,), None)]
)
def test_bodies_are_bounded(bodies: tuple[bytes, ...], expected: bytes | None) -> None:
    assert asyncio.run(Connection(b"/", bodies=bodies).exchange.body()) == expected


def test_a_refusal() -> None:
    connection = Connection(b"/")
    asyncio.run(connection.exchange.refuse(405, "only GET is allowed", {"allow": "GET"}))
    start, body = connection.sent
    assert connection.exchange.status == start["status"] == 405
    headers = dict(start["headers"])
    assert headers[b"allow"] == b"GET"
    assert headers[b"content-length"] == str(len(body["body"])).encode()
    assert (body["body"], body["more_body"]) == (b"only GET is allowed\n", False)
