"""Writing to buckets: large values, refusals, and the requests to the service."""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import obstore.exceptions
import pytest

from tests.any_store import open_store
from tests.servers import FaultServer, S3Server, environment
from tests.servers.proxy import Trouble, proxy
from zarrcore.errors import (
    AccessDeniedError,
    BodyTooLargeError,
    InvalidKeyError,
    StoreError,
    StoreNotFoundError,
    StoreTimeoutError,
    UnreachableError,
)
from zarrcore.stores import ByteRange, MemoryStore, StoreStat, WritableStore
from zarrcore.stores.object import bucket as bucket_module
from zarrcore.stores.object import listed_store as object_module
from zarrcore.stores.object import listing as bucket_listing
from zarrcore.stores.wrapper.prefix import PrefixStore

WRITES: list[Callable[[WritableStore], object]] = [
    lambda store: store.set("key", b"1"),
    lambda store: store.set("key", b"1", if_absent=True),
    lambda store: store.erase("key"),
    lambda store: store.erase_values(["key", "other"]),
]


@pytest.mark.parametrize(
    ("service", "bucket"), [("s3", "s3://bucket"), ("gcs", "gs://gcs"), ("azure", "az://container")]
)
def test_large_values_are_sent_in_parts(
    request: pytest.FixtureRequest, service: str, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bucket_module, "_PART", 5 << 20)  # the least that services accept
    value = bytes(range(256)) * 21_000  # a little more than one part
    store = open_store(f"{bucket}/{uuid.uuid4()}", **request.getfixturevalue(service).options)
    store.set("large", value)
    assert store.get("large") == value
    if service != "azure":  # its etags do not show the parts
        assert str(store.stat("large").etag).strip('"').endswith("-2")
    assert not store.set("large", b"", if_absent=True)
    assert store.set("another", value, if_absent=True)
    assert store.get("another") == value


@pytest.mark.parametrize(
    ("service", "bucket"), [("s3", "s3://bucket"), ("gcs", "gs://gcs"), ("azure", "az://container")]
)
def test_a_service_attests_what_it_received(
    request: pytest.FixtureRequest, service: str, bucket: str
) -> None:
    store = open_store(f"{bucket}/{uuid.uuid4()}", **request.getfixturevalue(service).options)
    attests = service != "azure"  # its ETags are not checksums
    assert store.set_attested("a", b"12") is attests
    assert PrefixStore(store, "b/").set_attested("c", b"") is attests
    assert store.set_attested("large", bytes(8 << 20) + b"1") is False, "sent in parts"
    assert [store.get("a"), store.get("b/c")] == [b"12", b""]
    assert store.get("large") == bytes(8 << 20) + b"1"


@pytest.mark.parametrize(
    ("service", "bucket"), [("s3", "s3://bucket"), ("gcs", "gs://gcs"), ("azure", "az://container")]
)
def test_a_value_whose_first_answer_is_lost_is_not_taken_for_another_writers(
    request: pytest.FixtureRequest, service: str, bucket: str
) -> None:
    server = request.getfixturevalue(service)
    lost = [Trouble.LOST]
    address = urlsplit(server.options["endpoint_url"])
    with proxy(
        server.options["endpoint_url"],
        script=lambda asked: (lost.pop(), Random(1)) if asked.method in ("PUT", "POST") and lost else None,
    ) as spoiled:
        options = {**server.options, "endpoint_url": spoiled.url + address.path}
        store = open_store(f"{bucket}/{uuid.uuid4()}", **options)
        assert store.set("new", b"1", if_absent=True)
        assert not lost, "the answer was spoiled"
        lost.append(Trouble.LOST)
        assert not store.set("new", b"another's", if_absent=True)
        assert store.get("new") == b"1"


@pytest.mark.parametrize(
    ("service", "bucket"), [("s3", "s3://bucket"), ("gcs", "gs://gcs"), ("azure", "az://container")]
)
def test_large_files_are_sent_in_parts(
    request: pytest.FixtureRequest,
    service: str,
    bucket: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bucket_module, "_CONDITIONAL_MAX", 2**20)
    monkeypatch.setattr(bucket_module, "_PART", 5 << 20)
    value = bytes(range(256)) * 42_000  # a little more than two parts
    (tmp_path / "file").write_bytes(value)
    store = open_store(f"{bucket}/{uuid.uuid4()}", **request.getfixturevalue(service).options)
    with open(tmp_path / "file", "rb") as file:
        store.set_file("large", file.fileno())
        assert not store.set_file("large", file.fileno(), if_absent=True)
        assert store.set_file("another", file.fileno(), if_absent=True)
    assert store.get("large") == store.get("another") == value
    if service != "azure":  # its etags do not show the parts
        assert str(store.stat("large").etag).strip('"').endswith("-3")


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (400, StoreError),
        (403, AccessDeniedError),
        (503, UnreachableError),
        ("hang", StoreTimeoutError),
        ("drip", StoreTimeoutError),
        ("reset", UnreachableError),
    ],
)
def test_every_fault_has_its_class(
    faults: FaultServer,
    options: dict[str, object],
    write: Callable[[WritableStore], object],
    fault: int | str,
    kind: type[StoreError],
) -> None:
    faults.faults = dict.fromkeys(("bucket", "bucket/key"), fault)
    if kind is StoreTimeoutError:
        options["timeout_s"] = 0.3
    store = open_store("s3://bucket", **{**options, "retries": 0})
    with pytest.raises(StoreError) as caught:
        write(store)
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)
    assert "testing-key" not in str(caught.value)


