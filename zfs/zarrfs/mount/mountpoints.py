"""Mount points: the list of mounts, dead mounts, and the kernel's read-ahead."""

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
"""Lets the kernel request 1 MiB at a time, with eight requests in flight."""

_OCTAL: Final = re.compile(rb"\\([0-7]{3})")


class MountError(ZarrError, OSError):
    """Mounting or unmounting failed; the message says why."""


@dataclass(frozen=True, slots=True)
class Mounted:
    """One line of the kernel's list of mounts."""

    mountpoint: str
    fstype: str
    source: str
    device: str
    """``MAJOR:MINOR``."""


def all_mounted() -> list[Mounted]:
    """All mounts, from the kernel's list; of mounts at the same place, the topmost comes last."""
    found = []
    with open("/proc/self/mountinfo", "rb") as file:
        # Bytes: a name may hold characters that str methods treat as line breaks or blanks.
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
    """The mount at an absolute path; the topmost if there are several."""
    return next((mount for mount in reversed(all_mounted()) if mount.mountpoint == path), None)


def _unescape(field: bytes) -> str:
    return os.fsdecode(_OCTAL.sub(lambda match: bytes([int(match[1], 8)]), field))


def resolve(path: str) -> str:
    """A mount point as the kernel lists it. The last part of the path is not accessed: it may be a dead mount."""
    absolute = os.path.abspath(path)
    return os.path.join(os.path.realpath(os.path.dirname(absolute)), os.path.basename(absolute))


def prepare(path: str) -> str:
    """The absolute path of a directory to mount on; a dead mount of zarrscope there is unmounted first.

    Raises:
        MountError: it cannot be mounted on.
    """
    mountpoint = resolve(path)
    for _ in range(8):  # there may be a dead mount on top of another
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
        raise MountError(f"cannot mount at {path}: {there.source} is already mounted there")
    return mountpoint


def hides_something(mountpoint: str) -> bool:
    """Whether a directory has content that a mount would hide."""
    with os.scandir(mountpoint) as entries:
        return any(True for _ in entries)


def refuse_nested(mountpoint: str, source: str) -> None:
    """Refuse a mount point inside its source, and a source inside the mount point: the daemon would wait for itself.

    Args:
        mountpoint: as `prepare` returned it.
        source: path or URL; only local paths can be nested.

    Raises:
        MountError: they are nested.
    """
    path = unquote(source.removeprefix("file://")) if source.startswith("file://") else source
    if not os.path.exists(path):
        return
    shown = os.path.realpath(path)
    if os.path.commonpath([shown, mountpoint]) in (shown, mountpoint):
        raise MountError(
            f"cannot mount at {mountpoint}: the mount point and its source {shown} must not contain each other"
        )


def refuse_inside(mountpoint: str, cache_dir: str) -> None:
    """Refuse a cache inside the mount point: the daemon would wait for itself.

    Raises:
        MountError: the cache is inside the mount point.
    """
    place = os.path.realpath(os.path.expanduser(cache_dir))
    if os.path.commonpath([place, mountpoint]) == mountpoint:
        raise MountError(f"cannot mount at {mountpoint}: the cache in {place} is inside it")


def _is_dead(mountpoint: str) -> bool:
    """Whether there is a mount of zarrscope whose daemon is gone."""
    try:
        # The kernel may answer a stat from memory; this request goes to the daemon.
        os.statvfs(mountpoint)
    except OSError as error:
        # For an ordinary user, a dead mount may also give EACCES.
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
    """Check that this user can mount at all.

    Raises:
        MountError: the user cannot.
    """
    if not os.path.exists("/dev/fuse"):
        raise MountError("cannot mount: this machine has no /dev/fuse (the kernel module fuse is not loaded)")
    if os.geteuid() == 0:
        return
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        raise MountError("cannot mount: you may not open /dev/fuse; run as root: chmod 0666 /dev/fuse")
    if shutil.which("fusermount3") is None:
        raise MountError("cannot mount: fusermount3 is not installed; run as root: apt install fuse3")


class BusyError(MountError):
    """A mount cannot be unmounted because programs use it."""


def unmount(mountpoint: str, lazy: bool = False) -> None:
    """Unmount; with ``lazy``, even while files there are open.

    Raises:
        BusyError: programs use it.
        MountError: this user may not unmount it.
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
    """Increase the kernel's read-ahead, which only root may do; returns whether it worked."""
    there = mounted_at(mountpoint)
    if there is None:
        return False
    try:
        with open(f"/sys/class/bdi/{there.device}/read_ahead_kb", "w", encoding="ascii") as file:
            file.write(str(READ_AHEAD_KIB))
    except OSError:
        return False
    return True
