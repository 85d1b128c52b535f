"""Web servers: nginx and Apache with all kinds of listings, Python's own, which ignores ranges, and WebDAV."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.servers.processes import free_port, running

NGINX = "/usr/sbin/nginx"
APACHE = "/usr/sbin/apache2"


@dataclass(frozen=True)
class WebServer:
    """A running HTTP server that serves the files of a directory."""

    root: Path
    url: str
    """The address of the files, with listings as HTML."""
    json_url: str = ""
    """The same files with listings as JSON, if it has them."""
    plain_url: str = ""
    """The same files without listings, if it has that."""
    fancy_url: str = ""
    """The same files with listings in columns, if it has that."""
    table_url: str = ""
    """The same files with listings as tables with icons, if it has that."""
    webdav_url: str = ""
    """The same files through WebDAV and without listings, if it has that."""


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
    """An nginx that serves ``root`` and keeps its own files in ``work``; runs as the current user."""
    ports = {name: free_port() for name in ("html_port", "json_port", "plain_port")}
    configuration = work / "nginx.conf"
    configuration.write_text(_NGINX_CONFIGURATION.format(root=root, work=work, **ports))
    command = [NGINX, "-e", str(work / "error.log"), "-p", str(work), "-c", str(configuration)]
    with running(command, tuple(ports.values())):
        html, json, plain = (f"http://127.0.0.1:{port}" for port in ports.values())
        yield WebServer(root, html, json, plain)


_APACHE_CONFIGURATION = """
ServerRoot {work}
PidFile {work}/apache.pid
ErrorLog {work}/error.log
DefaultRuntimeDir {work}
DavLockDB {work}/locks
ServerName localhost
TypesConfig /etc/mime.types
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule autoindex_module {modules}/mod_autoindex.so
LoadModule dir_module {modules}/mod_dir.so
LoadModule mime_module {modules}/mod_mime.so
LoadModule dav_module {modules}/mod_dav.so
LoadModule dav_fs_module {modules}/mod_dav_fs.so
DocumentRoot {root}
Listen 127.0.0.1:{plain_port}
Listen 127.0.0.1:{fancy_port}
Listen 127.0.0.1:{table_port}
Listen 127.0.0.1:{webdav_port}
<Directory {root}>
    Require all granted
    Options Indexes
</Directory>
<VirtualHost 127.0.0.1:{plain_port}>
</VirtualHost>
<VirtualHost 127.0.0.1:{fancy_port}>
    IndexOptions FancyIndexing NameWidth=8
</VirtualHost>
<VirtualHost 127.0.0.1:{table_port}>
    IndexOptions FancyIndexing HTMLTable IconsAreLinks FoldersFirst NameWidth=8 Charset=UTF-8
</VirtualHost>
<VirtualHost 127.0.0.1:{webdav_port}>
    <Location />
        Dav On
        Options -Indexes
    </Location>
</VirtualHost>
"""


@contextlib.contextmanager
def apache_server(root: Path, work: Path) -> Iterator[WebServer]:
    """An Apache that serves ``root`` and keeps its own files in ``work``; runs as the current user."""
    ports = {name: free_port() for name in ("plain_port", "fancy_port", "table_port", "webdav_port")}
    configuration = work / "apache.conf"
    modules = "/usr/lib/apache2/modules"
    configuration.write_text(_APACHE_CONFIGURATION.format(root=root, work=work, modules=modules, **ports))
    with running([APACHE, "-X", "-d", str(work), "-f", str(configuration)], tuple(ports.values())):
        plain, fancy, table, webdav = (f"http://127.0.0.1:{port}" for port in ports.values())
        yield WebServer(root, plain, fancy_url=fancy, table_url=table, webdav_url=webdav)


@contextlib.contextmanager
def rclone_server(root: Path) -> Iterator[WebServer]:
    """``rclone serve webdav``."""
    port = free_port()
    rclone = Path(sys.executable).with_name("rclone")
    address = f"127.0.0.1:{port}"
    # Otherwise it answers from a cache of minutes, and reads the configuration of the current user.
    options = ["--addr", address, "--dir-cache-time", "0s", "--config", os.devnull]
    with running([str(rclone), "serve", "webdav", str(root), *options], (port,)):
        yield WebServer(root, f"http://{address}", webdav_url=f"http://{address}")


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
