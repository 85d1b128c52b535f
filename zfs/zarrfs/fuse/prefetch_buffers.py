"""Reusable memory for read-ahead.

A new page costs more than filling it: the kernel has to find and clear it, and so does the host of a virtual machine.
"""

from __future__ import annotations

import mmap
import sys
from typing import Final

_PAGE: Final = mmap.PAGESIZE
_UNUSED: Final = 2
"""References to memory that is not in use: one of the list, one of the caller."""


class Buffers:
    """Blocks of memory. A block is not reused while anything still refers to it.

    Args:
        limit: bytes to keep for later, including those in use.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: list[mmap.mmap] = []

    @property
    def nbytes(self) -> int:
        """Bytes of all blocks, in use or not."""
        return sum(map(len, self._kept))

    def take(self, nbytes: int) -> memoryview:
        """Uninitialised memory of ``nbytes`` bytes. It begins at a page boundary, where the kernel copies fastest.

        The memory belongs to the caller until the last reference to any part of it is gone.
        """
        wanted = -(-nbytes // _PAGE) * _PAGE
        for position in range(len(self._kept)):
            if wanted <= len(self._kept[position]) <= 2 * wanted and _is_unused(self._kept, position):
                # The least recently used blocks come first and are freed first.
                self._kept.append(self._kept.pop(position))
                break
        else:
            self._make_room(wanted)
            self._kept.append(mmap.mmap(-1, wanted, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
            self._kept[-1].madvise(mmap.MADV_HUGEPAGE)
        return memoryview(self._kept[-1])[:nbytes]

    def clear(self) -> None:
        """Free all memory that is not in use."""
        self._make_room(self._limit)

    def _make_room(self, nbytes: int) -> None:
        """Free unused memory, oldest first, until ``nbytes`` can be added."""
        position = 0
        while position < len(self._kept) and self.nbytes + nbytes > self._limit:
            if _is_unused(self._kept, position):
                del self._kept[position]
            else:
                position += 1


def _is_unused(kept: list[mmap.mmap], position: int) -> bool:
    # A view of a block, and each slice of the view, refers to the block.
    return sys.getrefcount(kept[position]) == _UNUSED
