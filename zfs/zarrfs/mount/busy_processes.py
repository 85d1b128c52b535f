"""The processes that keep a mount busy, from proc(5). Nothing here asks the mount itself, which may hang."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from zarrfs.mount.mountpoints import all_mounted

_SHOWN_MAX: Final = 3
_IN: Final = "is in {}"


@dataclass(frozen=True, slots=True)
class BusyProcess:
    """A process that uses a mount."""

    process: int
    command: str
    """Its short name, since whole command lines may hold secrets."""
    path: str
    """The path that it uses."""
    how: str
    """``has {} open``, ``is in {}``, and so on: a text with a placeholder for the path."""

    def __str__(self) -> str:
        return f"{self.command} ({self.process}) {self.how.format(self.path)}"


def busy_processes(mountpoint: str) -> Iterator[BusyProcess]:
    """Processes that keep ``mountpoint`` busy, once each, as far as this user may inspect them.

    The current directory of this process does not count: it is that of the program that called it.

    Args:
        mountpoint: an absolute path without symbolic links.
    """
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):  # the process has ended, or belongs to another user
                for path, how in _things(f"/proc/{name}"):
                    is_own_directory = int(name) == os.getpid() and how == _IN
                    if _is_inside(path, mountpoint) and not is_own_directory:
                        yield BusyProcess(int(name), _command(name), path, how)
                        break


def _is_inside(path: str, mountpoint: str) -> bool:
    return path == mountpoint or path.startswith(f"{mountpoint}/")


def _things(process: str) -> Iterator[tuple[str, str]]:
    """Paths that a process uses, and how it uses them."""
    for link, how in (("cwd", _IN), ("root", "has {} as its root"), ("exe", "runs {}")):
        with contextlib.suppress(OSError):
            yield os.readlink(f"{process}/{link}"), how
    for number in os.listdir(f"{process}/fd"):
        with contextlib.suppress(OSError):
            yield os.readlink(f"{process}/fd/{number}"), "has {} open"
    with open(f"{process}/maps", "rb") as file:
        for line in file:
            fields = line.rstrip(b"\n").split(maxsplit=5)
            if len(fields) == 6:
                yield os.fsdecode(fields[5].replace(b"\\012", b"\n")), "has {} mapped"


def _command(process: str) -> str:
    with open(f"/proc/{process}/comm", "rb") as file:
        return os.fsdecode(file.read()).rstrip("\n")


def why_busy(mountpoint: str) -> str:
    """A sentence that names the processes that keep a mount busy, as far as this user may inspect them."""
    found = [str(holder) for holder in busy_processes(mountpoint)]
    inner = [mount.mountpoint for mount in all_mounted() if mount.mountpoint.startswith(f"{mountpoint}/")]
    found += [f"something is mounted at {path}" for path in inner]
    if _is_inside(os.readlink("/proc/self/cwd"), mountpoint):
        found.insert(0, "the current directory is inside it, so change to another one first")
    if not found:
        return "possibly a program of another user, which this user may not inspect"
    more = f", and {len(found) - _SHOWN_MAX} more" if len(found) > _SHOWN_MAX else ""
    return ", ".join(found[:_SHOWN_MAX]) + more
