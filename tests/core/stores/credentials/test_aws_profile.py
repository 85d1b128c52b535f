"""The AWS configuration files: profiles, and the endpoints in them."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

from tests.servers import FaultServer, environment
from zarrcore.errors import AccessDeniedError, StoreError
from zarrcore.stores import open_store

AWS_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")


def test_profiles_are_read_from_the_configuration_files(
    faults: FaultServer, options: dict[str, object], tmp_path: Path
) -> None:
    (tmp_path / "config").write_text(
        f"[profile work]\nregion = eu-west-7\nendpoint_url = {faults.url}\n"
        "[profile other]\nsso_session = x\n[default]\nregion=nowhere\n"
    )
    (tmp_path / "credentials").write_text(
        "[work]\naws_access_key_id = work-key\naws_secret_access_key = a%b/c\n"
    )
    paths = {
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials"),
    }
    faults.values["bucket/key"] = b"1"
    with environment(paths):
        assert open_store("s3://bucket", profile="work").get("key") == b"1"
        sent = faults.requests[-1][2]["authorization"]
        assert "work-key" in sent
        assert "eu-west-7" in sent
        with pytest.raises(AccessDeniedError, match="the AWS profile gives no keys"):
            open_store("s3://bucket", profile="other", **options).get("key")
        with pytest.raises(
            StoreError, match=rf"no AWS profile absent in {tmp_path}/config and {tmp_path}/credentials"
        ):
            open_store("s3://bucket", profile="absent", **options).get("key")
    # A session token in the environment belongs to other keys.
    with environment({**paths, "AWS_PROFILE": "work", "AWS_SESSION_TOKEN": "geheim"}, AWS_KEYS):
        assert open_store("s3://bucket", **options).get("key") == b"1"
    assert "work-key" in faults.requests[-1][2]["authorization"]
    assert "x-amz-security-token" not in faults.requests[-1][2]


def test_a_broken_configuration_file_is_not_quoted(tmp_path: Path, options: dict[str, object]) -> None:
    (tmp_path / "credentials").write_text("geheim without a section\n")
    with (
        environment({"AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials")}),
        pytest.raises(StoreError, match="not a valid AWS configuration file") as caught,
    ):
        open_store("s3://bucket", profile="x", **options).get("key")
    assert "geheim" not in "".join(traceback.format_exception(caught.value))


def test_a_services_section_gives_the_endpoint_of_s3(faults: FaultServer, tmp_path: Path) -> None:
    (tmp_path / "config").write_text(
        "[profile work]\nregion = eu-west-7\nendpoint_url = http://127.0.0.1:1\nservices = mine\n"
        f"[services mine]\ndynamodb =\n  endpoint_url = http://127.0.0.1:2\ns3 =\n  endpoint_url = {faults.url}\n"
    )
    faults.values["bucket/key"] = b"1"
    with environment({"AWS_CONFIG_FILE": str(tmp_path / "config")}):
        # The keys come from the environment, or there are none; the rest comes from the profile.
        with environment({"AWS_PROFILE": "work"}):
            assert open_store("s3://bucket").get("key") == b"1"
            assert "testing-key" in faults.requests[-1][2]["authorization"]
        assert open_store("s3://bucket", profile="work", anonymous=True).get("key") == b"1"
        assert "authorization" not in faults.requests[-1][2]
