"""Memory that a thread uses again and again.

Fresh memory has to be mapped and cleared page by page, which can cost more than decoding into it: some 5 µs for 4 KiB on a
virtual machine.
"""

from __future__ import annotations

import threading

import numpy as np

MAX_SCRATCH_NBYTES = 16 << 20
"""No thread keeps a larger buffer: what takes more than this is dear enough to take fresh memory for."""


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
    return np.empty(nbytes, np.uint8).data  # unlike a bytearray it is not cleared
