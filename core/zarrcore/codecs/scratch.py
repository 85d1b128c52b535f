"""Memory that a thread reuses.

The kernel maps and clears new memory page by page, which can cost more than decoding into it: some 5 µs for 4 KiB on a
virtual machine.
"""

from __future__ import annotations

import threading

import numpy as np

MAX_SCRATCH_NBYTES = 16 << 20
"""The largest buffer that a thread keeps. Beyond this size, the cost of new memory matters little."""

_PAGE_NBYTES = 4096
_PAGE_OFFSET = 1024
"""Where in a page buffers begin. AMD processors copy three times as slowly if the destination begins up to 64 bytes
further into its page than the source does. Pages of files begin at 0 and large blocks of the C library at 16; this is far
from both."""


class _Buffers(threading.local):
    def __init__(self) -> None:
        self.by_use: dict[str, memoryview] = {}


_buffers = _Buffers()


def scratch_buffer(use: str, nbytes: int, largest: int = MAX_SCRATCH_NBYTES) -> memoryview:
    """A buffer of ``nbytes`` with arbitrary content, valid until this thread asks again for the same use.

    The thread keeps it if it has at most ``largest`` bytes.
    """
    if nbytes > largest:
        return _fresh(nbytes)
    buffer = _buffers.by_use.get(use)
    if buffer is None or len(buffer) < nbytes:
        buffer = _buffers.by_use[use] = _fresh(nbytes)
    return buffer[:nbytes]


def _fresh(nbytes: int) -> memoryview:
    # Unlike a bytearray, it is not cleared.
    memory = np.empty(nbytes + _PAGE_NBYTES, np.uint8)
    begin = (_PAGE_OFFSET - memory.ctypes.data) % _PAGE_NBYTES
    return memory[begin : begin + nbytes].data
