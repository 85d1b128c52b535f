"""Opening files strictly beneath a directory: neither ``..`` nor a symbolic link leads out of it.

With ``openat2(RESOLVE_BENEATH)``, Linux checks the whole path while it walks it: nothing can be swapped between the
check and the use, and the call costs less than one microsecond more than a plain open. Python has no wrapper for it, so
it is made through ctypes. If a sandbox forbids the call, the file is opened first and the kernel is then asked for its
path, which is as safe and a few microseconds slower.
"""

from __future__ import annotations

import ctypes
import errno
import sys
from collections.abc import Callable

from zarrcore.errors import StoreError
from zarrcore.stores.descriptors import open_flags
from zarrcore.system import os

READ = open_flags("O_RDONLY", "O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK")
"""Flags for reading; without ``O_NONBLOCK`` a named pipe in the directory would block the reader forever."""

LOOK = open_flags("O_PATH", "O_CLOEXEC")
"""Flags for a descriptor that is used only for ``fstat``; does not need read permission."""

DIRECTORY = open_flags("O_RDONLY", "O_CLOEXEC", "O_DIRECTORY")
"""Flags for listing a directory or creating files in it."""

_OPENAT2 = 437
_ENCODING, _ENCODING_ERRORS = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()
_RESOLVE_NO_MAGICLINKS = 0x02
_RESOLVE_BENEATH = 0x08


class OutsideError(OSError):
    """The path leads out of the directory."""


class _OpenHow(ctypes.Structure):
    """The kernel's ``struct open_how``."""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


_HOW_SIZE = ctypes.sizeof(_OpenHow)
_HOWS = {
    flags: _OpenHow(flags, 0, _RESOLVE_BENEATH | _RESOLVE_NO_MAGICLINKS) for flags in (READ, LOOK, DIRECTORY)
}
_HOW_ADDRESSES = {flags: ctypes.addressof(how) for flags, how in _HOWS.items()}

_F_GETPATH = 50
_MAXPATHLEN = 1024

if sys.platform == "linux":
    _syscall = ctypes.CDLL(None, use_errno=True).syscall
    _syscall.restype = ctypes.c_long
    _syscall.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t]


def open_following(directory: int, path: str, flags: int) -> int:
    """A descriptor of ``path`` in ``directory``; symbolic links may lead anywhere."""
    return os.open(path, flags, dir_fd=directory)


def open_by_kernel(directory: int, path: str, flags: int) -> int:
    """`open_beneath` by ``openat2``."""
    name = path.encode(_ENCODING, _ENCODING_ERRORS)  # the same as os.fsencode, five times faster
    while True:
        descriptor: int = _syscall(_OPENAT2, directory, name, _HOW_ADDRESSES[flags], _HOW_SIZE)
        if descriptor >= 0:
            return descriptor
        code = ctypes.get_errno()
        if code == errno.EXDEV:
            return _open_resolved(directory, path, flags)
        # EAGAIN: a rename beside the path made the walk ambiguous; a second attempt resolves it.
        if code not in (errno.EINTR, errno.EAGAIN):
            raise OSError(code, os.strerror(code), path)


def _open_resolved(directory: int, path: str, flags: int) -> int:
    """Open the target of an absolute symbolic link, which the kernel refuses even if it stays inside."""
    root = _place(directory)
    relative = os.path.relpath(os.path.realpath(os.path.join(root, path)), root)
    if relative == os.pardir or relative.startswith(os.pardir + os.sep):
        raise OutsideError(errno.EXDEV, "a symbolic link leads out of the directory", path)
    return _open_checked(directory, relative, flags)


def _open_checked(directory: int, path: str, flags: int) -> int:
    """Open first, then ask the kernel for the file's path: a swapped link cannot deceive this check."""
    descriptor = os.open(path, flags, dir_fd=directory)
    try:
        root, place = _place(directory), _place(descriptor)
        if place != root and not place.startswith(root.rstrip("/") + "/"):
            raise OutsideError(errno.EXDEV, "a symbolic link leads out of the directory", path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _place(descriptor: int) -> str:
    """The path of an open file."""
    if sys.platform == "darwin":
        import fcntl

        return os.fsdecode(fcntl.fcntl(descriptor, _F_GETPATH, bytes(_MAXPATHLEN)).partition(b"\0")[0])
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError as error:
        # The original error is not passed on: "no such file" would mean an absent key.
        raise StoreError(
            "the target of a symbolic link cannot be determined, because /proc is not mounted"
        ) from error


def _open_by_path(directory: int, path: str, flags: int) -> int:
    """Resolve the path, then open it: Windows has no descriptors of directories, and cannot tell a file's path."""
    root = os.path.realpath(os.place(directory))  # type: ignore[attr-defined]
    place = os.path.realpath(os.path.join(root, path))
    if place != root and not place.startswith(root.rstrip(os.sep) + os.sep):
        raise OutsideError(errno.EXDEV, "a symbolic link leads out of the directory", path)
    return os.open(place, flags)


def _choose() -> Callable[[int, str, int], int]:
    if sys.platform == "win32":
        return _open_by_path
    if sys.platform != "linux":
        return _open_checked
    directory = os.open("/", DIRECTORY)
    try:
        os.close(open_by_kernel(directory, ".", LOOK))
    except OSError:  # an old kernel, or a sandbox that does not know openat2
        return _open_checked
    finally:
        os.close(directory)
    return open_by_kernel


open_beneath: Callable[[int, str, int], int] = _choose()
"""``open_beneath(directory, path, flags)``: a descriptor of ``path``, which stays beneath ``directory``.

Raises:
    OutsideError: the path leads out of the directory.
    StoreError: the target of the path cannot be determined.
    OSError: as `os.open` does.
"""
