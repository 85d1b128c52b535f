"""The form of a request, before anything is answered: its target and its framing. RFC 9112, sections 3.2 and 6.

A proxy in front of this server must see the same requests as the server does. So what two programs may understand
differently is refused, and the connection is closed.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from zarrfs.http.exchange import CLOSE, Exchange

_HOST: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]*)(:[0-9]*)?", re.ASCII)


class RefusedRequestError(Exception):
    """A request that is not answered.

    Args:
        status: the status of the answer.
        reason: a sentence for the client.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Entrance:
    """Refuses requests whose form is wrong, and passes on the others with a path as their target.

    Args:
        answers: answers the others.
    """

    def __init__(self, answers: ASGIApp) -> None:
        self._answers = answers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            admitted = admit(scope)
        except RefusedRequestError as error:
            await Exchange(scope, receive, send).refuse(error.status, str(error), CLOSE)
        else:
            await self._answers(admitted, receive, send)


def admit(scope: Scope) -> Scope:
    """The scope of a request, with the path as its target and the host that it is for as its ``Host``.

    Raises:
        RefusedRequestError: the form of the request is wrong.
    """
    headers = Headers(scope=scope)
    if not scope["http_version"].startswith("1."):
        raise RefusedRequestError(505, "this server speaks HTTP/1.1")
    if "transfer-encoding" in headers and ("content-length" in headers or scope["http_version"] == "1.0"):
        raise RefusedRequestError(400, "the length of the request is ambiguous")
    target = scope["raw_path"].decode("ascii", "backslashreplace")
    if target.startswith("/") or (target == "*" and scope["method"] == "OPTIONS"):
        host = headers.get("host", "")
    else:
        host, scope = _in_origin_form(scope, target)
    if not _HOST.fullmatch(host):
        raise RefusedRequestError(400, "the host of the request is not valid")
    return scope


def _in_origin_form(scope: Scope, target: str) -> tuple[str, Scope]:
    """The host of a target in absolute form, which counts instead of the header, and the scope for its path."""
    try:
        parts = urlsplit(target)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme == "https":
        raise RefusedRequestError(421, "this server speaks HTTP without TLS")
    if parts.scheme != "http" or not parts.netloc:
        raise RefusedRequestError(400, "the target of the request is neither a path nor a URL")
    path = (parts.path or "/").encode()
    others = [(name, value) for name, value in scope["headers"] if name != b"host"]
    headers = [(b"host", parts.netloc.encode()), *others]
    return parts.netloc, {**scope, "raw_path": path, "headers": headers}
