"""Taking a mount away, and waiting for its daemon: then nothing of it is left."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
from dataclasses import dataclass
from typing import Final

from zarrfs.mount.busy_processes import why_busy
from zarrfs.mount.mountpoints import FSTYPE, BusyError, MountError, mounted_at, resolve, unmount
from zarrfs.mount.outcome import AwaitedOutcome
from zarrfs.trees.root import CONTROL

_ANSWER_S: Final = 5.0
"""How long a mount may take to tell its daemon's process id; one that hangs is unmounted without."""
_END_S: Final = 15.0


def umount(path: str, lazy: bool = False) -> None:
    """Unmount, and return when the daemon has ended.

    Args:
        path: the mount point.
        lazy: take it out of the tree of names even while it is busy, and return at once; the daemon ends when the
            last program has closed what it has of it.

    Raises:
        BusyError: programs use it; the text names them.
        MountError: nothing of ours is mounted there, or it may not be done; or what the daemon could not do at its end.
    """
    mountpoint = resolve(path)
    there = mounted_at(mountpoint) or mounted_at(os.path.realpath(mountpoint))
    if there is None:
        raise MountError(f"cannot unmount {path}: nothing is mounted there")
    if there.fstype != FSTYPE:
        raise MountError(f"cannot unmount {path}: what is mounted there is {there.fstype} and none of ours")
    if lazy:
        unmount(there.mountpoint, lazy=True)
        return
    daemon = _daemon(there.mountpoint)
    try:
        unmount(there.mountpoint)
    except BusyError as error:
        raise BusyError(f"{error}: {why_busy(there.mountpoint)}; --lazy unmounts it all the same") from error
    if daemon is not None:
        _await_end(daemon, path)


@dataclass(frozen=True)
class _Daemon:
    """A daemon that is still there."""

    process: int
    """A descriptor that becomes readable when it ends."""
    outcome: AwaitedOutcome | None
    """What it tells of its end; None where it does not, or may not be asked."""


def _await_end(daemon: _Daemon, path: str) -> None:
    outcome = daemon.outcome
    with os.fdopen(daemon.process) as process:
        while not select.select([process], [], [], _END_S)[0]:
            if outcome is None or not outcome.is_completing():
                raise MountError(
                    f"{path} is unmounted, but its daemon still runs: a request hangs in its store"
                )
    failure = "" if outcome is None else outcome.failure()
    if failure:
        raise MountError(f"{path} is unmounted, but its daemon failed at the end: {failure}")


def _daemon(mountpoint: str) -> _Daemon | None:
    """The mount's daemon; None where the mount does not tell.

    The mount is asked by another process: should it hang, that one can be left behind.
    """
    stats = os.path.join(mountpoint, CONTROL, "stats.json")
    read = "import sys; sys.stdout.buffer.write(open(sys.argv[1], 'rb').read())"
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", read, stats],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ANSWER_S,
            check=True,
        )
        told = json.loads(done.stdout)
        process = os.pidfd_open(int(told["pid"]))
    except (subprocess.SubprocessError, OSError, ValueError, KeyError, TypeError):
        return None
    outcome = None
    with contextlib.suppress(OSError, KeyError, TypeError):
        outcome = AwaitedOutcome(told["outcome"])
    return _Daemon(process, outcome)
