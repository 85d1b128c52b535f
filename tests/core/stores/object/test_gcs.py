"""GCSStore: its credentials."""

from __future__ import annotations

import pytest

from tests.any_store import open_store
from tests.core.stores.object.test_bucket import WRITES
from tests.servers import FaultServer, environment
from tests.servers.gcs import GCSServer
from tests.servers.s3 import S3Server
from zarrcore.errors import AccessDeniedError, StoreError


@pytest.mark.usefixtures("no_keys")
def test_keys_of_gcs_come_from_the_environment(faults: FaultServer, options: dict[str, object]) -> None:
    faults.values["bucket/key"] = b"1"
    with environment({"GOOGLE_BEARER_TOKEN": "token", "GOOGLE_BASE_URL": faults.url}):
        assert open_store("gs://bucket").get("key") == b"1"
    assert faults.requests[-1][2]["authorization"] == "Bearer token"
    assert open_store("gs://bucket", **options, anonymous=True).get("key") == b"1"
    assert "authorization" not in faults.requests[-1][2]


@pytest.mark.parametrize("anonymous", [True, False])
def test_values_that_are_stored_compressed_are_requested_as_stored(
    faults: FaultServer, options: dict[str, object], anonymous: bool
) -> None:
    faults.values["bucket/key"] = b"1"
    assert open_store("gs://bucket", **options, anonymous=anonymous).get("key") == b"1"
    assert faults.requests[-1][2]["accept-encoding"] == "gzip"


def test_a_public_bucket_whose_listing_is_cut_is_not_listed_in_part(
    faults: FaultServer, options: dict[str, object]
) -> None:
    faults.values["bucket"] = (
        b"<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>a</Key><Size>1</Size>"
        b"<LastModified>2009-10-12T17:50:30.000Z</LastModified></Contents></ListBucketResult>"
    )
    store = open_store("gs://bucket", **options, anonymous=True)
    for listing in (store.list(), store.list_dir("")):
        with pytest.raises(StoreError, match="the listing is incomplete"):
            list(listing)


def test_writing_to_gcs_needs_credentials() -> None:
    store = open_store("gs://bucket/x", anonymous=True, endpoint_url="http://127.0.0.1:1")
    for write in (*WRITES, lambda store: store.erase_prefix("a/")):
        with pytest.raises(AccessDeniedError, match="give credentials instead of --anonymous"):
            write(store)


@pytest.mark.usefixtures("no_keys")
def test_the_metadata_address_is_not_asked_where_google_s_own_variable_forbids_it(
    faults: FaultServer,
) -> None:
    variables = {"K_SERVICE": "container", "NO_GCE_CHECK": "true", "GCE_METADATA_HOST": faults.url[7:]}
    with environment(variables), pytest.raises(AccessDeniedError, match="no credentials were found"):
        open_store("gs://bucket", endpoint_url=faults.url, retries=0).get("key")
    assert faults.requests == []


def test_an_invalid_endpoint_in_the_environment_is_reported() -> None:
    with (
        environment({"GOOGLE_BASE_URL": "http://geheim:99999"}),
        pytest.raises(StoreError, match="the endpoint needs the name of a server"),
    ):
        open_store("gs://bucket", anonymous=True).get("key")


@pytest.mark.usefixtures("no_keys")
def test_the_advice_depends_on_whether_access_is_anonymous(faults: FaultServer) -> None:
    faults.faults["bucket/key"] = 403
    with pytest.raises(AccessDeniedError, match=r"give credentials instead of --anonymous$"):
        open_store("gs://bucket", endpoint_url=faults.url, anonymous=True).get("key")
    with pytest.raises(AccessDeniedError, match="gcloud auth application-default login"):
        open_store("gs://bucket", endpoint_url=faults.url).get("key")


def test_keys_that_are_no_paths(s3: S3Server, gcs: GCSServer) -> None:
    """Without a token, we list ourselves; with one, only obstore can, which refuses the page: the error names the key."""
    for key in ("odd/a", "odd//key", "odd/z"):
        s3.put(f"gcs/{key}", b"1")
    try:
        with open_store("gs://gcs/odd", **gcs.options, anonymous=True) as store:
            assert [entry.key for entry in store.list()] == ["a", "z"]
            assert [entry.key for entry in store.list_dir("")] == ["a", "z"]
            assert store.skipped_keys() == ["/key"]
        with open_store("gs://gcs/odd", **gcs.options) as store, pytest.raises(StoreError) as caught:
            list(store.list())
        assert "has a key that is not a path" in str(caught.value)
        assert "odd//key" in str(caught.value)
        assert "rename or delete" in str(caught.value)
    finally:
        for key in ("odd/a", "odd//key", "odd/z"):
            s3.request("DELETE", f"gcs/{key}")
