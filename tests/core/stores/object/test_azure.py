"""AzureStore, with a server that answers like Azure."""

from __future__ import annotations

import pickle

import pytest

from tests.any_store import open_store
from tests.core.stores.contract import CHUNK
from tests.servers import FaultServer, environment
from zarrcore.errors import AccessDeniedError, StoreError
from zarrcore.stores import ByteRange
from zarrcore.stores.object.azure import AzureStore


def test_azure_reads_by_container_and_account(faults: FaultServer, options: dict[str, object]) -> None:
    faults.values["container/path/key"] = CHUNK
    store = open_store(
        "abfs://container@account.dfs.core.windows.net/path", **{**options, "region": None}, anonymous=True
    )
    assert store.url == "abfs://container@account.dfs.core.windows.net/path"
    assert store.get("key") == CHUNK
    assert store.get("key", ByteRange(3, 5)) == CHUNK[3:5]
    assert store.get("key", ByteRange(-5)) == CHUNK[-5:]
    assert store.get("key", ByteRange(99_999)) == b""
    assert store.get("absent") is None
    assert store.get("absent", ByteRange(-5)) is None
    assert pickle.loads(pickle.dumps(store)).stat("key").size == len(CHUNK)
    faults.faults["container/path/key"] = 403
    with pytest.raises(AccessDeniedError, match="instead of --anonymous"):
        store.get("key")


def test_azure_lists_keys_and_prefixes(faults: FaultServer, options: dict[str, object]) -> None:
    blob = (
        "<Blob><Name>path/{}</Name><Properties><Last-Modified>Wed, 01 Jan 2025 00:00:00 GMT</Last-Modified>"
        "<Content-Length>3</Content-Length><Content-Type>x/y</Content-Type><Etag>e</Etag></Properties></Blob>"
    )
    faults.values["container"] = (
        '<?xml version="1.0" encoding="utf-8"?><EnumerationResults><Prefix>path/</Prefix><Blobs>'
        f"{blob.format('a/x')}{blob.format('key')}</Blobs><NextMarker/></EnumerationResults>"
    ).encode()
    store = open_store("az://container/path", **{**options, "region": None}, anonymous=True)
    with environment({"AZURE_STORAGE_ACCOUNT_NAME": "account"}):
        entries = list(store.list_dir(""))
    assert [(entry.key, entry.size) for entry in entries] == [("a/", None), ("key", 3)]


def test_azure_needs_an_account() -> None:
    with (
        environment({}, ("AZURE_STORAGE_ACCOUNT_NAME",)),
        pytest.raises(StoreError, match="AZURE_STORAGE_ACCOUNT"),
    ):
        open_store("az://container/path").get("key")


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
