"""Unmounting, and waiting for the daemon to end."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
from dataclasses import dataclass
from typing import Final

from zarrfs.mount.busy_processes import why_busy
from zarrfs.mount.mountpoints import FSTYPE, BusyError, MountError, mounted_at, resolve, unmount
from zarrfs.mount.outcome import AwaitedOutcome
from zarrfs.trees.root import CONTROL

_ANSWER_S: Final = 5.0
"""How long a mount may take to report its daemon's process id; one that hangs is unmounted without it."""
_END_S: Final = 15.0


def umount(path: str, lazy: bool = False) -> None:
    """Unmount, and return when the daemon has ended.

    Args:
        path: the mount point.
        lazy: remove its names even while it is busy, and return at once; the daemon ends when the
            last program has closed its files.

    Raises:
        BusyError: programs use it; the message names them.
        MountError: there is no mount of zarrscope, this user may not unmount it, or the daemon failed at its end.
    """
    mountpoint = resolve(path)
    there = mounted_at(mountpoint) or mounted_at(os.path.realpath(mountpoint))
    if there is None:
        raise MountError(f"cannot unmount {path}: nothing is mounted there")
    if there.fstype != FSTYPE:
        raise MountError(f"cannot unmount {path}: it is a mount of type {there.fstype}, not of zarrscope")
    if lazy:
        unmount(there.mountpoint, lazy=True)
        return
    daemon = _daemon(there.mountpoint)
    try:
        unmount(there.mountpoint)
    except BusyError as error:
        raise BusyError(f"{error}: {why_busy(there.mountpoint)}; --lazy unmounts it anyway") from error
    if daemon is not None:
        _await_end(daemon, path)


@dataclass(frozen=True)
class _Daemon:
    """A daemon that is still running."""

    process: int
    """A descriptor that becomes readable when it ends."""
    outcome: AwaitedOutcome | None
    """Its report on its end; None if it gives none or may not be opened."""


def _await_end(daemon: _Daemon, path: str) -> None:
    outcome = daemon.outcome
    with os.fdopen(daemon.process) as process:
        while not select.select([process], [], [], _END_S)[0]:
            if outcome is None or not outcome.is_completing():
                raise MountError(
                    f"{path} is unmounted, but its daemon still runs: a request hangs in its store, or another mount "
                    "namespace, such as a container's, keeps the mount"
                )
    failure = "" if outcome is None else outcome.failure()
    if failure:
        raise MountError(f"{path} is unmounted, but its daemon failed at the end: {failure}")


def _daemon(mountpoint: str) -> _Daemon | None:
    """The mount's daemon; None if the mount does not name it.

    A child process asks the mount, and is abandoned if the mount hangs.
    """
    stats = os.path.join(mountpoint, CONTROL, "stats.json")
    try:
        done = subprocess.run(
            ["cat", "--", stats],
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
