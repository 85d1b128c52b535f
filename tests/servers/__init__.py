"""Servers on the loopback interface for tests: S3, GCS, Azure, several HTTP servers, and a faulty one.

Each is a context manager that yields the connection data; `tests/core/stores/conftest.py` wraps them
in fixtures. Nothing here contacts another machine.
"""

from __future__ import annotations

from tests.servers.azure import AZURE_ENVIRONMENT, AZURE_UNWANTED, AzureServer, azure_server
from tests.servers.certificates import Authority
from tests.servers.environment import environment
from tests.servers.faults import FaultServer, fault_server
from tests.servers.gcs import GCS_ENVIRONMENT, GCS_UNWANTED, GCSServer, gcs_server
from tests.servers.processes import free_port
from tests.servers.s3 import S3_ENVIRONMENT, S3_UNWANTED, S3Server, s3_server
from tests.servers.web import (
    NGINX,
    WebServer,
    apache_server,
    nginx_server,
    python_web_server,
    rclone_server,
)

__all__ = [
    "AZURE_ENVIRONMENT",
    "AZURE_UNWANTED",
    "GCS_ENVIRONMENT",
    "GCS_UNWANTED",
    "NGINX",
    "S3_ENVIRONMENT",
    "S3_UNWANTED",
    "Authority",
    "AzureServer",
    "FaultServer",
    "GCSServer",
    "S3Server",
    "WebServer",
    "apache_server",
    "azure_server",
    "environment",
    "fault_server",
    "free_port",
    "gcs_server",
    "nginx_server",
    "python_web_server",
    "rclone_server",
    "s3_server",
]
