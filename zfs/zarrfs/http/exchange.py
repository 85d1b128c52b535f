"""One request and its answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import parse_qs, quote, unquote

from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from zarrfs.http.workers import Client, ClientGoneError
from zarrfs.trees.entry import BytesLike

_BODY_MAX: Final = 64 << 10
_SLICE: Final = 256 << 10
"""What is given to the connection at once, which copies it."""
_TEXT: Final = 64 << 10
"""Bytes of a listing that are sent at once."""
CLOSE: Final = {"connection": "close"}
"""The header of an answer after which the connection ends."""


class Exchange:
    """A request, and the connection that its answer goes to.

    Args:
        scope, receive, send: of the request, as ASGI defines them.

    Attributes:
        method: the method, in capitals.
        headers: the headers of the request.
        path: the path of the request as it was sent, without the query.
        names: the names on the path; an empty one at the end for a path that ends in a slash.
        client: the client.
        status: the status of the answer; None before it has begun.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.method: str = scope["method"]
        self.headers = Headers(scope=scope)
        self.path: str = scope["raw_path"].decode("ascii", "backslashreplace")
        *above, last = self.path.split("/")
        # Clients that join two texts may write two slashes, which web servers take for one.
        self.names = [unquote(name, errors="surrogateescape") for name in (*filter(None, above), last)]
        self.query: str = scope["query_string"].decode("ascii", "backslashreplace")
        self.client = Client(receive)
        self.status: int | None = None
        self._scheme: str = scope["scheme"]
        self._receive = receive
        self._send = send

    @property
    def is_directory(self) -> bool:
        """Whether the path ends in a slash, as the path of a directory does."""
        return self.path.endswith("/")

    @property
    def origin(self) -> str:
        """Scheme, host and port at which the client finds this server."""
        return f"{self._scheme}://{self.headers.get('host', '')}"

    @property
    def place(self) -> str:
        """The path as this server writes it, without a slash at the end; empty for the root."""
        return "".join(f"/{quoted(name)}" for name in self.names if name)

    def field(self, name: str) -> str | None:
        """A header whose value is a list, which may be sent in several lines; None if there is none."""
        return ", ".join(self.headers.getlist(name)) if name in self.headers else None

    def parameter(self, name: str) -> str | None:
        """A parameter of the query."""
        return parse_qs(self.query).get(name, [None])[0] if self.query else None

    async def body(self) -> bytes | None:
        """The body of the request; None if it is too long. To be read before anything waits for the client.

        Raises:
            ClientGoneError: the client has gone away before it was complete.
        """
        content: bytes = b""
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientGoneError
            content += message.get("body", b"")
            if len(content) > _BODY_MAX:
                return None
            if not message.get("more_body", False):
                return content

    async def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Send status and headers."""
        self.status = status
        encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": encoded})

    async def send(self, content: BytesLike) -> None:
        """Send a piece of the body, and wait until the client has taken nearly all of it.

        Raises:
            ClientGoneError: the client has gone away.
        """
        view = memoryview(content)
        for start in range(0, len(view), _SLICE):
            await self._send(_piece(view[start : start + _SLICE]))
            # uvicorn waits for the client before it sends more, and not afterwards. So send nothing more.
            await self.client.wait_for(self._send(_piece(b"")))

    async def send_texts(self, texts: Iterable[str]) -> None:
        """Send texts, several at a time; each is made when the client has taken those before.

        Raises:
            ClientGoneError: the client has gone away.
        """
        piece = bytearray()
        for text in texts:
            piece += text.encode()
            if len(piece) >= _TEXT:
                await self.send(bytes(piece))
                piece.clear()
        await self.send(bytes(piece))

    async def end(self, content: bytes = b"") -> None:
        """Send the last piece of the body."""
        await self._send({"type": "http.response.body", "body": content, "more_body": False})

    async def refuse(self, status: int, reason: str, headers: Mapping[str, str] | None = None) -> None:
        """Answer with an error and a sentence that says why."""
        text = f"{reason}\n".encode()
        kind = {
            "content-type": "text/plain; charset=utf-8",
            "content-length": str(len(text)),
            "x-content-type-options": "nosniff",
            "cache-control": "no-store",
        }
        await self.begin(status, {**kind, **(headers or {})})
        await self.end(text)


def _piece(content: BytesLike) -> Message:
    return {"type": "http.response.body", "body": content, "more_body": True}


def quoted(name: str) -> str:
    """The name of a file as a part of a URL.

    >>> quoted("a b:c"), quoted("<script>")
    ('a%20b%3Ac', '%3Cscript%3E')
    """
    return quote(name.encode("utf-8", "surrogateescape"), safe="")
