"""Memory that a thread uses again and again.

Fresh memory has to be mapped and cleared page by page, which can cost more than decoding into it: some 5 µs for 4 KiB on a
virtual machine.
"""

from __future__ import annotations

import threading

import numpy as np

MAX_SCRATCH_NBYTES = 16 << 20
"""No thread keeps a larger buffer: what takes more than this is dear enough to take fresh memory for."""

_PAGE_NBYTES = 4096
_PAGE_OFFSET = 1024
"""Where in a page buffers begin. Processors of AMD copy three times as slowly to memory whose place in its page is up to 64
bytes after that of the source. Files' pages begin at 0 and large blocks of the C library at 16: this is far from both."""


class _Buffers(threading.local):
    def __init__(self) -> None:
        self.by_use: dict[str, memoryview] = {}


_buffers = _Buffers()


def scratch_buffer(use: str, nbytes: int) -> memoryview:
    """A buffer of ``nbytes`` that holds anything, until this thread asks again for the same use."""
    if nbytes > MAX_SCRATCH_NBYTES:
        return _fresh(nbytes)
    buffer = _buffers.by_use.get(use)
    if buffer is None or len(buffer) < nbytes:
        buffer = _buffers.by_use[use] = _fresh(nbytes)
    return buffer[:nbytes]


def _fresh(nbytes: int) -> memoryview:
    # Unlike a bytearray it is not cleared.
    memory = np.empty(nbytes + _PAGE_NBYTES, np.uint8)
    begin = (_PAGE_OFFSET - memory.ctypes.data) % _PAGE_NBYTES
    return memory[begin : begin + nbytes].data
