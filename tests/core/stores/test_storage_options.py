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
        ({"client_kwargs": {"verify": "geheim"}}, r"unknown option 'verify'$"),
    ],
)
def test_unknown_ones_are_refused_by_name(given: dict[str, Any], words: str) -> None:
    for opening in (zc.open, zc.open_array, zc.open_group, zc.open_hierarchy, zc.create, zc.open_store):
        with pytest.raises(TypeError, match=words) as caught:
            opening("s3://bucket", storage_options=given)
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
