"""HTTPStore over TLS: trusted certificates, and the errors for all others."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.any_store import open_store
from tests.servers import Authority, FaultServer, fault_server
from zarrcore.errors import StoreError, StoreTimeoutError, UnreachableError
from zarrcore.stores import ByteRange
from zarrcore.stores.http.client import _context

open_soon = functools.partial(open_store, timeout_s=10, retries=5)

PAGE = b"<title>Index of /</title><a href='key'>key</a>"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def server(authority: Authority) -> Iterator[FaultServer]:
    """A server with a valid certificate of the authority."""
    with fault_server(authority.server_context()) as server:
        server.values = {"key": b"1", "": PAGE}
        server.content_types[""] = "text/html"
        yield server


def check_fails(url: str, ca_bundle: Path | None, said: str) -> None:
    """Check that each kind of request fails at once with this message."""
    store = open_soon(url, ca_bundle=None if ca_bundle is None else str(ca_bundle))
    for read in (store.get, store.stat, lambda _: list(store.list())):
        with pytest.raises(UnreachableError, match=re.escape(said)) as caught:
            read("key")
        assert "\n" not in str(caught.value)


def test_an_authority_in_the_bundle_is_trusted(
    authority: Authority, server: FaultServer, tmp_path: Path
) -> None:
    store = open_soon(server.url, ca_bundle=str(authority.certificate))
    assert store.get("key") == b"1"
    assert [entry.key for entry in store.list()] == ["key"]
    (tmp_path / "other").mkdir()
    bundle = tmp_path / "bundle.pem"
    other = Authority(tmp_path / "other").certificate.read_bytes()
    bundle.write_bytes(b"# two of them\n" + other + authority.certificate.read_bytes())
    store = open_soon(server.url, ca_bundle=str(bundle))
    assert store.get("key") == b"1"
    assert [entry.key for entry in store.list()] == ["key"]


@pytest.mark.parametrize("options", [{"targets": "shared"}, {"is_target": True}])
def test_no_redirection_to_http_of_this_machine_is_followed_if_data_may_have_named_it(
    authority: Authority, server: FaultServer, options: dict[str, Any]
) -> None:
    """obstore, which does not show redirections, follows none from https to http."""
    with fault_server() as other:
        other.values["secret"] = b"1"
        server.faults["moved"] = f"moved:{other.url}/secret"
        store = open_soon(server.url, ca_bundle=str(authority.certificate), **options)
        for read in (store.get, store.stat):
            with pytest.raises(StoreError):
                read("moved")
        assert other.requests == []


def test_headers_without_end_are_given_up(authority: Authority, server: FaultServer) -> None:
    server.faults["slow/"] = "drip"
    store = open_store(server.url, timeout_s=1, retries=0, ca_bundle=str(authority.certificate))
    with pytest.raises(StoreTimeoutError, match="--timeout"):
        list(store.list_dir("slow/"))


OWN = ["self-signed CA", "self-signed", "self-signed bare", "signed"]


@pytest.mark.parametrize("kind", OWN)
def test_a_servers_own_certificate_in_the_bundle_is_trusted(
    authority: Authority, kind: str, tmp_path: Path
) -> None:
    """As curl trusts it. obstore does not trust the first one, and not the last one without its authority."""
    certificate, context = authority.own_certificate(kind)
    with fault_server(context) as server:
        server.values, server.content_types[""] = {"key": b"123", "": PAGE}, "text/html"
        for first in ("stat", "get"):
            store = open_soon(server.url, ca_bundle=str(certificate))
            assert getattr(store, first)("key") is not None
            assert store.get("key") == b"123"
            assert store.get("key", ByteRange(1, 2)) == b"2"
            assert store.stat("key").size == 3
            assert [entry.key for entry in store.list()] == ["key"]
        said = "the server's certificate is not trusted (--ca-bundle adds certificates to trust)"
        for bundle in (None, Authority(tmp_path).certificate):
            check_fails(server.url, bundle, said)


@pytest.mark.parametrize("kind", OWN)
def test_a_servers_own_certificate_for_another_name_is_not_trusted(authority: Authority, kind: str) -> None:
    certificate, context = authority.own_certificate(kind, "127.0.0.2")
    with fault_server(context) as server:
        said = "the server's certificate is for another name than the one in the URL"
        check_fails(server.url, certificate, said)


@pytest.mark.parametrize("names", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE CURL_CA_BUNDLE AWS_CA_BUNDLE"])
def test_of_the_variables_with_certificates_only_that_of_the_system_counts(
    authority: Authority, server: FaultServer, names: str
) -> None:
    program = (
        "import sys; from zarrcore.stores import open_store; store = open_store(sys.argv[1], retries=0); "
        "print(bytes(store.get('key')), [entry.key for entry in store.list()])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, server.url],
        env={"PATH": os.environ["PATH"], **dict.fromkeys(names.split(), str(authority.certificate))},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if names == "SSL_CERT_FILE":
        assert (done.stdout, done.stderr) == ("b'1' ['key']\n", "")
    else:
        assert "the server's certificate is not trusted" in done.stderr


def test_an_authority_outside_the_bundle_is_not_trusted(server: FaultServer, tmp_path: Path) -> None:
    said = "the server's certificate is not trusted (--ca-bundle adds certificates to trust)"
    for bundle in (None, Authority(tmp_path).certificate):
        check_fails(server.url, bundle, said)


def test_a_certificate_for_another_name_is_reported(authority: Authority, tmp_path: Path) -> None:
    with fault_server(authority.server_context("data.example")) as server:
        said = "the server's certificate is for another name than the one in the URL"
        check_fails(server.url, authority.certificate, said)


def test_an_expired_certificate_is_reported(authority: Authority) -> None:
    with fault_server(authority.server_context(lasting=timedelta(days=-2))) as server:
        check_fails(server.url, authority.certificate, "the server's certificate has expired")


def test_an_authority_without_key_usage_is_malformed_since_python_3_13(tmp_path: Path) -> None:
    """Python 3.13 and later refuse it for listings; the error must not say that it is not trusted."""
    authority = Authority(tmp_path, is_proper=False)
    with fault_server(authority.server_context()) as server:
        server.values, server.content_types[""] = {"key": b"1", "": PAGE}, "text/html"
        store = open_soon(server.url, ca_bundle=str(authority.certificate))
        assert store.get("key") == b"1"
        if sys.version_info < (3, 13):
            assert [entry.key for entry in store.list()] == ["key"]
            return
        said = "or that of its authority, is malformed: CA cert does not include key usage extension"
        with pytest.raises(UnreachableError, match=re.escape(said)):
            [*store.list()]


def test_a_server_without_tls_is_reported() -> None:
    with fault_server() as server:
        url = server.url.replace("http:", "https:")
        check_fails(url, None, "the server does not speak TLS (try http:// for https://)")


@pytest.mark.parametrize("content", [None, b"", b"-----BEGIN CERTIFICATE-----\nAAAA\n", b"garbage"])
def test_an_unreadable_bundle_is_reported(server: FaultServer, tmp_path: Path, content: bytes | None) -> None:
    place = tmp_path / "bundle.pem"
    if content is not None:
        place.write_bytes(content)
    for read in (lambda store: store.get("key"), lambda store: list(store.list())):
        with pytest.raises(StoreError, match=r"cannot read the certificates in .*bundle\.pem: ") as caught:
            read(open_soon(server.url, ca_bundle=str(place)))
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [None, b"nothing"])
def test_a_bundle_of_the_environment_that_cannot_be_read_is_an_error(
    server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / "bundle.pem").write_bytes(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "bundle.pem"))
    _context.cache_clear()
    try:
        with pytest.raises(StoreError, match="certificate"):
            open_store(server.url, retries=0).get("key")
    finally:
        _context.cache_clear()
