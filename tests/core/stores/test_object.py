"""S3Store, GCSStore and AzureStore."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.core.stores.contract import CHUNK, VALUES, StoreTests
from tests.servers import FaultServer, S3Server, environment
from zarrcore.errors import (
    AccessDeniedError,
    BrokenBodyError,
    InvalidKeyError,
    StoreError,
    StoreNotFoundError,
    StoreTimeoutError,
    UnreachableError,
)
from zarrcore.stores import ByteRange, ReadableStore, open_store
from zarrcore.stores import s3 as s3_module
from zarrcore.stores.s3 import S3Store

KEYS = {"AWS_ACCESS_KEY_ID": "testing-key", "AWS_SECRET_ACCESS_KEY": "testing-secret"}
NO_KEYS = (*KEYS, "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL")


@pytest.fixture(autouse=True)
def _keys() -> Iterator[None]:
    """Keys always, so that nothing asks the cloud's metadata address for them."""
    nowhere = {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    with environment({**KEYS, **nowhere, "AWS_EC2_METADATA_DISABLED": "true"}, NO_KEYS[len(KEYS) :]):
        yield


@pytest.fixture(scope="module")
def filled(s3: S3Server) -> S3Server:
    for key, value in VALUES.items():
        s3.put(f"bucket/some where/{key}", value)
    s3.put("bucket/some where else", b"beside")
    return s3


class TestS3(StoreTests):
    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, filled: S3Server) -> ReadableStore:
        return open_store("s3://bucket/some where/", **filled.options)


class TestGCS(StoreTests):
    """moto also answers what GCS's XML interface asks, for objects that all may read."""

    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, filled: S3Server) -> ReadableStore:
        options = {**filled.options, "region": None, "anonymous": True}
        return open_store("gs://bucket/some where", **options)


@pytest.fixture
def options(faults: FaultServer) -> dict[str, object]:
    return {"endpoint_url": faults.url, "region": "us-east-1", "timeout_s": 0.5, "retries": 1}


FAULTS: list[tuple[int | str, type[StoreError]]] = [
    (400, StoreError),
    (401, AccessDeniedError),
    (403, AccessDeniedError),
    (408, StoreTimeoutError),
    (429, UnreachableError),
    (500, UnreachableError),
    (503, UnreachableError),
    ("hang", StoreTimeoutError),
    ("reset", UnreachableError),
    ("truncate", BrokenBodyError),
]


@pytest.mark.parametrize("byte_range", [None, ByteRange(5, 3000)], ids=str)
@pytest.mark.parametrize(("fault", "kind"), FAULTS, ids=lambda value: str(getattr(value, "__name__", value)))
def test_every_fault_has_its_class_and_none_is_absence(
    faults: FaultServer,
    options: dict[str, object],
    fault: int | str,
    kind: type[StoreError],
    byte_range: ByteRange | None,
) -> None:
    faults.values["bucket/x/key"] = CHUNK
    faults.faults["bucket/x/key"] = fault
    store = open_store("s3://bucket/x", **options)
    with pytest.raises(StoreError) as caught:
        store.get("key", byte_range)
    assert type(caught.value) is kind
    assert caught.value.key == "key"
    assert caught.value.url == "s3://bucket/x"
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("key in s3://bucket/x: ")


@pytest.mark.parametrize("status", [404, 410])
def test_only_not_found_is_absent(faults: FaultServer, options: dict[str, object], status: int) -> None:
    faults.faults["bucket/key"] = status
    store = open_store("s3://bucket", **options)
    assert store.get("key") is None
    assert store.stat("key") is None


def test_forbidden_is_absent_only_when_wanted(faults: FaultServer, options: dict[str, object]) -> None:
    faults.faults["bucket/key"] = 403
    store = open_store("s3://bucket", **options, treat_403_as_missing=True)
    assert store.get("key") is None
    assert store.get("key", ByteRange(3)) is None
    assert store.stat("key") is None
    faults.faults["bucket/key"] = 401
    with pytest.raises(AccessDeniedError):
        store.get("key")


def test_a_server_that_fails_once_is_asked_again(faults: FaultServer, options: dict[str, object]) -> None:
    faults.values["bucket/key"] = b"1"
    faults.faults["bucket/key"] = 503
    store = open_store("s3://bucket", **{**options, "retries": 3})
    with pytest.raises(UnreachableError):
        store.get("key")
    assert len(faults.requests) > 2


