"""Requests through httpx: repeats, pauses, redirections, headers and proxies."""

from __future__ import annotations

import os
import pickle
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from email.utils import formatdate

import httpx
import pytest

from tests.any_store import open_store
from tests.core.stores.conftest import Opener
from tests.core.stores.contract import CHUNK
from tests.core.stores.http.parts import check_parts
from tests.servers import FaultServer, environment, fault_server
from tests.waiting import recorded_pauses
from zarrcore.errors import (
    AccessDeniedError,
    BodyTooLargeError,
    StoreError,
    UnreachableError,
)
from zarrcore.stores import ByteRange
from zarrcore.stores.connection import retries
from zarrcore.stores.connection.failures import Failure
from zarrcore.stores.http.client import Answer, WebClient
from zarrcore.stores.options import StoreOptions


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


@pytest.mark.parametrize("said", ["3000", "date"])
def test_a_pause_that_the_server_asks_for_is_kept(
    faults: FaultServer, opened: Opener, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    pauses = recorded_pauses(monkeypatch)
    faults.values["key"] = b"1"
    faults.headers["Retry-After"] = formatdate(time.time() + 3000, usegmt=True) if said == "date" else said
    faults.faults["key"] = [429, 503, 429]
    assert opened(timeout_s=30_000, retries=3).get("key") == b"1"
    first, *others = [round(pause / 1000) for pause in pauses]  # until a date it is shorter on a slow machine
    assert first in {0, 3}  # obstore, if it gets the first answer, ignores its pause
    assert others == [3, 3]


def test_a_pause_beyond_the_deadline_is_an_error(faults: FaultServer, opened: Opener) -> None:
    faults.headers["Retry-After"] = "3600"
    for status, said in (
        (503, "the server fails (503 Service"),
        (429, "the server asks for fewer requests (429"),
    ):
        faults.faults["key"] = status
        faults.requests.clear()
        with pytest.raises(UnreachableError, match=re.escape(said)) as caught:
            opened(timeout_s=5, retries=5).get("key")
        assert (caught.value.retry_after_s, caught.value.may_pass) == (3600, True)
        assert "it asks for a pause of 3,600 s; the request was not repeated (--retries, --timeout)" in str(
            caught.value
        )
        assert len(faults.requests) <= 2  # obstore does not wait before its repeat


@pytest.mark.parametrize("status", [429, 503])
def test_a_pause_beyond_all_floats_is_a_year_or_more(
    faults: FaultServer, opened: Opener, status: int
) -> None:
    faults.headers["Retry-After"] = "9" * 400
    faults.faults["key"] = status
    with pytest.raises(UnreachableError, match="it asks for a pause of a year or more; the request"):
        opened(timeout_s=5).get("key")


def test_the_error_after_all_repeats_says_how_many_there_were(
    faults: FaultServer, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded_pauses(monkeypatch)
    faults.faults["key"] = 503
    with pytest.raises(UnreachableError, match=r"repeated 2 times \(--retries, --timeout\)") as caught:
        opened(timeout_s=1000, retries=2).get("key")
    assert caught.value.retry_after_s is None
    faults.faults["key"] = [502, 501]
    with pytest.raises(UnreachableError, match=r"fails \(501 Not Implemented\)$"):
        opened(timeout_s=1000, retries=2).get("key")


def test_redirections_are_followed_up_to_a_limit(faults: FaultServer, opened: Opener) -> None:
    faults.values["there/key"] = CHUNK
    faults.faults["key"] = f"moved:{faults.url}/there/key"
    check_parts(opened())
    faults.faults["key"] = f"moved:{faults.url}/key"
    with pytest.raises(UnreachableError, match="in circles"):
        opened().get("key")


def test_the_body_of_a_redirection_is_not_read_if_it_is_long(faults: FaultServer, opened: Opener) -> None:
    """Nor is that of an answer of which only the status counts."""
    faults.values["there/key"] = CHUNK
    faults.faults["key"] = f"moved:{faults.url}/there/key"
    faults.bodies = {302: bytes(1 << 26), 207: bytes(1 << 26)}
    check_parts(opened())
    faults.faults[""] = 207
    assert WebClient(faults.url, StoreOptions(timeout_s=5), {}).speaks_webdav(faults.url)
    assert faults.sent < 1 << 26


def test_a_connection_is_used_again_after_a_redirection(faults: FaultServer, client: WebClient) -> None:
    faults.values["there/key"] = CHUNK
    faults.faults["key"] = f"moved:{faults.url}/there/key"
    faults.bodies[302] = b"<html>moved</html>"
    for _ in range(3):
        assert isinstance(client.fetch(f"{faults.url}/key", limit=1 << 20), Answer)
    assert faults.connections == 1


def test_a_redirection_to_another_protocol_is_an_error(faults: FaultServer, opened: Opener) -> None:
    faults.faults["key"] = "moved:ftp:"
    with pytest.raises(StoreError, match="key"):
        opened(retries=0).get("key", ByteRange(2, 6))


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


@pytest.mark.parametrize(
    ("user", "query", "headers"),
    [
        ("me:hush@", "", {}),
        ("", "?signature=hush", {}),
        *(("", "", {name: "hush"}) for name in ("Authorization", "Cookie", "X-Token", "PRIVATE-TOKEN")),
        ("me:hush@", "?signature=hush", {"X-Token": "hush"}),
    ],
    ids=str,
)
def test_credentials_do_not_follow_a_redirection_to_another_server(
    user: str, query: str, headers: dict[str, str], faults: FaultServer
) -> None:
    faults.values = {"key": b"1", "": b"<title>Index of /</title><a href='key'>key</a>"}
    faults.content_types[""] = "text/html"
    elsewhere = faults.url.replace("127.0.0.1", "localhost")
    with fault_server() as other:
        other.values = {"beside": b"22"}
        other.faults = {key: f"moved:{elsewhere}/{key}" for key in ("", "key")}
        store = open_store(
            other.url.replace("//", f"//{user}") + f"/{query}",
            timeout_s=5,
            headers={**headers, "User-Agent": "me"},
        )
        assert store.get("beside") == b"22"
        assert store.get("key") == b"1"
        assert store.stat("key") is not None
        assert [entry.key for entry in store.list_dir("")] == ["key"]
        other.faults["key"] = [503, f"moved:{elsewhere}/key"]
        assert store.get("key") == b"1"
        for _, path, sent in other.requests:
            assert "hush" in f"{path}{sent}" or "authorization" in sent
    assert [path for _, path, _ in faults.requests] == ["/key", "/key", "/", "/key"]
    for _, path, sent in faults.requests:
        assert "hush" not in f"{path}{sent}"
        assert "authorization" not in sent
        assert sent["user-agent"] == "me"


@pytest.mark.parametrize(
    ("address", "url", "is_same"),
    [
        ("http://a", "http://a/x", True),
        ("http://a:80", "http://a/x", True),
        ("http://a", "https://a/x", True),
        ("HTTPS://A", "https://a:443/x", True),
        ("https://a", "http://a/x", False),
        ("http://a:8000", "https://a/x", False),
        ("http://a:8000", "http://a/x", False),
        ("http://a", "https://a:8443/x", False),
        ("http://a", "http://b/x", False),
        ("http://a", "http://a.b/x", False),
        ("http://a", "ftp://a/x", False),
    ],
)
def test_which_redirections_stay_on_the_server(address: str, url: str, is_same: bool) -> None:
    """The secure port of the same server belongs to it."""
    client = WebClient(address, StoreOptions(headers={"X-Token": "hush"}), {})
    request = httpx.Request("GET", url, headers={"X-Token": "hush"})
    client._withhold(request)
    assert ("x-token" in request.headers) == is_same


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


@pytest.mark.parametrize("url", ["{}://data.invalid/", "s3://bucket"])
def test_a_proxy_that_refuses_is_named(faults: FaultServer, url: str) -> None:
    """It answers CONNECT with 501, and everything else with 407."""
    names = ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy")
    keys = ("", "key", "bucket", "bucket/key")
    faults.faults = dict.fromkeys((f"http://data.invalid/{key}" for key in keys), 407)
    refusals = {"https": "the proxy does not connect to the server", "http": "the proxy requires a login"}
    with environment(dict.fromkeys(names[:4], faults.url), (*names[4:], "NO_PROXY", "no_proxy")):
        for scheme, said in refusals.items():
            options = {"endpoint_url": f"{scheme}://data.invalid", "region": "us-east-1", "retries": 0}
            store = open_store(url.format(scheme), **options)
            for request in (lambda store: store.get("key"), lambda store: list(store.list_dir(""))):
                with pytest.raises(UnreachableError, match=said) as caught:
                    request(store)
                assert f"the proxy {faults.url} comes from {scheme}_proxy" in str(caught.value)


@pytest.fixture
def client(faults: FaultServer) -> Iterator[WebClient]:
    """A client of ``faults`` with two repeats."""
    made = WebClient(faults.url, StoreOptions(timeout_s=5, retries=2), {"X-Token": "1"})
    yield made
    made.close()


def test_an_answer_has_the_final_address_and_the_facts_of_the_whole_value(
    faults: FaultServer, client: WebClient
) -> None:
    faults.values["there/key"] = CHUNK
    faults.content_types["there/key"] = "text/plain"
    faults.faults["key"] = f"moved:{faults.url}/there/key"
    answer = client.fetch(f"{faults.url}/key", ByteRange(3, 9), limit=100)
    assert isinstance(answer, Answer)
    assert (answer.url, answer.content_type) == (f"{faults.url}/there/key", "text/plain")
    assert answer.body == CHUNK[3:9]
    assert answer.body.readonly
    assert answer.stat is not None
    assert (answer.stat.size, answer.stat.mtime_s) == (len(CHUNK), 1735689600)
    assert answer.stat.etag
    assert all(headers["x-token"] == "1" for _, _, headers in faults.requests)


@pytest.mark.parametrize("ranged", [True, False])
def test_no_more_bytes_are_read_than_the_limit(faults: FaultServer, client: WebClient, ranged: bool) -> None:
    faults.values["key"] = CHUNK
    for part, expected in (
        (None, CHUNK[:5]),
        (ByteRange(7), CHUNK[7:12]),
        (ByteRange(7, 9), CHUNK[7:9]),
        (ByteRange(7, 99), CHUNK[7:12]),
    ):
        answer = client.fetch(f"{faults.url}/key", part, limit=5, ranged=ranged)
        assert isinstance(answer, Answer)
        assert answer.body == expected
    assert any("range" in headers for _, _, headers in faults.requests) == ranged


def test_a_redirection_to_a_directory_means_that_the_value_is_absent(
    faults: FaultServer, client: WebClient
) -> None:
    faults.values["a/"] = b"<title>Index of /a/</title>"
    faults.faults["a"] = f"moved:{faults.url}/a/"
    found = client.fetch(f"{faults.url}/a", limit=100)
    assert isinstance(found, Failure)
    assert found.status == 404
    assert isinstance(client.fetch(f"{faults.url}/a/", limit=100), Answer)


@pytest.mark.parametrize("page", ["login/", "login", "login/?next=/c/1", "c/login/"])
@pytest.mark.parametrize("status", [200, 403])
def test_a_redirection_to_another_page_does_not_mean_that_the_value_is_absent(
    faults: FaultServer, opened: Opener, page: str, status: int
) -> None:
    """As a server does when a login has expired."""
    key = page.partition("?")[0]
    faults.values[key] = b"<title>Log in</title>"
    faults.content_types[key] = "text/html"
    faults.faults["c/1"] = f"moved:{faults.url}/{page}"
    if status != 200:
        faults.faults[key] = status
    store = opened()
    for read in (store.get, store.stat, lambda name: store.get(name, ByteRange(4, 8))):
        with pytest.raises(AccessDeniedError):
            read("c/1")


def test_only_temporary_failures_are_attempted_again() -> None:
    client = WebClient("http://127.0.0.1:1", StoreOptions(timeout_s=5, retries=2), {})
    lasting, passing = Failure.of_status(404), Failure.of_status(503)
    for outcomes, tried, attempts, expected in (
        ([passing, passing, "value"], None, 3, "value"),
        ([passing, passing, passing, "value"], None, 3, passing),
        ([passing, lasting, "value"], None, 2, lasting),
        (["value"], passing, 1, "value"),
        ([], lasting, 0, lasting),
    ):
        left = [*outcomes]
        found = client.repeat(lambda left=left: left.pop(0), tried)
        if isinstance(found, Failure):
            assert found.repeats == max(0, attempts - (tried is None))
            found = replace(found, repeats=None)
        assert found == expected
        assert len(outcomes) - len(left) == attempts


def test_nothing_is_attempted_again_after_twice_the_timeout() -> None:
    client = WebClient("http://127.0.0.1:1", StoreOptions(retries=1000, timeout_s=0.1), {})
    failure = Failure.of_status(503)
    began_s = time.monotonic()
    attempted_s: list[float] = []

    def attempt() -> Failure:
        attempted_s.append(time.monotonic() - began_s)
        return failure

    assert client.repeat(attempt) == replace(failure, repeats=len(attempted_s) - 1)
    assert len(attempted_s) > 1


def test_whether_a_server_speaks_webdav_is_one_request(faults: FaultServer, client: WebClient) -> None:
    faults.faults["a"] = 207
    assert client.speaks_webdav(f"{faults.url}/a")
    assert not client.speaks_webdav(f"{faults.url}/b")
    faults.faults["a"] = "reset"
    assert not client.speaks_webdav(f"{faults.url}/a")
    assert not client.speaks_webdav("http://[")
    assert [(method, headers["depth"]) for method, _, headers in faults.requests] == [("PROPFIND", "0")] * 3


def test_a_closed_or_copied_client_connects_again(faults: FaultServer, client: WebClient) -> None:
    faults.values["key"] = b"1"
    client.close()
    for user in (client, pickle.loads(pickle.dumps(client))):
        for _ in range(2):
            answer = user.fetch(f"{faults.url}/key", limit=100)
            assert isinstance(answer, Answer)
            assert answer.body == b"1"
            user.close()
    assert faults.connections == 4