def test_wrong_credentials_are_reported(s3: S3Server) -> None:
    store = open_store("s3://bucket/denied", **s3.options)
    with s3.denying():
        for write in (*WRITES, lambda store: store.erase_prefix("a/")):
            with pytest.raises(AccessDeniedError, match="credentials with write permission"):
                write(store)


def test_a_missing_bucket_is_reported(s3: S3Server) -> None:
    store = open_store("s3://no-such-bucket/x", **s3.options)
    for write in (*WRITES, lambda store: store.erase_prefix("a/")):
        with pytest.raises(StoreNotFoundError, match="no such bucket"):
            write(store)


def test_keys_that_lead_elsewhere_are_refused(s3: S3Server) -> None:
    store = open_store("s3://bucket/x", **s3.options)
    for key in ("../a", "a//b", "/a", "a/", "", "a\tb"):
        for write in (
            lambda key: store.set(key, b""),
            store.erase,
            lambda key: store.erase_values([key]),
        ):
            with pytest.raises(InvalidKeyError):
                write(key)
    with pytest.raises(InvalidKeyError):
        store.erase_prefix("../")


def test_many_keys_are_erased_with_few_requests(faults: FaultServer, options: dict[str, object]) -> None:
    faults.values["bucket"] = b"<DeleteResult><Deleted><Key>k/0</Key></Deleted></DeleteResult>"
    store = open_store("s3://bucket", **options)
    store.erase_values(f"k/{number}" for number in range(2500))
    assert [method for method, _, _ in faults.requests] == ["POST"] * 3


def test_azure_writes_and_erases(faults: FaultServer, options: dict[str, object]) -> None:
    store = open_store(
        "abfs://container@account.dfs.core.windows.net/path",
        **{**options, "region": None},
        anonymous=True,
    )
    store.set("key", b"12")
    method, path, headers = faults.requests[-1]
    assert (method, path) == ("PUT", "/container/path/key")
    assert headers["x-ms-blob-type"] == "BlockBlob"
    store.set("new", b"1", if_absent=True)
    assert faults.requests[-1][2]["if-none-match"] == "*"
    faults.faults["container/path/new"] = 409
    assert store.set("new", b"1", if_absent=True) is False
    faults.content_types["container"] = "multipart/mixed; boundary=b"
    for status in ("202 Accepted", "404 The specified blob does not exist."):
        part = f"Content-Type: application/http\r\nContent-ID: 0\r\n\r\nHTTP/1.1 {status}\r\n\r\n"
        faults.values["container"] = f"--b\r\n{part}\r\n--b--\r\n".encode()
        store.erase("key")
    assert faults.requests[-1][:2] == ("POST", "/container?restype=container&comp=batch")


@pytest.mark.parametrize("scheme", ["s3", "az", "http"])
def test_a_value_that_is_too_large_is_not_fetched(
    faults: FaultServer, options: dict[str, object], scheme: str
) -> None:
    faults.values["bucket/key"] = bytes(50_000_000)
    url = f"{faults.url}/bucket" if scheme == "http" else f"{scheme}://bucket"
    store = open_store(url, **{**options, "timeout_s": 10.0}, anonymous=True)
    with environment({"AZURE_STORAGE_ACCOUNT_NAME": "account"}):
        for byte_range in (None, ByteRange(10), ByteRange(-40_000_000), ByteRange(5, 45_000_000)):
            with pytest.raises(BodyTooLargeError) as caught:
                store.get("key", byte_range, max_nbytes=1000)
            assert caught.value.size > 30_000_000
        assert store.get("key", ByteRange(0, 1000), max_nbytes=1000) == bytes(1000)
    assert faults.sent <= 1000  # the server counts a request after it has sent the last byte


def fill(name: str, keys: list[str], s3: S3Server) -> None:
    """Put keys directly into the server, which runs in this process: requests would take seconds."""
    from moto.core.models import DEFAULT_ACCOUNT_ID
    from moto.s3.models import s3_backends

    s3.create_bucket(name)
    for key in keys:
        s3_backends[DEFAULT_ACCOUNT_ID]["aws"].put_object(name, key, b"1")


