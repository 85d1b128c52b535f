"""Read-ahead: the right bytes in any order, within a budget, and errors only for readers of the failing bytes."""

from __future__ import annotations

import errno
import math
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st

from zarrfs.fuse.prefetch import FETCHES_MAX, Budget, Push, Reader
from zarrfs.trees.entry import BytesLike, OpenFile
from zarrfs.trees.errors import WouldBlockError
from zarrfs.trees.freshness import Freshness

T = TypeVar("T")

PAGE = 4096
KIB = 1 << 10
MIB = 1 << 20
PATTERN = bytes(range(251))
ARRAY, SLAB, PLANE = 12 * MIB, 4 * MIB, MIB
"""Sizes of an array, a slab and a plane in a file of many arrays."""
LASTING = Freshness(math.inf)
DATA = (PATTERN * (24 * MIB // len(PATTERN) + 1))[: 24 * MIB + 77]


class Slow(OpenFile):
    """A file that always makes readers wait, and fails at given places."""

    def __init__(self, fails: range = range(0), holds_many: bool = False) -> None:
        self.size = len(DATA)
        self.holds_many = holds_many
        self.layout = self
        self.slabs = (0, 0)
        self.fails = fails
        self.reads: list[tuple[int, int]] = []
        self.data = DATA
        self.closed = False

    def read(self, offset: int, nbytes: int, wait: bool) -> BytesLike:
        if not wait:
            raise WouldBlockError
        self.reads.append((offset, nbytes))
        if offset < self.fails.stop and self.fails.start < offset + nbytes:
            raise OSError("bad sector")
        return memoryview(self.data)[offset : offset + nbytes]

    def array_at(self, offset: int) -> tuple[int, int, int, int]:
        if not self.holds_many:
            begin, slab = self.slabs
            return begin, self.size, 0, slab
        begin = offset // ARRAY * ARRAY
        return begin, min(self.size, begin + ARRAY), PLANE, SLAB

    def close(self) -> None:
        self.closed = True


class Tasks:
    """Worker threads without threads: each call takes one turn of the loop."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self._nursery = nursery

    async def run(self, function: Callable[..., T], *arguments: Any) -> T:
        await trio.lowlevel.checkpoint()
        return function(*arguments)

    run_ahead = run

    def start(self, function: Callable[..., Awaitable[Any]], *arguments: Any) -> None:
        self._nursery.start_soon(function, *arguments)


def reading(
    test: Callable[[Reader, Slow, Budget], Awaitable[None]],
    budget: int = 64 * MIB,
    push: Push | None = None,
    **options: Any,
) -> None:
    async def main() -> None:
        file, allowed = Slow(**options), Budget(budget, LASTING)
        async with trio.open_nursery() as nursery:
            reader = Reader(file, Tasks(nursery), allowed, push)
            await test(reader, file, allowed)
            reader.close()
        assert file.closed
        assert allowed.used == 0

    trio.run(main)


def test_a_sequential_reader_needs_few_requests() -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        step = 128 << 10
        for offset in range(0, len(DATA), step):
            assert await reader.read(offset, step) == DATA[offset : offset + step]
            assert budget.used <= budget.limit
        assert len(file.reads) < 24
        assert reader.ahead_hits > 180

    reading(test)


def test_each_byte_is_fetched_once_by_a_sequential_reader() -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        for offset in range(0, len(DATA), 100_000):
            await reader.read(offset, 100_000)
        assert sum(nbytes for _, nbytes in file.reads) <= len(DATA) + 2 * 100_000

    reading(test)


class Kernel:
    """The kernel's pages, and its reads: 128 KiB that it does not have, sometimes two requests at once."""

    def __init__(self) -> None:
        self.pages: dict[int, bytes] = {}
        self.asking: tuple[int, int] = (0, 0)
        self.reads = 0

    def push(self, offset: int, content: memoryview) -> None:
        assert offset % PAGE == 0
        start, stop = self.asking
        assert offset >= stop or offset + len(content) <= start, "the kernel would wait for the reply"
        for at in range(0, len(content), PAGE):
            self.pages[(offset + at) // PAGE] = bytes(content[at : at + PAGE])

    async def read(self, reader: Reader, page: int) -> bytes:
        if page not in self.pages:
            self.reads += 1
            offset = page * PAGE
            self.asking = (offset, offset + (128 << 10))
            content = bytes(await reader.read(offset, 128 << 10))
            self.asking = (0, 0)
            for at in range(0, len(content), PAGE):
                self.pages.setdefault((offset + at) // PAGE, content[at : at + PAGE])
        return self.pages[page]


@pytest.mark.parametrize("slabs", [(0, 0), (128, 3 * MIB), (0, 300_000)])
def test_pushed_bytes_are_not_requested(slabs: tuple[int, int]) -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        file.slabs = slabs
        for page in range(-(-len(DATA) // PAGE)):
            assert await kernel.read(reader, page) == DATA[page * PAGE : (page + 1) * PAGE]
            await trio.lowlevel.checkpoint()
        assert kernel.reads < 70, "without pushing, 193"
        assert sum(nbytes for _, nbytes in file.reads) < len(DATA) + 4 * MIB

    kernel = Kernel()
    reading(test, push=kernel.push)


def test_a_kernel_that_refuses_pushed_bytes_gets_no_more() -> None:
    def refuse(offset: int, content: memoryview) -> None:
        calls.append(offset)
        raise OSError(errno.ENOENT, "no such file")

    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        for offset in range(0, len(DATA), 128 << 10):
            assert await reader.read(offset, 128 << 10) == DATA[offset : offset + (128 << 10)]
        assert len(calls) <= 4

    calls: list[int] = []
    reading(test, push=refuse)


def test_blocks_fetched_before_a_write_are_not_used() -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        step = 128 << 10
        for offset in range(0, MIB, step):
            await reader.read(offset, step)
        assert budget.used
        file.data = bytes(len(DATA))
        file.changes += 1
        for offset in range(MIB, 2 * MIB, step):
            assert await reader.read(offset, step) == bytes(step)

    reading(test)


def test_a_reader_that_writes_in_between_does_not_read_ahead() -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        step = 128 << 10
        for offset in range(0, 2 * MIB, step):
            assert await reader.read(offset, step) == DATA[offset : offset + step]
            file.changes += 1
        assert file.reads == [(offset, step) for offset in range(0, 2 * MIB, step)]

    reading(test)


def test_random_reads_do_not_read_ahead() -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        for offset in (20 * MIB, 3 * MIB, 12 * MIB, 7 * MIB):
            assert await reader.read(offset, 4096) == DATA[offset : offset + 4096]
        assert file.reads == [(offset, 4096) for offset in (20 * MIB, 3 * MIB, 12 * MIB, 7 * MIB)]
        assert (budget.used, reader.ahead_hits) == (0, 0)

    reading(test)


def test_requests_that_overtake_each_other_are_one_sequence() -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        step = 128 << 10
        offsets = list(range(0, len(DATA) - step, step))
        for first, second in zip(offsets[1::2], offsets[::2], strict=False):
            for offset in (first, second):
                assert await reader.read(offset, step) == DATA[offset : offset + step]
        assert len(file.reads) < 24

    reading(test)


@pytest.mark.parametrize("budget", [16 * MIB, 64 * MIB])
def test_requests_that_wait_while_others_come_fetch_nothing_twice(budget: int) -> None:
    """The kernel sends many requests at once, and one that waits for a block may be answered after later ones."""

    async def test(reader: Reader, file: Slow, allowed: Budget) -> None:
        async def read(offset: int) -> None:
            assert await reader.read(offset, MIB) == DATA[offset : offset + MIB]

        file.slabs = (0, 4 * MIB)
        for start in range(0, len(DATA), 8 * MIB):
            async with trio.open_nursery() as requests:
                for offset in range(start, min(len(DATA), start + 8 * MIB), MIB):
                    requests.start_soon(read, offset)
                    # Trio runs ready tasks in any order: a checkpoint after each request keeps their order.
                    await trio.lowlevel.checkpoint()
        assert sum(nbytes for _, nbytes in file.reads) <= len(DATA) + 4 * MIB

    reading(test, budget=budget)


def test_read_ahead_stays_within_its_budget() -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        for offset in range(0, len(DATA), 128 << 10):
            assert await reader.read(offset, 128 << 10) == DATA[offset : offset + (128 << 10)]
            assert budget.used <= 2 * MIB
        # A small budget is used until the end, not only until blocks have grown beyond it.
        assert len(file.reads) < 32

    reading(test, budget=2 * MIB)


def test_an_error_only_affects_readers_of_its_bytes() -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        failed = []
        for offset in range(0, 8 * MIB, 128 << 10):
            try:
                assert await reader.read(offset, 128 << 10) == DATA[offset : offset + (128 << 10)]
            except OSError:
                failed.append(offset)
        assert failed == [3 * MIB]

    reading(test, fails=range(3 * MIB, 3 * MIB + 1))


def test_reads_at_the_end_are_short_and_beyond_it_empty() -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        assert await reader.read(len(DATA) - 3, 100) == DATA[-3:]
        assert await reader.read(len(DATA) + 5, 100) == b""

    reading(test)


SEQUENCES = st.lists(
    st.one_of(
        st.tuples(st.integers(0, len(DATA) + MIB), st.integers(0, 2 * MIB)),
        st.tuples(st.none(), st.integers(1, MIB)),
    ),
    max_size=30,
)


@settings(max_examples=60, deadline=None)
@given(SEQUENCES)
def test_any_order_of_reads_gives_the_bytes(steps: list[tuple[int | None, int]]) -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        end = 0
        for start, nbytes in steps:
            offset = end if start is None else start
            assert await reader.read(offset, nbytes) == DATA[offset : offset + nbytes]
            end = offset + nbytes

    reading(test)


@pytest.mark.parametrize("together", [2, 8])
def test_several_requests_at_once_get_their_bytes(together: int) -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        async def one(offset: int) -> None:
            assert await reader.read(offset, 128 << 10) == DATA[offset : offset + (128 << 10)]

        for offset in range(0, len(DATA), together * (128 << 10)):
            async with trio.open_nursery() as nursery:
                for index in range(together):
                    nursery.start_soon(one, offset + index * (128 << 10))

    reading(test)


class Hung(Tasks):
    """Threads whose read-ahead hangs until `go_on` is set."""

    def __init__(self, nursery: trio.Nursery) -> None:
        super().__init__(nursery)
        self.ahead = 0
        self.go_on = trio.Event()

    async def run_ahead(self, function: Callable[..., Any], *arguments: Any) -> Any:
        self.ahead += 1
        await self.go_on.wait()
        return function(*arguments)


def test_hung_readers_leave_threads_to_others_and_release_their_bytes() -> None:
    async def main() -> None:
        budget = Budget(1024 * MIB, LASTING)
        async with trio.open_nursery() as nursery:
            threads = Hung(nursery)
            readers = [Reader(Slow(), threads, budget) for _ in range(10)]
            for reader in readers:
                nursery.start_soon(reader.read, 0, 512 << 10)
            await trio.testing.wait_all_tasks_blocked()
            assert threads.ahead == FETCHES_MAX
            # There is no thread for another reader, which is still served.
            readers.append(Reader(Slow(), threads, budget))
            assert await readers[-1].read(0, 512 << 10) == DATA[: 512 << 10]
            for reader in readers:
                reader.close()
            assert budget.used > 0
            threads.go_on.set()
        assert budget.used == 0
        assert threads.ahead == FETCHES_MAX

    trio.run(main)


def test_blocks_dropped_before_their_fetch_begins_are_not_fetched() -> None:
    async def main() -> None:
        budget, file = Budget(64 * MIB, LASTING), Slow()
        async with trio.open_nursery() as nursery:
            reader = Reader(file, Tasks(nursery), budget)
            reader._follow(0, MIB, file)
            assert budget.used > 0
            reader.close()
        assert (file.reads, budget.used) == ([], 0)

    trio.run(main)


def test_one_array_of_many_is_read_ahead() -> None:
    """S40: "Read-ahead follows sequential readers only"."""

    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        async def read(start: int, stop: int, step: int = 128 << 10, nbytes: int = 128 << 10) -> None:
            for offset in range(start, stop, step):
                assert await reader.read(offset, nbytes) == DATA[offset : offset + nbytes]
                await trio.lowlevel.checkpoint()

        def fetched() -> int:
            return sum(nbytes for _, nbytes in file.reads)

        # A plane: only the requested bytes.
        await read(MIB, 2 * MIB)
        assert fetched() == MIB
        # Columns: a part of each of many rows.
        await read(4 * MIB, 12 * MIB, MIB, 300 << 10)
        assert fetched() == MIB + 8 * (300 << 10)
        # Planes that cross the same chunks: only these chunks.
        del file.reads[:]
        await read(0, 3 * MIB)
        assert fetched() == SLAB
        # An array from start to end: nothing of the next one.
        del file.reads[:]
        await read(ARRAY, 2 * ARRAY - (128 << 10))
        assert max(offset + nbytes for offset, nbytes in file.reads) <= 2 * ARRAY
        assert len(file.reads) < 25

    reading(test, holds_many=True)


def test_metadata_are_read_ahead_to_their_end() -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        file.array_at = lambda offset: (0, 8 * MIB, 0, 0)
        for offset in range(0, 6 * MIB, 128 << 10):
            assert await reader.read(offset, 128 << 10) == DATA[offset : offset + (128 << 10)]
        assert sum(nbytes for _, nbytes in file.reads) == 8 * MIB

    reading(test, holds_many=True)


def test_many_arrays_are_read_ahead_for_a_reader_of_all() -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        for offset in range(0, len(DATA), 128 << 10):
            assert await reader.read(offset, 128 << 10) == DATA[offset : offset + (128 << 10)]
        assert len(file.reads) < 50

    reading(test, holds_many=True)
