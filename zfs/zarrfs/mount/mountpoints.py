"""Mount points: what is mounted where, dead mounts, and what the kernel may read ahead."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from zarrcore.errors import ZarrError

FSTYPE: Final = "fuse.zarrscope"
READ_AHEAD_KIB: Final = 4096
"""Lets the kernel ask for 1 MiB at a time, eight requests in flight."""

_OCTAL: Final = re.compile(rb"\\([0-7]{3})")


class MountError(ZarrError, OSError):
    """Mounting or unmounting does not work; the text says why."""


@dataclass(frozen=True, slots=True)
class Mounted:
    """One line of the kernel's list."""

    mountpoint: str
    fstype: str
    source: str
    device: str
    """``MAJOR:MINOR``."""


def all_mounted() -> list[Mounted]:
    """What is mounted, the topmost last where one lies on another; asks only the kernel's list."""
    found = []
    with open("/proc/self/mountinfo", "rb") as file:
        # Bytes: a name may hold what only text takes for the end of a line or a blank.
        for line in file.read().split(b"\n")[:-1]:
            before, _, after = line.partition(b" - ")
            fields, types = before.split(b" "), after.split(b" ")
            found.append(
                Mounted(
                    _unescape(fields[4]), os.fsdecode(types[0]), _unescape(types[1]), os.fsdecode(fields[2])
                )
            )
    return found


def mounted_at(path: str) -> Mounted | None:
    """What is mounted at an absolute path, the topmost where there are several."""
    return next((mount for mount in reversed(all_mounted()) if mount.mountpoint == path), None)


def _unescape(field: bytes) -> str:
    return os.fsdecode(_OCTAL.sub(lambda match: bytes([int(match[1], 8)]), field))


def resolve(path: str) -> str:
    """A mount point as the kernel lists it. The last part is not looked at: it may be a dead mount."""
    absolute = os.path.abspath(path)
    return os.path.join(os.path.realpath(os.path.dirname(absolute)), os.path.basename(absolute))


def prepare(path: str) -> str:
    """The absolute path of a directory that can be mounted on; a dead mount of ours there is taken away first.

    Raises:
        MountError: it cannot be mounted on.
    """
    mountpoint = resolve(path)
    for _ in range(8):  # one dead mount may lie on another
        if not _is_dead(mountpoint):
            break
        unmount(mountpoint, lazy=True)
    try:
        os.scandir(mountpoint).close()
    except OSError as error:
        raise MountError(f"cannot mount at {path}: {_reason(error)}") from error
    mountpoint = os.path.realpath(mountpoint)
    there = mounted_at(mountpoint)
    if there is not None:
        raise MountError(f"cannot mount at {path}: {there.source} is mounted there already")
    return mountpoint


def hides_something(mountpoint: str) -> bool:
    """Whether there is something in a directory that nobody would see while something is mounted there."""
    with os.scandir(mountpoint) as entries:
        return any(True for _ in entries)


def refuse_nested(mountpoint: str, source: str) -> None:
    """Refuse a mount point in its own source, and a source below it: the daemon would wait for its own answers.

    Args:
        mountpoint: as `prepare` returned it.
        source: path or URL; one that is no local path is never nested.

    Raises:
        MountError: they are nested.
    """
    path = unquote(source.removeprefix("file://")) if source.startswith("file://") else source
    if not os.path.exists(path):
        return
    shown = os.path.realpath(path)
    if os.path.commonpath([shown, mountpoint]) in (shown, mountpoint):
        raise MountError(f"cannot mount at {mountpoint}: it and its source {shown} lie in one another")


def refuse_inside(mountpoint: str, cache_dir: str) -> None:
    """Refuse to keep beneath the mount point what it is made from: the daemon would wait for its own answers.

    Raises:
        MountError: the cache is in there.
    """
    place = os.path.realpath(os.path.expanduser(cache_dir))
    if os.path.commonpath([place, mountpoint]) == mountpoint:
        raise MountError(f"cannot mount at {mountpoint}: the cache in {place} lies within it")


def _is_dead(mountpoint: str) -> bool:
    """Whether a mount of ours is there that nobody answers for any more."""
    try:
        # The kernel may answer a stat from memory; this question goes to the daemon.
        os.statvfs(mountpoint)
    except OSError as error:
        # For an ordinary user a dead mount may also say that permission is denied.
        if error.errno in (errno.ENOTCONN, errno.ECONNABORTED, errno.EACCES):
            there = mounted_at(mountpoint)
            return there is not None and there.fstype == FSTYPE
    return False


def _reason(error: OSError) -> str:
    if error.errno == errno.ENOENT:
        return "there is no such directory"
    if error.errno == errno.ENOTDIR:
        return "it is not a directory"
    return os.strerror(error.errno or errno.EIO).lower()


def check_device() -> None:
    """Tell in a sentence why this user cannot mount at all.

    Raises:
        MountError: he cannot.
    """
    if not os.path.exists("/dev/fuse"):
        raise MountError("cannot mount: this machine has no /dev/fuse (the kernel module fuse is not loaded)")
    if os.geteuid() == 0:
        return
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        raise MountError("cannot mount: you may not open /dev/fuse; have root run: chmod 0666 /dev/fuse")
    if shutil.which("fusermount3") is None:
        raise MountError("cannot mount: fusermount3 is not installed; have root run: apt install fuse3")


class BusyError(MountError):
    """A mount cannot be taken away since programs use it."""


def unmount(mountpoint: str, lazy: bool = False) -> None:
    """Take a mount away; ``lazy`` even while files there are open.

    Raises:
        BusyError: programs use it.
        MountError: it may not be done.
    """
    if os.geteuid() == 0:
        command = ["umount", *(["--lazy"] if lazy else []), "--", mountpoint]
    else:
        command = ["fusermount3", "-u", *(["-z"] if lazy else []), "--", mountpoint]
    english = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=english
    )
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or [f"{command[0]} failed"]
        if "busy" in done.stderr:
            raise BusyError(f"cannot unmount {mountpoint}: it is busy")
        raise MountError(f"cannot unmount {mountpoint}: {said[-1]}")


def raise_read_ahead(mountpoint: str) -> bool:
    """Let the kernel read ahead further, which only root may; whether it worked."""
    there = mounted_at(mountpoint)
    if there is None:
        return False
    try:
        with open(f"/sys/class/bdi/{there.device}/read_ahead_kb", "w", encoding="ascii") as file:
            file.write(str(READ_AHEAD_KIB))
    except OSError:
        return False
    return True
