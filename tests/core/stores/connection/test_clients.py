"""The settings of obstore clients, and their use after a fork."""

from __future__ import annotations

import os
import ssl
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from tests.servers import Authority
from zarrcore.errors import (
    StoreError,
)
from zarrcore.stores import open_store
from zarrcore.stores.connection.clients import ForkGuard, client_options, is_loopback, trust
from zarrcore.stores.options import StoreOptions


def test_obstore_is_not_used_before_the_first_request() -> None:
    program = (
        "import pickle, sys\n"
        "from zarrcore.stores import open_store\n"
        "for url in ('s3://b/x', 'gs://b', 'az://c', 'http://127.0.0.1:1/x', 's3://b/x.zip', 'http://h/x.zip'):\n"
        "    pickle.loads(pickle.dumps(open_store(url)))\n"
        "heavy = [name for name in ('obstore', 'httpx', 'zarr', 'boto3') if name in sys.modules]\n"
        "print(heavy)\n"
    )
    outcome = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (outcome.stdout, outcome.stderr) == ("[]\n", "")


def test_a_missing_certificate_file_is_reported(options: dict[str, object]) -> None:
    with pytest.raises(StoreError, match="cannot read the certificates in /absent"):
        open_store("s3://bucket", **options, ca_bundle="/absent").get("key")


def test_a_silent_server_costs_the_timeout_and_a_transfer_ten_times_as_much() -> None:
    made = client_options(StoreOptions(timeout_s=3), "")
    assert made["connect_timeout"] == made["read_timeout"] == timedelta(seconds=3)
    assert made["timeout"] == timedelta(seconds=30)
    assert "default_headers" not in made


def test_only_a_plain_address_allows_plain_requests() -> None:
    for address, allowed in (("HTTP://host", True), ("https://host", False), ("", False)):
        assert client_options(StoreOptions(), address)["allow_http"] is allowed


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("http://127.8.9.1:80/x", True),
        ("http://[::1]/x", True),
        ("http://a.LOCALHOST:9", True),
        ("http://localhost.example", False),
        ("http://10.0.0.1", False),
        ("", False),
    ],
)
def test_addresses_of_this_machine_are_requested_without_the_proxy(address: str, expected: bool) -> None:
    assert is_loopback(address) is expected
    assert ("proxy_excludes" in client_options(StoreOptions(), address)) is expected


def test_headers_of_the_client_replace_those_of_the_options() -> None:
    options = StoreOptions(headers={"A": "1", "B": "2"})
    assert client_options(options, "", {"B": "3"})["default_headers"] == {"A": "1", "B": "3"}


def test_certificates_are_read_from_a_file_in_the_home_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = Authority(tmp_path)
    monkeypatch.setenv("HOME", str(authority.certificate.parent))
    bundle = f"~/{authority.certificate.name}"
    made = client_options(StoreOptions(ca_bundle=bundle), "https://host")
    assert made["root_certificate"] == authority.certificate.read_bytes()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trust(context, bundle)
    assert len(context.get_ca_certs()) == 1


def test_a_file_that_is_not_a_bundle_is_reported_without_its_content(tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_text("geheim")
    with pytest.raises(StoreError, match=r"key\.pem: it is not a PEM file with certificates$"):
        client_options(StoreOptions(ca_bundle=str(tmp_path / "key.pem")), "")
    with pytest.raises(StoreError, match=r"Is a directory$"):
        client_options(StoreOptions(ca_bundle=str(tmp_path)), "")


@pytest.mark.parametrize(("used", "status"), [(True, 3), (False, 0)])
def test_obstore_cannot_be_used_after_a_fork_if_it_was_used_before(
    monkeypatch: pytest.MonkeyPatch, used: bool, status: int
) -> None:
    monkeypatch.setattr(ForkGuard, "started", False)
    monkeypatch.setattr(ForkGuard, "lost", False)
    if used:
        ForkGuard.check("s3://bucket")
    child = os.fork()
    if child == 0:
        try:
            ForkGuard.check("s3://bucket")
        except StoreError as error:
            os._exit(3 if "s3://bucket cannot be read in a process that was forked" in str(error) else 4)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == status
