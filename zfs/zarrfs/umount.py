"""Taking a mount away, and waiting for its daemon: then nothing of it is left."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from typing import Final

from zarrfs.holders import why_busy
from zarrfs.mountpoints import FSTYPE, BusyError, MountError, mounted_at, resolve, unmount
from zarrfs.views.root import CONTROL

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
        MountError: nothing of ours is mounted there, or it may not be done.
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
    process = _daemon(there.mountpoint)
    try:
        unmount(there.mountpoint)
        if process is not None and not select.select([process], [], [], _END_S)[0]:
            raise MountError(f"{path} is unmounted, but its daemon still runs: a request hangs in its store")
    except BusyError as error:
        raise BusyError(f"{error}: {why_busy(there.mountpoint)}; --lazy unmounts it all the same") from error
    finally:
        if process is not None:
            os.close(process)


def _daemon(mountpoint: str) -> int | None:
    """A descriptor that becomes readable when the daemon ends; None where the mount does not tell.

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
        return os.pidfd_open(int(json.loads(done.stdout)["pid"]))
    except (subprocess.SubprocessError, OSError, ValueError, KeyError, TypeError):
        return None
