"""Opening files strictly beneath a directory: neither ``..`` nor a symbolic link leads out of it.

Linux checks the whole path while it walks it when asked through ``openat2(RESOLVE_BENEATH)``: nothing can be
swapped between the check and the use, and it costs less than one microsecond more than a plain open. Python has
no wrapper for that call, so it is made through ctypes. Where a sandbox forbids it, the file is opened first and
the kernel is then asked where it lies, which is as safe and a few microseconds slower.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable

from zarrcore.errors import StoreError

READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK
"""Flags for reading; without ``O_NONBLOCK`` a named pipe in the directory would hold the reader for ever."""

LOOK = os.O_PATH | os.O_CLOEXEC
"""Flags for a descriptor that only serves ``fstat``; needs no permission to read."""

DIRECTORY = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY
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

_syscall = ctypes.CDLL(None, use_errno=True).syscall
_syscall.restype = ctypes.c_long
_syscall.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t]


def open_following(directory: int, path: str, flags: int) -> int:
    """A descriptor of ``path`` in ``directory``, wherever symbolic links lead."""
    return os.open(path, flags, dir_fd=directory)


def _open_by_kernel(directory: int, path: str, flags: int) -> int:
    name = path.encode(_ENCODING, _ENCODING_ERRORS)  # what os.fsencode does, in a fifth of its time
    while True:
        descriptor: int = _syscall(_OPENAT2, directory, name, _HOW_ADDRESSES[flags], _HOW_SIZE)
        if descriptor >= 0:
            return descriptor
        code = ctypes.get_errno()
        if code == errno.EXDEV:
            return _open_resolved(directory, path, flags)
        # EAGAIN: a rename beside the path made the walk ambiguous; asking again settles it.
        if code not in (errno.EINTR, errno.EAGAIN):
            raise OSError(code, os.strerror(code), path)


def _open_resolved(directory: int, path: str, flags: int) -> int:
    """Open what an absolute symbolic link leads to, which the kernel refuses even where it stays inside."""
    root = _place(directory)
    relative = os.path.relpath(os.path.realpath(os.path.join(root, path)), root)
    if relative == os.pardir or relative.startswith(os.pardir + os.sep):
        raise OutsideError(errno.EXDEV, "a symbolic link leads out of the directory", path)
    return _open_checked(directory, relative, flags)


def _open_checked(directory: int, path: str, flags: int) -> int:
    """Open first, then ask the kernel where the file lies: a swapped link cannot deceive that."""
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
    """Where an open file lies."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError as error:
        # Not handed on: "no such file" would be taken for an absent key.
        raise StoreError("where a symbolic link leads cannot be told, since /proc is not mounted") from error


def _choose() -> Callable[[int, str, int], int]:
    directory = os.open("/", DIRECTORY)
    try:
        os.close(_open_by_kernel(directory, ".", LOOK))
    except OSError:  # an old kernel, or a sandbox that knows no openat2
        return _open_checked
    finally:
        os.close(directory)
    return _open_by_kernel


open_beneath: Callable[[int, str, int], int] = _choose()
"""``open_beneath(directory, path, flags)``: a descriptor of ``path``, which stays beneath ``directory``.

Raises:
    OutsideError: the path leads out of the directory.
    StoreError: it cannot be told where the path leads.
    OSError: as `os.open` does.
"""
