"""Requests to a Redis server: passwords, TLS, and retries while it is unavailable."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.any_store import open_store
from tests.servers import environment
from tests.servers.certificates import Authority
from tests.servers.processes import free_port
from tests.servers.redis import redis_server
from zarrcore.errors import (
    AccessDeniedError,
    MissingExtraError,
    StoreError,
    UnreachableError,
)


@pytest.fixture(scope="module", autouse=True)
def _no_password() -> Iterator[None]:
    with environment({}, ("REDISCLI_AUTH",)):
        yield


def test_the_user_is_in_the_url_and_the_password_in_the_environment(tmp_path: Path) -> None:
    with redis_server(
        tmp_path, "--requirepass", "geheim", "--user", *["me", "on", "~*", "&*", "+@all", "-eval", ">other"]
    ) as server:
        named = server.url.replace("://", "://me@")
        for url, password in ((server.url, None), (server.url, "wrong"), (named, "geheim"), (named, None)):
            given = {} if password is None else {"REDISCLI_AUTH": password}
            with environment(given, ("REDISCLI_AUTH",)), open_store(url) as store:
                for ask in (lambda: store.get("a"), lambda: store.set("a", b""), lambda: [*store.list()]):
                    with pytest.raises(
                        AccessDeniedError, match="the password comes from REDISCLI_AUTH"
                    ) as caught:
                        ask()
                    assert not any(word in str(caught.value) for word in ("geheim", "wrong"))
        with environment({"REDISCLI_AUTH": "geheim"}), open_store(server.url) as store:
            store.set("a", b"1")
            assert store.stat("a").etag is not None
            assert pickle.loads(pickle.dumps(store)).get("a") == b"1"
            assert b"geheim" not in pickle.dumps(store)
            with open_store(server.url, anonymous=True) as stranger, pytest.raises(AccessDeniedError):
                stranger.get("a")
        with environment({"REDISCLI_AUTH": "other"}), open_store(named) as other:
            assert other.get("a") == b"1"
            # A user without permission to run scripts gets the size, but no checksum.
            assert (other.stat("a").size, other.stat("a").etag, other.stat("b")) == (1, None, None)
            assert other.identity != store.identity


def test_requests_wait_for_a_server_that_restarts(tmp_path: Path) -> None:
    port = free_port()
    kept = ("--appendonly", "yes", "--appendfsync", "always")
    with redis_server(tmp_path, *kept, port=port) as server:
        store = open_store(server.url, timeout_s=20, retries=20)
        store.set("a", b"1")
        assert store.get("a") == b"1"
    with open_store(server.url, timeout_s=5, retries=0) as impatient, pytest.raises(UnreachableError):
        impatient.get("a")
    with ThreadPoolExecutor(4) as pool:
        found = [pool.submit(store.get, "a") for _ in range(4)]
        with redis_server(tmp_path, *kept, port=port):
            assert [future.result(30) for future in found] == [b"1"] * 4
            assert store.set("b", b"2", if_absent=True)
            store.close()


def test_requests_wait_for_a_server_that_is_loading(tmp_path: Path) -> None:
    with redis_server(tmp_path) as server, open_store(server.url) as store:
        for number in range(5):
            store.set(str(number), bytes(2000))
        server.command("CONFIG", "SET", "rdbcompression", "no")
        server.command("SAVE")
    slowly = ("--key-load-delay", "150000", "--loading-process-events-interval-bytes", "1024")
    with redis_server(tmp_path, *slowly) as server:
        with (
            open_store(server.url, retries=0) as impatient,
            pytest.raises(UnreachableError, match="the server is still loading its data"),
        ):
            impatient.get("4")
        with open_store(server.url, retries=20) as store:
            assert store.get("4") == bytes(2000)


def test_tls_is_trusted_if_its_authority_is_given(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    authority.server_context()
    pem, port = str(tmp_path / "127.0.0.1-1.pem"), str(free_port())
    files = ("--tls-cert-file", pem, "--tls-key-file", pem, "--tls-ca-cert-file", str(authority.certificate))
    with redis_server(tmp_path, "--tls-port", port, "--tls-auth-clients", "no", *files) as server:
        url = f"rediss://127.0.0.1:{port}"
        with open_store(url, ca_bundle=str(authority.certificate), timeout_s=5) as store:
            assert store.set("a", b"1")
            assert server.command("GET", "zarr:a") == "1\n"
        with (
            open_store(url, retries=0, timeout_s=5) as store,
            pytest.raises(UnreachableError, match="--ca-bundle"),
        ):
            store.get("a")
        other = f"rediss://localhost:{port}"
        with (
            open_store(other, ca_bundle=str(authority.certificate), retries=0, timeout_s=5) as store,
            pytest.raises(UnreachableError, match="is for another name than the one in the URL"),
        ):
            store.get("a")
        with (
            open_store(url, ca_bundle="/absent", timeout_s=5) as store,
            pytest.raises(StoreError, match="/absent"),
        ):
            store.get("a")


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    with open_store("redis://host") as store, pytest.raises(MissingExtraError, match=r"zarrscope\[redis\]"):
        store.get("a")
