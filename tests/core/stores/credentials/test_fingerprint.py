"""A hash of the credentials and endpoints that a service takes from its environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from zarrcore.stores.credentials.fingerprint import credentials_fingerprint


@pytest.mark.parametrize(
    ("service", "name"),
    [("S3", "AWS_ACCESS_KEY_ID"), ("GCS", "GOOGLE_BASE_URL"), ("Azure", "AZURE_STORAGE_ACCOUNT_KEY")],
)
def test_a_variable_of_the_service_changes_its_hash_and_no_other(
    monkeypatch: pytest.MonkeyPatch, service: str, name: str
) -> None:
    services = ("S3", "GCS", "Azure", "a web server")
    monkeypatch.delenv(name, raising=False)
    before = {other: credentials_fingerprint(other) for other in services}
    monkeypatch.setenv(name, "geheim")
    after = {other: credentials_fingerprint(other) for other in services}
    assert [other for other in services if before[other] != after[other]] == [service]
    assert b"geheim" not in after[service]
    monkeypatch.setenv(name, "other")
    assert credentials_fingerprint(service) not in (before[service], after[service])
    monkeypatch.setenv(name, "geheim")
    assert credentials_fingerprint(service) == after[service]


def test_the_keys_of_a_profile_change_the_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    hashes = set()
    for keys in ("first", "second"):
        (tmp_path / "credentials").write_text(
            f"[work]\naws_access_key_id = {keys}\naws_secret_access_key = s\n[other]\nregion = x\n"
        )
        hashes |= {credentials_fingerprint("S3", "work"), credentials_fingerprint("S3", "other")}
    assert len(hashes) == 3  # that of the other profile stays


def test_a_configuration_that_cannot_be_read_has_a_hash_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    (tmp_path / "credentials").write_text("geheim without a section\n")
    broken = credentials_fingerprint("S3", "work")
    assert broken == credentials_fingerprint("S3", "work")
    (tmp_path / "credentials").write_text("[work]\naws_access_key_id = k\naws_secret_access_key = s\n")
    assert broken != credentials_fingerprint("S3", "work")
