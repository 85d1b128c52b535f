"""Reading open files: all the bytes that are asked for, or an error."""

from __future__ import annotations

import os
from typing import Final

from zarrcore.errors import BrokenBodyError

LARGEST_CALL: Final = 2**31 - 4096
"""Linux reads or writes no more bytes than this with one call."""


def read_descriptor(descriptor: int, size: int, start: int = 0) -> bytes | memoryview:
    """``size`` bytes of an open file, from a position on.

    Raises:
        BrokenBodyError: there are fewer.
    """
    head = os.pread(descriptor, size, start) if size <= LARGEST_CALL else b""
    if len(head) == size:
        return head
    # One call does not give all of a very large file, nor of any where a signal comes.
    buffer = memoryview(bytearray(size))
    buffer[: len(head)] = head
    read_descriptor_into(descriptor, buffer, start, len(head))
    return buffer.toreadonly()


def read_descriptor_into(descriptor: int, buffer: memoryview, start: int = 0, done: int = 0) -> None:
    """Fill a buffer from an open file; its first byte is that at ``start``, and the first ``done`` are there already.

    Raises:
        BrokenBodyError: there are fewer bytes.
    """
    size = len(buffer)
    while done < size:
        got = os.preadv(descriptor, [buffer[done : done + LARGEST_CALL]], start + done)
        if got == 0:
            raise BrokenBodyError(f"the file became shorter while it was read: {done} of {size} bytes")
        done += got
