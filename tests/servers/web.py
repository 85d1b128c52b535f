"""Web servers: nginx with three kinds of listings, and Python's own, which knows no ranges."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

NGINX = "/usr/sbin/nginx"


def free_port() -> int:
    """A TCP port of the loopback interface that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


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


_GCS_CONFIGURATION = """
daemon off;
master_process off;
pid {work}/nginx.pid;
error_log {work}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_max_body_size 0;
    client_body_temp_path {work}/body;
    proxy_temp_path {work}/proxy;
    fastcgi_temp_path {work}/fastcgi;
    uwsgi_temp_path {work}/uwsgi;
    scgi_temp_path {work}/scgi;
    map $http_x_goog_if_generation_match $if_none_match {{ "0" "*"; default ""; }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass {service};
            proxy_http_version 1.1;
            proxy_set_header Authorization "";
            proxy_set_header If-None-Match $if_none_match;
        }}
    }}
}}
"""


@contextlib.contextmanager
def gcs_server(service: str, work: Path) -> Iterator[str]:
    """The address of an nginx that turns what GCS's XML interface is asked into what an S3 service is asked."""
    port = free_port()
    configuration = work / "nginx.conf"
    configuration.write_text(_GCS_CONFIGURATION.format(work=work, port=port, service=service))
    command = [NGINX, "-e", str(work / "error.log"), "-p", str(work), "-c", str(configuration)]
    with _running(command, (port,)):
        yield f"http://127.0.0.1:{port}"


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
