"""The sources of credentials for buckets, and the places where they must never appear."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

from tests.servers import AZURE_ENVIRONMENT, GCS_ENVIRONMENT, FaultServer, environment
from zarrcore.errors import AccessDeniedError, StoreError
from zarrcore.stores import open_store
from zarrcore.stores.credentials import cloud_machine as clouds
from zarrcore.stores.object.azure import AzureStore

AWS_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
NO_KEYS = (*AWS_KEYS, *GCS_ENVIRONMENT, *AZURE_ENVIRONMENT, "GCE_METADATA_HOST", "K_SERVICE")
SECRET = "geheim+/%"


@pytest.fixture
def no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No credentials anywhere, on a machine outside any cloud."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(clouds, "_FILES", (str(tmp_path / "vendor"),))
    for name in NO_KEYS:
        monkeypatch.delenv(name, raising=False)


def test_credentials_in_a_url_are_refused_and_not_quoted() -> None:
    with pytest.raises(StoreError) as caught:
        open_store("s3://key:geheim@bucket/x")
    assert "geheim" not in str(caught.value)


def test_anonymous_requests_have_no_signature(faults: FaultServer, options: dict[str, object]) -> None:
    faults.values["bucket/key"] = b"1"
    with environment({}, AWS_KEYS):
        store = open_store("s3://bucket", **options, anonymous=True)
        assert store.get("key") == b"1"
    assert "authorization" not in faults.requests[-1][2]
    assert open_store("s3://bucket", **options).get("key") == b"1"
    assert "testing-key" in faults.requests[-1][2]["authorization"]


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


@pytest.mark.parametrize(
    ("service", "said", "asked"),
    [
        ("S3", "Amazon EC2\n", True),
        ("S3", "ec2f0e1\n", True),
        ("S3", "Google\n", False),
        ("GCS", "Google Compute Engine\n", True),
        ("Azure", "7783-7084-3265-9085-8269-3286-77\n", True),
        ("Azure", "Microsoft Corporation\n", False),
        *((service, said, False) for service in ("S3", "GCS", "Azure") for said in ("QEMU\n", None)),
    ],
)
def test_the_metadata_address_is_used_only_on_machines_of_the_cloud(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, service: str, said: str | None, asked: bool
) -> None:
    if said is not None:
        (tmp_path / "vendor").write_text(said)
    monkeypatch.setattr(clouds, "_FILES", (str(tmp_path / "absent"), str(tmp_path / "vendor")))
    assert clouds.is_machine_of(service) is asked


def test_requester_pays_is_sent(faults: FaultServer, options: dict[str, object]) -> None:
    faults.values["bucket/key"] = b"1"
    open_store("s3://bucket", **options, requester_pays=True).get("key")
    assert faults.requests[-1][2]["x-amz-request-payer"] == "requester"


@pytest.mark.usefixtures("no_keys")
def test_keys_of_gcs_come_from_the_environment(faults: FaultServer, options: dict[str, object]) -> None:
    faults.values["bucket/key"] = b"1"
    with environment({"GOOGLE_BEARER_TOKEN": "token", "GOOGLE_BASE_URL": faults.url}):
        assert open_store("gs://bucket").get("key") == b"1"
    assert faults.requests[-1][2]["authorization"] == "Bearer token"
    assert open_store("gs://bucket", **options, anonymous=True).get("key") == b"1"
    assert "authorization" not in faults.requests[-1][2]


@pytest.mark.usefixtures("no_keys")
@pytest.mark.parametrize(
    ("variables", "account", "key"),
    [
        ({"AZURE_STORAGE_ACCOUNT_NAME": "me", "AZURE_STORAGE_ACCOUNT_KEY": "a2V5"}, "me", ""),
        ({"AZURE_STORAGE_CONNECTION_STRING": "AccountName=me;AccountKey=a2V5=="}, "me", "a2V5=="),
        (
            {
                "AZURE_STORAGE_CONNECTION_STRING": "AccountName=other;AccountKey=b2",
                "AZURE_STORAGE_ACCOUNT_NAME": "me",
                "AZURE_STORAGE_ACCOUNT_KEY": "a2V5",
            },
            "me",
            "",
        ),
        ({"AZURE_STORAGE_ACCOUNT_KEY": "a2V5"}, "emulated", ""),
    ],
)
def test_account_and_key_of_azure_come_from_the_environment(
    variables: dict[str, str], account: str, key: str
) -> None:
    with environment(variables):
        store = AzureStore("c", "")
        if account == "emulated":
            store = open_store("az://c", endpoint_url="http://127.0.0.1:1/emulated")
        config = store._configuration()
    assert config["account_name"] == account
    assert config.get("account_key", "") == key


@pytest.mark.usefixtures("no_keys")
def test_a_connection_string_gives_account_and_key(faults: FaultServer) -> None:
    faults.values["me/container/key"] = b"1"
    told = f"BlobEndpoint={faults.url}/me;SharedAccessSignature=sv=1&sig=a%2Bb"
    with environment({"AZURE_STORAGE_CONNECTION_STRING": told}):
        assert open_store("az://container", timeout_s=1).get("key") == b"1"
    assert faults.requests[-1][1] == "/me/container/key?sv=1&sig=a%2Bb"


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
