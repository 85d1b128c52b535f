"""An Azure Blob Storage service: azurite, which packaging/setup installs into ``.venv/azurite``."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path
from typing import Any

from tests.servers.processes import free_port, running
from tests.waiting import PATIENCE_S

_PROGRAM = Path(sys.prefix) / "azurite" / "node_modules" / ".bin" / "azurite-blob"
_ACCOUNT = "devstoreaccount1"
_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""The account and key of every azurite, from its manual."""

AZURE_ENVIRONMENT = {"AZURE_STORAGE_ACCOUNT_NAME": _ACCOUNT, "AZURE_STORAGE_ACCOUNT_KEY": _KEY}
AZURE_UNWANTED = (
    "AZURE_CLIENT_ID",
    "AZURE_ENDPOINT",
    "AZURE_STORAGE_CONNECTION_STRING",
    "AZURE_STORAGE_ENDPOINT",
    "AZURE_STORAGE_SAS_TOKEN",
    "AZURE_STORAGE_TOKEN",
)


@dataclass(frozen=True)
class AzureServer:
    """A running Azure service."""

    endpoint_url: str

    @property
    def environment(self) -> dict[str, str]:
        """Variables that set the account and its key, and remove other credentials."""
        return {**AZURE_ENVIRONMENT, "AZURE_STORAGE_SAS_TOKEN": ""}

    @property
    def options(self) -> dict[str, Any]:
        """Keywords of `zarrcore.open_store` for this service; account and key come from the environment."""
        return {"endpoint_url": self.endpoint_url, "timeout_s": PATIENCE_S}

    @property
    def arguments(self) -> list[str]:
        """The same for a command line."""
        return ["--endpoint-url", self.endpoint_url, "--timeout", f"{PATIENCE_S}"]

    @property
    def connection_string(self) -> str:
        """The same as a connection string for Azure's programs, with the key."""
        return (
            f"DefaultEndpointsProtocol=http;AccountName={_ACCOUNT};AccountKey={_KEY};"
            f"BlobEndpoint={self.endpoint_url};"
        )

    def create_container(self, name: str, *, public: bool = False) -> None:
        """Create a container, readable without credentials if it is ``public``."""
        headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2023-11-03"}
        if public:
            headers["x-ms-blob-public-access"] = "container"
        signed = "".join(f"{header}:{headers[header]}\n" for header in sorted(headers))
        resource = f"/{_ACCOUNT}/{_ACCOUNT}/{name}\nrestype:container"
        text = "PUT" + 12 * "\n" + signed + resource
        signature = base64.b64encode(hmac.new(base64.b64decode(_KEY), text.encode(), hashlib.sha256).digest())
        headers["Authorization"] = f"SharedKey {_ACCOUNT}:{signature.decode()}"
        address = f"{self.endpoint_url}/{name}?restype=container"
        request = urllib.request.Request(
            address, data=b"", headers={**headers, "Content-Type": ""}, method="PUT"
        )
        urllib.request.urlopen(request, timeout=PATIENCE_S).close()


@contextlib.contextmanager
def azure_server() -> Iterator[AzureServer]:
    """An azurite that keeps everything in memory, with the container ``container``."""
    port = free_port()
    command = [str(_PROGRAM), "--blobHost", "127.0.0.1", "--blobPort", str(port), "--inMemoryPersistence"]
    with running([*command, "--skipApiVersionCheck", "--silent", "--disableTelemetry"], (port,)):
        server = AzureServer(f"http://127.0.0.1:{port}/{_ACCOUNT}")
        server.create_container("container")
        yield server
