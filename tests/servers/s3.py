"""An S3 service: moto in a thread of this process."""

from __future__ import annotations

import contextlib
import functools
import inspect
import logging
import os
import threading
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape

from tests.waiting import PATIENCE_S

S3_ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "testing-key",
    "AWS_SECRET_ACCESS_KEY": "testing-secret",
    # Even if a test sets no credentials, nothing may ask the cloud's metadata address or the developer's account.
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}
S3_UNWANTED = ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_REGION", "AWS_DEFAULT_REGION")


@dataclass(frozen=True)
class S3Server:
    """A running S3 service."""

    endpoint_url: str

    @property
    def options(self) -> dict[str, Any]:
        """Keywords of `zarrcore.open_store` for this service; keys come from the environment."""
        return {"endpoint_url": self.endpoint_url, "region": "us-east-1", "timeout_s": PATIENCE_S}

    @property
    def arguments(self) -> list[str]:
        """The same for a command line."""
        return ["--endpoint-url", self.endpoint_url, "--region", "us-east-1", "--timeout", f"{PATIENCE_S}"]

    def request(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> bytes:
        """One plain HTTP request; by default the service does not check signatures."""
        headers = {"Content-Type": "application/octet-stream", **(headers or {})}
        request = urllib.request.Request(
            f"{self.endpoint_url}/{path}", data=body, headers=headers, method=method
        )
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            content: bytes = answer.read()
            return content

    def put(self, path: str, value: bytes) -> None:
        """Store ``value`` at ``bucket/key``, publicly readable."""
        self.request("PUT", quote(path), value, {"x-amz-acl": "public-read"})

    def upload(self, root: Path, place: str) -> None:
        """Store every file below ``root`` at ``bucket/prefix``."""
        for file in root.rglob("*"):
            if file.is_file():
                self.put(f"{place}/{file.relative_to(root).as_posix()}", file.read_bytes())

    def create_bucket(self, name: str) -> None:
        """Create a bucket, unless it exists."""
        self.request("PUT", name)

    @contextlib.contextmanager
    def denying(self) -> Iterator[None]:
        """Deny every request within the block, as with wrong credentials."""
        self.request("POST", "moto-api/reset-auth", b"0")
        try:
            yield
        finally:
            self.request("POST", "moto-api/reset-auth", b"inf")


@contextlib.contextmanager
def s3_server() -> Iterator[S3Server]:
    """A moto server with the bucket ``bucket``."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication
    from moto.server import ThreadedMotoServer

    _write_in_turn()
    _list_quickly()
    # For each request moto lists the folder of its modules and tries 200 patterns, a third of its time.
    find = DomainDispatcherApplication.get_backend_for_host
    DomainDispatcherApplication.get_backend_for_host = functools.cache(find)  # type: ignore[method-assign]
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # otherwise it logs a line for each request
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        found = S3Server(f"http://{host}:{port}")
        found.create_bucket("bucket")
        yield found
    finally:
        server.stop()


def _write_in_turn() -> None:
    """Let a condition of a request hold until its value is stored, as in the services; moto checks it some steps earlier."""
    from moto.s3.responses import S3Response

    turn = threading.Lock()

    def in_turn(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def wrapped(*arguments: Any, **keywords: Any) -> Any:
            with turn:
                return method(*arguments, **keywords)

        return wrapped

    for name in ("_key_response_put", "_key_response_post", "_key_response_delete"):
        setattr(S3Response, name, in_turn(inspect.unwrap(getattr(S3Response, name))))


def _list_quickly() -> None:
    """Let a listing cost less than 0.4 ms for each of its keys, and a µs for each other key of the bucket, as moto takes.

    moto parses the text of each time, and looks for each member of each key in its description of the service.
    """
    from moto.s3.responses import S3Response
    from moto.s3.utils import _VersionedKeyStore

    serialized = S3Response.serialized

    @functools.wraps(serialized)
    def quickly(response: Any, outcome: Any) -> Any:
        if response.data.get("Action") != "ListObjectsV2":
            return serialized(response, outcome)
        found, outcome.result["Contents"] = outcome.result["Contents"], []
        status, headers, body = serialized(response, outcome)
        return status, headers, body.replace("<Name>", "".join(map(_listed, found)) + "<Name>", 1)

    S3Response.serialized = quickly  # type: ignore[method-assign]
    _VersionedKeyStore.items = lambda keys: [(key, versions[-1]) for key, versions in [*dict.items(keys)]]


def _listed(key: dict[str, Any]) -> str:
    """A key as ListObjectsV2 describes it."""
    owner = key.get("Owner")
    parts = {
        "Key": escape(key["Key"]),
        "LastModified": key["LastModified"],
        "ETag": key["ETag"],
        "ChecksumAlgorithm": "".join(key.get("ChecksumAlgorithm", ())),
        "Size": key["Size"],
        "StorageClass": key["StorageClass"],
        "Owner": owner and f"<DisplayName>{owner['DisplayName']}</DisplayName><ID>{owner['ID']}</ID>",
    }
    return f"<Contents>{''.join(f'<{name}>{text}</{name}>' for name, text in parts.items() if text or text == 0)}</Contents>"
