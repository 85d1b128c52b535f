"""S3Store, GCSStore and AzureStore: the contract, faults, listings."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import traceback
import uuid

import pytest

from tests.any_store import open_store
from tests.core.stores.contract import CHUNK, VALUES, StoreTests, WritableStoreTests
from tests.servers import AzureServer, FaultServer, GCSServer, S3Server
from tests.waiting import PATIENCE_S
from zarrcore.errors import (
    AccessDeniedError,
    BrokenBodyError,
    InvalidKeyError,
    StoreError,
    StoreNotFoundError,
    StoreTimeoutError,
    UnreachableError,
)
from zarrcore.stores import ByteRange, PrefixStore, ReadableStore
from zarrcore.stores.object.store import ObstoreStore


@pytest.fixture(scope="module")
def filled(s3: S3Server) -> S3Server:
    for key, value in VALUES.items():
        s3.put(f"bucket/some where/{key}", value)
    s3.put("bucket/some where else", b"beside")
    return s3


class TestS3(StoreTests, WritableStoreTests):
    writers_of_one_key = 1  # moto closes a value that is replaced during a read
    rounds = 40

    @pytest.fixture
    def empty(self, s3: S3Server) -> ReadableStore:
        return open_store(f"s3://bucket/new/{uuid.uuid4()}", **s3.options)

    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, filled: S3Server) -> ReadableStore:
        return open_store("s3://bucket/some where/", **filled.options)


class TestGCS(StoreTests, WritableStoreTests):
    """moto also answers requests of GCS's XML API, for public objects."""

    writers_of_one_key = 1
    rounds = 40

    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, filled: S3Server, gcs: GCSServer) -> ReadableStore:
        return open_store("gs://bucket/some where", **gcs.options)

    @pytest.fixture
    def empty(self, gcs: GCSServer) -> ReadableStore:
        return open_store(f"gs://gcs/new/{uuid.uuid4()}", **gcs.options)


class TestAzure(StoreTests, WritableStoreTests):
    rounds = 40

    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, azure: AzureServer) -> ReadableStore:
        store = open_store("az://container/some where/", **azure.options)
        for key, value in VALUES.items():
            store.set(key, value)
        open_store("az://container", **azure.options).set("some where else", b"beside")
        return store

    @pytest.fixture
    def empty(self, azure: AzureServer) -> ReadableStore:
        return open_store(
            f"abfs://container@devstoreaccount1.dfs.core.windows.net/new/{uuid.uuid4()}", **azure.options
        )


FAULTS: list[tuple[int | str, type[StoreError]]] = [
    (400, StoreError),
    (401, AccessDeniedError),
    (403, AccessDeniedError),
    (408, StoreTimeoutError),
    (429, UnreachableError),
    (500, UnreachableError),
    (503, UnreachableError),
    ("hang", StoreTimeoutError),
    ("drip", StoreTimeoutError),
    ("drip-body", StoreTimeoutError),
    ("reset", UnreachableError),
    ("truncate", BrokenBodyError),
]


@pytest.mark.parametrize("byte_range", [None, ByteRange(5, 3000)], ids=str)
@pytest.mark.parametrize(("fault", "kind"), FAULTS, ids=lambda value: str(getattr(value, "__name__", value)))
def test_every_fault_has_its_class_and_never_means_absence(
    faults: FaultServer,
    options: dict[str, object],
    fault: int | str,
    kind: type[StoreError],
    byte_range: ByteRange | None,
) -> None:
    faults.values["bucket/x/key"] = CHUNK
    faults.faults["bucket/x/key"] = fault
    if fault in {"hang", "drip", "drip-body"}:
        options["timeout_s"] = 0.3
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


def test_forbidden_means_absent_only_with_the_option(faults: FaultServer, options: dict[str, object]) -> None:
    faults.faults["bucket/key"] = 403
    store = open_store("s3://bucket", **options, treat_403_as_missing=True)
    assert store.get("key") is None
    assert store.get("key", ByteRange(3)) is None
    assert store.stat("key") is None
    faults.faults["bucket/key"] = 401
    with pytest.raises(AccessDeniedError):
        store.get("key")


def test_a_request_is_repeated_after_a_server_error(faults: FaultServer, options: dict[str, object]) -> None:
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


def test_a_missing_server_is_unreachable(options: dict[str, object]) -> None:
    store = open_store("s3://bucket", **{**options, "endpoint_url": "http://127.0.0.1:1"})
    with pytest.raises(UnreachableError, match="refuses the connection"):
        store.get("key")
    with pytest.raises(UnreachableError):
        list(store.list_dir(""))
    with pytest.raises(UnreachableError):
        store.stat("key")


