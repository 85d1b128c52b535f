"""A Redis server."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.servers.processes import free_port, running
from tests.waiting import PATIENCE_S


@dataclass(frozen=True)
class RedisServer:
    """A running Redis server with 16 databases."""

    port: int

    @property
    def url(self) -> str:
        """The URL of its first database."""
        return f"redis://127.0.0.1:{self.port}/0"

    def command(self, *words: str | bytes, text: bytes = b"") -> str:
        """The output of redis-cli for a command; ``text``, if given, is its last argument, passed as input."""
        line = ["redis-cli", "-p", str(self.port), "-e", *(["-x"] if text else []), *words]
        return subprocess.run(
            line, input=text, capture_output=True, check=True, timeout=PATIENCE_S
        ).stdout.decode()


@contextlib.contextmanager
def redis_server(work: Path, *options: str, port: int = 0) -> Iterator[RedisServer]:
    """A redis-server without persistence unless ``options`` say otherwise, in the directory ``work``."""
    port = port or free_port()
    quiet = ("--save", "", "--appendonly", "no", "--logfile", str(work / "redis.log"), "--dir", str(work))
    command = ["redis-server", "--bind", "127.0.0.1", "--port", str(port), *quiet, *options]
    with running(command, (port,)):
        yield RedisServer(port)
