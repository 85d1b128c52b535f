"""Memory for what is read ahead, used again and again.

New pages cost more than what is read into them: the kernel has to find and clear each, on a virtual machine its host too.
"""

from __future__ import annotations

import mmap
import sys
from typing import Final

_PAGE: Final = mmap.PAGESIZE
_UNUSED: Final = 2
"""References to memory that is not in use: the list that holds it, and the caller."""


class Buffers:
    """Blocks of memory, of which none is given out while anything still refers to it.

    Args:
        limit: bytes to keep for later, with those that are in use.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: list[mmap.mmap] = []

    @property
    def nbytes(self) -> int:
        """Bytes of all blocks, in use or not."""
        return sum(map(len, self._kept))

    def take(self, nbytes: int) -> memoryview:
        """So many bytes of memory, of any content. They begin at a page, where the kernel copies fastest to.

        The memory belongs to the caller until the last reference to any part of it is gone.
        """
        wanted = -(-nbytes // _PAGE) * _PAGE
        for position in range(len(self._kept)):
            if wanted <= len(self._kept[position]) <= 2 * wanted and _is_unused(self._kept, position):
                # Those that were not used for longest come first, and go first.
                self._kept.append(self._kept.pop(position))
                break
        else:
            self._make_room(wanted)
            self._kept.append(mmap.mmap(-1, wanted, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
            self._kept[-1].madvise(mmap.MADV_HUGEPAGE)
        return memoryview(self._kept[-1])[:nbytes]

    def clear(self) -> None:
        """Free the memory that is not in use."""
        self._make_room(self._limit)

    def _make_room(self, nbytes: int) -> None:
        """Free memory that is not in use, oldest first, until ``nbytes`` can be added."""
        position = 0
        while position < len(self._kept) and self.nbytes + nbytes > self._limit:
            if _is_unused(self._kept, position):
                del self._kept[position]
            else:
                position += 1


def _is_unused(kept: list[mmap.mmap], position: int) -> bool:
    # A view of memory, and each part of the view, refers to it.
    return sys.getrefcount(kept[position]) == _UNUSED
