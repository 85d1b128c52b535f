"""Servers on the loopback interface for tests: S3, HTTP with and without ranges and listings, and a faulty one.

Each is a context manager that yields what a test needs to reach it; `tests/core/stores/conftest.py` wraps them
in fixtures. Nothing here contacts any other machine.
"""

from __future__ import annotations

from tests.servers.environment import environment
from tests.servers.faults import FaultServer, fault_server
from tests.servers.s3 import S3_ENVIRONMENT, S3_UNWANTED, S3Server, s3_server
from tests.servers.web import NGINX, WebServer, free_port, gcs_server, nginx_server, python_web_server

__all__ = [
    "NGINX",
    "S3_ENVIRONMENT",
    "S3_UNWANTED",
    "FaultServer",
    "S3Server",
    "WebServer",
    "environment",
    "fault_server",
    "free_port",
    "gcs_server",
    "nginx_server",
    "python_web_server",
    "s3_server",
]
