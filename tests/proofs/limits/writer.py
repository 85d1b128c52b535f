"""The process that works at a limit.

    python -m tests.proofs.limits.writer LIMIT STORE SEED

It tells each step that it has done, or the class of its error.
"""

from __future__ import annotations

import faulthandler
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.any_store import AnyStore, open_store
from zarrcore.errors import ZarrError

KEYS = [f"a/c/{number}" for number in range(6)]
CHUNK_NBYTES = 60_000
STEPS = 40


def steps(seed: int) -> list[tuple[str, bytes | None]]:
    """Keys and their new values; None erases."""
    choice = random.Random(seed)
    return [
        (
            choice.choice(KEYS),
            None if choice.random() < 0.15 else bytes([number + 1]) * CHUNK_NBYTES,
        )
        for number in range(STEPS)
    ]


def main(limit: str, path: Path, seed: int) -> None:
    """Write."""
    faulthandler.enable()  # SIGABRT tells where it hangs
    store = open_store(path)
    for key in KEYS:  # the modules are loaded and the connections open before there is a limit
        store.get(key)
    todo = steps(seed)
    _SET.get(limit, lambda _path, _seed: None)(path, seed)
    for number, (key, value) in enumerate(todo):
        if limit == "read-only":
            _remount(path, "ro" if number % 10 in (3, 4, 5) else "rw")
        print(_done(store, key, value), flush=True)
    if limit == "read-only":
        _remount(path, "rw")
    try:
        store.close()
    except ZarrError as error:
        print(f"closing: {type(error).__name__}", flush=True)
    print("end", flush=True)


def _done(store: AnyStore, key: str, value: bytes | None) -> str:
    try:
        if value is None:
            store.erase(key)
        else:
            store.set(key, value)
    except ZarrError as error:
        return type(error).__name__
    except MemoryError:
        return "MemoryError"
    return "done"


def _file_size(_path: Path, _seed: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (CHUNK_NBYTES * 3 // 2, resource.RLIM_INFINITY))


def _descriptors(_path: Path, seed: int) -> None:
    used = len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + seed % 5 - 1, 4096))


def _memory(_path: Path, seed: int) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    room = (seed % 7) * CHUNK_NBYTES // 4
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + room, resource.RLIM_INFINITY))


def _interrupts(_path: Path, _seed: int) -> None:
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.siginterrupt(signal.SIGALRM, True)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)


def _slowly(_path: Path, _seed: int) -> None:
    """Leave the parent time to stop this process."""
    time.sleep(0.05)


_SET: dict[str, Callable[[Path, int], None]] = {
    "file size": _file_size,
    "descriptors": _descriptors,
    "memory": _memory,
    "interrupts": _interrupts,
    "stops": _slowly,
}


def _remount(path: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", path.parent], check=False, capture_output=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
