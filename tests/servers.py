"""Servers on the loopback interface for tests: S3, HTTP with and without ranges and listings, and a faulty one.

Each is a context manager that yields what a test needs to reach it; `tests/core/stores/conftest.py` wraps them
in fixtures. Nothing here contacts any other machine.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

NGINX = "/usr/sbin/nginx"

S3_ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "testing-key",
    "AWS_SECRET_ACCESS_KEY": "testing-secret",
    # Whatever a test forgets, nothing may ask the cloud's metadata address or the developer's own account.
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}
_S3_UNWANTED = ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_REGION", "AWS_DEFAULT_REGION")


def free_port() -> int:
    """A TCP port of the loopback interface that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def environment(values: dict[str, str], unwanted: tuple[str, ...] = ()) -> Iterator[None]:
    """Environment variables set, and others taken away, for the duration of the block."""
    before = {name: os.environ.get(name) for name in (*values, *unwanted)}
    for name in unwanted:
        os.environ.pop(name, None)
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@dataclass(frozen=True)
class S3Server:
    """A running S3 service."""

    endpoint_url: str

    @property
    def options(self) -> dict[str, Any]:
        """Keywords of `zarrcore.open_store` that reach it; keys come from the environment."""
        return {"endpoint_url": self.endpoint_url, "region": "us-east-1", "timeout_s": 10.0}

    @property
    def arguments(self) -> list[str]:
        """The same for a command line."""
        return ["--endpoint-url", self.endpoint_url, "--region", "us-east-1", "--timeout", "10"]

    def request(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> bytes:
        """One plain HTTP request; the service checks no signature unless told to."""
        headers = {"Content-Type": "application/octet-stream", **(headers or {})}
        request = urllib.request.Request(
            f"{self.endpoint_url}/{path}", data=body, headers=headers, method=method
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            content: bytes = answer.read()
            return content

    def put(self, path: str, value: bytes) -> None:
        """Store ``value`` at ``bucket/key``, for all to read."""
        self.request("PUT", quote(path), value, {"x-amz-acl": "public-read"})

    def upload(self, root: Path, place: str) -> None:
        """Store every file beneath ``root`` at ``bucket/prefix``."""
        for file in root.rglob("*"):
            if file.is_file():
                self.put(f"{place}/{file.relative_to(root).as_posix()}", file.read_bytes())

    def create_bucket(self, name: str) -> None:
        """Make a bucket, which may exist already."""
        self.request("PUT", name)

    @contextlib.contextmanager
    def denying(self) -> Iterator[None]:
        """Within the block every request is refused, as with wrong credentials."""
        self.request("POST", "moto-api/reset-auth", b"0")
        try:
            yield
        finally:
            self.request("POST", "moto-api/reset-auth", b"inf")


@contextlib.contextmanager
def s3_server() -> Iterator[S3Server]:
    """A moto server with the bucket ``bucket``, and credentials for it in the environment."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # else one line for each request
    with environment(S3_ENVIRONMENT, _S3_UNWANTED):
        server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
        try:
            host, port = server.get_host_and_port()
            found = S3Server(f"http://{host}:{port}")
            found.create_bucket("bucket")
            yield found
        finally:
            server.stop()


@dataclass(frozen=True)
class WebServer:
    """A running HTTP server that serves the files of a directory."""

    root: Path
    url: str
    """Serves the files, and its listings as HTML."""
    json_url: str = ""
    """The same files with listings as JSON, if it has them."""
    plain_url: str = ""
    """The same files without listings, if it has that."""


_NGINX_CONFIGURATION = """
daemon off;
master_process off;
pid {work}/nginx.pid;
error_log {work}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log off;
    default_type application/octet-stream;
    keepalive_requests 100000;
    client_body_temp_path {work}/body;
    proxy_temp_path {work}/proxy;
    fastcgi_temp_path {work}/fastcgi;
    uwsgi_temp_path {work}/uwsgi;
    scgi_temp_path {work}/scgi;
    root {root};
    server {{ listen 127.0.0.1:{html_port}; autoindex on; }}
    server {{ listen 127.0.0.1:{json_port}; autoindex on; autoindex_format json; }}
    server {{ listen 127.0.0.1:{plain_port}; }}
}}
"""


@contextlib.contextmanager
def nginx_server(root: Path, work: Path) -> Iterator[WebServer]:
    """An nginx that serves ``root`` and keeps its own files in ``work``; runs as whoever runs the tests."""
    ports = {name: free_port() for name in ("html_port", "json_port", "plain_port")}
    configuration = work / "nginx.conf"
    configuration.write_text(_NGINX_CONFIGURATION.format(root=root, work=work, **ports))
    command = [NGINX, "-e", str(work / "error.log"), "-p", str(work), "-c", str(configuration)]
    with _running(command, tuple(ports.values())):
        html, json, plain = (f"http://127.0.0.1:{port}" for port in ports.values())
        yield WebServer(root, html, json, plain)


@contextlib.contextmanager
def python_web_server(root: Path) -> Iterator[WebServer]:
    """``python -m http.server``: listings as HTML, and no range requests."""
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "http.server",
        "--bind",
        "127.0.0.1",
        "--directory",
        str(root),
        str(port),
    ]
    with _running(command, (port,)):
        yield WebServer(root, f"http://127.0.0.1:{port}")


@contextlib.contextmanager
def _running(command: list[str], ports: tuple[int, ...]) -> Iterator[None]:
    """A child process that listens on ``ports``, ended with the block."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 20
        for port in ports:
            while not _listens(port):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"{command[0]} does not listen on port {port}")
                time.sleep(0.02)
        yield
    finally:
        process.terminate()
        process.wait(10)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@dataclass
class FaultServer:
    """A running HTTP server over a dictionary of values, with ranges, which misbehaves on demand.

    It also answers the object requests of S3 in path style, so ``s3://bucket`` with its address as endpoint reads
    the values whose key begins with ``bucket/``.
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
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    """What was asked for: method, path with its query, headers in lower case."""
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

    def _answer(self) -> None:
        state = self.state
        headers = {name.lower(): value for name, value in self.headers.items()}
        state.requests.append((self.command, self.path, headers))
        if state.delay_s:
            state.released.wait(state.delay_s)
        key = unquote(self.path.partition("?")[0]).lstrip("/")
        fault = state.faults.get(key)
        if isinstance(fault, int):
            self._send(fault, b"<html>fault</html>")
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
            "Last-Modified": "Wed, 01 Jan 2025 00:00:00 GMT",
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
