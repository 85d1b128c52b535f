"""Requests of our own: bounded bodies of refusals, redirections, and where they are sent."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from tests.any_store import open_store
from tests.memory import forget_peak, peak_nbytes
from tests.servers import FaultServer
from tests.servers.hostile import hostile_server
from zarrcore.errors import AccessDeniedError
from zarrcore.stores.interface import ByteRange, ReadableStore

ASK: dict[str, Callable[[ReadableStore], object]] = {
    "get": lambda store: store.get("a/c/0/0"),
    "part": lambda store: store.get("a/c/0/0", ByteRange(0, 10)),
    "end": lambda store: store.get("a/c/0/0", ByteRange(-10)),
    "stat": lambda store: store.stat("a/c/0/0"),
}


@pytest.fixture(scope="module")
def endless() -> Iterator[str]:
    """The address of a server that refuses chunks with a body without end."""
    with hostile_server({"h.zarr/a/c/0/0": b"1"}) as server:
        yield f"{server.url}/verbose-chunk"


@pytest.mark.parametrize("ask", ASK.values(), ids=ASK)
@pytest.mark.parametrize("scheme", ["s3", "gs", "http"])
def test_a_refusal_without_end_takes_no_more_memory_than_its_reason(
    endless: str, scheme: str, ask: Callable[[ReadableStore], object]
) -> None:
    where = {"endpoint_url": endless, "anonymous": True} if scheme != "http" else {}
    source = f"{endless}/h.zarr" if scheme == "http" else f"{scheme}://h.zarr"
    store = open_store(source, retries=0, **where)
    store.get("b")  # everything is imported
    before = forget_peak()
    with pytest.raises(AccessDeniedError):
        ask(store)
    assert peak_nbytes() - before < 64 << 20


def test_other_servers_get_no_headers_of_the_user(faults: FaultServer) -> None:
    port = faults.url.rpartition(":")[2]
    faults.values["there/key"] = b"1"
    faults.faults["here/key"] = f"moved:http://localhost:{port}/there/key"
    store = open_store(f"{faults.url}/here", headers={"Authorization": "secret", "X-Key": "secret"})
    assert store.get("key") == b"1"
    (_, _, first), (_, _, second) = faults.requests
    assert first["authorization"] == first["x-key"] == "secret"
    assert "secret" not in second.values()


def test_threads_that_end_do_not_end_the_process(faults: FaultServer) -> None:
    """The allocator of pyreqwest fails if the thread ends that loaded it, and others come."""
    faults.values["key"] = b"1"
    program = (
        "import sys, threading\n"
        "from zarrcore.stores import open_store\n"
        "store = open_store(sys.argv[1])\n"
        "for _ in range(40):\n"
        "    threads = [threading.Thread(target=store.get, args=('key',)) for _ in range(8)]\n"
        "    for thread in threads: thread.start()\n"
        "    for thread in threads: thread.join()\n"
    )
    done = subprocess.run([sys.executable, "-c", program, faults.url], timeout=60, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("size", [0, 3, 30])
@pytest.mark.parametrize("scheme", ["s3", "http"])
def test_a_refused_suffix_is_requested_by_its_place(faults: FaultServer, scheme: str, size: int) -> None:
    """Some servers refuse a suffix that is longer than the value, others all of them."""
    value = bytes(range(size))
    faults.values["bucket/key"] = value
    faults.faults["bucket/key"] = [416]
    where = {"endpoint_url": faults.url, "anonymous": True} if scheme == "s3" else {}
    source = "s3://bucket" if scheme == "s3" else f"{faults.url}/bucket"
    assert open_store(source, **where).get("key", ByteRange(-10)) == value[-10:]
    faults.faults["bucket/key"] = [416, 404, 404]
    assert open_store(source, **where).get("key", ByteRange(-10)) is None
