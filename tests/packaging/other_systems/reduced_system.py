"""Takes away from zarrscope's modules, before they are imported, what macOS or Windows does not have.

Only modules of zarrscope lose it: Python's own library and the dependencies were made for the system that they run on.
"""

from __future__ import annotations

import builtins
import contextlib
import errno
import importlib
import os
import sys
from types import ModuleType
from typing import Any


def _names(text: str) -> list[str]:
    return text.split()


OURS = ("zarrcore", "zarrscope", "zarrfs", "zarrbrowser")
LINUX_ONLY = _names("""
    O_TMPFILE O_PATH O_DIRECT O_LARGEFILE O_NOATIME sched_getaffinity posix_fallocate posix_fadvise
    fdatasync copy_file_range getxattr setxattr listxattr removexattr memfd_create pidfd_open pipe2
    eventfd splice preadv2 pwritev2 preadv pwritev RWF_NOWAIT setns unshare
""")
POSIX_ONLY = _names("""
    O_CLOEXEC O_NONBLOCK O_NDELAY O_DIRECTORY O_NOFOLLOW O_NOCTTY O_SYNC O_DSYNC O_RSYNC O_ASYNC
    O_ACCMODE SEEK_DATA SEEK_HOLE fork forkpty register_at_fork getuid geteuid getgid getegid
    getgroups getresuid getpgid getpgrp getsid setsid setpgid killpg nice getpriority uname sysconf
    confstr fpathconf pathconf statvfs fstatvfs pread pwrite fchown lchown chown fchmod chroot
    mkfifo mknod sync getloadavg wait wait3 wait4 waitid posix_spawn sendfile tcgetpgrp ctermid
    openpty fchdir lockf
""")
POSIX_MODULES = ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "readline", "curses")
MOUNTING = ("pyfuse3", "trio")
POSIX_SIGNALS = (
    "SIGHUP",
    "SIGPIPE",
    "SIGKILL",
    "SIGUSR1",
    "SIGUSR2",
    "SIGALRM",
    "SIGCHLD",
    "SIGQUIT",
    "SIGTSTP",
)
AT = ("dir_fd", "src_dir_fd", "dst_dir_fd")
TAKE_AT = _names("""
    access chmod link lstat mkdir open readlink rename replace rmdir stat symlink unlink utime
""")
TAKE_DESCRIPTORS = _names("""
    chdir listdir scandir stat utime
""")


class Reduced(ModuleType):
    """A module without some of its members, and with others in their place."""

    def __init__(self, whole: ModuleType, without: list[str], **instead: Any) -> None:
        super().__init__(whole.__name__)
        vars(self).update(_whole=whole, _without=frozenset(without), **instead)

    def __getattr__(self, name: str) -> Any:
        if name in self._without:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r} on this system")
        return getattr(self._whole, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._whole, name, value)


def become(system: str) -> None:
    """Be like ``darwin`` or ``win32`` for the modules of zarrscope."""
    is_windows = system == "win32"
    modules: dict[str, ModuleType | None] = {
        "sys": Reduced(sys, [], platform=system),
        "os": _os(is_windows),
    }
    modules.update(dict.fromkeys(MOUNTING))
    if is_windows:
        modules.update(dict.fromkeys(POSIX_MODULES))
        modules["signal"] = Reduced(importlib.import_module("signal"), list(POSIX_SIGNALS))
    else:
        locks = ["F_OFD_GETLK", "F_OFD_SETLK", "F_OFD_SETLKW", "F_SETPIPE_SZ"]
        modules["fcntl"] = Reduced(importlib.import_module("fcntl"), locks, F_GETPATH=50, fcntl=_fcntl)
    _import, _open = builtins.__import__, builtins.open

    def import_(
        name: str, globals_: Any = None, locals_: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        found = _import(name, globals_, locals_, fromlist, level)
        top = name.partition(".")[0]
        if level or top not in modules or not _is_ours(globals_ or {}) or (fromlist and "." in name):
            return found
        reduced = modules[top]
        if reduced is None:
            raise ModuleNotFoundError(f"No module named {name!r} on this system", name=name)
        return reduced

    def open_(file: Any, *words: Any, **more: Any) -> Any:
        if _is_ours(sys._getframe(1).f_globals):
            _refuse_proc(file)
        return _open(file, *words, **more)

    builtins.__import__, builtins.open = import_, open_


def _is_ours(names: dict[str, Any]) -> bool:
    return str(names.get("__name__")).partition(".")[0] in OURS


def _refuse_proc(path: object) -> None:
    if isinstance(path, str) and path.startswith("/proc"):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def _os(is_windows: bool) -> ModuleType:
    instead: dict[str, Any] = {"readlink": _without_proc(os.readlink)}
    without = list(LINUX_ONLY)
    if is_windows:
        without += POSIX_ONLY
        instead |= {name: _by_path(getattr(os, name), name) for name in {*TAKE_AT, *TAKE_DESCRIPTORS}}
        instead |= {
            "supports_dir_fd": set(),
            "supports_fd": {os.stat},
            "O_BINARY": 0,
            "O_NOINHERIT": 0,
            "name": "nt",
        }
    return Reduced(os, without, **instead)


def _without_proc(call: Any) -> Any:
    def checked(path: object, **more: Any) -> Any:
        _refuse_proc(path)
        return call(path, **more)

    return checked


def _by_path(call: Any, name: str) -> Any:
    """A function of Windows, which names files by their paths."""

    def checked(path: Any, *words: Any, **more: Any) -> Any:
        if any(more.get(one) is not None for one in AT):
            raise NotImplementedError(f"{name}: dir_fd unavailable on this platform")
        if isinstance(path, int) and name != "stat":
            raise TypeError(f"{name}: path should be string, bytes or os.PathLike, not int")
        if name in ("replace", "rename", "unlink") and _is_open(path):
            raise PermissionError(errno.EACCES, "another process uses the file", path)
        if name == "open" and os.path.isdir(path):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return call(path, *words, **more)

    return checked


def _is_open(path: str) -> bool:
    """Whether this process has a file open, which Windows then neither renames nor removes."""
    place = os.path.realpath(path)
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/self/fd/{number}") == place and not os.path.isdir(place):
                return True
    return False


def _fcntl(descriptor: int, command: int, argument: Any = 0) -> Any:
    """The fcntl(2) of macOS, which tells a file's path."""
    import fcntl

    if command == 50:
        place = os.fsencode(os.readlink(f"/proc/self/fd/{descriptor}"))
        return place.ljust(len(argument), b"\0")
    return fcntl.fcntl(descriptor, command, argument)
