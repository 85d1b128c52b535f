"""Opening files, and reading open ones: all requested bytes, or an error."""

from __future__ import annotations

from typing import Final

from zarrcore.errors import BrokenBodyError
from zarrcore.system import os

LARGEST_CALL: Final = 2**31 - 4096
"""The most bytes that Linux reads or writes in one call."""


def open_flags(*names: str) -> int:
    """Flags of open(2) by name. Those that the system lacks are left out, so that this library can be imported there."""
    flags = 0
    for name in names:
        flags |= getattr(os, name, 0)
    return flags


def read_descriptor(descriptor: int, size: int, start: int = 0) -> bytes | memoryview:
    """``size`` bytes of an open file, from a position on.

    Raises:
        BrokenBodyError: the file has fewer bytes.
    """
    head = os.pread(descriptor, size, start) if size <= LARGEST_CALL else b""
    if len(head) == size:
        return head
    # One call does not return all of a very large file, nor of any file if a signal arrives.
    buffer = memoryview(bytearray(size))
    buffer[: len(head)] = head
    read_descriptor_into(descriptor, buffer, start, len(head))
    return buffer.toreadonly()


def read_descriptor_into(descriptor: int, buffer: memoryview, start: int = 0, done: int = 0) -> None:
    """Fill a buffer from an open file, from ``start`` on; the first ``done`` bytes are already in the buffer.

    Raises:
        BrokenBodyError: the file has fewer bytes.
    """
    size = len(buffer)
    while done < size:
        got = os.preadv(descriptor, [buffer[done : done + LARGEST_CALL]], start + done)
        if got == 0:
            raise BrokenBodyError(f"the file became shorter while it was read: {done} of {size} bytes")
        done += got
