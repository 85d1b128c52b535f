"""The form of requests: targets, hosts and framing, sent as bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.zfs.http.raw import CLOSE, HOST, exchanged, status
from tests.zfs.http.serving import Served, serving
from zarrfs.http.entrance import RefusedRequestError, admit
from zarrfs.http.options import Token

KEY = b"/keys/zarr.json"


@pytest.mark.parametrize(
    "target", [KEY, b"http://localhost" + KEY, b"HTTP://127.0.0.1:1" + KEY, b"http://[::1]" + KEY + b"?x=/"]
)
def test_a_target_may_be_a_path_or_a_url(served: Served, source: Path, target: bytes) -> None:
    answer = exchanged(served.port, b"GET " + target + b" HTTP/1.1\r\n" + CLOSE)
    assert (status(answer), answer.partition(b"\r\n\r\n")[2]) == (200, (source / "zarr.json").read_bytes())


def test_a_url_without_a_path_is_the_root(served: Served) -> None:
    assert b"<title>Index of /</title>" in exchanged(
        served.port, b"GET http://localhost HTTP/1.1\r\n" + CLOSE
    )
    assert (
        status(exchanged(served.port, b"PROPFIND http://localhost/keys HTTP/1.1\r\nDepth: 0\r\n" + CLOSE))
        == 207
    )


def test_the_host_of_a_url_counts_and_not_the_header(served: Served) -> None:
    rebound = b"GET http://attacker.example" + KEY + b" HTTP/1.1\r\n" + CLOSE
    assert status(exchanged(served.port, rebound)) == 421
    own = b"GET http://localhost/zarr3/g/x/ HTTP/1.1\r\n" + CLOSE.replace(b"localhost", b"attacker.example")
    answer = exchanged(served.port, own)
    assert status(answer) == 200
    assert b"attacker.example" not in answer
    assert b"http%3A%2F%2Flocalhost%2Fzarr3" in answer


def test_a_token_in_a_url_is_found(source: Path) -> None:
    with serving(source, token=Token("secret")) as guarded:
        for query, expected in ((b"", 401), (b"?token=secret", 200)):
            request = b"GET http://any.example" + KEY + query + b" HTTP/1.1\r\n" + CLOSE
            assert status(exchanged(guarded.port, request)) == expected


def test_options_may_ask_for_the_server_as_a_whole(served: Served) -> None:
    for target in (b"*", b"/", b"http://localhost", b"http://localhost/keys"):
        answer = exchanged(served.port, b"OPTIONS " + target + b" HTTP/1.1\r\n" + CLOSE)
        assert status(answer) == 200
        assert b"allow: GET, HEAD, OPTIONS, PROPFIND\r\n" in answer
    assert (
        status(exchanged(served.port, b"OPTIONS * HTTP/1.1\r\n" + CLOSE.replace(b"localhost", b"a.example")))
        == 421
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [(b"GET * HTTP/1.1", 400), (b"GET keys/zarr.json HTTP/1.1", 400), (b"GET ftp://localhost/ HTTP/1.1", 400),
     (b"GET http:///keys HTTP/1.1", 400), (b"GET http://[/ HTTP/1.1", 400), (b"GET http://me@localhost/ HTTP/1.1", 400),
     (b"CONNECT localhost:80 HTTP/1.1", 400), (b"GET https://localhost/ HTTP/1.1", 421), (b"GET / HTTP/2.0", 505)],
)  # fmt: skip
def test_other_targets_are_refused(served: Served, line: bytes, expected: int) -> None:
    assert status(exchanged(served.port, line + b"\r\n" + CLOSE)) == expected


@pytest.mark.parametrize(
    "host", [b"localhost/x", b"x@localhost", b'localhost"><x>', b"localhost:x", b"localhost\\x", b"[::1]x"]
)
def test_a_host_that_is_not_valid_is_refused(served: Served, host: bytes) -> None:
    answer = exchanged(served.port, b"GET / HTTP/1.1\r\n" + CLOSE.replace(b"localhost", host))
    assert status(answer) == 400
    assert b"<x>" not in answer


SMUGGLED = b"0\r\n\r\nGET /smuggled HTTP/1.1\r\n" + CLOSE


@pytest.mark.parametrize(
    "framing",
    [b"Content-Length: 5\r\nTransfer-Encoding: chunked", b"Transfer-Encoding: chunked\r\nContent-Length: 60",
     b"Content-Length: 0\r\nContent-Length: 5", b"Content-Length: 5, 6", b"Content-Length: +5", b"Content-Length: 0x5",
     b"Content-Length : 5", b"Transfer-Encoding: chunked, identity", b"Transfer-Encoding: xchunked",
     b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", b"Transfer-Encoding : chunked", b"X y: 1", b"Host: b"],
)  # fmt: skip
def test_a_request_whose_end_is_ambiguous_is_refused_and_nothing_after_it_is_answered(
    served: Served, framing: bytes
) -> None:
    answer = exchanged(
        served.port, b"PROPFIND / HTTP/1.1\r\nDepth: 0\r\n" + HOST + framing + b"\r\n\r\n" + SMUGGLED
    )
    assert status(answer) in {400, 501}
    assert answer.count(b"HTTP/1.1 ") == 1


def test_a_coded_request_of_an_old_version_is_refused(served: Served) -> None:
    request = (
        b"PROPFIND / HTTP/1.0\r\nDepth: 0\r\n"
        + HOST
        + b"Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    answer = exchanged(served.port, request + SMUGGLED)
    assert (status(answer), answer.count(b"HTTP/1.1 ")) == (400, 1)


def test_requests_in_one_packet_are_answered_in_their_order(served: Served, source: Path) -> None:
    chunked = (
        b"PROPFIND /keys HTTP/1.1\r\nDepth: 0\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    )
    head = b"HEAD " + KEY + b" HTTP/1.1\r\n" + HOST + b"\r\n"
    last = b"GET " + KEY + b" HTTP/1.1\r\n" + CLOSE
    answer = exchanged(served.port, chunked + head + b"GET /none HTTP/1.1\r\n" + HOST + b"\r\n" + last)
    statuses = [int(part[:3]) for part in answer.split(b"HTTP/1.1 ")[1:] if not part.startswith(b"200 OK<")]
    assert statuses == [207, 200, 404, 200]
    assert answer.endswith((source / "zarr.json").read_bytes())


def test_an_old_version_is_answered_and_closed(served: Served, source: Path) -> None:
    for more in (b"", b"Connection: keep-alive\r\n"):
        answer = exchanged(served.port, b"GET " + KEY + b" HTTP/1.0\r\n" + HOST + more + b"\r\n")
        assert (status(answer), answer.partition(b"\r\n\r\n")[2]) == (
            200,
            (source / "zarr.json").read_bytes(),
        )


@pytest.mark.parametrize(
    "path", ["/keys/a%00b", "/keys%2Fzarr.json", "/keys/%2e%2e/zarr.json", "/keys/%", "/keys" + "/a" * 7000]
)
def test_odd_paths_are_not_there(served: Served, path: str) -> None:
    answer = exchanged(served.port, f"GET {path} HTTP/1.1\r\n".encode() + CLOSE)
    assert (status(answer), answer.partition(b"\r\n\r\n")[2]) == (404, b"there is no such file\n")


def test_a_refusal_has_a_status_and_a_reason() -> None:
    scope: dict[str, Any] = {
        "method": "GET",
        "http_version": "1.1",
        "raw_path": b"x",
        "headers": [(b"host", b"a")],
    }
    with pytest.raises(RefusedRequestError, match="neither a path nor a URL") as caught:
        admit(scope)
    assert caught.value.status == 400
    admitted = admit({**scope, "raw_path": b"http://b:8/c"})
    assert (admitted["raw_path"], admitted["headers"]) == (b"/c", [(b"host", b"b:8")])
    assert scope["raw_path"] == b"x"