def test_a_server_that_ignores_ranges_still_gives_the_part(
    faults: FaultServer, options: dict[str, object]
) -> None:
    faults.values["bucket/key"] = CHUNK
    faults.faults["bucket/key"] = "no-range"
    store = open_store("s3://bucket", **options)
    assert store.get("key", ByteRange(3, 9)) == CHUNK[3:9]
    assert store.get("key", ByteRange(-9)) == CHUNK[-9:]


def test_nobody_there_is_unreachable(options: dict[str, object]) -> None:
    store = open_store("s3://bucket", **{**options, "endpoint_url": "http://127.0.0.1:1"})
    with pytest.raises(UnreachableError, match="refuses the connection"):
        store.get("key")
    with pytest.raises(UnreachableError):
        list(store.list_dir(""))
    with pytest.raises(UnreachableError):
        store.stat("key")


def test_a_missing_bucket_is_no_absent_key(s3: S3Server) -> None:
    for read in (
        lambda store: store.get("key"),
        lambda store: store.get("key", ByteRange(1, 2)),
        lambda store: store.stat("key"),
        lambda store: list(store.list()),
        lambda store: list(store.list_dir("")),
    ):
        with pytest.raises(StoreNotFoundError, match="no such bucket"):
            read(open_store("s3://no-such-bucket/x", **s3.options))


def test_wrong_credentials_are_told_in_one_sentence(filled: S3Server) -> None:
    store = open_store("s3://bucket/some where", **filled.options)
    with filled.denying():
        for read in (store.get, store.stat, lambda _: list(store.list_dir("")), lambda _: list(store.list())):
            with pytest.raises(AccessDeniedError, match="--anonymous") as caught:
                read("zarr.json")
            assert "\n" not in str(caught.value)
    assert store.get("ab/x") == b"1"


def test_no_secret_is_in_errors_or_names(faults: FaultServer, options: dict[str, object]) -> None:
    faults.faults["bucket/key"] = 400
    store = open_store("s3://bucket", **options, headers={"X-Token": "geheim"})
    shown = [repr(store), store.url, repr(store.options)]
    try:
        store.get("key")
    except StoreError as error:
        shown += [str(error), repr(error), "".join(traceback.format_exception(error))]
    assert len(shown) == 6
    assert not any(secret in text for secret in ("testing", "geheim", "Signature", "amz") for text in shown)
    assert faults.requests[-1][2]["x-token"] == "geheim"


def test_credentials_in_a_url_are_refused_unseen() -> None:
    with pytest.raises(StoreError) as caught:
        open_store("s3://key:geheim@bucket/x")
    assert "geheim" not in str(caught.value)


def test_anonymous_requests_bear_no_signature(faults: FaultServer, options: dict[str, object]) -> None:
    faults.values["bucket/key"] = b"1"
    with environment({}, NO_KEYS):
        store = open_store("s3://bucket", **options, anonymous=True)
        assert store.get("key") == b"1"
    assert "authorization" not in faults.requests[-1][2]
    assert open_store("s3://bucket", **options).get("key") == b"1"
    assert "testing-key" in faults.requests[-1][2]["authorization"]


