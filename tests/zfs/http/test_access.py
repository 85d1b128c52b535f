"""Who may ask: tokens, and the names by which this machine may be called."""

from __future__ import annotations

import base64
import http.client
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.waiting import PATIENCE_S
from tests.zfs.http.serving import Served, get, serving
from zarrfs.http.access import is_loopback, names_loopback
from zarrfs.http.options import Token

TOKEN = "s3cret-T0ken~value"


@pytest.fixture(scope="module")
def guarded(source: Path) -> Iterator[Served]:
    with serving(source, token=Token(TOKEN), origins=("https://viewer.example",)) as server:
        yield server


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


@pytest.mark.parametrize(
    "headers",
    [{"authorization": f"Bearer {TOKEN}"}, {"authorization": f"bearer  {TOKEN}"}, {"authorization": basic("me", TOKEN)}],
)  # fmt: skip
def test_a_token_in_a_header_is_accepted(guarded: Served, headers: dict[str, str]) -> None:
    assert get(f"{guarded.url}/keys/zarr.json", headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("query", "authorization"),
    [("", None), ("?token=", None), (f"?token={TOKEN}x", None), (f"?token={TOKEN[:-1]}", None), ("?token=%FF%00", None),
     ("", f"Bearer {TOKEN[:-1]}"), ("", f"Digest {TOKEN}"), ("", basic(TOKEN, "")), ("", "Basic é"), ("", "Basic ="),
     ("", "Bearer")],
)  # fmt: skip
def test_a_request_without_the_token_is_refused(
    guarded: Served, query: str, authorization: str | None
) -> None:
    headers = {} if authorization is None else {"authorization": authorization.encode("latin-1")}
    for method in ("GET", "HEAD", "PROPFIND", "OPTIONS", "PUT"):
        answer = httpx.request(
            method, f"{guarded.url}/keys/zarr.json{query}", headers=headers, timeout=PATIENCE_S
        )
        assert answer.status_code == 401
        assert "Bearer" in answer.headers["www-authenticate"]
        assert b"zarr_format" not in answer.content


def test_links_keep_a_token_that_is_in_the_query(guarded: Served) -> None:
    page = get(f"{guarded.url}/?token={TOKEN}")
    assert f'href="arrays/?token={TOKEN}"' in page.text
    assert page.headers["referrer-policy"] == "no-referrer"
    file = get(f"{guarded.url}/keys/zarr.json?token={TOKEN}")
    assert file.headers["cache-control"].startswith("private")
    bearer = {"authorization": f"Bearer {TOKEN}"}
    assert TOKEN not in get(guarded.url, headers=bearer).text


def test_a_page_of_another_origin_asks_before_it_sends_the_token(guarded: Served) -> None:
    asked = {
        "origin": "https://viewer.example",
        "access-control-request-method": "GET",
        "access-control-request-headers": "authorization,range",
    }
    answer = httpx.options(f"{guarded.url}/zarr3/zarr.json", headers=asked, timeout=PATIENCE_S)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "https://viewer.example"


def asked_by_name(served: Served, host: str | None) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", served.port)
    connection.putrequest("GET", "/keys/zarr.json", skip_host=True)
    if host is not None:
        connection.putheader("Host", host)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]:8000", "data.localhost"]
)
def test_names_of_this_machine_are_answered(served: Served, host: str) -> None:
    assert asked_by_name(served, host) == 200


@pytest.mark.parametrize(
    "host", ["attacker.example", "attacker.example:8000", "127.0.0.1.attacker.example", "192.0.2.1", ""]
)
def test_a_page_of_another_server_cannot_rebind_its_name(served: Served, guarded: Served, host: str) -> None:
    assert asked_by_name(served, host) == 421
    assert asked_by_name(guarded, host) == 401  # the token is what counts


def test_which_names_are_those_of_this_machine() -> None:
    assert is_loopback("127.8.9.1")
    assert not is_loopback("example.com")
    assert not names_loopback(None)
    assert not names_loopback("[")
