"""HTTPStore with servers that fail or hang: repeats, or one clear error, in a short time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.core.stores.conftest import Opener
from tests.core.stores.contract import CHUNK
from tests.core.stores.http.parts import check_parts
from tests.servers import FaultServer
from zarrcore.errors import (
    StoreError,
    StoreTimeoutError,
)
from zarrcore.stores import ByteRange
from zarrcore.stores.connection import retries


@pytest.fixture(autouse=True)
def _haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """Very short pauses between repeats."""
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.01)


@pytest.mark.parametrize("fault", [429, 500, 502, 503, 504, "reset", "truncate"])
def test_temporary_failures_are_repeated(faults: FaultServer, opened: Opener, fault: int | str) -> None:
    faults.values["key"] = CHUNK
    store = opened(retries=2)
    for byte_range in (None, ByteRange(3, 9)):
        faults.faults["key"] = [fault, fault]
        faults.requests.clear()
        check_parts(store, [byte_range])
        assert len(faults.requests) == 3
        faults.faults["key"] = [fault, fault, fault]
        faults.requests.clear()
        with pytest.raises(StoreError):
            store.get("key", byte_range)
        assert len(faults.requests) == 3
    if isinstance(fault, int):
        faults.faults["key"] = [fault]
        found = store.stat("key")
        assert found is not None
        assert found.size == len(CHUNK)


@pytest.mark.parametrize("fault", [400, 401, 404, 418, 501])
def test_permanent_failures_are_not_repeated(faults: FaultServer, opened: Opener, fault: int) -> None:
    faults.faults["key"] = fault
    try:
        assert opened(retries=5).get("key") is None
    except StoreError:
        assert fault != 404
    assert len(faults.requests) == 1


@pytest.mark.parametrize("fault", ["hang", "stall", "drip"])
def test_a_server_that_hangs_costs_the_timeout_once(faults: FaultServer, opened: Opener, fault: str) -> None:
    faults.values["key"] = CHUNK
    store = opened(timeout_s=0.3, retries=5)
    faults.faults["key"] = fault
    for read in (store.get, lambda key: store.get(key, ByteRange(5, 3000))):
        faults.requests.clear()
        with pytest.raises(StoreTimeoutError, match="--timeout"):
            read("key")
        assert len(faults.requests) == 1
    if fault != "stall":  # which has no body here
        with pytest.raises(StoreTimeoutError, match="--timeout"):
            store.stat("key")


def test_a_body_that_comes_slowly_and_without_end_is_given_up(faults: FaultServer, opened: Opener) -> None:
    faults.faults["key"] = "drip-body"
    with pytest.raises(StoreTimeoutError, match="--timeout"):
        opened(timeout_s=0.1).get("key")


def test_connections_are_reused(faults: FaultServer, opened: Opener) -> None:
    faults.values["key"] = CHUNK
    faults.values["page/"] = b"<title>Index of /</title>"
    faults.content_types["page/"] = "text/html"
    store = opened(timeout_s=10)
    with ThreadPoolExecutor(4) as pool:
        read = list(pool.map(lambda n: store.get("key", ByteRange(n, n + 7)), range(200)))
        assert read == [CHUNK[n : n + 7] for n in range(200)]
        assert all(pool.map(lambda _: store.stat("key"), range(50)))
        assert faults.connections <= 50  # of 250 requests by four threads; httpx opens more on a busy machine
        assert not any(pool.map(lambda _: list(store.list_dir("page/")), range(50)))
    assert faults.connections <= 60
