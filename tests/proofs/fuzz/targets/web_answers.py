"""Whatever a web server sends, headers and bodies: StoreError or an absent key, or a value that is part of what was sent."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from tests.proofs.fuzz.answers import answers, only_this_machine
from zarrcore.errors import StoreError
from zarrcore.stores import ReadableStore, StoreOptions, open_store
from zarrcore.stores.interface import ByteRange, BytesLike

_HEAD = (
    "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Type: text/html\r\nETag: a\r\n"
    "Last-Modified: Sun, 01 Jan 2023 00:00:00 GMT\r\n\r\n"
)
WORDS = (
    *(
        "HTTP/1.1 206 Partial Content\r\n",
        "HTTP/1.1 404 Not Found\r\n",
        "HTTP/1.1 503 x\r\n",
        "HTTP/1.1 302 x\r\n",
        "HTTP/1.0 ",
    ),
    *(
        "Content-Range: bytes 2-5/10\r\n",
        "Content-Range: bytes */10\r\n",
        "Content-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked\r\n",
    ),
    *(
        "Retry-After: 0\r\n",
        "Location: /b\r\n",
        "Location: http://\r\n",
        "Content-Length: ",
        "\r\n\r\n",
        "0\r\n\r\n",
        "5\r\nabcde\r\n",
    ),
    *(
        "Last-Modified: ",
        "ETag: ",
        "401",
        "403",
        "416",
        "429",
        "500",
        "99999999999999999999",
        "-1",
        "Set-Cookie: a=b\r\n",
    ),
)


@cache
def _store() -> ReadableStore:
    return open_store(f"{answers().url}/p", options=StoreOptions(retries=0, timeout_s=2))


def check(data: bytes) -> None:
    """The first byte is the request; the rest is the answer, instead of HTTP."""
    if not data:
        return
    store, server = _store(), answers()
    server.first = server.later = data[1:] or b"\r\n"
    server.closes = True
    try:
        with only_this_machine():
            value = _value(store, data[0] % 5)
    except StoreError:
        return
    finally:
        server.closes = False
    if (
        value is not None
        and b"gzip" not in data
        and b"deflate" not in data
        and b"chunked" not in data.lower()
    ):
        assert bytes(value) in data


def _value(store: ReadableStore, request: int) -> BytesLike | None:
    """The value, or the part of it, that a request gets."""
    match request:
        case 0:
            return store.get("a", max_nbytes=1 << 16)
        case 1:
            return store.get("a", ByteRange(2, 6))
        case 2:
            return store.get("a", ByteRange(-3))
        case 3:
            stat = store.stat("a")
            assert stat is None or stat.size >= 0
            return None
        case _:
            found = store.get_with_stat("a", ByteRange(0, 4))
            return None if found is None else found[0]


def examples() -> Iterable[bytes]:
    """Whole values, parts, compressed and chunked ones, redirections and refusals."""
    for request in range(5):
        yield bytes([request]) + _HEAD.encode() + b"0123456789"
    yield b"\1HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 2-5/10\r\nContent-Length: 4\r\n\r\n2345"
    yield b"\2HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 7-9/10\r\nContent-Length: 3\r\n\r\n789"
    yield b"\0HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n"
    yield b"\0HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    yield b"\1HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */1\r\nContent-Length: 0\r\n\r\n"
    yield b"\1HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n0123HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n4567"
    yield b"\3HTTP/1.1 302 Found\r\nLocation: /p/a/\r\nContent-Length: 0\r\n\r\n"
    yield b"\3HTTP/1.1 503 x\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"
