"""One request: its path, its query, its body, and the way to answer it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from zarrfs.http.exchange import Exchange


def exchange(
    path: str = "/", query: str = "", messages: list[dict[str, Any]] | None = None
) -> tuple[Exchange, list[Any]]:
    """A request, and the list of what is sent to its client."""
    waiting, sent = [*(messages or [])], []

    async def receive() -> Any:
        return waiting.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "GET", "scheme": "http", "raw_path": path.encode(), "query_string": query.encode(),
        "headers": [(b"host", b"localhost:8000")],
    }  # fmt: skip
    return Exchange(scope, receive, send), sent


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/", [""]),
        ("/a/b", ["a", "b"]),
        ("/a/b/", ["a", "b", ""]),
        ("//a///b", ["a", "b"]),
        ("/a%2Fb/%5B3,:%5D.npy", ["a/b", "[3,:].npy"]),
        ("/%C3%A9%FF", ["é\udcff"]),
        ("/../%2e%2e", ["..", ".."]),
    ],
)
def test_the_names_on_a_path(path: str, names: list[str]) -> None:
    made = exchange(path)[0]
    assert made.names == names
    assert made.is_directory == path.endswith("/")
    assert made.origin == "http://localhost:8000"


def test_a_parameter_of_the_query() -> None:
    assert exchange(query="token=a%2Bb&x=1")[0].parameter("token") == "a+b"
    assert exchange(query="x=1")[0].parameter("token") is None
    assert exchange()[0].parameter("token") is None


def test_a_body_is_read_up_to_a_limit() -> None:
    parts = [
        {"type": "http.request", "body": b"a", "more_body": True},
        {"type": "http.request", "body": b"b"},
    ]
    assert asyncio.run(exchange(messages=parts)[0].body()) == b"ab"
    endless = [{"type": "http.request", "body": bytes(50_000), "more_body": True}] * 2
    assert asyncio.run(exchange(messages=endless)[0].body()) is None


def test_a_refusal_is_a_sentence() -> None:
    made, sent = exchange()
    asyncio.run(made.refuse(404, "there is no such file", {"x-more": "1"}))
    begun, ended = sent
    assert (made.status, begun["status"], ended["body"]) == (404, 404, b"there is no such file\n")
    assert (b"x-more", b"1") in begun["headers"]
    assert (b"content-length", b"22") in begun["headers"]
