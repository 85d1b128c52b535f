"""Options by their names in fsspec."""

from __future__ import annotations

from typing import Any

import pytest

import zarrcore as zc
from tests.servers import FaultServer, environment
from zarrcore.stores.storage_options import from_storage_options


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {}),
        ({"anon": True, "token": None}, {"anonymous": True}),
        ({"anon": False}, {"anonymous": False}),
        ({"token": "anon"}, {"anonymous": True}),
        ({"project": "p", "anon": True}, {"anonymous": True}),
        ({"endpoint_url": "http://a:1"}, {"endpoint_url": "http://a:1"}),
        (
            {"client_kwargs": {"endpoint_url": "http://a:1", "region_name": "r"}, "profile": "p"},
            {"endpoint_url": "http://a:1", "region": "r", "profile": "p"},
        ),
        (
            {"key": "k", "secret": "s", "token": "t"},
            {"access_key_id": "k", "secret_access_key": "s", "session_token": "t"},
        ),
    ],
)
def test_they_are_translated(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert from_storage_options(given) == expected
    store = zc.open_store("s3://bucket", storage_options=given)
    assert all(getattr(store.options, name) == value for name, value in expected.items())


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"sercet": "geheim"}, r"unknown option 'sercet': did you mean 'secret'\?$"),
        ({"client_kwargs": {"verify": "geheim"}}, r"unknown option 'verify'; known are anon, "),
    ],
)
def test_unknown_ones_are_refused_by_name(given: dict[str, Any], words: str) -> None:
    for opening in (zc.open, zc.open_array, zc.open_group, zc.open_hierarchy, zc.create, zc.open_store):
        with pytest.raises(TypeError, match=words) as caught:
            opening("s3://bucket", storage_options=given)
        assert "geheim" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("account_key", "set AZURE_STORAGE_ACCOUNT_KEY$"),
        ("account_name", "set AZURE_STORAGE_ACCOUNT_NAME, or write abfs://"),
        ("sas_token", "set AZURE_STORAGE_SAS_TOKEN$"),
        ("connection_string", "set AZURE_STORAGE_CONNECTION_STRING$"),
        ("client_secret", "set AZURE_CLIENT_SECRET$"),
    ],
)
def test_credentials_of_azure_are_refused_with_the_variable_that_is_read(name: str, words: str) -> None:
    with pytest.raises(TypeError, match=f"has the option '{name}', which is not taken: {words}") as caught:
        zc.open_store("az://container", storage_options={name: "geheim"})
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize("url", ["gs://bucket", "gcs://bucket"])
def test_tokens_of_google_are_those_of_this_machine_or_refused(url: str) -> None:
    assert from_storage_options({"token": "anon", "project": "p"}, url) == {"anonymous": True}
    for same in (None, "google_default", "cloud"):
        assert from_storage_options({"token": same}, url) == {}
    for other in ("geheim.json", "browser", {"private_key": "geheim"}):
        with pytest.raises(TypeError, match="set GOOGLE_APPLICATION_CREDENTIALS to a file") as caught:
            zc.open_store(url, storage_options={"token": other})
        assert "geheim" not in str(caught.value)


def test_keys_sign_requests(faults: FaultServer) -> None:
    faults.values["bucket/key"] = b"1"
    given = {"key": "AKID", "secret": "geheim", "token": "told", "endpoint_url": faults.url}
    with environment({"AWS_ACCESS_KEY_ID": "other", "AWS_SECRET_ACCESS_KEY": "x", "AWS_SESSION_TOKEN": "y"}):
        store = zc.open_store("s3://bucket", storage_options=given, region="r")
        assert store.get("key") == b"1"
    ((_, _, headers),) = faults.requests
    sent = {name.lower(): value for name, value in headers.items()}
    assert "Credential=AKID/" in sent["authorization"]
    assert sent["x-amz-security-token"] == "told"
    assert "geheim" not in str(sent)
