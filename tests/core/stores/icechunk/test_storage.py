"""Places as icechunk's storage: credentials by the rules of zarrcore, and no request without need."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import zarrcore
from tests.core.stores.icechunk.repositories import write
from tests.servers import S3_ENVIRONMENT, environment, nginx_server
from zarrcore.errors import AccessDeniedError, MissingExtraError, StoreError
from zarrcore.stores import MemoryStore, StatisticsStore, open_store
from zarrcore.stores.icechunk.storage import s3_settings, storage_of


def test_keys_come_from_options_environment_and_profiles(tmp_path: Path) -> None:
    options = {"endpoint_url": "http://127.0.0.1:1", "region": "eu-west-1"}
    settings = s3_settings(open_store("s3://bucket/repo", **options, requester_pays=True))
    assert settings["access_key_id"] == S3_ENVIRONMENT["AWS_ACCESS_KEY_ID"]
    assert (settings["region"], settings["requester_pays"], settings["allow_http"]) == (
        "eu-west-1",
        True,
        True,
    )
    settings = s3_settings(open_store("s3://bucket/repo", **options, anonymous=True))
    assert settings["anonymous"]
    assert "access_key_id" not in settings
    (tmp_path / "credentials").write_text("[work]\naws_access_key_id = one\naws_secret_access_key = two\n")
    with environment({"AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials")}):
        settings = s3_settings(open_store("s3://bucket/repo", **options, profile="work"))
        assert settings["get_credentials"]().access_key_id == "one"


def test_without_keys_nothing_is_asked_for_them() -> None:
    with (
        environment({}, ("AWS_ACCESS_KEY_ID",)),
        pytest.raises(AccessDeniedError, match="no credentials were found"),
    ):
        storage_of(open_store("s3://bucket/repo", endpoint_url="http://127.0.0.1:1", region="us-east-1"))


def test_a_repository_on_a_web_server(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    write(tmp_path / "repo")
    with (
        nginx_server(tmp_path, tmp_path_factory.mktemp("nginx")) as server,
        zarrcore.open_hierarchy(f"{server.url}/repo") as hierarchy,
    ):
        assert hierarchy["/a/b"][3, 3] == 99


def test_wrapped_stores_are_looked_through_and_others_refused(tmp_path: Path) -> None:
    write(tmp_path / "repo")
    with zarrcore.open_hierarchy(StatisticsStore(open_store(tmp_path / "repo"))) as hierarchy:
        assert hierarchy["/a/b"][3, 3] == 99
    with pytest.raises(StoreError, match="can be read from a directory, S3, GCS, Azure or a web server"):
        storage_of(MemoryStore())


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "repo")
    monkeypatch.setitem(sys.modules, "icechunk", None)
    with pytest.raises(MissingExtraError, match=r"zarrscope\[icechunk\]"):
        zarrcore.open_hierarchy(tmp_path / "repo")
