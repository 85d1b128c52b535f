"""S3Store, GCSStore and AzureStore: the contract, faults, listings."""

from __future__ import annotations

import contextlib
import gzip
import os
import signal
import subprocess
import sys
import traceback
import uuid
import zlib
from collections.abc import Callable

import pytest

from tests.any_store import AnyStore, open_store
from tests.core.stores.contract import CHUNK, VALUES, StoreTests, WritableStoreTests
from tests.servers import AzureServer, FaultServer, GCSServer, S3Server
from tests.servers.proxy import proxy
from tests.waiting import PATIENCE_S
from zarrcore.errors import (
    AccessDeniedError,
    BodyTooLargeError,
    BrokenBodyError,
    InvalidKeyError,
    StoreError,
    StoreNotFoundError,
    StoreTimeoutError,
    UnreachableError,
)
from zarrcore.stores import ByteRange, ListableStore, PrefixStore, ReadableStore
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


@pytest.mark.parametrize(
    "look", [lambda store: store.has_prefix("a/"), lambda store: next(iter(store.list_dir(""))) is not None]
)
def test_what_is_listed_shows_that_the_bucket_exists(
    filled: S3Server, look: Callable[[AnyStore], bool]
) -> None:
    """Otherwise, an absent key needs a GET after its HEAD, whose answer does not say if the bucket is missing."""
    with proxy(filled.endpoint_url) as front:
        methods: list[str] = []
        front.script = lambda request: methods.append(request.method)
        store = open_store("s3://bucket/some where", **{**filled.options, "endpoint_url": front.url})
        assert look(store)
        methods.clear()
        assert store.stat("absent") is None
        assert methods == ["HEAD"]


@pytest.mark.parametrize("method", ["get", "stat", "get_with_stat"])
@pytest.mark.parametrize(
    ("kind", "page", "said"),
    [
        (b"text/html", b"<html>Log in</html>", "a web page, perhaps one to log in"),
        (b"application/xml", b"<Error><Code>InternalError</Code></Error>", "XML without an ETag"),
    ],
)
def test_a_page_to_log_in_or_an_error_is_not_a_value(
    filled: S3Server, method: str, kind: bytes, page: bytes, said: str
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n" % (kind, len(page))
    with proxy(filled.endpoint_url) as front:
        front.script = lambda request: head if request.method == "HEAD" else head + page
        store = open_store("s3://bucket/some where", **{**filled.options, "endpoint_url": front.url})
        with pytest.raises(BrokenBodyError, match=said):
            getattr(store, method)("a/b")


def test_a_value_may_be_a_web_page(s3: S3Server) -> None:
    s3.create_bucket("pages")
    s3.request("PUT", "pages/about", page := b"<html>About</html>", {"Content-Type": "text/html"})
    store = open_store("s3://pages", **s3.options)
    assert bytes(store.get("about") or b"") == page
    assert store.stat("about") is not None


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


@pytest.fixture(params=["s3", "gs", "gs, anonymous", "az"])
def encoded(request: pytest.FixtureRequest, s3: S3Server) -> ReadableStore:
    """A place with the text of `TEXT` below ``zarr.json``, stored with gzip, and with other encodings."""
    values = {
        "zarr.json": (gzip.compress(TEXT), "gzip"),
        "zlib": (zlib.compress(TEXT), "deflate"),
        "sent": (TEXT, "aws-chunked"),
        "broken": (gzip.compress(TEXT)[:-9], "gzip"),
        "brotli": (TEXT, "br"),
    }
    service, _, anonymous = request.param.partition(", ")
    for name, (body, encoding) in values.items():
        if service == "az":
            azure: AzureServer = request.getfixturevalue("azure")
            inner = open_store("az://container/encoded", **azure.options)
            assert isinstance(inner, ObstoreStore)
            client = inner._client()
            client.put(f"encoded/{name}", body, attributes={"Content-Encoding": encoding})
        else:
            sent = {"x-amz-acl": "public-read", "Content-Encoding": encoding}
            s3.request("PUT", f"bucket/encoded/{name}", body, sent)
    if service == "az":
        return inner
    place: S3Server | GCSServer = s3 if service == "s3" else request.getfixturevalue("gcs")
    return open_store(f"{service}://bucket/encoded", **place.options, anonymous=bool(anonymous))


TEXT = b'{"zarr_format": 3}' * 1000


def test_a_value_that_is_stored_compressed_is_decoded(encoded: ReadableStore) -> None:
    for key in ("zarr.json", "zlib"):
        assert encoded.get(key) == TEXT
        assert encoded.get(key, ByteRange(20, 40)) == TEXT[20:40]
        assert encoded.get(key, ByteRange(-7)) == TEXT[-7:]
        assert encoded.get(key, ByteRange(17000, 17010)) == TEXT[17000:17010]
        assert encoded.get(key, ByteRange(5, 5)) == encoded.get(key, ByteRange(len(TEXT))) == b""
        assert encoded.get(key, max_nbytes=len(TEXT)) == TEXT
        stat = encoded.stat(key)
        assert stat is not None
        assert stat.size == len(TEXT)
        assert encoded.get_with_stat(key) == (TEXT, stat)
        assert encoded.get_with_stat(key, ByteRange(1, 3)) == (TEXT[1:3], stat)
        with pytest.raises(BodyTooLargeError, match=f"it has {len(TEXT)} bytes; at most 17999 can be right"):
            encoded.get(key, max_nbytes=len(TEXT) - 1)


def test_an_encoding_that_is_no_compression_means_nothing(encoded: ReadableStore) -> None:
    assert encoded.get("sent") == TEXT
    assert encoded.get("sent", ByteRange(20, 40)) == TEXT[20:40]


def test_an_encoding_that_cannot_be_decoded_is_named(encoded: ReadableStore) -> None:
    with pytest.raises(BrokenBodyError, match="stored with Content-Encoding gzip, but does not decode"):
        encoded.get("broken")
    for part in (None, ByteRange(0, 5)):
        with pytest.raises(BrokenBodyError, match="stored with Content-Encoding br, which is not supported"):
            encoded.get("brotli", part)


def test_listed_sizes_of_compressed_values_are_the_stored_ones(encoded: ReadableStore) -> None:
    assert isinstance(encoded, ListableStore)
    sizes = {entry.key: entry.size for entry in encoded.list_dir("")}
    assert sizes["zarr.json"] == len(gzip.compress(TEXT))
    encoded.get("zarr.json")
    assert encoded.lists_other_sizes
