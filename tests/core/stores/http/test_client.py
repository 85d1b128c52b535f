"""Requests through httpx: repeats, pauses, redirections, headers and proxies."""

from __future__ import annotations

import os
import re
import time
from email.utils import formatdate

import pytest

from tests.core.stores.conftest import Opener
from tests.core.stores.contract import CHUNK
from tests.core.stores.http.parts import check_parts
from tests.servers import FaultServer, environment, fault_server
from zarrcore.errors import (
    BodyTooLargeError,
    StoreError,
    UnreachableError,
)
from zarrcore.stores import ByteRange, open_store, retries


@pytest.fixture(autouse=True)
def _haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """Very short pauses between repeats."""
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.01)


def test_a_compressed_body_is_decompressed_only_as_far_as_needed(faults: FaultServer, opened: Opener) -> None:
    faults.values["key"] = bytes(5_000_000)
    faults.faults["key"] = "gzip"
    assert opened().get("key", ByteRange(3, 9)) == bytes(6)
    with pytest.raises(BodyTooLargeError):
        opened().get("key", max_nbytes=1000)
    faults.headers["Content-Encoding"] = "br"
    faults.faults["key"] = []
    with pytest.raises(StoreError, match="encoded as 'br'"):
        opened().get("key")


def test_the_end_of_a_value_is_found_without_keeping_what_comes_before(
    faults: FaultServer, opened: Opener
) -> None:
    faults.values["key"] = value = os.urandom(1 << 22)
    faults.faults["key"] = "no-range"
    assert opened().get("key", ByteRange(-1000)) == value[-1000:]


@pytest.mark.parametrize("said", ["3", "date"])
def test_a_pause_that_the_server_asks_for_is_kept(
    faults: FaultServer, opened: Opener, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(retries.time, "sleep", pauses.append)
    faults.values["key"] = b"1"
    faults.headers["Retry-After"] = formatdate(time.time() + 3, usegmt=True) if said == "date" else said
    faults.faults["key"] = [429, 503, 429]
    assert opened(timeout_s=30, retries=3).get("key") == b"1"
    # obstore gets the first answer and ignores its pause.
    assert [round(pause) for pause in pauses] in ([0, 3, 3], [0, 2, 2], [0, 3, 2])


def test_a_pause_beyond_the_deadline_is_an_error(faults: FaultServer, opened: Opener) -> None:
    faults.headers["Retry-After"] = "3600"
    for status, said in (
        (503, "the server fails (503 Service"),
        (429, "the server asks for fewer requests (429"),
    ):
        faults.faults["key"] = status
        faults.requests.clear()
        with pytest.raises(UnreachableError, match=re.escape(said)):
            opened(timeout_s=5, retries=5).get("key")
        assert len(faults.requests) == 2


def test_redirections_are_followed_up_to_a_limit(faults: FaultServer, opened: Opener) -> None:
    faults.values["there/key"] = CHUNK
    faults.faults["key"] = f"moved:{faults.url}/there/key"
    check_parts(opened())
    faults.faults["key"] = f"moved:{faults.url}/key"
    with pytest.raises(UnreachableError, match="in circles"):
        opened().get("key")


@pytest.mark.parametrize(
    ("name", "value"),
    [("ETag", '"größe"'), ("Last-Modified", "some day"), ("Set-Cookie", "ü=ü"), ("Content-Type", "ü;;ü")],
)
def test_invalid_headers_are_harmless(faults: FaultServer, opened: Opener, name: str, value: str) -> None:
    faults.values["key"] = CHUNK
    faults.values["page/"] = b"<title>Index of /</title><a href='a'>a</a>"
    faults.content_types["page/"] = "text/html"
    faults.late_headers[name] = value
    store = opened(timeout_s=5)
    check_parts(store)
    found = store.stat("key")
    assert found is not None
    assert found.size == len(CHUNK)
    if name != "Content-Type":
        for _ in range(2):  # cookies would be sent with the second request
            assert [entry.key for entry in store.list_dir("page/")] == ["page/a"]


def test_credentials_do_not_follow_a_redirection_to_another_server(faults: FaultServer) -> None:
    faults.values["key"] = b"1"
    with fault_server() as other:
        other.faults["key"] = f"moved:{faults.url.replace('127.0.0.1', 'localhost')}/key"
        store = open_store(other.url.replace("//", "//me:geheim@"), timeout_s=5)
        assert store.get("key") == b"1"
        other.faults["key"] = [503, f"moved:{faults.url.replace('127.0.0.1', 'localhost')}/key"]
        assert store.get("key") == b"1"
        assert all("authorization" in headers for _, _, headers in other.requests)
    assert len(faults.requests) == 2
    assert not any("authorization" in headers for _, _, headers in faults.requests)


def test_a_proxy_of_the_environment_is_used_except_for_this_machine(faults: FaultServer) -> None:
    page = b"<title>Index of /</title><a href='key'>key</a>"
    faults.values = {"http://data.invalid/key": b"far", "http://data.invalid/": page}
    faults.content_types["http://data.invalid/"] = "text/html"
    names = ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy")
    with (
        fault_server() as near,
        environment(dict.fromkeys(names[:4], faults.url), (*names[4:], "NO_PROXY", "no_proxy")),
    ):
        near.values = {"key": b"near", "": page}
        near.content_types[""] = "text/html"
        for url, value in (
            ("http://data.invalid/", b"far"),
            (near.url, b"near"),
            (near.url.replace("127.0.0.1", "localhost"), b"near"),
        ):
            store = open_store(url, timeout_s=5, retries=0)
            assert [entry.key for entry in store.list()] == ["key"]
            assert store.get("key") == value
        s3 = open_store("s3://bucket", endpoint_url=near.url, region="us-east-1", retries=0)
        near.values["bucket/key"] = b"3"
        assert s3.get("key") == b"3"
    assert len(faults.requests) == 2
