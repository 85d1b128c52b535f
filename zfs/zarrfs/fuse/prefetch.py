"""Read-ahead for a sequential reader, so that it finds its bytes in memory.

The kernel requests 128 KiB at a time, with one or two requests in flight: if each takes 20 ms, that is 12 MB/s. Once a
handle is read in sequence, worker threads fetch blocks of growing size before they are requested, and
requests are answered with slices of them. Blocks are dropped after they were read and when the reader goes elsewhere. All
blocks of a mount share one budget of bytes. Readers of the same version of a file share its blocks: many that read a part each
would otherwise fetch the same chunks.

Everything here except `OpenFile.read` with ``wait=True`` runs on the event loop's thread, so there are no locks.
"""

from __future__ import annotations

import mmap
from bisect import insort
from collections.abc import Awaitable, Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar
from weakref import WeakValueDictionary

import trio

from zarrcore.ages import aged
from zarrfs.fuse.inodes.inode import Pages
from zarrfs.fuse.prefetch_buffers import Buffers
from zarrfs.trees.element_layout import ElementLayout
from zarrfs.trees.entry import BytesLike, OpenFile
from zarrfs.trees.errors import WouldBlockError
from zarrfs.trees.freshness import Freshness

T = TypeVar("T")

_MIB: Final = 1 << 20
_SLACK: Final = 2 * _MIB
"""The allowed distance of a request from the expected offset: the kernel's own read-ahead arrives out of order."""
_LATE: Final = 16 * _MIB
"""The allowed distance of a request behind the others: the kernel may send its requests in any order."""
_BEGIN: Final = 256 << 10
"""Bytes read in sequence before read-ahead begins: a header or a small file needs none."""
_BEGIN_WITHIN: Final = 512 << 10
"""The same for a reader that begins within a file. The kernel reads 128 KiB around a page of a mapped file."""
_BLOCK_MIN: Final = _MIB
_BLOCK_MAX: Final = 4 * _MIB
_WINDOW_MAX: Final = 32 * _MIB
_PAGE: Final = mmap.PAGESIZE
_HOLE: Final = 256 << 10
"""Bytes at the beginning of a pushed block that are left for the kernel to request, which shows its progress."""
_FETCHES_MAX: Final = 4
"""Blocks that are fetched at once for one handle. If its store hangs, threads are left for the others."""

FETCHES_MAX: Final = 16
"""Blocks that are fetched at once for all handles. A fetch begins only if a thread is free, so that it never waits for
one; otherwise the reader is served without read-ahead."""


class Threads(Protocol):
    """Worker threads for slow calls."""

    async def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call the function in a worker thread."""

    async def run_ahead(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call the function in one of `FETCHES_MAX` other threads."""

    def start(self, function: Callable[..., Awaitable[Any]], *arguments: Any) -> None:
        """Run an asynchronous function as a task."""


class Budget:
    """What all readers of a mount share: limits for bytes held and for blocks fetched at once, and the blocks of each file.

    Args:
        nbytes: the limit for bytes held.
        freshness: the time for which blocks may be given to other readers than the one that fetched them.
    """

    def __init__(self, nbytes: int, freshness: Freshness) -> None:
        self.limit = nbytes
        self.used = 0
        self.buffers = Buffers(nbytes)
        self._fetches = 0
        self._freshness = freshness
        self._files = WeakValueDictionary[Hashable, FileBlocks]()

    def blocks_of(self, version: Hashable | None) -> FileBlocks:
        """The blocks of all readers of a version of a file; for None, those of one reader."""
        own = FileBlocks(self._freshness)
        return own if version is None else self._files.setdefault(version, own)

    def reserve(self, nbytes: int) -> bool:
        """Reserve bytes and a thread to fetch them; False if there are not enough."""
        if self.used + nbytes > self.limit or self._fetches >= FETCHES_MAX:
            return False
        self.used += nbytes
        self._fetches += 1
        return True

    def fetched(self) -> None:
        """Release the thread."""
        self._fetches -= 1

    def release(self, nbytes: int) -> None:
        """Release bytes that are no longer held."""
        self.used -= nbytes
        if not self.used:
            self.buffers.clear()


