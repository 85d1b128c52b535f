"""Where the credentials and the region of S3Store come from, and where they never go."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

from tests.servers import FaultServer, environment
from zarrcore.errors import AccessDeniedError, StoreError
from zarrcore.stores import open_store
from zarrcore.stores import s3 as s3_module
from zarrcore.stores.s3 import S3Store

AWS_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")


def test_credentials_in_a_url_are_refused_unseen() -> None:
    with pytest.raises(StoreError) as caught:
        open_store("s3://key:geheim@bucket/x")
    assert "geheim" not in str(caught.value)


def test_anonymous_requests_bear_no_signature(faults: FaultServer, options: dict[str, object]) -> None:
    faults.values["bucket/key"] = b"1"
    with environment({}, AWS_KEYS):
        store = open_store("s3://bucket", **options, anonymous=True)
        assert store.get("key") == b"1"
    assert "authorization" not in faults.requests[-1][2]
    assert open_store("s3://bucket", **options).get("key") == b"1"
    assert "testing-key" in faults.requests[-1][2]["authorization"]


def test_without_credentials_nothing_is_asked(faults: FaultServer, options: dict[str, object]) -> None:
    with (
        environment({}, AWS_KEYS),
        pytest.raises(AccessDeniedError, match="no credentials were found; use --anonymous"),
    ):
        open_store("s3://bucket", **options).get("key")
    assert faults.requests == []


@pytest.mark.parametrize(
    ("said", "asked"), [("Amazon EC2\n", True), ("ec2f0e1\n", True), ("QEMU\n", False), (None, False)]
)
def test_the_metadata_address_is_asked_on_amazons_machines_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str | None, asked: bool
) -> None:
    if said is not None:
        (tmp_path / "vendor").write_text(said)
    monkeypatch.setattr(s3_module, "_MACHINE_FILES", (str(tmp_path / "vendor"),))
    with environment({}, ("AWS_EC2_METADATA_DISABLED", "AWS_METADATA_ENDPOINT")):
        assert s3_module._may_ask_metadata_address() is asked
    assert not s3_module._may_ask_metadata_address()


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
        with pytest.raises(AccessDeniedError, match="sso_session instead of keys"):
            open_store("s3://bucket", profile="other", **options).get("key")
        with pytest.raises(StoreError, match="no AWS profile absent"):
            open_store("s3://bucket", profile="absent", **options).get("key")
    # A token of the environment belongs to other keys.
    with environment({**paths, "AWS_PROFILE": "work", "AWS_SESSION_TOKEN": "geheim"}, AWS_KEYS):
        assert open_store("s3://bucket", **options).get("key") == b"1"
    assert "work-key" in faults.requests[-1][2]["authorization"]
    assert "x-amz-security-token" not in faults.requests[-1][2]


def test_a_broken_configuration_file_is_not_quoted(tmp_path: Path, options: dict[str, object]) -> None:
    (tmp_path / "credentials").write_text("geheim without a section\n")
    with (
        environment({"AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials")}),
        pytest.raises(StoreError, match="no AWS configuration file") as caught,
    ):
        open_store("s3://bucket", profile="x", **options).get("key")
    assert "geheim" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("region", ["eu-north-9", None])
def test_the_region_of_a_bucket_is_asked_for(
    faults: FaultServer, monkeypatch: pytest.MonkeyPatch, region: str | None
) -> None:
    monkeypatch.setattr(s3_module, "_AMAZON", faults.url + "/{bucket}")
    if region is not None:
        faults.headers["x-amz-bucket-region"] = region
    store = open_store("s3://some.bucket", timeout_s=1)
    assert isinstance(store, S3Store)
    assert store._configuration(None).get("region") == region
    assert [(method, path) for method, path, _ in faults.requests] == [("HEAD", "/some.bucket")]
    assert open_store("s3://some.bucket", region="here")._configuration(None)["region"] == "here"
    with environment({"AWS_REGION": "there"}):
        assert store._configuration(None)["region"] == "there"
    assert len(faults.requests) == 1


def test_a_region_that_cannot_be_asked_for_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s3_module, "_AMAZON", "http://127.0.0.1:1/{bucket}")
    assert "region" not in S3Store("bucket")._configuration(None)


def test_requester_pays_is_said(faults: FaultServer, options: dict[str, object]) -> None:
    faults.values["bucket/key"] = b"1"
    open_store("s3://bucket", **options, requester_pays=True).get("key")
    assert faults.requests[-1][2]["x-amz-request-payer"] == "requester"
