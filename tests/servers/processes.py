"""Servers in separate processes: start on a free port, wait until they listen, end."""

from __future__ import annotations

import contextlib
import secrets
import socket
import subprocess
import time
from collections.abc import Iterator

from tests.waiting import PATIENCE_S

_PORTS = range(10_000, 32_768)
"""Linux never chooses these ports for other programs, so they are still free when a server has started."""


def free_port() -> int:
    """A free TCP port of the loopback interface."""
    while True:
        port = _PORTS.start + secrets.randbelow(len(_PORTS))
        with socket.socket() as probe, contextlib.suppress(OSError):  # another server uses it
            probe.bind(("127.0.0.1", port))
            return port


@contextlib.contextmanager
def running(command: list[str], ports: tuple[int, ...]) -> Iterator[None]:
    """A child process that listens on ``ports``, ended with the block."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + PATIENCE_S  # Node.js loads hundreds of files before it listens
        for port in ports:
            while not _listens(port):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"{command[0]} does not listen on port {port}")
                time.sleep(0.02)
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
