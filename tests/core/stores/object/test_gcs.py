"""GCSStore: its credentials."""

from __future__ import annotations

import pytest

from tests.core.stores.object.test_bucket import WRITES
from tests.servers import FaultServer, environment
from zarrcore.errors import AccessDeniedError
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
