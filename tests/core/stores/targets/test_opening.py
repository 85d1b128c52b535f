"""Which files references may name, and with which options they are opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from zarrcore.errors import BrokenReferenceError, StoreError
from zarrcore.stores import LocalStore, MemoryStore, StoreOptions, open_store
from zarrcore.stores.targets import opening as module
from zarrcore.stores.targets.opening import Targets, is_remote_target

KEYS = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)


def remote(url: str = "s3://bucket/folder/a.json", **options: object) -> Targets:
    source = MemoryStore(values={})
    source.is_remote = True
    source.options = StoreOptions(anonymous=True, **options)
    return Targets(source, "", url)


@pytest.mark.parametrize(
    "target",
    [
        "file:///etc/passwd",
        "/etc/passwd",
        "memory://x/y",
        "local:///etc/passwd",
        "ftp://host/x",
        "sqlite:///x",
    ],
)
def test_a_remote_document_reads_nothing_of_this_machine(target: str) -> None:
    with pytest.raises(
        BrokenReferenceError,
        match=r"outside the folder or bucket of the source; --allow-targets .* allows it",
    ):
        remote().find(target, "x/0")
    if target.endswith("passwd"):
        store, key = remote(allow_targets=("/etc",)).find(target, "x/0")
        assert isinstance(store, LocalStore)
        assert key == "passwd"


@pytest.mark.parametrize(
    "target",
    [
        "../../x",
        "simplecache::file:///etc/passwd",
        "s3://bucket/../x",
        "s3://user:key@bucket/x",
        "http://[/x",
        "https://host/a/%2e%2e/b",
        "",
    ],
)
def test_addresses_that_lead_elsewhere_are_refused(target: str) -> None:
    with pytest.raises(BrokenReferenceError):
        remote().find(target, "x/0")


@pytest.mark.parametrize(
    ("target", "url", "key"),
    [
        ("x.nc", "memory://", "x.nc"),
        ("../x.nc", "s3://bucket", "x.nc"),
        ("s3://other/a/b.nc", "s3://other", "a/b.nc"),
        ("s3a://other/b.nc", "s3://other", "b.nc"),
        ("gcs://other/b.nc", "gs://other", "b.nc"),
        ("https://host:81/a%20b/c.nc", "https://host:81", "a b/c.nc"),
    ],
)
def test_targets_are_keys_of_stores(target: str, url: str, key: str) -> None:
    store, found = remote(allow_targets=("s3://other", "gs://other/", "https://HOST:81/a b")).find(
        target, "x/0"
    )
    assert store.url.rstrip("/") == url.rstrip("/")
    assert found == key


def test_headers_and_endpoints_stay_with_the_service_of_the_document() -> None:
    allowed = (
        "https://host",
        "https://other",
        "http://host",
        "https://host:444",
        "s3://bucket/",
        "s3://elsewhere",
        "gs://bucket",
    )
    own = remote(
        "https://host/a/x.json",
        headers={"X-Secret": "1"},
        endpoint_url="http://127.0.0.1:9",
        allow_targets=allowed,
    )
    assert own.find("https://host/b.nc", "x")[0].options.headers == {"X-Secret": "1"}
    for other in ("https://other/b.nc", "http://host/b.nc", "https://host:444/b.nc", "s3://bucket/b.nc"):
        assert own.find(other, "x")[0].options.headers == {}
    assert own.find("s3://bucket/b.nc", "x")[0].options.endpoint_url == "http://127.0.0.1:9"
    bucket = remote(endpoint_url="http://127.0.0.1:9", headers={"X-Secret": "1"}, allow_targets=allowed)
    assert bucket.find("s3://elsewhere/x", "x")[0].options.endpoint_url == "http://127.0.0.1:9"
    assert bucket.find("s3://elsewhere/x", "x")[0].options.headers == {}
    assert bucket.find("gs://bucket/x", "x")[0].options.endpoint_url is None


def test_a_local_document_may_name_local_files_and_links_to_them(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"1")
    (tmp_path / "link").symlink_to(tmp_path / "x.bin")
    targets = Targets(open_store(tmp_path), "", str(tmp_path / "a.json"))
    for target in (f"{tmp_path}/link", f"file://{tmp_path}/x.bin", f"file://localhost{tmp_path}/x.bin"):
        store, key = targets.find(target, "x/0")
        assert store.get(key) == b"1"
    with pytest.raises(BrokenReferenceError):
        targets.find("file://elsewhere/x", "x/0")


def test_a_local_document_that_others_see_names_its_own_folder_only(tmp_path: Path) -> None:
    """The examples of the report: ``secret/s`` beside the folder, by path and URL, and ``/etc/passwd`` from below."""
    (tmp_path / "up/in").mkdir(parents=True)
    (tmp_path / "up/in/x").write_bytes(b"1")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/s").write_bytes(b"2")
    (tmp_path / "up/out").symlink_to(tmp_path / "secret")
    url = str(tmp_path / "up/a.json")
    targets = Targets(open_store(tmp_path / "up", targets="shared"), "", url)
    for target in ("in/x", f"{tmp_path}/up/in/x", f"file://{tmp_path}/secret/../up/in/x"):
        store, key = targets.find(target, "x/0")
        assert store.get(key) == b"1"
    for target in (
        "../secret/s",
        f"file://{tmp_path}/secret/s",
        "../../../../../../../etc/passwd",
        f"{tmp_path}/up/out/s",
    ):
        with pytest.raises(BrokenReferenceError, match=r"outside .*--allow-targets .* allows it"):
            targets.find(target, "x/0")
    store, key = targets.find("out/s", "x/0")
    with pytest.raises(StoreError):  # a link, which --follow-links allows, and nothing else
        store.get(key)


def test_a_link_that_is_made_after_the_check_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "up/in").mkdir(parents=True)
    (tmp_path / "up/in/x").write_bytes(b"1")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/x").write_bytes(b"2")
    targets = Targets(open_store(tmp_path / "up", targets="shared"), "", str(tmp_path / "up/a.json"))
    store, key = targets.find(f"{tmp_path}/up/in/x", "x/0")
    (tmp_path / "up/in").rename(tmp_path / "up/was")
    (tmp_path / "up/in").symlink_to(tmp_path / "secret")
    with pytest.raises(StoreError, match="leads out"):
        store.get(key)


def test_few_stores_stay_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_OPEN_MAX", 3)
    targets = remote(allow_targets=[f"s3://bucket{number}" for number in range(6)])
    first = targets.find("s3://bucket0/x", "x")[0]
    assert targets.find("s3://bucket0/y", "x")[0] is first
    for number in range(1, 6):
        targets.find(f"s3://bucket{number}/x", "x")
    assert len(targets._stores) == 3
    assert targets.find("s3://bucket0/x", "x")[0] is not first


def test_remote_targets_are_told_from_local_ones() -> None:
    assert [is_remote_target(url) for url in ("s3://b/x", "/x", "x", "file:///x", "https://h/x")] == [
        True, False, False, False, True
    ]  # fmt: skip