def test_directories_of_all_kinds_are_listed_beyond_one_page(
    s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (object_module, bucket_listing):
        monkeypatch.setattr(module, "PAGE", 100)
    flat = [f"flat/{number:04}" for number in range(110)]
    late = [f"late/{number:04}" for number in range(105)] + [f"late/z{number}/x" for number in range(60)]
    deep = [f"deep/{number % 3}/{number:04}" for number in range(110)] + ["deep/zarr.json"]
    fill("kinds", [*flat, *late, *deep], s3)
    store = open_store("s3://kinds", **s3.options)
    for _ in range(2):
        assert [entry.key for entry in store.list_dir("flat/")] == flat
        assert sorted(entry.key for entry in store.list_dir("deep/")) == [
            *(f"deep/{number}/" for number in range(3)),
            "deep/zarr.json",
        ]
        listed = [entry.key for entry in store.list_dir("late/")]
        assert len(listed) == len(set(listed)) == 165
        assert {"late/0000", "late/z59/"} <= set(listed)
        assert sorted(entry.key for entry in store.list_dir("")) == ["deep/", "flat/", "late/"]
    store.erase_prefix("flat/")
    assert list(store.list_dir("flat/")) == []
    assert sum(1 for _ in store.list()) == 165 + 111


@pytest.mark.parametrize(("name", "again"), [("PermissionDeniedError", False), ("GenericError", True)])
def test_a_service_that_refuses_to_copy_is_not_asked_again(
    s3: S3Server, monkeypatch: pytest.MonkeyPatch, name: str, again: bool
) -> None:
    asked = []

    class Refusing:
        def copy(self, key: str, new: str) -> None:
            asked.append(new)
            raise getattr(obstore.exceptions, name)("the service refuses")

    source = open_store(f"s3://bucket/{uuid.uuid4()}", **s3.options)
    target: Any = open_store(f"s3://bucket/{uuid.uuid4()}", **s3.options)
    source.set("a", b"1")
    monkeypatch.setattr(target, "_make_cloner", lambda *_: Refusing())
    assert target.may_clone(source)
    for _ in range(3):
        assert not target.clone(source, "a", "b")
    assert len(asked) == (3 if again else 1)
    assert target.may_clone(source) == again
    monkeypatch.undo()
    other = open_store(f"s3://bucket/{uuid.uuid4()}", **s3.options)
    other.set("c", b"2")
    assert target.clone(other, "c", "d")
    assert target.get("d") == b"2"
    assert not target.may_clone(MemoryStore())


def test_a_service_that_knows_etags_without_quotation_marks_replaces_values_too(
    s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Ceph 16."""
    store: Any = open_store(f"s3://bucket/{uuid.uuid4()}", **s3.options)
    sent = []

    class Literal:
        def put(self, path: str, data: memoryview, *, mode: Any, use_multipart: bool) -> object:
            sent.append(etag := mode["e_tag"])
            if etag.startswith('"'):
                raise obstore.exceptions.PreconditionError("412")
            return client.put(path, data, mode={"e_tag": f'"{etag}"'}, use_multipart=use_multipart)

    store.set("x", b"1")
    client, first = store._sender(), store.stat("x")
    monkeypatch.setattr(store, "_sender", Literal)
    assert store.replace("x", b"22", first) is True
    assert store.replace("x", b"333", first) is False
    assert store.replace("x", b"333", second := store.stat("x")) is True
    assert sent == [first.etag, *(stat.etag.strip('"') for stat in (first, first, second))]
    assert store.replace("y", b"1", first) is False
    assert (store.get("x"), store.get("y")) == (b"333", None)


def test_values_are_replaced_where_etags_are_marked_as_weak_or_gateways_differ(
    s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy that compresses marks etags, and gateways of Ceph are updated one after another."""
    store: Any = open_store(f"s3://bucket/{uuid.uuid4()}", **s3.options)
    is_known, refused, stat = str.isalnum, [], store.stat

    class Gateway:
        def put(self, path: str, data: memoryview, *, mode: Any, use_multipart: bool) -> object:
            if not is_known(etag := mode["e_tag"]):
                refused.append(etag)
                raise obstore.exceptions.PreconditionError("412")
            quoted = etag if etag.startswith('"') else f'"{etag}"'
            return client.put(path, data, mode={"e_tag": quoted}, use_multipart=use_multipart)

    def weakly(key: str) -> StoreStat:
        return dataclasses.replace(found := stat(key), etag=f"W/{found.etag}")

    store.set("x", b"1")
    client = store._sender()
    monkeypatch.setattr(store, "_sender", Gateway)
    monkeypatch.setattr(store, "stat", weakly)
    weak = weakly("x")
    assert store.replace("x", b"22", weak) is True
    assert store.replace("x", b"333", weak) is False
    monkeypatch.setattr(store, "stat", stat)
    for number, is_known in enumerate((lambda etag: etag.startswith('"'), str.isalnum) * 2):  # noqa: B007
        assert store.replace("x", str(number).encode(), stat("x")) is True
    assert store.get("x") == b"3"
    assert refused[0] == weak.etag
    assert len(refused) == 5
