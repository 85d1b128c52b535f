"""A GCS service: an nginx proxy before moto, because GCS's XML API is close to S3."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.servers.processes import free_port, running
from tests.servers.s3 import S3Server
from tests.servers.web import NGINX
from tests.waiting import PATIENCE_S

GCS_ENVIRONMENT = {"GOOGLE_BEARER_TOKEN": "testing-token"}
GCS_UNWANTED = (
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_BASE_URL",
    "GOOGLE_SERVICE_ACCOUNT",
    "GOOGLE_SERVICE_ACCOUNT_KEY",
    "GOOGLE_SERVICE_ACCOUNT_PATH",
)

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
"""The proxy drops tokens, which moto ignores, and renames the header for "only if absent"."""


@dataclass(frozen=True)
class GCSServer:
    """A running GCS service with the publicly writable bucket ``gcs``."""

    endpoint_url: str

    @property
    def options(self) -> dict[str, Any]:
        """Keywords of `zarrcore.open_store` for this service; the token comes from the environment."""
        return {"endpoint_url": self.endpoint_url, "timeout_s": PATIENCE_S}

    @property
    def arguments(self) -> list[str]:
        """The same for a command line."""
        return ["--endpoint-url", self.endpoint_url, "--timeout", f"{PATIENCE_S}"]


@contextlib.contextmanager
def gcs_server(service: S3Server, work: Path) -> Iterator[GCSServer]:
    """A GCS service that keeps its objects in an S3 service."""
    service.request("PUT", "gcs", headers={"x-amz-acl": "public-read-write"})
    port = free_port()
    configuration = work / "nginx.conf"
    configuration.write_text(
        _GCS_CONFIGURATION.format(work=work, port=port, service=service.endpoint_url), encoding="utf-8"
    )
    command = [NGINX, "-e", str(work / "error.log"), "-p", str(work), "-c", str(configuration)]
    with running(command, (port,)):
        yield GCSServer(f"http://127.0.0.1:{port}")
