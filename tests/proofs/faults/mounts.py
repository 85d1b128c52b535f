"""A mount of an S3 service behind a proxy that spoils its answers."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TypeVar
from unittest.mock import patch

import numpy as np

import zarrcore as zc
from tests.any_store import AnyStore, open_store
from tests.proofs.faults.hierarchies import CHUNK, SHAPE, Truth
from tests.proofs.faults.wire import RETRIES, SLACK_S, TIMEOUT_S, chosen, patiently, settle, shared_s3
from tests.servers.proxy import Proxy, Request, Trouble, proxy
from tests.zfs.conftest import Mount, has_ended, mounting
from zarrcore.hierarchy import ArrayNode

T = TypeVar("T")

OPERATIONS = 250
CAMPAIGNS = 4
_KEYS = ("a.txt", "d/b.txt", "d/e/c.txt", "a b ü.txt")
_ERRNOS = {errno.EIO, errno.ETIMEDOUT, errno.EACCES, errno.ESTALE}
_STEPS_MAX = 40
"""The most requests of one system call, not counting repeats: looking up each part of a path, reading every chunk, …"""


def trial(seed: int, operations: int = OPERATIONS, campaigns: int = CAMPAIGNS) -> int:
    """Several campaigns at once, as most of their time is waiting; each does so many operations in a mount of its own."""
    shared_s3()
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.dict(os.environ, {"XDG_RUNTIME_DIR": folder}),
        ThreadPoolExecutor(campaigns) as pool,
    ):
        numbers = range(seed * campaigns, (seed + 1) * campaigns)
        return sum(pool.map(lambda number: _campaign(number, operations), numbers))


def _campaign(number: int, operations: int) -> int:
    """Operations in one mount."""
    choice = random.Random(number)
    url, options = shared_s3()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        spoiled = stack.enter_context(proxy(url))
        mount = stack.enter_context(mounting(folder))
        place = f"s3://bucket/mount{number}-{os.getpid()}"
        direct = open_store(place, endpoint_url=url, **options)
        stack.callback(direct.erase_prefix, "")
        made = zc.create(direct).create_array(
            "n/crc", shape=SHAPE, dtype="int32", chunks=CHUNK, codecs=[{"name": "crc32c"}]
        )
        made[...] = np.arange(130).reshape(SHAPE)

        def begin() -> Mount:
            try:
                return mount(
                    place,
                    *("--read-write", "--metadata-ttl", "0", "--cache-size", "64MiB"),
                    *("--endpoint-url", spoiled.url, "--region", "us-east-1"),
                    *("--timeout", str(TIMEOUT_S), "--retries", str(RETRIES)),
                )
            except AssertionError as error:
                if "no answer within the time allowed" in str(error):
                    raise TimeoutError from error
                raise

        campaign = Campaign(choice, patiently(begin), spoiled, direct)
        for _ in range(operations):
            campaign.step()
        campaign.end()
    return operations


class Campaign:
    """What the store holds, and system calls."""

    def __init__(self, choice: random.Random, mounted: Mount, spoiled: Proxy, direct: AnyStore) -> None:
        self._choice = choice
        self._mount = mounted
        self._spoiled = spoiled
        self._direct = direct
        self._daemon = mounted.daemon()
        self._seed = choice.getrandbits(32)
        self._asked: Counter[str] = Counter()
        self._rate = choice.choice([0.03, 0.1, 0.25])
        self._values: dict[str, bytes | None] = dict.fromkeys(_KEYS)
        self._is_unsure = False
        """Whether a write to an array failed: the daemon keeps what it could not store, and stores it later if it can."""
        self._truth = Truth(np.arange(130, dtype="i4").reshape(SHAPE))
        spoiled.script = self._script
        self._steps: list[Callable[[], None]] = [
            *3 * [self._read_key, self._read_elements, self._write_key],
            *(
                self._list,
                self._list_arrays,
                self._unlink,
                self._rename,
                self._write_elements,
                self._refresh,
                self._stat,
            ),
        ]

    def _script(self, request: Request) -> tuple[Trouble, random.Random] | None:
        name = f"{request.method} {request.target.partition('mount')[2].partition('/')[2]} {request.headers.get('range')}"
        self._asked[name] += 1
        choice = random.Random(f"{self._seed} {name} {self._asked[name]}")
        if choice.random() >= self._rate:
            return None
        possible = [kind for kind in Trouble if kind is not Trouble.STALE]
        if request.method != "GET" or "/c/" not in request.target:
            possible.remove(Trouble.FLIPPED)
        return chosen(choice, possible), choice

    def step(self) -> None:
        """One random operation, after which the daemon lives."""
        self._choice.choice(self._steps)()
        assert self._mount.daemon() == self._daemon

    def end(self) -> None:
        """Without troubles all is as it should be, and the mount ends."""
        self._rate = 0.0
        self._mount.refresh()
        for key, value in self._values.items():
            assert patiently(partial(self._value_in_mount, key)) == value
        self._truth.check_read(
            patiently(self._elements), (slice(None), slice(None)), CHUNK, stale=self._is_unsure
        )
        log = self._mount.log.read_text()
        assert "Traceback" not in log, log
        done, until_s = self._mount.umount(), time.monotonic() + SLACK_S
        # A namespace that another program made meanwhile keeps the mount until it ends.
        assert done.status == 0 or self._spoiled.given or "another mount namespace" in done.stderr, (
            done.stderr
        )
        while not has_ended(self._daemon):
            assert time.monotonic() < until_s, done.stderr
            time.sleep(0.05)

    def _try(self, act: Callable[[], T]) -> tuple[T | None, bool]:
        """The result, and whether it failed, as it may only after a trouble and with an errno of the store."""
        self._spoiled.given.clear()
        before, begun_s = self._spoiled.requests, time.monotonic()
        failed, found = False, None
        try:
            found = act()
        except OSError as error:
            failed = True
            settle(self._spoiled)
            if error.errno not in _ERRNOS:
                raise AssertionError(f"{error} after {self._spoiled.given}") from error
            if not self._spoiled.given and error.errno != errno.ETIMEDOUT:
                raise AssertionError(f"{error} without a trouble") from error
        took_s, asked = time.monotonic() - begun_s, self._spoiled.requests - before
        assert asked <= _STEPS_MAX * (RETRIES + 1), f"{asked} requests"
        assert took_s < (asked + 1) * (TIMEOUT_S + 0.1) + SLACK_S, f"{took_s:.1f} s for {asked} requests"
        return found, failed

    def _path(self, key: str) -> Path:
        return self._mount.keys / key

    def _value_in_mount(self, key: str) -> bytes | None:
        try:
            return self._path(key).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _there(self, key: str) -> bytes | None:
        settle(self._spoiled)
        value = self._direct.get(key)
        return None if value is None else bytes(value)

    def _learn(self, changes: dict[str, bytes | None], failed: bool) -> None:
        """After a write, each key has its old or its new value, and the new one if there was no error."""
        for key, new in changes.items():
            there = self._there(key)
            assert there == new or (failed and there == self._values[key]), f"{key} is {there!r}, not {new!r}"
            self._values[key] = there

    def _read_key(self) -> None:
        key = self._choice.choice(_KEYS)
        found, failed = self._try(lambda: self._value_in_mount(key))
        assert failed or found == self._values[key], f"{key}: {found!r} is not {self._values[key]!r}"

    def _stat(self) -> None:
        key = self._choice.choice(_KEYS)
        value = self._values[key]

        def size() -> int | None:
            try:
                return os.stat(self._path(key)).st_size
            except (FileNotFoundError, NotADirectoryError):
                return None

        found, failed = self._try(size)
        assert failed or found == (None if value is None else len(value))

    def _list(self) -> None:
        folder = self._choice.choice(["", "d", "d/e"])

        def names() -> list[str]:
            try:
                return os.listdir(self._path(folder))
            except FileNotFoundError:
                return []

        found, failed = self._try(names)
        if failed or found is None:
            return
        prefix = folder + "/" if folder else ""
        right = {
            key[len(prefix) :].split("/")[0]
            for key, value in self._values.items()
            if value is not None and key.startswith(prefix)
        }
        assert len(set(found)) == len(found), f"{found} has a name twice"
        assert set(found) - {"n", "zarr.json", "d", "e"} == right - {"d", "e"}, f"{found} is not {right}"

    def _list_arrays(self) -> None:
        found, failed = self._try(lambda: os.listdir(self._mount.arrays))
        assert failed or {*found} - {"d"} == {"attributes.json", "metadata.json", "n"}, found

    def _elements(self) -> np.ndarray:
        data = (self._mount.arrays / "n" / "crc" / "data.raw").read_bytes()
        return np.frombuffer(data, "<i4").reshape(SHAPE)

    def _read_elements(self) -> None:
        found, failed = self._try(self._elements)
        if not failed and found is not None:
            self._truth.check_read(found, (slice(None), slice(None)), CHUNK, stale=self._is_unsure)

    def _write_elements(self) -> None:
        at = self._choice.randrange(self._truth.now.size)
        new = self._truth.now.copy()
        new.ravel()[at] = self._choice.randrange(1000)

        def write() -> None:
            with open(self._mount.arrays / "n" / "crc" / "data.raw", "r+b", buffering=0) as file:
                os.pwrite(file.fileno(), new.ravel()[at : at + 1].tobytes(), 4 * at)

        _, failed = self._try(write)
        settle(self._spoiled)
        there = zc.open_hierarchy(self._direct)["n/crc"]
        assert isinstance(there, ArrayNode)
        self._truth.check_write(there[...], new, CHUNK, failed=failed, late=self._is_unsure)
        if failed:
            self._is_unsure = True
            self._truth.earlier.append(new)

    def _write_key(self) -> None:
        key = self._choice.choice(_KEYS)
        value = self._choice.randbytes(self._choice.choice([0, 1, 5000]))
        flags = os.O_CREAT | os.O_WRONLY | self._choice.choice([os.O_TRUNC, os.O_TRUNC | os.O_EXCL])
        if self._values[key] is not None:
            flags &= ~os.O_EXCL
        synced = self._choice.random() < 0.3

        def write() -> None:
            _make_folder(self._path(key).parent)
            descriptor = os.open(self._path(key), flags)
            try:
                os.write(descriptor, value)
                if synced:
                    os.fsync(descriptor)
            finally:
                os.close(descriptor)

        _, failed = self._try(write)
        self._learn({key: value}, failed)

    def _unlink(self) -> None:
        key = self._choice.choice(_KEYS)
        if self._values[key] is not None:
            _, failed = self._try(lambda: os.unlink(self._path(key)))
            self._learn({key: None}, failed)

    def _rename(self) -> None:
        key, new = self._choice.sample(_KEYS, 2)
        value = self._values[key]
        if value is None:
            return

        def rename() -> None:
            _make_folder(self._path(new).parent)
            os.rename(self._path(key), self._path(new))

        _, failed = self._try(rename)
        self._learn({key: None, new: value}, failed)
        assert self._values[key] is not None or self._values[new] == value, "renaming has lost a value"

    def _refresh(self) -> None:
        with contextlib.suppress(OSError):
            self._mount.refresh()


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:  # it is there, but could not be looked at to see what it is
        raise OSError(errno.EIO, os.strerror(errno.EIO), os.fspath(path)) from error
