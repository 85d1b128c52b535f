"""A web server whose answers are hostile: too long, too slow, refused, or somebody else's page.

The first segment of a path names what is wrong, and with which requests: ``/endless-chunk/h.zarr/a/c/0/0``. Folders are listed
as nginx lists them in JSON, WebDAV and S3 are spoken, too.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import json
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

WRONGS = (
    "none",
    "denied",
    "throttled",
    "silent",
    "drips",
    "endless",
    "announced",
    "bomb",
    "login",
    "cut",
    "verbose",
)
"""What may be wrong.

``denied`` is 403, ``throttled`` 503 with a pause for the first second, ``silent`` no answer, ``drips`` two bytes a second,
``endless`` a body without length and end, ``announced`` a body of 10¹² bytes that goes on, ``bomb`` 300 MiB in 300 KiB of
gzip, ``login`` a page of HTML, ``cut`` a body that breaks off, ``verbose`` 403 with a body without end.
"""
WHERE = ("chunk", "document", "listing")
"""Which requests it concerns."""
_HUGE = 10**12
_LARGE = ("endless", "announced", "bomb", "verbose")


def is_large(place: str) -> bool:
    """Whether the answers of ``WRONG-WHERE`` take memory, however well they are bounded."""
    return place.partition("-")[0] in _LARGE


_BOMB_NBYTES = 300 << 20
_PAGE = b"<!DOCTYPE html><html><head><title>Log in</title></head><body><form>Password</form></body></html>"
_BLOCK = bytes(1 << 16)
_THROTTLED_S = 1.0


@dataclass
class HostileServer:
    """A running server."""

    url: str
    values: dict[str, bytes] = field(default_factory=dict)
    """What each ``/WRONG-WHERE/`` holds, by key."""
    first_s: dict[str, float] = field(default_factory=dict)
    """When a path that throttles was first requested, by `time.monotonic`."""
    released: threading.Event = field(default_factory=threading.Event)
    """Set when the server stops."""


@functools.cache
def _bomb() -> bytes:
    """Zeros in gzip, which take a second to pack: once for all servers, and before one of them is asked."""
    return gzip.compress(bytes(_BOMB_NBYTES), 6)


@contextlib.contextmanager
def hostile_server(values: dict[str, bytes]) -> Iterator[HostileServer]:
    """A `HostileServer` over ``values``."""

    class Handler(_Handler):
        pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    Handler.bomb = _bomb()
    Handler.state = state = HostileServer(f"http://127.0.0.1:{server.server_address[1]}", values)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield state
    finally:
        state.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    state: HostileServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    bomb: bytes = b""

    def do_GET(self) -> None:
        with contextlib.suppress(ConnectionError):
            self._answer()

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):
            super().handle()

    do_HEAD = do_GET

    def _answer(self) -> None:
        path = unquote(self.path.partition("?")[0])
        place, _, key = path.lstrip("/").partition("/")
        if not place:
            self._send(200, self._listing([f"{wrong}-{where}/" for wrong in WRONGS for where in WHERE]))
            return
        wrong, _, where = place.partition("-")
        if wrong not in WRONGS:
            self._send(404, b"")
            return
        body = self._body(key)
        if where == self._kind(key) and wrong != "none":
            self._misbehave(wrong, body)
        elif body is None:
            self._send(404, b"")
        else:
            self._send(200, body)

    @staticmethod
    def _kind(key: str) -> str:
        if not key or key.endswith("/"):
            return "listing" if key else ""  # a folder that is not listed hides all others of its kind
        if "/c/" in key:
            return "chunk"
        return "document" if key.startswith("h.zarr/a/") else ""

    def _body(self, key: str) -> bytes | None:
        if key and not key.endswith("/"):
            return self.state.values.get(key)
        names = {name[len(key) :] for name in self.state.values if name.startswith(key)}
        here = {name.partition("/")[0] + ("/" if "/" in name else "") for name in names}
        return self._listing(sorted(here)) if here else None

    @staticmethod
    def _listing(names: list[str]) -> bytes:
        kinds = {True: "directory", False: "file"}
        return json.dumps(
            [{"name": name.rstrip("/"), "type": kinds[name.endswith("/")]} for name in names]
        ).encode()

    def _misbehave(self, wrong: str, body: bytes | None) -> None:
        state = self.state
        if wrong == "denied":
            self._send(403, b"<Error><Code>AccessDenied</Code></Error>")
        elif wrong == "throttled":
            first_s = state.first_s.setdefault(self.path, time.monotonic())
            if time.monotonic() - first_s < _THROTTLED_S:
                self._send(503, b"<Error><Code>SlowDown</Code></Error>", {"Retry-After": "1"})
            elif body is None:
                self._send(404, b"")
            else:
                self._send(200, body)
        elif wrong == "login":
            self._send(200, _PAGE, {"Content-Type": "text/html"})
        elif wrong == "silent":
            state.released.wait(60)
            self.close_connection = True
        elif wrong == "bomb":
            self._send(200, self.bomb, {"Content-Encoding": "gzip"})
        else:
            self._trickle(wrong, body or b"{}")

    def _trickle(self, wrong: str, body: bytes) -> None:
        """An answer that never ends well."""
        self.close_connection = True
        self.send_response(403 if wrong == "verbose" else 200)
        self.send_header("ETag", '"e"')
        self.send_header("Connection", "close")
        if wrong in ("endless", "verbose"):
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(_HUGE if wrong == "announced" else len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        if wrong == "cut":
            self.wfile.write(body[: len(body) // 2])
            return
        while not self.state.released.is_set():
            if wrong == "drips":
                self.wfile.write(body[:1])
                self.state.released.wait(0.5)
            elif wrong in ("endless", "verbose"):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(_BLOCK), _BLOCK))
            else:
                self.wfile.write(_BLOCK)

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        match = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        part = body
        if status == 200 and match and "Content-Encoding" not in (headers or {}):
            start, stop = int(match[1]), int(match[2] or len(body)) + 1
            if start >= len(body):
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{len(body)}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            part = body[start:stop]
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{start + len(part) - 1}/{len(body)}")
        else:
            self.send_response(status)
        is_listing = body[:1] == b"["
        default = {"Content-Type": "application/json" if is_listing else "application/octet-stream"}
        for name, value in {**default, "ETag": '"e"', **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(part)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Do not log."""
