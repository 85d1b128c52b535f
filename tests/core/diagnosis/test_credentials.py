"""Diagnosis of credentials: sources are named, values never."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from zarrcore.diagnosis import Finding, State, credentials
from zarrcore.stores.credentials.variables import AWS_SOURCES, AZURE_CONNECTION, AZURE_SOURCES, GOOGLE_SOURCES

SECRET = "geheim"


@pytest.fixture(autouse=True)
def no_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A home directory without files, and an environment without credentials."""
    for name in (
        *AWS_SOURCES,
        *GOOGLE_SOURCES,
        *AZURE_SOURCES,
        AZURE_CONNECTION,
        "AWS_ACCESS_KEY_ID",
        "AWS_PROFILE",
    ):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(credentials, "is_machine_of", lambda service: False)


def found(area: str) -> Finding:
    findings = list(credentials.findings())
    assert SECRET not in repr(findings)
    return next(finding for finding in findings if finding.area == area)


@pytest.mark.parametrize("area", ["S3", "GCS", "Azure"])
def test_missing_credentials_are_a_note(area: str) -> None:
    assert found(area).state is State.NOTE
    assert "--anonymous" in found(area).text


@pytest.mark.parametrize(
    ("area", "variables"),
    [
        ("S3", ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")),
        ("S3", ("AWS_WEB_IDENTITY_TOKEN_FILE",)),
        ("GCS", ("GOOGLE_BEARER_TOKEN",)),
        ("Azure", ("AZURE_STORAGE_SAS_TOKEN",)),
        ("Azure", ("AZURE_STORAGE_CONNECTION_STRING",)),
    ],
)
def test_variables_with_credentials_are_named_without_their_values(
    monkeypatch: pytest.MonkeyPatch, area: str, variables: tuple[str, ...]
) -> None:
    for name in variables:
        monkeypatch.setenv(name, SECRET)
    assert found(area) == Finding(area, State.OK, f"credentials: {variables[0]} in the environment")


def test_half_of_a_pair_of_keys_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", SECRET)
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY", raising=False)
    assert (found("S3").state, found("S3").remedy) == (State.FAULT, "set both, or neither")


def write_aws(tmp_path: Path, text: str) -> None:
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "credentials").write_text(text)


def test_a_profile_with_keys_is_named(tmp_path: Path) -> None:
    write_aws(tmp_path, f"[default]\naws_access_key_id = {SECRET}\naws_secret_access_key = {SECRET}\n")
    assert found("S3").text == "credentials: the keys of the profile default"


def test_a_profile_that_needs_boto3_says_how_to_add_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_aws(tmp_path, f"[default]\nrole_arn = {SECRET}\nsource_profile = x\n")
    assert found("S3").text == "credentials: role_arn of the profile default"
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert (found("S3").state, found("S3").remedy) == (State.NOTE, "pip install 'zarrscope[aws]'")


def test_a_malformed_configuration_file_is_a_fault(tmp_path: Path) -> None:
    write_aws(tmp_path, f"{SECRET} without a section\n")
    assert found("S3").state is State.FAULT
    assert found("S3").text.endswith("is not a valid AWS configuration file")


def test_credentials_of_google_must_be_a_json_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "key.json"
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
    assert found("GCS").state is State.FAULT
    file.write_text("{}")
    assert found("GCS").state is State.OK


def test_the_login_of_gcloud_is_found(tmp_path: Path) -> None:
    login = tmp_path / ".config" / "gcloud" / "application_default_credentials.json"
    login.parent.mkdir(parents=True)
    login.write_text("{}")
    assert found("GCS").text == "credentials: ~/.config/gcloud/application_default_credentials.json"


def test_the_cloud_gives_its_own_machines_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credentials, "is_machine_of", lambda service: service == "Azure")
    assert found("Azure").state is State.OK


def test_a_proxy_is_noted_without_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", f"http://user:{SECRET}@127.0.0.1:1")
    assert found("network").text.startswith("HTTPS_PROXY")