def test_without_credentials_nothing_is_asked(faults: FaultServer, options: dict[str, object]) -> None:
    with (
        environment({}, NO_KEYS),
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
    with environment({**paths, "AWS_PROFILE": "work", "AWS_SESSION_TOKEN": "geheim"}, NO_KEYS[:2]):
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


def test_folder_markers_are_no_keys(s3: S3Server) -> None:
    s3.create_bucket("marked")
    for key in ("a/", "a/x", "b", "c/", "c/d/", "c/d/y"):
        s3.put(f"marked/{key}", b"" if key.endswith("/") else b"1")
    s3.put("marked/empty", b"")
    store = open_store("s3://marked", **s3.options)
    assert [entry.key for entry in store.list()] == ["a/x", "b", "c/d/y", "empty"]
    assert sorted(entry.key for entry in store.list_dir("")) == ["a/", "b", "c/", "empty"]
    assert [entry.key for entry in store.list_dir("a/")] == ["a/x"]
    assert [entry.key for entry in store.list_dir("c/")] == ["c/d/"]


def test_listings_go_on_after_the_first_page(s3: S3Server) -> None:
    from moto.core import DEFAULT_ACCOUNT_ID
    from moto.s3.models import s3_backends

    s3.create_bucket("many")
    for number in range(1100):  # straight into the server, which runs in this process: requests take seconds
        s3_backends[DEFAULT_ACCOUNT_ID]["aws"].put_object("many", f"k/{number:04}", b"")
    store = open_store("s3://many", **s3.options)
    assert len(list(store.list_dir("k/"))) == 1100
    assert len(list(store.list())) == 1100


def test_a_name_with_control_characters_is_refused(filled: S3Server) -> None:
    with pytest.raises(InvalidKeyError) as caught:
        open_store("s3://bucket", **filled.options).get("a\nb")
    assert "\n" not in str(caught.value)


def test_nothing_of_obstore_is_touched_before_the_first_request() -> None:
    program = (
        "import pickle, sys\n"
        "from zarrcore.stores import open_store\n"
        "for url in ('s3://b/x', 'gs://b', 'az://c', 'http://127.0.0.1:1/x', 's3://b/x.zip', 'http://h/x.zip'):\n"
        "    pickle.loads(pickle.dumps(open_store(url)))\n"
        "heavy = [name for name in ('obstore', 'httpx', 'zarr', 'boto3') if name in sys.modules]\n"
        "print(heavy)\n"
    )
    outcome = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (outcome.stdout, outcome.stderr) == ("[]\n", "")


def test_a_forked_process_says_that_it_cannot_read(filled: S3Server) -> None:
    store = open_store("s3://bucket/some where", **filled.options)
    program = (
        "import os, sys\n"
        "from zarrcore.errors import StoreError\n"
        "from zarrcore.stores import open_store\n"
        "store = open_store('s3://bucket/some where', endpoint_url=sys.argv[1], region='us-east-1')\n"
        "assert store.get('ab/x') == b'1'\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    try:\n"
        "        store.get('ab/x')\n"
        "    except StoreError as error:\n"
        "        os._exit(0 if 'forked' in str(error) else 2)\n"
        "    os._exit(1)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    command = [sys.executable, "-c", program, filled.endpoint_url]
    assert store.get("ab/x") == b"1"
    process = subprocess.Popen(command, start_new_session=True)
    try:
        assert process.wait(30) == 0
    finally:
        with contextlib.suppress(ProcessLookupError):  # a child that hangs would outlive its parent
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)


def test_a_certificate_file_that_is_missing_is_told(options: dict[str, object]) -> None:
    with pytest.raises(StoreError, match="cannot read the certificates in /absent"):
        open_store("s3://bucket", **options, ca_bundle="/absent").get("key")


def test_azure_reads_by_container_and_account(faults: FaultServer, options: dict[str, object]) -> None:
    faults.values["container/path/key"] = CHUNK
    store = open_store(
        "abfs://container@account.dfs.core.windows.net/path", **{**options, "region": None}, anonymous=True
    )
    assert store.url == "abfs://container@account.dfs.core.windows.net/path"
    assert store.get("key") == CHUNK
    assert store.get("key", ByteRange(3, 5)) == CHUNK[3:5]
    assert store.get("key", ByteRange(-5)) == CHUNK[-5:]
    assert store.get("key", ByteRange(99_999)) == b""
    assert store.get("absent") is None
    assert store.get("absent", ByteRange(-5)) is None
    assert pickle.loads(pickle.dumps(store)).stat("key").size == len(CHUNK)
    faults.faults["container/path/key"] = 403
    with pytest.raises(AccessDeniedError, match="instead of --anonymous"):
        store.get("key")


def test_azure_lists(faults: FaultServer, options: dict[str, object]) -> None:
    blob = (
        "<Blob><Name>path/key</Name><Properties><Last-Modified>Wed, 01 Jan 2025 00:00:00 GMT</Last-Modified>"
        "<Content-Length>3</Content-Length><Content-Type>x/y</Content-Type><Etag>e</Etag></Properties></Blob>"
    )
    faults.values["container"] = (
        '<?xml version="1.0" encoding="utf-8"?><EnumerationResults><Prefix>path/</Prefix><Blobs>'
        f"<BlobPrefix><Name>path/a/</Name></BlobPrefix>{blob}</Blobs><NextMarker/></EnumerationResults>"
    ).encode()
    store = open_store("az://container/path", **{**options, "region": None}, anonymous=True)
    with environment({"AZURE_STORAGE_ACCOUNT_NAME": "account"}):
        entries = list(store.list_dir(""))
    assert [(entry.key, entry.size) for entry in entries] == [("a/", None), ("key", 3)]


def test_azure_needs_an_account() -> None:
    with (
        environment({}, ("AZURE_STORAGE_ACCOUNT_NAME",)),
        pytest.raises(StoreError, match="AZURE_STORAGE_ACCOUNT"),
    ):
        open_store("az://container/path").get("key")


def test_remote_stores_want_many_requests_at_once() -> None:
    store = open_store("s3://bucket/a/b/")
    assert isinstance(store, S3Store)
    assert store.url == "s3://bucket/a/b"
    assert store.is_remote
    assert 32 <= store.requests_in_flight <= 64
