"""Logins from a netrc file, and servers that redirect to another one to log in."""

from __future__ import annotations

import base64
import pickle
import threading
import traceback
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from tests.any_store import AnyStore, open_store
from zarrcore.errors import StoreError
from zarrcore.stores.connection.netrc_logins import login_headers
from zarrcore.stores.interface import ByteRange
from zarrcore.stores.options import StoreOptions

VALUE = b"0123456789" * 10


class Site(BaseHTTPRequestHandler):
    """Two servers: of the data, at 127.0.0.1, and of logins, at localhost. The first wants a cookie, or its own login.

    Attributes:
        seen: host, path and credentials of each request.
    """

    seen: ClassVar[list[tuple[str, str, str, str]]]
    wants: ClassVar[str]
    hostile: ClassVar[str]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        host, port = (self.headers["Host"] or "").split(":")
        sent = self.headers.get("Authorization", "")
        cookies = self.headers.get("Cookie", "")
        self.seen.append((host, self.path, sent, cookies))
        if host == "localhost":  # what leads back is given to who has logged in
            if sent != basic("user", "secret word"):
                self.answer(401)
            else:
                back = f"http://127.0.0.1:{port}/back?code=7"
                self.answer(302, ("Location", back), ("Set-Cookie", "login=1; Path=/"))
        elif self.path == "/back?code=7":
            self.answer(302, ("Location", "/data/a"), ("Set-Cookie", "data=yes; Path=/; HttpOnly"))
        elif (self.wants == "cookie" and "data=yes" not in cookies) or (
            self.wants == "basic" and sent != basic("me", "mine")
        ):
            if self.wants == "cookie":
                self.answer(302, ("Location", f"http://localhost:{port}/authorize"))
            else:
                self.answer(401)
        elif self.path == "/data/elsewhere":
            self.answer(302, ("Location", f"http://localhost:{port}/else"))
        elif self.path == "/data/hostile":  # leads to the host before the backslash
            self.answer(302, ("Location", self.hostile.format(port=port)))
        elif self.path == "/data/a":
            self.answer(200, body=VALUE)
        else:
            self.answer(404)

    do_HEAD = do_GET

    def answer(self, status: int, *headers: tuple[str, str], body: bytes = b"") -> None:
        wanted = self.headers.get("Range") if status == 200 else None
        if wanted is not None:
            first, last = (int(part) for part in wanted.removeprefix("bytes=").split("-"))
            status, size = 206, len(body)
            body = body[first : last + 1]
            headers = (*headers, ("Content-Range", f"bytes {first}-{first + len(body) - 1}/{size}"))
        self.send_response(status)
        for name, value in (*headers, ("Content-Length", str(len(body)))):
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


@pytest.fixture
def site() -> Iterator[tuple[str, type[Site]]]:
    kind = type("OneSite", (Site,), {"seen": [], "wants": "cookie"})
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/data", kind
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def logins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "logins"
    path.write_text('machine localhost login user password "secret word"\ndefault login any password thing\n')
    path.chmod(0o600)
    monkeypatch.setenv("NETRC", str(path))
    return path


def opened(url: str, **options: object) -> AnyStore:
    return open_store(url, retries=0, **options)


@pytest.mark.parametrize("is_plain", [False, True])
def test_a_login_at_another_server(site: tuple[str, type[Site]], logins: Path, is_plain: bool) -> None:
    """As with NASA Earthdata. Both clients log in; later requests only need the cookie."""
    url, server = site
    with opened(url) as store:
        store._needs_httpx = is_plain  # type: ignore[attr-defined]
        assert bytes(store.get("a") or b"") == VALUE
        asked = [host for host, *_ in server.seen]
        assert asked == ["127.0.0.1", "localhost", "127.0.0.1", "127.0.0.1"]
        for host, _, sent, cookies in server.seen:
            assert bool(sent) is (host == "localhost")
            assert host == "127.0.0.1" or "data=yes" not in cookies
        server.seen.clear()
        assert bytes(store.get("a", ByteRange(3, 7)) or b"") == b"3456"
        assert [host for host, *_ in server.seen] == ["127.0.0.1"]
        again = pickle.loads(pickle.dumps(store))
        assert bytes(again.get("a") or b"") == VALUE