@dataclass(eq=False, slots=True)
class _Block:
    """A range of a file, fetched or being fetched."""

    start: int
    stop: int
    left: int
    """Bytes that were not requested yet."""
    changes: int
    """The number of writes to the file before it was fetched."""
    taken_s: float
    """When it began to be fetched, or the oldest answer that it was made from was requested."""
    done: trio.Event = field(default_factory=trio.Event)
    content: memoryview | None = None
    """The bytes; None while they are fetched and if that failed."""
    dropped: bool = False
    pushed: bool = False
    """Whether the kernel has it, except for the bytes left for it to request."""
    readers: int = 1
    """How many readers hold it."""


class FileBlocks:
    """The blocks of a version of a file, of all its readers.

    Args:
        freshness: the time for which blocks may be given to other readers.

    Attributes:
        readers: how many readers are open.
    """

    def __init__(self, freshness: Freshness) -> None:
        self.readers = 0
        self._freshness = freshness
        self._blocks: list[_Block] = []

    def add(self, start: int, stop: int, changes: int) -> _Block:
        """A new block of a reader."""
        block = _Block(start, stop, stop - start, changes, self._freshness.now())
        self._blocks.append(block)
        return block

    def remove(self, block: _Block) -> None:
        """Forget a block, which is dropped."""
        self._blocks.remove(block)

    def fresh(self, start: int, stop: int, changes: int) -> Iterator[_Block]:
        """The blocks that have bytes of a range, as the file is after a number of writes."""
        for block in self._blocks:
            is_there = block.start < stop and start < block.stop and block.changes == changes
            if is_there and not self._freshness.expired(block.taken_s):
                yield block


Push = Callable[[int, memoryview], Any]
"""Gives the kernel bytes of a file, from an offset, that it has not requested."""


