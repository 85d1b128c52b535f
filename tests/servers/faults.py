"""A web server that misbehaves on demand."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

_LAST_MODIFIED = "Wed, 01 Jan 2025 00:00:00 GMT"


@dataclass
class FaultServer:
    """A running HTTP server over a dictionary of values, with ranges, which misbehaves on demand.

    It also answers the object requests of S3 in path style, so ``s3://bucket`` with its address as endpoint reads
    the values whose key begins with ``bucket/``. What writes is answered with success and changes nothing.
    """

    url: str
    values: dict[str, bytes] = field(default_factory=dict)
    """Key, without a leading slash, to value."""
    content_types: dict[str, str] = field(default_factory=dict)
    """Key to content type, where it is not ``application/octet-stream``."""
    headers: dict[str, str] = field(default_factory=dict)
    """Further headers of every answer."""
    faults: dict[str, int | str] = field(default_factory=dict)
    """Key to a status to answer, or ``truncate``, ``hang``, ``reset``, ``no-range``, ``no-length``, ``moved:URL``."""
    bodies: dict[int, bytes] = field(default_factory=dict)
    """Status to what an answer says that has it as its fault."""
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    """What was asked for: method, path with its query, headers in lower case."""
    sent: int = 0
    """Bytes of bodies that were taken to their end."""
    delay_s: float = 0.0
    """How long to wait before each answer."""
    released: threading.Event = field(default_factory=threading.Event)
    """Set when the server stops, so that hanging requests end."""


@contextlib.contextmanager
def fault_server() -> Iterator[FaultServer]:
    """A `FaultServer`."""

    class Handler(_FaultHandler):
        pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    Handler.state = FaultServer(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield Handler.state
    finally:
        Handler.state.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _FaultHandler(BaseHTTPRequestHandler):
    """Answers of a `FaultServer`."""

    state: FaultServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        with contextlib.suppress(ConnectionError):
            self._answer()

    do_HEAD = do_GET

    def do_PUT(self) -> None:
        with contextlib.suppress(ConnectionError):
            self._take()

    do_POST = do_DELETE = do_PUT

    def _take(self) -> None:
        """Answer what writes as if it had been done; nothing is kept."""
        state = self.state
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        state.requests.append((self.command, self.path, headers))
        key = unquote(self.path.partition("?")[0]).strip("/")
        fault = state.faults.get(key)
        if isinstance(fault, int):
            self._send(fault, state.bodies.get(fault, b"<html>fault</html>"))
        elif fault == "hang":
            state.released.wait(60)
            self.close_connection = True
        elif fault == "reset":
            self.close_connection = True
        elif self.command == "DELETE" and key not in state.values:
            self._send(404, b"<html>not found</html>")
        else:
            done = {"PUT": 201, "POST": 200, "DELETE": 202}[self.command]
            headers = {"ETag": '"e"', "Last-Modified": _LAST_MODIFIED}
            if key in state.content_types:
                headers["Content-Type"] = state.content_types[key]
            self._send(done, state.values.get(key, b""), headers)

    def _answer(self) -> None:
        state = self.state
        headers = {name.lower(): value for name, value in self.headers.items()}
        state.requests.append((self.command, self.path, headers))
        if state.delay_s:
            state.released.wait(state.delay_s)
        key = unquote(self.path.partition("?")[0]).lstrip("/")
        fault = state.faults.get(key)
        if isinstance(fault, int):
            self._send(fault, state.bodies.get(fault, b"<html>fault</html>"))
        elif isinstance(fault, str) and fault.startswith("moved:"):
            self._send(302, b"", {"Location": fault[len("moved:") :]})
        elif fault == "hang":
            state.released.wait(60)
            self.close_connection = True
        elif fault == "reset":
            self.close_connection = True
        elif key not in state.values:
            self._send(404, b"<html>not found</html>")
        else:
            self._send_value(key, fault)

    def _send_value(self, key: str, fault: int | str | None) -> None:
        value = self.state.values[key]
        kind = self.state.content_types.get(key, "application/octet-stream")
        headers = {
            "Content-Type": kind,
            "ETag": f'"{hash(value):x}"',
            "Last-Modified": _LAST_MODIFIED,
        }
        match = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if fault == "no-length":
            self._send_chunked(value)
            return
        if match is None or fault == "no-range":
            self._send(200, value, headers, truncated=fault == "truncate")
            return
        first, last = match.groups()
        start = int(first) if first else max(0, len(value) - int(last))
        stop = min(int(last) + 1, len(value)) if first and last else len(value)
        if start >= len(value):
            self._send(416, b"", {"Content-Range": f"bytes */{len(value)}"})
            return
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(value)}"
        self._send(206, value[start:stop], headers, truncated=fault == "truncate")

    def _send(
        self, status: int, body: bytes, headers: dict[str, str] | None = None, truncated: bool = False
    ) -> None:
        self.send_response(status)
        for name, value in {**self.state.headers, **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        if truncated:
            body = body[: len(body) // 2]
            self.close_connection = True
        self.wfile.write(body)
        self.state.sent += len(body)

    def _send_chunked(self, value: bytes) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if self.command != "HEAD":
            for start in range(0, len(value), 1000):
                piece = value[start : start + 1000]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Stay silent; tests look at `FaultServer.requests`."""