def test_a_missing_bucket_is_not_an_absent_key(s3: S3Server) -> None:
    for read in (
        lambda store: store.get("key"),
        lambda store: store.get("key", ByteRange(1, 2)),
        lambda store: store.stat("key"),
        lambda store: list(store.list()),
        lambda store: list(store.list_dir("")),
    ):
        with pytest.raises(StoreNotFoundError, match="no such bucket"):
            read(open_store("s3://no-such-bucket/x", **s3.options))


def test_wrong_credentials_are_reported_in_one_sentence(filled: S3Server) -> None:
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
    assert isinstance(store, ObstoreStore)
    shown = [repr(store), store.url, repr(store.options)]
    try:
        store.get("key")
    except StoreError as error:
        shown += [str(error), repr(error), "".join(traceback.format_exception(error))]
    assert len(shown) == 6
    assert not any(secret in text for secret in ("testing", "geheim", "Signature", "amz") for text in shown)
    assert faults.requests[-1][2]["x-token"] == "geheim"


def test_folder_markers_are_not_keys(s3: S3Server) -> None:
    s3.create_bucket("marked")
    for key in ("a/", "a/x", "b", "c/", "c/d/", "c/d/y"):
        s3.put(f"marked/{key}", b"" if key.endswith("/") else b"1")
    s3.put("marked/empty", b"")
    store = open_store("s3://marked", **s3.options)
    assert [entry.key for entry in store.list()] == ["a/x", "b", "c/d/y", "empty"]
    assert sorted(entry.key for entry in store.list_dir("")) == ["a/", "b", "c/", "empty"]
    assert [entry.key for entry in store.list_dir("a/")] == ["a/x"]
    assert [entry.key for entry in store.list_dir("c/")] == ["c/d/"]


def test_listings_continue_after_the_first_page(s3: S3Server) -> None:
    from moto.core.models import DEFAULT_ACCOUNT_ID
    from moto.s3.models import s3_backends

    s3.create_bucket("many")
    # Directly into the server, which runs in this process: requests would take seconds.
    for number in range(1100):
        s3_backends[DEFAULT_ACCOUNT_ID]["aws"].put_object("many", f"k/{number:04}", b"")
    store = open_store("s3://many", **s3.options)
    assert len(list(store.list())) == 1100


def test_a_name_with_control_characters_can_be_read_but_not_written(filled: S3Server) -> None:
    store = open_store("s3://bucket", **filled.options)
    assert store.get("a\nb") is None
    with pytest.raises(InvalidKeyError) as caught:
        store.set("a\nb", b"1")
    assert "\n" not in str(caught.value)


def test_reading_in_a_forked_process_is_an_error(filled: S3Server) -> None:
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
        assert process.wait(PATIENCE_S) == 0
    finally:
        with contextlib.suppress(ProcessLookupError):  # a hanging child would outlive its parent
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE_S)


def test_has_prefix_costs_one_page(faults: FaultServer, options: dict[str, object]) -> None:
    page = (
        b"<ListBucketResult><Contents><Key>k/0</Key><Size>1</Size><ETag>e</ETag>"
        b"<LastModified>2025-01-01T00:00:00.000Z</LastModified></Contents>%s</ListBucketResult>"
    )
    more = b"<IsTruncated>true</IsTruncated><NextContinuationToken>more</NextContinuationToken>"
    pages = [page % more, page % b""]

    class Pages(dict[str, bytes]):
        def __getitem__(self, key: str) -> bytes:
            return pages.pop(0)

    faults.values = Pages(bucket=b"")
    assert open_store("s3://bucket", **options).has_prefix("k/")
    assert len(faults.requests) == 1


def test_has_prefix_finds_keys_under_the_prefix(filled: S3Server) -> None:
    store = PrefixStore(open_store("s3://bucket", **filled.options), "some where/")
    assert store.has_prefix("a/c/")
    assert not store.has_prefix("b/")
    with pytest.raises(InvalidKeyError):
        store.has_prefix("a")
    with pytest.raises(StoreNotFoundError):
        open_store("s3://no-such-bucket", **filled.options).has_prefix("a/")


def test_half_a_surrogate_pair_is_not_a_name(filled: S3Server) -> None:
    store = open_store("s3://bucket", **filled.options)
    for key in ("a\ud800", "a\udc80"):
        for read in (store.get, store.stat, store.has_prefix, lambda key: list(store.list_dir(key + "/"))):
            with pytest.raises(InvalidKeyError):
                read(key)
