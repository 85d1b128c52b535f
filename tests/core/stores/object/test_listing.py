"""Listing buckets: the number of requests, the memory, and answers that are not listings."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable

import pytest

from tests.any_store import AnyStore, open_store
from tests.servers import FaultServer
from tests.waiting import wait_until
from zarrcore.errors import BrokenBodyError, StoreError, StoreTimeoutError

_CONTENTS = (
    "<Contents><Key>{}</Key><Size>1</Size><ETag>e</ETag>"
    "<LastModified>2025-01-01T00:00:00.000Z</LastModified></Contents>"
)


def page(keys: list[str], token: str = "", prefixes: tuple[str, ...] = ()) -> bytes:
    """A page of S3's listing; a token means that there are more pages."""
    more = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{token}</NextContinuationToken>"
    shown = "".join(f"<CommonPrefixes><Prefix>{prefix}</Prefix></CommonPrefixes>" for prefix in prefixes)
    entries = "".join(map(_CONTENTS.format, keys))
    return f"<ListBucketResult>{entries}{shown}{more if token else ''}</ListBucketResult>".encode()


def test_listing_many_keys_takes_no_more_memory_than_few(
    faults: FaultServer, options: dict[str, object]
) -> None:
    numbers = range(6000)
    pages = [
        page([f"c/{number:09}" for number in numbers[at : at + 200]], str(at + 200) if at < 5800 else "")
        for at in numbers[::200]
    ]

    class Pages(dict[str, bytes]):
        def __getitem__(self, key: str) -> bytes:
            found = re.search(r"continuation-token=(\d+)", faults.requests[-1][1])
            return pages[int(found.group(1)) // 200 if found else 0]

    faults.values = Pages(bucket=b"")
    store = open_store("s3://bucket/c", **options)
    assert store.has_prefix("")  # imports what listings need
    faults.requests.clear()
    for listing in (lambda: store.list_dir(""), store.list):
        tracemalloc.start()
        try:
            assert sum(1 for _ in listing()) == 6000
            assert tracemalloc.get_traced_memory()[1] < 800_000, "in a list they would take 1 MB"
        finally:
            tracemalloc.stop()
    assert len(faults.requests) == 60


_PROGRAM_THAT_ENDS = """if True:
    import sys, threading, time
    from asyncio import SelectorEventLoop
    from tests.any_store import open_store

    def wake(loop, write=SelectorEventLoop._write_to_self):
        write(loop)
        if threading.current_thread() is not threading.main_thread():
            for _ in range(300):  # obstore's thread still runs Python when the main thread ends
                time.sleep(0.001)

    SelectorEventLoop._write_to_self = wake
    list(open_store("s3://bucket", endpoint_url=sys.argv[1], anonymous=True, region="us-east-1").list())
"""


def test_a_program_may_end_right_after_a_listing(faults: FaultServer) -> None:
    """Python before 3.14 unwinds a thread that still wants to run, which aborts a thread of Rust."""
    faults.values["bucket"] = page(["a"])
    subprocess.run([sys.executable, "-c", _PROGRAM_THAT_ENDS, faults.url], check=True, timeout=60)


LISTINGS: list[Callable[[AnyStore], object]] = [
    lambda store: list(store.list()),
    lambda store: list(store.list_dir("c/")),
    lambda store: store.erase_prefix("c/"),
]


@pytest.mark.parametrize("use", LISTINGS)
@pytest.mark.parametrize("length", [1, 3, 1000])
def test_a_listing_that_repeats_itself_ends_with_an_error(
    faults: FaultServer, options: dict[str, object], use: Callable[[AnyStore], object], length: int
) -> None:
    faults.values["bucket"] = page([f"c/{number:03}" for number in range(length)], "again")
    with pytest.raises(BrokenBodyError):
        use(open_store("s3://bucket", **options))


@pytest.mark.parametrize("use", [*LISTINGS, lambda store: store.has_prefix("c/")])
def test_a_listing_that_never_names_a_key_ends_with_an_error(
    faults: FaultServer, options: dict[str, object], use: Callable[[AnyStore], object]
) -> None:
    tokens = itertools.count()

    class Pages(dict[str, bytes]):
        def __getitem__(self, key: str) -> bytes:
            time.sleep(0.01)  # as a distant server: hundreds of pages show no more than ten
            return page([], f"token{next(tokens)}")

    faults.values = Pages(bucket=b"")
    with pytest.raises(StoreTimeoutError):
        use(open_store("s3://bucket", **{**options, "timeout_s": 0.1}))

    def is_quiet() -> bool:
        asked = len(faults.requests)
        time.sleep(0.2)
        return len(faults.requests) == asked

    wait_until(is_quiet, "no further requests")  # obstore stops a moment after the error


@pytest.mark.parametrize("url", ["s3://bucket", "gs://bucket", "az://bucket"])
def test_a_page_for_people_is_not_an_empty_bucket(
    faults: FaultServer, options: dict[str, object], url: str
) -> None:
    """A console instead of the service, or the sign-in page of a network."""
    shown = b"<!doctype html><html><body>Welcome!</body></html>"
    faults.values = dict.fromkeys(("bucket", "bucket/zarr.json", "bucket/c/zarr.json"), shown)
    for use in (*LISTINGS[:2], lambda store: store.has_prefix("c/")):
        with pytest.raises(StoreError) as caught:
            use(open_store(url, **{**options, "region": None}))
        assert type(caught.value) is BrokenBodyError


@pytest.mark.parametrize("body", [b"", b"<ListBucketResult><Contents><Key>a</Key>", b"{}"])
def test_a_truncated_listing_is_an_error(
    faults: FaultServer, options: dict[str, object], body: bytes
) -> None:
    faults.values = dict.fromkeys(("bucket", "bucket/zarr.json"), body)
    with pytest.raises(BrokenBodyError) as caught:
        list(open_store("s3://bucket", **options).list())
    assert "\n" not in str(caught.value)


def test_an_empty_bucket_is_empty(faults: FaultServer, options: dict[str, object]) -> None:
    faults.values["bucket"] = page([])
    store = open_store("s3://bucket", **options)
    assert list(store.list()) == []
    assert not store.has_prefix("c/")
    assert [path for _, path, _ in faults.requests][1:2] == ["/bucket/zarr.json"]
    assert len(faults.requests) == 3


def test_a_prefix_that_contains_prefixes_is_listed_once(
    faults: FaultServer, options: dict[str, object]
) -> None:
    """The first page of a prefix shows the prefixes under it, so they need no further request."""

    class Deep(dict[str, bytes]):
        def __getitem__(self, key: str) -> bytes:
            asked = faults.requests[-1][1]
            if "delimiter" in asked:
                return page([], prefixes=("a/c/",) if "prefix=a" in asked else ("a/",))
            return page([f"a/c/0/{number:04}" for number in range(1000)], "more")

    faults.values = Deep(bucket=b"")
    store = open_store("s3://bucket", **options)
    assert [entry.key for entry in store.list_dir("")] == ["a/"]
    assert len(faults.requests) == 1
    assert [entry.key for entry in store.list_dir("a/")] == ["a/c/"]
    assert len(faults.requests) == 2
