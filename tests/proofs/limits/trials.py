"""A trial: a writer of a store, or the daemon of a mount, at one limit."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import zarrcore as zc
from tests.any_store import open_store
from tests.proofs.kills.trials import litter
from tests.proofs.limits import writer
from tests.proofs.trials import ROOT
from tests.zfs.conftest import mounting
from zarrcore.operations.check import check as findings_of

LIMITS = ("disk", "inodes", "file size", "read-only", "descriptors", "memory", "interrupts", "stops")
_NO_ROOM = ("disk", "inodes")
_FILES = {"local": "a.zarr", "zip": "a.zip", "sqlite": "a.sqlite"}


def trial(seed: int, kind: str) -> int:
    """Steps at one limit; consecutive seeds take all limits in turn."""
    limit = LIMITS[seed % len(LIMITS)]
    choice = random.Random(seed)
    if kind == "mount":
        return _of_mount(limit, choice)
    with tempfile.TemporaryDirectory() as place, _disk(Path(place), limit, kind, choice) as root:
        path = root / _FILES[kind]
        with open_store(path, create=True) as store:
            array = {"shape": (6 * writer.CHUNK_NBYTES,), "chunks": (writer.CHUNK_NBYTES,)}
            zc.create(store).create_array("a", dtype="uint8", codecs=[], **array)
            store.set(writer.KEYS[0], bytes(writer.CHUNK_NBYTES - 1) + b"1")
        told, errors = _written(limit, path, seed)
        assert told[-1:] == ["end"], (told[-1:], errors)
        assert "Traceback" not in errors, errors
        _check(path, told[:-1], seed, limit)
    return writer.STEPS


@contextlib.contextmanager
def _disk(place: Path, limit: str, kind: str, choice: random.Random) -> Iterator[Path]:
    """A folder on a small disk, or on one that can be mounted anew."""
    if limit not in (*_NO_ROOM, "read-only"):
        yield place
        return
    (small := place / "disk").mkdir()
    size = choice.randrange(200_000, 600_000) if limit == "disk" else 20_000_000
    least = 48 if kind == "mount" else 12
    names = choice.randrange(least, least + 6) if limit == "inodes" else 1000
    options = f"size={size},nr_inodes={names}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", small], check=True)
    try:
        yield small
    finally:
        subprocess.run(["umount", "--lazy", small], check=True)


def _written(limit: str, path: Path, seed: int) -> tuple[list[str], str]:
    """What the writer told."""
    with tempfile.TemporaryFile() as told, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.proofs.limits.writer", limit, str(path), str(seed)],
            stdout=told,
            stderr=errors,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        )
        choice = random.Random(seed)
        while process.poll() is None:
            time.sleep(0.005)
            if limit == "stops" and choice.random() < 0.3:
                process.send_signal(signal.SIGSTOP)
                time.sleep(choice.random() * 0.05)
                process.send_signal(signal.SIGCONT)
        told.seek(0)
        errors.seek(0)
        return told.read().decode().splitlines(), errors.read().decode(errors="replace")


def _check(path: Path, told: list[str], seed: int, limit: str) -> None:
    """Each value is as the steps say; a step that failed was done or not."""
    possible: dict[str, list[bytes | None]] = {key: [None] for key in writer.KEYS}
    possible[writer.KEYS[0]] = [bytes(writer.CHUNK_NBYTES - 1) + b"1"]
    for said, (key, value) in zip(told, writer.steps(seed), strict=False):
        possible[key] = [value] if said == "done" else [*possible[key], value]
    if limit in ("interrupts", "stops"):
        assert set(told) <= {"done"}, set(told)
    with open_store(path) as store:
        for key in writer.KEYS:
            found = store.get(key)
            assert (None if found is None else bytes(found)) in possible[key], f"{key}: neither old nor new"
        bad = [found for found in findings_of(zc.open_hierarchy(store)) if found.what != "missing-chunks"]
        assert not bad, bad
        store.erase(writer.KEYS[1])
        store.erase(writer.KEYS[2])
    with open_store(path) as store:  # there is room again
        if limit not in _NO_ROOM:
            store.set(writer.KEYS[1], bytes(writer.CHUNK_NBYTES))
    kept = [] if path.is_dir() else [path.name]
    assert not litter(path.parent, *kept), litter(path.parent, *kept)
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None


def _of_mount(limit: str, choice: random.Random) -> int:
    """System calls on a mount whose daemon is at a limit: the daemon lives, and answers are right or an errno."""
    with tempfile.TemporaryDirectory() as place, _disk(Path(place), limit, "mount", choice) as root:
        path = root / "a.zarr"
        with open_store(path, create=True) as store:
            array = zc.create(store).create_array(
                "a", shape=(20, writer.CHUNK_NBYTES), dtype="uint8", chunks=(1, writer.CHUNK_NBYTES)
            )
            for number in range(20):
                array[number] = number
        (folder := Path(place) / "mounts").mkdir()
        with mounting(folder) as mount:
            mounted = mount(path, "--read-write", "--metadata-ttl", "0", "--cache-size", "32MiB")
            daemon = mounted.daemon()
            _limit_daemon(limit, daemon)
            values: dict[str, set[bytes | None]] = {f"k{number}": {None} for number in range(8)}
            for number in range(60):
                _call(mounted.path, values, choice, number)
                if limit == "stops" and choice.random() < 0.3:
                    os.kill(daemon, signal.SIGSTOP)
                    time.sleep(choice.random() * 0.05)
                    os.kill(daemon, signal.SIGCONT)
                if limit == "read-only":
                    how = "ro" if number % 10 in (3, 4, 5) else "rw"
                    subprocess.run(["mount", "-o", f"remount,{how}", root], check=False, capture_output=True)
            _unlimit_daemon(limit, daemon)
            if limit == "read-only":
                subprocess.run(["mount", "-o", "remount,rw", root], check=True)
            assert mounted.daemon() == daemon, "the daemon has ended"
            for key, right in values.items():
                assert _read(mounted.keys / key) in right
            data = (mounted.arrays / "a" / "data.raw").read_bytes()
            assert data == b"".join(bytes([number]) * writer.CHUNK_NBYTES for number in range(20))
            log = mounted.log.read_text()
            assert "Traceback" not in log, log
            assert mounted.umount().status == 0
    return 60


def _limit_daemon(limit: str, daemon: int) -> None:
    status = Path(f"/proc/{daemon}")
    if limit == "descriptors":
        resource.prlimit(
            daemon, resource.RLIMIT_NOFILE, (max(64, len(list((status / "fd").iterdir()))), 4096)
        )
    elif limit == "memory":
        pages = int((status / "statm").read_text().split()[0])
        room = pages * resource.getpagesize() + (4 << 20)
        resource.prlimit(daemon, resource.RLIMIT_AS, (room, resource.RLIM_INFINITY))
    elif limit == "file size":
        resource.prlimit(daemon, resource.RLIMIT_FSIZE, (writer.CHUNK_NBYTES, resource.RLIM_INFINITY))


def _unlimit_daemon(limit: str, daemon: int) -> None:
    if limit == "descriptors":
        resource.prlimit(daemon, resource.RLIMIT_NOFILE, (4096, 4096))
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE):
        resource.prlimit(daemon, kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _call(mounted: Path, values: dict[str, set[bytes | None]], choice: random.Random, number: int) -> None:
    """One system call on the mount, or several at once."""
    key = choice.choice(sorted(values))
    path = mounted / "keys" / key
    match choice.randrange(5):
        case 0 | 1:
            new = bytes([number]) * choice.choice([10, writer.CHUNK_NBYTES // 2, 2 * writer.CHUNK_NBYTES])
            try:
                path.write_bytes(new)
            except OSError:
                values[key] = {*values[key], new}
            else:
                values[key] = {new}
        case 2:
            with contextlib.suppress(OSError):
                assert _read(path) in values[key]
        case 3:
            row = choice.randrange(20)
            with contextlib.suppress(OSError), open(mounted / "arrays" / "a" / "data.raw", "rb") as file:
                part = os.pread(file.fileno(), 100, row * writer.CHUNK_NBYTES)
                assert part == bytes([row]) * 100
        case _:
            with contextlib.ExitStack() as opened, contextlib.suppress(OSError):
                for other in range(80):
                    opened.enter_context(open(mounted / "keys" / "a" / "c" / str(other % 20) / "0", "rb"))


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