class Reader:
    """Reads one open file for one handle.

    Args:
        file: the file.
        threads: read the file.
        budget: the limits for all readers.
        push: gives the kernel bytes that it has not requested, for a kernel that requests little at a time.
        version: names the version of the file among all files of the mount; None if it has none that is known.
        pages: the kernel's pages of the file, to which all bytes are added; None if they are not kept.

    Attributes:
        ahead_hits: requests answered from blocks that were read ahead.
    """

    def __init__(
        self,
        file: OpenFile,
        threads: Threads,
        budget: Budget,
        push: Push | None = None,
        version: Hashable | None = None,
        pages: Pages | None = None,
    ) -> None:
        self.file = file
        self._pages = pages
        self._layout = file.layout
        self._push = push
        self.ahead_hits = 0
        self._threads = threads
        self._budget = budget
        self._blocks: list[_Block] = []
        self._of_file = budget.blocks_of(version)
        self._of_file.readers += 1
        self._begun = self._next = self._run = 0
        self._fetches = 0
        self._changes = file.changes

    async def read(self, offset: int, nbytes: int) -> BytesLike:
        """``nbytes`` from ``offset``, fewer at the end of the file only."""
        nbytes = min(nbytes, self.file.size - offset)
        if nbytes <= 0:
            return b""
        if self._layout is not None:
            if self._changes != self.file.changes:
                # The blocks are stale. A handle that writes between its reads does not read ahead.
                self._changes = self.file.changes
                self._begin(offset)
                self._drop_all()
            self._follow(offset, nbytes, self._layout)
            if self._blocks:
                return await self._joined(offset, offset + nbytes)
        return await self._read_now(offset, nbytes)

    async def _read_now(self, offset: int, nbytes: int) -> BytesLike:
        try:
            content, oldest_s = aged(self.file.read, offset, nbytes, False)
        except WouldBlockError:
            content, oldest_s = await self._threads.run(aged, self.file.read, offset, nbytes, True)
        self._add(oldest_s)
        return content

    def _add(self, taken_s: float) -> None:
        """Note the age of bytes that are given to the kernel."""
        if self._pages is not None and taken_s < self._pages.taken_s:
            self._pages.taken_s = taken_s

    def close(self) -> None:
        """Drop the blocks; those being fetched are dropped when they arrive."""
        self._drop_all()
        self._of_file.readers -= 1
        self.file.close()

    def _follow(self, offset: int, nbytes: int, layout: ElementLayout) -> None:
        """Note a request, and read ahead if it continues a sequence."""
        pushed = max((block.stop for block in self._blocks if block.pushed), default=0)
        if not self._next - _SLACK <= offset <= max(self._next, pushed) + _SLACK:
            self._begin(offset)
            self._drop_all()
        elif layout.holds_many and offset > max(self._next, pushed) + nbytes:
            # Rows or columns of an array: the bytes between them are not wanted.
            self._begin(offset)
        # What was skipped does not count, unless it was pushed: a reader that jumps ahead again and again wants only parts.
        self._run += nbytes + max(0, min(offset, pushed) - self._next)
        self._next = max(self._next, offset + nbytes)
        self._share(offset, offset + nbytes)
        # A reader that did not begin at the start of the file may want only a part.
        begin, ahead = (_BEGIN_WITHIN, self._run) if self._begun else (_BEGIN, 2 * self._run)
        if self._run >= max(begin, (self._next - self._begun) // 2):
            self._drop_behind()
            self._fetch_until(self._next + min(_WINDOW_MAX, ahead), layout)

    def _share(self, start: int, stop: int) -> None:
        """Hold blocks of other readers that have bytes of a range; while they are being fetched, only for a sequential reader."""
        for block in self._of_file.fresh(start, stop, self._changes):
            is_there = block.content is not None
            if (is_there or (self._run >= _BEGIN and not block.done.is_set())) and block not in self._blocks:
                block.readers += 1
                insort(self._blocks, block, key=lambda one: one.start)

    def _begin(self, offset: int) -> None:
        """Treat a request as the first of a sequence."""
        self._begun = self._next = offset
        self._run = 0

    def _fetch_until(self, stop: int, layout: ElementLayout) -> None:
        start = self._blocks[-1].stop if self._blocks else self._next
        begin, limit, plane, slab = layout.array_at(self._next - 1)
        if self._begun < begin:  # one array after the other
            plane, limit = _BLOCK_MAX, self.file.size
        elif layout.holds_many and slab and self._run <= slab + _BEGIN:
            # Several planes may be wanted: only those that cross the same chunks.
            limit = min(limit, begin + -(-(self._next - begin) // slab) * slab)
        if layout.holds_many and self._run <= min(plane, _WINDOW_MAX) + _BEGIN:
            return  # perhaps only one plane is wanted
        stop = min(stop, limit)
        if 0 < slab <= self._budget.limit // 2:
            # The chunks of a whole slab are decoded in place, which is twice as fast.
            stop = min(limit, max(stop, self._next + slab))
            if not self._blocks and self._of_file.readers > 1 and start > begin:
                # Others may read what comes before in the slab, for which the same chunks are decoded.
                start -= (start - begin) % slab
        else:
            begin = slab = 0
        self._fetch_range(start, stop, limit, begin, slab)

    def _fetch_range(self, start: int, stop: int, limit: int, begin: int, slab: int) -> None:
        """Begin to fetch the bytes of a range that no block has, in blocks that end at multiples of a slab from ``begin``."""
        # Fetch half a window at once, not a small part for each request.
        while start < stop:
            self._share(start, start + 1)
            if self._blocks and self._blocks[-1].stop > start:
                start = self._blocks[-1].stop
                continue
            wanted = min(_BLOCK_MAX, max(_BLOCK_MIN, min(self._run // 2, self._budget.limit // 4)))
            # Whole multiples: a request then seldom crosses two blocks, which would cost a copy.
            end = min(limit, _end_of_block(start + wanted, begin, slab))
            if end > stop and end - start > max(_BLOCK_MIN, slab) and end != limit:
                return
            if self._fetches >= _FETCHES_MAX or not self._budget.reserve(end - start):
                return
            self._fetches += 1
            block = self._of_file.add(start, end, self._changes)
            self._blocks.append(block)
            self._threads.start(self._fetch, block)
            start = end

    async def _fetch(self, block: _Block) -> None:
        try:
            await self._fill(block)
            if block.content is not None:
                await self._push_ahead(block, block.content)
        finally:
            self._fetches -= 1
            self._budget.fetched()

    async def _fill(self, block: _Block) -> None:
        try:
            if block.dropped:
                return
            buffer = self._budget.buffers.take(block.stop - block.start)
            content, oldest_s = await self._threads.run_ahead(aged, self.file.read_into, block.start, buffer)
            block.taken_s = min(block.taken_s, oldest_s)
            if len(content) == len(buffer):
                block.content = memoryview(content)
        except Exception:  # noqa: BLE001 - a request for these bytes raises it again, for the faulty ones only
            self._run = 0
        finally:
            block.done.set()
            if block.dropped:
                self._give_back(block)

    async def _push_ahead(self, block: _Block, content: memoryview) -> None:
        """Push bytes that the kernel will request; never those that it may be requesting now, since it waits for the reply."""
        start, stop = block.start + _HOLE, block.stop
        start += -start % _PAGE
        if stop < self.file.size:
            stop -= stop % _PAGE
        if self._push is None or start >= stop or block.start <= self._next + _SLACK:
            return
        self._add(block.taken_s)
        try:
            await self._threads.run_ahead(
                self._push, start, content[start - block.start : stop - block.start]
            )
            block.pushed = True
        except OSError:  # the kernel has forgotten the file, or refuses the bytes
            self._push = None

    async def _joined(self, offset: int, end: int) -> BytesLike:
        """The bytes, from blocks if they hold or are fetching them, since a second read would decode them again."""
        parts: list[BytesLike] = []
        while offset < end:
            block = next((block for block in self._blocks if block.start <= offset < block.stop), None)
            if block is not None and (self._fetches or not block.done.is_set()):
                await block.done.wait()  # which also lets fetches begin, if this block is there
            if block is not None and block.content is not None:
                self.ahead_hits += 1
                self._add(block.taken_s)
                part: BytesLike = block.content[offset - block.start : end - block.start]
                block.left -= len(part)
            else:
                stop = min((other.start for other in self._blocks if other.start > offset), default=end)
                part = await self._read_now(offset, min(stop, end) - offset)
            if not len(part):
                break
            parts.append(part)
            offset += len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _drop_behind(self) -> None:
        """Drop blocks before the reader's position that were returned or will not be requested any more."""
        # Most of a small budget must be left for the blocks after the reader's position.
        late = self._next - min(_LATE, self._budget.limit // 2)
        for block in [block for block in self._blocks if block.stop <= self._next]:
            if block.left <= 0 or block.pushed or block.stop <= late:
                self._blocks.remove(block)
                self._drop(block)

    def _drop_all(self) -> None:
        while self._blocks:
            self._drop(self._blocks.pop())

    def _drop(self, block: _Block) -> None:
        """Drop a block, if it was the last reader's. The bytes of one that is still being fetched are held until they arrive."""
        block.readers -= 1
        if block.readers:
            return
        self._of_file.remove(block)
        block.dropped = True
        if block.done.is_set():
            self._give_back(block)

    def _give_back(self, block: _Block) -> None:
        block.content = None
        self._budget.release(block.stop - block.start)


def _end_of_block(wanted: int, begin: int, slab: int) -> int:
    """The end of a block that should end near ``wanted``: the end of a slab, or otherwise a whole number of MiB."""
    if not slab or wanted <= begin:
        return wanted // _BLOCK_MIN * _BLOCK_MIN
    short = (wanted - begin) % slab
    return wanted - short if slab <= _BLOCK_MIN or not short else wanted + slab - short
