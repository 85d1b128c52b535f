"""What data may name, by level, by the place of the document, and by what the user allows."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from zarrcore.errors import BrokenReferenceError
from zarrcore.stores import LocalStore, MemoryStore, StoreOptions
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.targets.places import Place
from zarrcore.stores.targets.policy import TargetPolicy, check_redirection

METADATA = "http://169.254.169.254/latest"


def policy(url: str, *, is_folder: bool = False, **options: object) -> TargetPolicy:
    source: ReadableStore = MemoryStore(values={}) if "://" in url else LocalStore(Path(url).parent)
    source.is_remote = "://" in url
    source.options = StoreOptions(**options)
    return TargetPolicy(source, url, is_folder=is_folder)


def is_allowed(policy: TargetPolicy, target: str) -> bool:
    with suppress(BrokenReferenceError):
        policy.check(target, "it")
        return True
    with pytest.raises(BrokenReferenceError) as caught:
        policy.check(target, "it")
    assert caught.value.allow is not None
    assert f"--allow-targets {caught.value.allow} allows it" in str(caught.value)
    return False


@pytest.fixture
def document(tmp_path: Path) -> str:
    (tmp_path / "up").mkdir()
    return str(tmp_path / "up/a.json")


@pytest.mark.parametrize(
    ("target", "own", "shared"),
    [
        ("{}/up/x", True, True),
        ("{}/secret/s", True, False),
        ("{}/up/../secret/s", True, False),
        ("{}/upper/s", True, False),
        ("/etc/passwd", True, False),
        ("{}/up/../../../../../../etc/passwd", True, False),
        ("s3://bucket/x", True, False),
        ("http://10.0.0.1/x", True, False),
        ("ftp://10.0.0.1/x", True, False),
        ("memory://a/b", True, False),
        (METADATA, False, False),
        ("http://127.1:8000/x", False, False),
        ("redis://localhost/0", False, False),
    ],
)
def test_what_a_local_document_may_name(
    target: str, own: bool, shared: bool, document: str, tmp_path: Path
) -> None:
    target = target.format(tmp_path)
    assert is_allowed(policy(document), target) is own
    assert is_allowed(policy(document, targets="shared"), target) is shared
    prefix = target.rpartition("/")[0] + "/"
    for level in ("own", "shared"):
        assert is_allowed(policy(document, targets=level, allow_targets=["/none", prefix]), target)


@pytest.mark.parametrize(
    ("url", "target", "is_read"),
    [
        ("https://host/a/x.json", "https://host/a/b/y.nc", True),
        ("https://host/a/x.json", "https://HOST:443/a/y.nc", True),
        ("https://host/a/x.json", "https://host/b/y.nc", False),
        ("https://host/a/x.json", "http://host/a/y.nc", False),
        ("https://host/a/x.json", "https://host:444/a/y.nc", False),
        ("https://host/a/x.json", "s3://bucket/y.nc", False),
        ("https://host/a/x.json", "/etc/passwd", False),
        ("http://127.0.0.1:8000/a/x.json", "http://127.0.0.1:8000/a/y.nc", True),
        ("s3://bucket/a/x.json", "s3://bucket/b/y.nc", True),
        ("s3://bucket/a/x.json", "s3://other/y.nc", False),
        ("s3://bucket/a/x.json", "gs://bucket/y.nc", False),
        ("ftp://host/a/x.json", "ftp://host/a/y", True),
        ("ftp://host/a/x.json", "ftp://host/y", False),
    ],
)
def test_what_a_remote_document_may_name(url: str, target: str, is_read: bool) -> None:
    for level in ("own", "shared"):
        assert is_allowed(policy(url, targets=level), target) is is_read


def test_a_folder_on_a_server_may_name_what_is_beside_it_unless_others_see_it() -> None:
    url, beside = "https://host/a/refs.parquet", "https://host/a/y.nc"
    assert is_allowed(policy(url, is_folder=True), beside)
    shared = policy(url, is_folder=True, targets="shared")
    assert not is_allowed(shared, beside)
    assert is_allowed(shared, f"{url}/y.nc")


def test_links_lead_out_of_a_folder_and_an_allowed_one_is_followed(document: str, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "up/link").symlink_to(tmp_path / "secret")
    target = f"{tmp_path}/up/link/s"
    assert not is_allowed(policy(document, targets="shared"), target)
    assert is_allowed(policy(document, targets="shared", allow_targets=[str(tmp_path / "secret")]), target)


def test_what_a_strict_document_leads_to_is_strict(document: str) -> None:
    for strict in (policy("s3://bucket/a.json"), policy(document, targets="shared")):
        assert strict.options.targets == "shared"
        assert strict.options.is_target
    own = policy(document)
    assert (own.options.targets, own.options.is_target, own.options.allow_targets) == ("own", True, ())
    assert policy("s3://bucket/a.json").within(Place.of("s3://bucket/x")) is not None


@pytest.mark.parametrize(
    "url", [r"http://127.0.0.1\@host/x", r"http://127.0.0.1\.host/x", "http:///127.0.0.1/x"]
)
def test_an_address_that_clients_read_in_two_ways_is_malformed(url: str) -> None:
    with pytest.raises(ValueError, match="names no server"):
        Place.of(url)


OWN, SHARED = StoreOptions(), StoreOptions(targets="shared")
TARGET = StoreOptions(is_target=True)
STRICT = StoreOptions(targets="shared", is_target=True, allow_targets=("https://cdn/a/",))


@pytest.mark.parametrize(
    ("before", "after", "options", "is_followed"),
    [
        ("https://host/x", METADATA, OWN, True),
        ("https://host/x", METADATA, SHARED, False),
        ("https://host/x", METADATA, TARGET, False),
        ("https://host/x", "https://10.0.0.1/x", SHARED, True),
        ("https://host/x", "https://10.0.0.1/x", TARGET, True),
        ("https://host/x", "https://10.0.0.1/x", STRICT, False),
        ("https://host/x", "https://cdn/a/x", STRICT, True),
        ("https://host/x", "https://cdn/b/x", STRICT, False),
        ("https://host/x", "https://host/x/", STRICT, True),
        ("https://host/x", "https://host/y", STRICT, False),
        ("http://host/x", "https://host/x", STRICT, True),
        ("https://host/x", "http://host/x", STRICT, False),
        ("http://127.0.0.1:8000/x", "http://127.0.0.1:8000/y", SHARED, True),
        ("http://127.0.0.1:8000/x", "http://127.0.0.1:8001/y", SHARED, False),
        ("https://host/x", "http://[/", SHARED, False),
    ],
)
def test_where_a_server_may_send_a_request(
    before: str, after: str, options: StoreOptions, is_followed: bool
) -> None:
    if is_followed:
        check_redirection(before, after, options)
        return
    with pytest.raises(BrokenReferenceError, match=f"{before} redirects to "):
        check_redirection(before, after, options)


def test_a_redirection_is_told_without_secrets() -> None:
    with pytest.raises(BrokenReferenceError) as caught:
        check_redirection("http://host/x?hush", "http://me:hush@127.0.0.1/y?hush", SHARED)
    assert "hush" not in str(caught.value)
