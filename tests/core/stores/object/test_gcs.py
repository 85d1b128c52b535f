"""GCSStore: its credentials."""

from __future__ import annotations

import pytest

from tests.core.stores.object.test_bucket import WRITES
from tests.servers import FaultServer, environment
from zarrcore.errors import AccessDeniedError, StoreError
from zarrcore.stores import open_store


@pytest.mark.usefixtures("no_keys")
def test_keys_of_gcs_come_from_the_environment(faults: FaultServer, options: dict[str, object]) -> None:
    faults.values["bucket/key"] = b"1"
    with environment({"GOOGLE_BEARER_TOKEN": "token", "GOOGLE_BASE_URL": faults.url}):
        assert open_store("gs://bucket").get("key") == b"1"
    assert faults.requests[-1][2]["authorization"] == "Bearer token"
    assert open_store("gs://bucket", **options, anonymous=True).get("key") == b"1"
    assert "authorization" not in faults.requests[-1][2]


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
