"""Stores of each kind, mounted for a model, with a second way to what they hold."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Client
from pathlib import Path
from typing import Any

from tests.any_store import AnyStore, open_store
from tests.proofs.models.mount_daemon import MEMORY
from tests.proofs.trials import ROOT
from tests.servers import S3_ENVIRONMENT, S3_UNWANTED, S3Server, environment, free_port
from tests.servers.processes import running
from tests.waiting import wait_until
from tests.zfs.conftest import Mount, is_mounted
from zarrcore.stores import ByteRange, LocalStore, MemoryStore, StoreEntry, StoreStat

KINDS = ("local", "memory", "s3", "zip")


class Control:
    """The connection to a daemon of `mount_daemon`."""

    def __init__(self, socket: Path) -> None:
        wait_until(socket.exists, "the daemon's socket")
        self._connection = Client(str(socket), "AF_UNIX")
        self._lock = threading.Lock()

    def call(self, method: str, *arguments: Any) -> Any:
        with self._lock:  # a hierarchy asks its store in several threads
            self._connection.send((method, arguments))
            found = self._connection.recv()
        if isinstance(found, BaseException):
            raise found
        return found

    def close(self) -> None:
        self._connection.close()


class DistantStore(MemoryStore):
    """The store of another program.

    Args:
        call: calls a method there.
    """

    def __init__(self, call: Callable[..., Any]) -> None:
        super().__init__()
        self._call = call

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> bytes | memoryview | None:
        return self._call("get", key, byte_range)

    def stat(self, key: str) -> StoreStat | None:
        return self._call("stat", key)

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        return iter(self._call("list_prefix", prefix))

    def set(self, key: str, value: bytes | memoryview, *, if_absent: bool = False) -> bool:
        return self._call("set", key, bytes(value))

    def erase(self, key: str) -> None:
        self._call("erase", key)

    def erase_prefix(self, prefix: str) -> None:
        self._call("erase_prefix", prefix)


def brief_calls(path: Path) -> Callable[..., Any]:
    """Calls of programs that open a zip file, do one thing and end. One that stays must not lose what it stored."""

    def call(method: str, *arguments: Any) -> Any:
        with open_store(path) as store:
            found = getattr(store, method)(*arguments)
            return list(found) if method.startswith("list") else found

    return call


class LocalStoreWithTimes(LocalStore):
    """A directory in which each value has its own time: two values with one time and one size could not be distinguished."""

    _moment_ns = 10**18

    def set(self, key: str, value: bytes | memoryview, *, if_absent: bool = False) -> bool:
        stored = super().set(key, value, if_absent=if_absent)
        if stored:
            type(self)._moment_ns += 10**9
            os.utime(Path(self.url.removeprefix("file://")) / key, ns=(self._moment_ns, self._moment_ns))
        return stored


@dataclass
class Place:
    """A mounted store."""

    kind: str
    mounted: Mount
    store: AnyStore
    """The same store for another program."""
    control: Control
    is_clocked: bool
    is_writable: bool

    @property
    def reports_losses(self) -> bool:
        """Whether the mount reports losses of values that it stored (S30), which the model does not cover."""
        return self.kind == "zip"


@contextlib.contextmanager
def s3_process() -> Iterator[S3Server]:
    """A moto server in a process of its own: while this one waits for a page of a mapping, it could not answer the mount."""
    port = free_port()
    with running([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], (port,)):
        server = S3Server(f"http://127.0.0.1:{port}")
        server.create_bucket("bucket")
        yield server


@contextlib.contextmanager
def stored(kind: str, folder: Path) -> Iterator[tuple[str, list[str], AnyStore | None]]:
    """A new store of a kind: its path or URL, the options of the command line, and the store for another program."""
    match kind:
        case "local":
            path = folder / "store.zarr"
            path.mkdir()
            yield str(path), [], LocalStoreWithTimes(path)
        case "zip":
            path = folder / "store.zip"
            open_store(path, create=True).close()
            yield str(path), [], DistantStore(brief_calls(path))
        case "sqlite":
            path = f"sqlite://{folder}/store.sqlite"
            with open_store(path, create=True) as store:
                yield path, [], store
        case "memory":
            yield f"memory://{MEMORY}", [], None
        case "s3":
            with environment(S3_ENVIRONMENT, S3_UNWANTED), s3_process() as server:
                url = f"s3://bucket/{uuid.uuid4()}"
                yield url, server.arguments, open_store(url, **server.options)
        case _:
            raise ValueError(kind)


@contextlib.contextmanager
def daemon_of(
    url: str, folder: Path, words: list[str], *, is_clocked: bool = False
) -> Iterator[tuple[Mount, Control]]:
    """Mount a store below a folder, with options of the command line, until the end of the block or of this process."""
    path, log, socket = folder / "mnt", folder / "log", folder / "socket"
    path.mkdir()
    daemon = subprocess.Popen(
        [
            *(sys.executable, "-P", "-m", "tests.proofs.models.mount_daemon", str(socket)),
            *(["--clock"] if is_clocked else []),
            *("mount", url, str(path), "--foreground", "--log-file", str(log), *words),
        ],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), *sys.path]))},
    )
    try:
        wait_until(lambda: is_mounted(path) or daemon.poll() is not None, "the mount")
        assert daemon.poll() is None, log.read_text() if log.exists() else "the daemon did not start"
        control = Control(socket)
        try:
            yield Mount(path, log), control
            assert daemon.poll() is None, f"the daemon ended: {log.read_text()}"
        finally:
            control.close()  # which unmounts
        daemon.wait(30)
    finally:
        if daemon.poll() is None:
            daemon.kill()
            daemon.wait()
        if is_mounted(path):
            subprocess.run(["umount", "--lazy", path], check=False, capture_output=True)


@contextlib.contextmanager
def mounted_place(
    kind: str, *options: str, is_clocked: bool = False, is_writable: bool = True
) -> Iterator[Place]:
    """Mount a new store of a kind, and unmount it at the end."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        with stored(kind, folder) as (url, words, store):
            further = [*words, *options, *(["--read-write"] if is_writable else [])]
            with daemon_of(url, folder, further, is_clocked=is_clocked) as (mounted, control):
                shared = store if store is not None else DistantStore(control.call)
                yield Place(kind, mounted, shared, control, is_clocked, is_writable)
