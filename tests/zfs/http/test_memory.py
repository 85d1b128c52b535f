"""The memory of a server whose clients ask for much and read little, measured in its own process."""

from __future__ import annotations

import contextlib
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import zarrcore as zc
from tests.waiting import PATIENCE_S
from tests.zfs.http.raw import CLOSE
from tests.zfs.http.serving import get
from tests.zfs.http.test_cli import Process, serve

ALLOWED = 120 << 20
"""The cache of 64 MiB, a quarter of which is for answers, and pieces of 64 KiB for each client."""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("memory") / "a.zarr"
    hierarchy = zc.create(path)
    array = hierarchy.create_array(
        "x", shape=(64, 1 << 20), dtype="uint8", chunks=(1, 1 << 20), codecs=["bytes"]
    )
    array[...] = 1
    array.attributes = {"long": "a" * (4 << 20)}
    with (path / "file").open("wb") as file:
        file.truncate(1 << 30)
    for number in range(3000):
        (path / f"{'n' * 200}{number}").touch()
    return path


def nbytes(process: Process, name: str) -> int:
    text = Path(f"/proc/{process.child.pid}/status").read_text()
    found = re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)
    assert found
    return int(found[1]) << 10


@contextlib.contextmanager
def clients(process: Process, path: str, count: int) -> Iterator[None]:
    """Clients that read only the first bytes of an answer."""
    with contextlib.ExitStack() as opened:
        port = int(process.url.rpartition(":")[2])
        connections = []
        for _ in range(count):
            client = opened.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.settimeout(PATIENCE_S)
            client.connect(("127.0.0.1", port))
            client.sendall(f"GET {path} HTTP/1.1\r\n".encode() + CLOSE)
            connections.append(client)
        for client in connections:
            assert client.recv(12) in {b"HTTP/1.1 200", b"HTTP/1.1 503"}
        yield


def settled(process: Process) -> None:
    """Wait until the server reads nothing more."""
    deadline_s, before, same = time.monotonic() + PATIENCE_S, -1, 0
    while same < 5 and time.monotonic() < deadline_s:
        time.sleep(0.05)
        now = nbytes(process, "VmRSS")
        same, before = (same + 1 if now == before else 0), now


@pytest.mark.parametrize(
    ("path", "count"),
    [
        ("/keys/file", 200),
        ("/arrays/x/data.raw", 200),
        ("/arrays/x/attributes.json", 60),  # of 4 MiB each
        ("/keys/", 150),  # of 1.4 MiB each
    ],
)
def test_clients_that_do_not_read_hold_little(source: Path, path: str, count: int) -> None:
    """So many that their whole answers would take more than is allowed."""
    with serve(source, "--cache-size", "64M") as process:
        assert get(f"{process.url}/keys/x/zarr.json").status_code == 200
        before = nbytes(process, "VmHWM")
        with clients(process, path, count):
            settled(process)
            assert get(f"{process.url}/keys/x/zarr.json").status_code == 200
        assert nbytes(process, "VmHWM") - before < ALLOWED
