"""A web server that misbehaves on demand."""

from __future__ import annotations

import contextlib
import gzip
import re
import ssl
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
    the values with keys below ``bucket/``. Writes are answered with success and ignored.
    """

    url: str
    values: dict[str, bytes] = field(default_factory=dict)
    """Key, without a leading slash, to value."""
    content_types: dict[str, str] = field(default_factory=dict)
    """Key to content type, if it is not ``application/octet-stream``."""
    headers: dict[str, str] = field(default_factory=dict)
    """Extra headers of every answer."""
    late_headers: dict[str, str] = field(default_factory=dict)
    """Headers that replace those of an answer."""
    faults: dict[str, int | str | list[int | str | None]] = field(default_factory=dict)
    """Key to a status or the name of a fault, or to a list of these, one per request.

    ``hang`` never answers, ``reset`` closes the connection instead, ``truncate`` and ``stall`` close it or wait
    after half of the body, ``drip`` and ``drip-body`` send headers or a body slowly, for 20 s, ``moved:URL``
    redirects. ``no-range`` sends the whole value for any requested part,
    ``no-length`` also omits its length, ``gzip`` also compresses it. ``other-part`` and ``short-part`` send
    another part than requested, or less of it, and ``nameless-part`` does not say which part.
    """
    bodies: dict[int, bytes] = field(default_factory=dict)
    """Status to the body of answers with this fault; 302 is that of ``moved``."""
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    """Requests: method, path with query, headers in lower case."""
    connections: int = 0
    """The number of connections."""
    sent: int = 0
    """Bytes of completely sent bodies."""
    delay_s: float = 0.0
    """The delay before each answer."""
    released: threading.Event = field(default_factory=threading.Event)
    """Set when the server stops, so that hanging requests end."""


@contextlib.contextmanager
def fault_server(tls: ssl.SSLContext | None = None) -> Iterator[FaultServer]:
    """A `FaultServer`, with TLS if a context is given."""

    class Handler(_FaultHandler):
        pass

    server = _Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if tls is not None:
        # The thread of the connection does the handshake.
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    scheme = "http" if tls is None else "https"
    Handler.state = FaultServer(f"{scheme}://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield Handler.state
    finally:
        Handler.state.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    # With the usual queue of five, connections of many clients at once wait for seconds.
    request_queue_size = 512


class _FaultHandler(BaseHTTPRequestHandler):
    """Answers of a `FaultServer`."""

    state: FaultServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self) -> None:
        self.state.connections += 1
        super().setup()

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            super().handle()

    def do_GET(self) -> None:
        with contextlib.suppress(ConnectionError):
            self._answer()

    do_HEAD = do_PROPFIND = do_GET

    def do_PUT(self) -> None:
        with contextlib.suppress(ConnectionError):
            self._take()

    do_POST = do_DELETE = do_PUT

    def _take(self) -> None:
        """Answer a write with success, and ignore it."""
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
        elif fault == "drip":
            self._drip(b"", b"X-More: 1\r\n")
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
        if isinstance(fault, list):
            fault = fault.pop(0) if fault else None
        if isinstance(fault, int):
            self._send(fault, state.bodies.get(fault, b"<html>fault</html>"))
        elif isinstance(fault, str) and fault.startswith("moved:"):
            self._send(302, state.bodies.get(302, b""), {"Location": fault[len("moved:") :]})
        elif fault == "hang":
            state.released.wait(60)
            self.close_connection = True
        elif fault == "reset":
            self.close_connection = True
        elif fault == "drip":
            self._drip(b"", b"X-More: 1\r\n")
        elif fault == "drip-body":
            self._drip(b"Content-Length: 2000\r\n\r\n", b"1")
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
        if fault == "gzip":
            self._send(200, gzip.compress(value), {**headers, "Content-Encoding": "gzip"})
            return
        if match is None or fault == "no-range":
            self._send(200, value, headers, fault)
            return
        first, last = match.groups()
        start = int(first) if first else max(0, len(value) - int(last))
        stop = min(int(last) + 1, len(value)) if first and last else len(value)
        if start >= len(value):
            self._send(416, b"", {"Content-Range": f"bytes */{len(value)}"})
            return
        if fault == "other-part":
            start, stop = start + 1, min(stop + 1, len(value))
        if fault != "nameless-part":
            headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(value)}"
        self._send(206, value[start : stop - (fault == "short-part")], headers, fault)

    def _send(
        self,
        status: int,
        body: bytes,
        headers: dict[str, str] | None = None,
        fault: int | str | None = None,
    ) -> None:
        self.send_response(status)
        for name, value in {**self.state.headers, **(headers or {}), **self.state.late_headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        if fault in ("truncate", "stall"):
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
            if fault == "stall":
                self.wfile.flush()
                self.state.released.wait(60)
            return
        self.wfile.write(body)
        self.state.sent += len(body)

    def _drip(self, head: bytes, piece: bytes) -> None:
        """Send an answer that is complete after 20 s."""
        self.close_connection = True
        late = "".join(f"{name}: {value}\r\n" for name, value in self.state.late_headers.items())
        self.wfile.write(b"HTTP/1.1 200 OK\r\n" + head)
        for _ in range(2000):
            self.wfile.write(piece)
            if self.state.released.wait(0.01):
                return
        self.wfile.write(b"" if head else f"{late}Content-Length: 0\r\n\r\n".encode())

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
        """Do not log; tests use `FaultServer.requests`."""
