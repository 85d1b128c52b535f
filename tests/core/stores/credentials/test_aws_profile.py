"""The AWS configuration files, the region of a bucket, and the endpoint."""

from __future__ import annotations

import json
import sys
import time
import traceback
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.servers import FaultServer, environment
from zarrcore.errors import AccessDeniedError, StoreError
from zarrcore.stores import open_store
from zarrcore.stores.credentials.aws_profile import AwsProfile
from zarrcore.stores.object import s3 as s3_module
from zarrcore.stores.object.s3 import S3Store

AWS_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
NONE = AwsProfile("none")


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
        with pytest.raises(StoreError, match="no AWS profile absent"):
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


def test_the_most_specific_endpoint_has_precedence(faults: FaultServer, options: dict[str, object]) -> None:
    faults.values["bucket/key"] = b"1"
    nowhere = "http://127.0.0.1:1"
    for variables in (
        {"AWS_ENDPOINT_URL": faults.url, "AWS_ENDPOINT": nowhere},
        {"AWS_ENDPOINT_URL_S3": faults.url, "AWS_ENDPOINT_URL": nowhere},
    ):
        with environment({**variables, "AWS_REGION": "r"}):
            assert open_store("s3://bucket", timeout_s=1).get("key") == b"1"
    with environment({"AWS_ENDPOINT_URL_S3": nowhere}):
        assert open_store("s3://bucket", **options).get("key") == b"1"


def _prints(tmp_path: Path, document: object) -> dict[str, str]:
    """Environment variables for a profile ``run`` with a command that prints a document."""
    (tmp_path / "keys.json").write_text(json.dumps(document))
    command = f"{sys.executable} -c \"print(open('{tmp_path}/keys.json').read())\""
    (tmp_path / "config").write_text(f"[profile run]\ncredential_process = {command}\n")
    return {"AWS_CONFIG_FILE": str(tmp_path / "config")}


def test_a_command_is_run_again_when_its_keys_expire(
    faults: FaultServer, options: dict[str, object], tmp_path: Path
) -> None:
    faults.values["bucket/key"] = b"1"
    soon = datetime.now(UTC) + timedelta(seconds=1)
    keys = {"Version": 1, "AccessKeyId": "first", "SecretAccessKey": "s", "SessionToken": "t"}
    variables = _prints(tmp_path, {**keys, "Expiration": soon.isoformat()})
    with environment(variables):
        store = open_store("s3://bucket", **options, profile="run")
        assert store.get("key") == b"1"
        assert "first" in faults.requests[-1][2]["authorization"]
        assert faults.requests[-1][2]["x-amz-security-token"] == "t"
        _prints(tmp_path, {**keys, "AccessKeyId": "second"})
        deadline = time.monotonic() + 20  # obstore keeps even expired keys for a short time
        while "second" not in faults.requests[-1][2]["authorization"] and time.monotonic() < deadline:
            assert store.get("key") == b"1"
    assert "second" in faults.requests[-1][2]["authorization"]


@pytest.mark.parametrize("printed", [{"AccessKeyId": "geheim"}, ["geheim"], "geheim", None])
def test_a_command_without_keys_is_reported_and_not_quoted(
    options: dict[str, object], tmp_path: Path, printed: object
) -> None:
    with environment(_prints(tmp_path, printed)):
        if printed is None:
            (tmp_path / "config").write_text(
                "[profile run]\ncredential_process = /absent --password geheim\n"
            )
        with pytest.raises(
            AccessDeniedError, match="the AWS profile gives no keys: its credential_process"
        ) as caught:
            open_store("s3://bucket", **options, profile="run").get("key")
    assert "geheim" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("region", ["eu-north-9", None])
def test_the_region_of_a_bucket_is_requested(
    faults: FaultServer, monkeypatch: pytest.MonkeyPatch, region: str | None
) -> None:
    monkeypatch.setattr(s3_module, "_AMAZON", faults.url)
    if region is not None:
        faults.headers["x-amz-bucket-region"] = region
    store = open_store("s3://some.bucket", timeout_s=1)
    assert isinstance(store, S3Store)
    assert store._configuration(NONE).get("region") == region
    assert [(method, path) for method, path, _ in faults.requests] == [("HEAD", "/some.bucket")]
    assert open_store("s3://some.bucket", region="here")._configuration(NONE)["region"] == "here"
    with environment({"AWS_REGION": "there"}):
        assert store._configuration(NONE)["region"] == "there"
    assert len(faults.requests) == 1


def test_an_unknown_region_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s3_module, "_AMAZON", "http://127.0.0.1:1")
    assert "region" not in S3Store("bucket")._configuration(NONE)


def test_an_express_bucket_is_recognized_by_name_and_needs_a_region() -> None:
    store = open_store("s3://data--usw2-az1--x-s3/x", region="us-west-2")
    assert store._configuration(NONE) == {"s3_express": True, "region": "us-west-2"}
    with pytest.raises(StoreError, match="name the region of the bucket with --region"):
        open_store("s3://data--usw2-az1--x-s3/x").get("key")
    elsewhere = open_store("s3://data--usw2-az1--x-s3", endpoint_url="http://127.0.0.1:1")
    assert "s3_express" not in elsewhere._configuration(NONE)


def test_a_bucket_name_with_dots_is_in_the_path(faults: FaultServer, options: dict[str, object]) -> None:
    faults.values["data.my.org/key"] = b"1"
    assert open_store("s3://data.my.org", **options).get("key") == b"1"
