"""The sources of credentials for buckets, and the places where they must never appear."""

from __future__ import annotations

import traceback

import pytest

from tests.any_store import open_store
from tests.servers import FaultServer, environment
from zarrcore.errors import AccessDeniedError, StoreError

AWS_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
SECRET = "geheim+/%"


def test_credentials_in_a_url_are_refused_and_not_quoted() -> None:
    with pytest.raises(StoreError) as caught:
        open_store("s3://key:geheim@bucket/x")
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize("url", ["s3://bucket", "gs://bucket", "abfs://bucket@account.dfs.core.windows.net"])
@pytest.mark.usefixtures("no_keys")
def test_without_credentials_no_request_is_sent(
    faults: FaultServer, options: dict[str, object], url: str
) -> None:
    store = open_store(url, **options)
    for use in (lambda: store.get("key"), lambda: list(store.list()), lambda: store.set("key", b"")):
        with pytest.raises(AccessDeniedError, match="no credentials were found; use --anonymous"):
            use()
    assert faults.requests == []


USELESS: list[tuple[str, dict[str, str], str]] = [
    ("s3://b", {"AWS_ACCESS_KEY_ID": f"{SECRET}\n", "AWS_SECRET_ACCESS_KEY": "s"}, "a line break at its end"),
    (
        "s3://b",
        {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": f"{SECRET}\r"},
        "AWS_SESSION_TOKEN has characters",
    ),
    ("gs://b", {"GOOGLE_BEARER_TOKEN": f"{SECRET}\n"}, "a line break at its end"),
    (
        "az://b",
        {"AZURE_STORAGE_ACCOUNT_NAME": "a\n", "AZURE_STORAGE_ACCOUNT_KEY": SECRET},
        "is not the name of a bucket",
    ),
    ("az://b", {"AZURE_STORAGE_ACCOUNT_NAME": "a", "AZURE_STORAGE_TOKEN": f"{SECRET}é"}, "has characters"),
    ("s3://b", {"AWS_ACCESS_KEY_ID": SECRET}, "AWS_SECRET_ACCESS_KEY is not"),
    ("gs://b", {"GOOGLE_SERVICE_ACCOUNT_KEY": f'"{SECRET}"'}, "neither a service account's key"),
    ("gs://b", {"GOOGLE_SERVICE_ACCOUNT_KEY": SECRET}, "neither a service account's key"),
    (
        "gs://b",
        {
            "GOOGLE_SERVICE_ACCOUNT_KEY": f'{{"client_email": "a", "private_key_id": "b", "private_key": "{SECRET}"}}'
        },
        "private key is malformed",
    ),
    ("gs://b", {"GOOGLE_APPLICATION_CREDENTIALS": f"/{SECRET}"}, "cannot be read"),
    ("gs://b", {"GOOGLE_SERVICE_ACCOUNT": f"/{SECRET}"}, "cannot be read"),
    (
        "az://b",
        {"AZURE_STORAGE_ACCOUNT_NAME": "a", "AZURE_STORAGE_ACCOUNT_KEY": SECRET},
        "the account key is malformed",
    ),
    (
        "az://b",
        {"AZURE_STORAGE_ACCOUNT_NAME": "a", "AZURE_STORAGE_SAS_TOKEN": SECRET},
        "signature is malformed",
    ),
    (
        "az://b",
        {"AZURE_STORAGE_CONNECTION_STRING": f"AccountName=a;AccountKey={SECRET}"},
        "the account key is malformed",
    ),
]


@pytest.mark.usefixtures("no_keys")
@pytest.mark.parametrize(("url", "variables", "said"), USELESS, ids=lambda value: str(value)[:40])
def test_malformed_credentials_are_reported_and_not_quoted(
    url: str, variables: dict[str, str], said: str
) -> None:
    with environment(variables):
        store = open_store(url, endpoint_url="http://127.0.0.1:1", region="r", timeout_s=1)
        with pytest.raises(StoreError, match=said) as caught:
            store.get("key")
    shown = "".join(traceback.format_exception(caught.value))
    assert "geheim" not in shown
    assert "\n" not in str(caught.value)