def test_without_a_login_the_server_of_logins_refuses(site: tuple[str, type[Site]], logins: Path) -> None:
    url, server = site
    for options in (
        {"anonymous": True},
        {"is_target": True, "targets": "shared", "allow_targets": ("http://localhost",)},
    ):
        with opened(url, **options) as store, pytest.raises(StoreError):
            store.get("a")
    assert not any(sent for _, _, sent, _ in server.seen)


@pytest.mark.parametrize("is_plain", [False, True])
def test_a_server_gets_its_own_login_and_no_other(
    site: tuple[str, type[Site]], logins: Path, is_plain: bool
) -> None:
    url, server = site
    server.wants = "basic"
    logins.write_text("machine 127.0.0.1 login me password mine\ndefault login any password thing\n")
    with opened(url) as store:
        store._needs_httpx = is_plain  # type: ignore[attr-defined]
        assert bytes(store.get("a") or b"") == VALUE
        with pytest.raises(StoreError):
            store.get("elsewhere")
    assert {sent for host, _, sent, _ in server.seen if host == "localhost"} == {""}
    with opened(url, headers={"Authorization": "Bearer t"}) as store, pytest.raises(StoreError):
        store.get("a")  # what the user says counts more
    assert server.seen[-1][2] == "Bearer t"


@pytest.mark.parametrize("is_plain", [False, True])
@pytest.mark.parametrize(
    ("hostile", "other"),
    [
        (r"http://127.0.0.1:{port}\@localhost/x", "127.0.0.1"),
        (r"http://localhost:{port}\@127.0.0.1:{port}/x", "localhost"),
    ],
)
def test_an_address_of_two_meanings_gets_no_login_of_another_host(
    site: tuple[str, type[Site]], logins: Path, hostile: str, other: str, is_plain: bool
) -> None:
    """Python takes the backslash for a part of a user's name, and browsers and some clients for the end of the host."""
    url, server = site
    server.wants, server.hostile = "", hostile
    logins.write_text("machine localhost login user password stolen\n" if other == "127.0.0.1" else "")
    headers = {} if other == "127.0.0.1" else {"Authorization": "Bearer t"}
    with opened(url, headers=headers) as store:
        store._needs_httpx = is_plain  # type: ignore[attr-defined]
        with suppress(StoreError):
            store.get("hostile")
    assert server.seen[0][1] == "/data/hostile"
    assert [path for host, path, sent, _ in server.seen[1:] if host == other and sent] == []


def test_a_login_needs_tls_or_this_machine(logins: Path) -> None:
    logins.write_text("machine example.org login me password mine\ndefault login any password thing\n")
    options = StoreOptions()
    assert login_headers("https://EXAMPLE.org/x", options) == {"Authorization": basic("me", "mine")}
    assert login_headers("http://example.org/x", options) == {}
    assert login_headers("https://other.org/x", options) == {}


def test_a_broken_file_is_named(logins: Path) -> None:
    logins.write_text("machine\n")
    with pytest.raises(StoreError, match=r"cannot read the logins in .*logins"):
        opened("https://example.org/data")
    logins.write_text("machine localhost\nlogin user password secret word\n")
    with pytest.raises(StoreError, match=r"ends at line \d is broken") as caught:
        opened("https://example.org/data")
    assert "word" not in "".join(traceback.format_exception(caught.value)).replace("password", "")
    logins.unlink()
    with opened("https://example.org/data"):
        pass


def test_an_entry_without_a_login_is_none(logins: Path) -> None:
    logins.write_text("machine localhost\nmachine other.org login user\n")
    assert login_headers("http://localhost/x", StoreOptions()) == {}
    assert login_headers("https://other.org/x", StoreOptions()) == {"Authorization": basic("user", "")}
