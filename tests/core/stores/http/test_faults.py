"""HTTPStore with servers that fail, mislead or hang: the right bytes or one clear error, in a short time."""

from __future__ import annotations

import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate

import pytest

from tests.core.stores.conftest import Opener
from tests.core.stores.contract import CHUNK
from tests.servers import FaultServer, environment, fault_server
from zarrcore.errors import (
    BodyTooLargeError,
    BrokenBodyError,
    StoreError,
    StoreTimeoutError,
    UnreachableError,
)
from zarrcore.stores import ByteRange, ReadableStore, open_store, retries

RANGES = [None, ByteRange(0, 10), ByteRange(3, 9), ByteRange(10_000), ByteRange(-9), ByteRange(9, 99_999)]


def check_parts(store: ReadableStore, ranges: list[ByteRange | None] = RANGES) -> None:
    """Check that parts of ``CHUNK``, the value of ``key``, read correctly."""
    for byte_range in ranges:
        start, stop = (byte_range or ByteRange(0)).resolve(len(CHUNK))
        assert store.get("key", byte_range) == CHUNK[start:stop]


@pytest.fixture(autouse=True)
def _haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """Very short pauses between repeats."""
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.01)


@pytest.mark.parametrize(
    "fault", ["no-range", "no-length", "gzip", "other-part", "short-part", "nameless-part"]
)
def test_wrong_answers_of_a_server_still_give_the_right_bytes(
    faults: FaultServer, opened: Opener, fault: str
) -> None:
    faults.values["key"] = CHUNK
    faults.faults["key"] = fault
    store = opened()
    check_parts(store)
    found = opened().stat("key")
    assert found is not None
    assert found.size == len(CHUNK)
    for byte_range in RANGES:
        value, known = store.get_with_stat("key", byte_range)
        assert value == store.get("key", byte_range)
        assert known.size == len(CHUNK)
        if len(value) > 5:
            with pytest.raises(BodyTooLargeError):
                store.get("key", byte_range, max_nbytes=5)


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


@pytest.mark.parametrize("fault", [429, 500, 502, 503, 504, "reset", "truncate"])
def test_temporary_failures_are_repeated(faults: FaultServer, opened: Opener, fault: int | str) -> None:
    faults.values["key"] = CHUNK
    store = opened(retries=2)
    for byte_range in (None, ByteRange(3, 9)):
        faults.faults["key"] = [fault, fault]
        faults.requests.clear()
        check_parts(store, [byte_range])
        assert len(faults.requests) == 3
        faults.faults["key"] = [fault, fault, fault]
        faults.requests.clear()
        with pytest.raises(StoreError):
            store.get("key", byte_range)
        assert len(faults.requests) == 3
    if isinstance(fault, int):
        faults.faults["key"] = [fault]
        found = store.stat("key")
        assert found is not None
        assert found.size == len(CHUNK)


@pytest.mark.parametrize("fault", [400, 401, 404, 418, 501])
def test_permanent_failures_are_not_repeated(faults: FaultServer, opened: Opener, fault: int) -> None:
    faults.faults["key"] = fault
    try:
        assert opened(retries=5).get("key") is None
    except StoreError:
        assert fault != 404
    assert len(faults.requests) == 1


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


@pytest.mark.parametrize("fault", ["hang", "stall"])
def test_a_server_that_hangs_costs_the_timeout_once(faults: FaultServer, opened: Opener, fault: str) -> None:
    faults.values["key"] = CHUNK
    store = opened(timeout_s=0.3, retries=5)
    faults.faults["key"] = fault
    for read in (store.get, lambda key: store.get(key, ByteRange(5, 3000))):
        faults.requests.clear()
        with pytest.raises(StoreTimeoutError, match="--timeout"):
            read("key")
        assert len(faults.requests) == 1


def test_a_value_that_changes_during_a_read_is_read_again(faults: FaultServer, opened: Opener) -> None:
    faults.values["key"] = CHUNK

    class Changing(dict[str, bytes]):
        def __getitem__(self, key: str) -> bytes:
            faults.values = {"key": CHUNK[::-1]}
            return CHUNK

    faults.values = Changing(key=CHUNK)
    faults.faults["key"] = ["truncate"]
    assert opened().get("key") == CHUNK[::-1]


def test_an_answer_with_a_wrong_size_is_reported(faults: FaultServer, opened: Opener) -> None:
    faults.values["key"] = CHUNK
    faults.faults["key"] = "truncate"
    with pytest.raises(BrokenBodyError, match="broke off before its end") as caught:
        opened().get("key")
    assert str(caught.value).startswith(f"key in {faults.url}: ")
    assert "\n" not in str(caught.value)


def test_connections_are_reused(faults: FaultServer, opened: Opener) -> None:
    faults.values["key"] = CHUNK
    faults.values["page/"] = b"<title>Index of /</title>"
    faults.content_types["page/"] = "text/html"
    store = opened(timeout_s=10)
    with ThreadPoolExecutor(4) as pool:
        read = list(pool.map(lambda n: store.get("key", ByteRange(n, n + 7)), range(200)))
        assert read == [CHUNK[n : n + 7] for n in range(200)]
        assert all(pool.map(lambda _: store.stat("key"), range(50)))
        assert faults.connections <= 8  # of 250 requests by four threads
        assert not any(pool.map(lambda _: list(store.list_dir("page/")), range(50)))
    assert faults.connections <= 15


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
