"""Web servers: nginx with three kinds of listings, and Python's own, which knows no ranges."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.servers.processes import free_port, running

NGINX = "/usr/sbin/nginx"


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
    with running(command, tuple(ports.values())):
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
    with running(command, (port,)):
        yield WebServer(root, f"http://127.0.0.1:{port}")
