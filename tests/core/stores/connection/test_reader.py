"""Requests of our own: bounded bodies of refusals, redirections, and where they are sent."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from tests.any_store import open_store
from tests.command import INTERRUPTIBLE
from tests.memory import forget_peak, peak_nbytes
from tests.servers import FaultServer
from tests.servers.hostile import hostile_server
from zarrcore.errors import AccessDeniedError, InvalidKeyError, StoreError, StoreTimeoutError
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


@pytest.mark.sampled
@pytest.mark.parametrize("ask", ASK.values(), ids=ASK)
@pytest.mark.parametrize("scheme", ["s3", "gs", "az", "http"])
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


class Served:
    """A server of raw answers, by path.

    Attributes:
        answers: what to send for a path, or for a part of it (``/key part``), one for each request; the last one is sent again.
        requests: the paths that were requested.
    """

    def __init__(self) -> None:
        self.answers: dict[str, list[bytes]] = {}
        self.requests: list[str] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._socket.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                connection, _ = self._socket.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection, connection.makefile("rb") as asked:
            path = asked.readline().split()[1].decode()
            while line := asked.readline().strip():
                if line.lower().startswith(b"range:") and f"{path} part" in self.answers:
                    path += " part"
            self.requests.append(path)
            answers = self.answers[path]
            connection.sendall(answers.pop(0) if len(answers) > 1 else answers[0])


@pytest.fixture
def served() -> Iterator[Served]:
    server = Served()
    yield server
    server.close()


def answer(status: str, body: bytes, *headers: bytes) -> bytes:
    """A raw answer; its length is in the headers, unless they are chunked."""
    return b"\r\n".join((f"HTTP/1.1 {status}".encode(), b"Connection: close", *headers, b"", body))


def test_an_etag_that_is_not_ascii_does_not_stand_for_all_versions(served: Served) -> None:
    """A body that broke off must not continue with another version."""
    old, new = bytes(10 << 20), b"\1" * (10 << 20)
    length = b"Content-Length: %d" % len(old)
    rest = b"Content-Range: bytes 3145728-%d/%d" % (len(old) - 1, len(old))
    served.answers["/key"] = [
        answer("200 OK", old[: 3 << 20], length, b'ETag: "v\xe91"'),
        answer("200 OK", new, length, b'ETag: "v\xe92"'),
    ]
    served.answers["/key part"] = [
        answer("206 Partial Content", new[3 << 20 :], rest, b"Content-Length: 7340032", b'ETag: "v\xe92"')
    ]
    assert open_store(served.url).get("key") in (old, new)


def test_a_redirection_that_is_not_ascii_is_followed(served: Served) -> None:
    served.answers["/key"] = [answer("302 Found", b"", "Location: /caf\u00e9".encode(), b"Content-Length: 0")]
    served.answers["/caf%C3%A9"] = [answer("200 OK", b"1", b"Content-Length: 1")]
    assert open_store(served.url).get("key") == b"1"


def test_a_chunked_body_counts_more_than_a_length(served: Served) -> None:
    body = b"5\r\nabcde\r\n0\r\n\r\n"
    served.answers["/key"] = [answer("200 OK", body, b"Transfer-Encoding: chunked", b"Content-Length: 3")]
    assert open_store(served.url).get("key") == b"abcde"


@pytest.mark.parametrize("scheme", ["s3", "http"])
def test_a_whole_value_may_be_answered_as_a_part(served: Served, scheme: str) -> None:
    whole = answer("206 Partial Content", b"abc", b"Content-Range: bytes 0-2/3", b"Content-Length: 3")
    served.answers["/bucket/key"] = [whole]
    where = {"endpoint_url": served.url, "anonymous": True} if scheme == "s3" else {}
    source = "s3://bucket" if scheme == "s3" else f"{served.url}/bucket"
    assert open_store(source, **where).get("key") == b"abc"


@pytest.mark.parametrize("place", ["file:///etc/passwd", "ftp://host/x", "javascript:1", "http://a b/"])
def test_a_redirection_to_an_invalid_address_is_not_the_keys_fault(served: Served, place: str) -> None:
    served.answers["/key"] = [answer("302 Found", b"", f"Location: {place}".encode(), b"Content-Length: 0")]
    with pytest.raises(StoreError, match="redirect") as caught:
        open_store(served.url, retries=0).get("key")
    assert not isinstance(caught.value, InvalidKeyError)


def test_redirections_share_one_deadline(faults: FaultServer) -> None:
    for number in range(20):
        faults.faults[f"bucket/{number}"] = f"moved:{faults.url}/bucket/{number + 1}"
    faults.values["bucket/20"] = b"1"
    faults.delay_s = 0.4
    store = open_store("s3://bucket", endpoint_url=faults.url, anonymous=True, timeout_s=1, retries=0)
    with pytest.raises(StoreTimeoutError):
        store.get("0")
    assert len(faults.requests) < 8


def test_an_interrupt_during_the_first_failure_does_not_abort_the_process(faults: FaultServer) -> None:
    faults.faults["key"] = "hang"
    program = (
        "import os, signal, sys, threading\n"
        "from zarrcore.stores import open_store\n"
        "store = open_store(sys.argv[1], timeout_s=2, retries=0)\n"
        "store.get('other')\n"
        "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "try: store.get('key')\n"
        "except KeyboardInterrupt: sys.exit(7)\n"
    )
    command = [*INTERRUPTIBLE, sys.executable, "-c", program, faults.url]
    assert subprocess.run(command, timeout=60, check=False).returncode == 7


def test_threads_that_end_do_not_end_the_process(faults: FaultServer) -> None:
    """The allocator of pyreqwest fails if the thread ends that loaded it, and others come. Several threads load it at once."""
    faults.values["key"] = b"1"
    program = (
        "import sys, threading\n"
        "from zarrcore.stores import open_store\n"
        "for number in range(40):\n"
        "    if number < 2: stores = [open_store(sys.argv[1]) for _ in range(8)]\n"
        "    threads = [threading.Thread(target=store.get, args=('key',)) for store in stores]\n"
        "    for thread in threads: thread.start()\n"
        "    for thread in threads: thread.join()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, faults.url], timeout=60, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


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
