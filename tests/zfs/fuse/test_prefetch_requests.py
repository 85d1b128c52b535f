"""What read-ahead asks the store for, gives the kernel and keeps in memory."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import pytest
import trio
import trio.testing

from tests.zfs.fuse.test_prefetch import (
    ARRAY,
    DATA,
    KIB,
    LASTING,
    MIB,
    SLAB,
    Hung,
    Slow,
    T,
    Tasks,
    reading,
)
from zarrfs.fuse.prefetch import FETCHES_MAX, Budget, Reader
from zarrfs.trees.entry import BytesLike
from zarrfs.trees.errors import WouldBlockError


async def read_all(
    reader: Reader, file: Slow, offsets: Iterable[int], nbytes: int = 128 * KIB
) -> AsyncIterator[int]:
    """Read and let the blocks arrive; gives the end of each request."""
    for offset in offsets:
        assert await reader.read(offset, nbytes) == file.data[offset : offset + nbytes]
        await trio.testing.wait_all_tasks_blocked()
        yield offset + nbytes


@pytest.mark.parametrize(
    ("options", "slabs", "budget", "nbytes", "cuts"),
    [
        ({}, (0, 0), 64, 128, [0, 128, 256, *range(1024, 12289, 1024), 14336, 16384, 19456, 22528]),
        ({}, (0, 0), 64, 1024, [*range(0, 9217, 1024), 11264, 13312, 15360, 18432, 21504]),
        ({}, (0, 0), 2, 128, [0, 128, 256, *range(1024, 24577, 1024)]),
        (
            {},
            (0, 300 * KIB),
            64,
            128,
            [0, 128, 256, *range(1200, 7501, 900), 8700, 10200, 12000, 14100, 16800, 20100, 24000],
        ),
        (
            {},
            (0, MIB),
            64,
            128,
            [0, 128, 256, *range(1024, 12289, 1024), 14336, 16384, 19456, 22528],
        ),
        ({}, (0, 4 * MIB), 8, 128, [0, 128, 256, *range(4096, 24577, 4096)]),
        ({}, (MIB, 3 * MIB), 64, 128, [*range(0, 1025, 128), *range(4096, 19457, 3072)]),
        ({}, (0, 5 * MIB), 8, 128, [0, 128, 256, *range(1024, 11265, 1024), *range(13312, 23553, 2048)]),
        (
            {"holds_many": True},
            (0, 0),
            64,
            128,
            [*range(0, 1409, 128), 4096, 4224, 8192, 12288, 12416, 20480, 24576],
        ),
        (
            {"holds_many": True},
            (0, 0),
            64,
            1024,
            [0, 1024, 2048, 4096, 5120, 8192, 12288, 13312, 20480, 24576],
        ),
    ],
    ids=[
        "plain",
        "large requests",
        "small budget",
        "small slabs",
        "slabs of a MiB",
        "slabs",
        "slabs after a header",
        "large slabs",
        "arrays",
        "arrays in large requests",
    ],
)
def test_the_store_is_asked_for_growing_blocks_that_end_with_mib_or_slabs(
    options: dict[str, Any], slabs: tuple[int, int], budget: int, nbytes: int, cuts: list[int]
) -> None:
    """The requests that arrive at the store for a file that is read from start to end, by their starts in KiB."""

    async def test(reader: Reader, file: Slow, allowed: Budget) -> None:
        file.slabs = slabs
        most = 0
        async for _ in read_all(reader, file, range(0, len(DATA), nbytes * KIB), nbytes * KIB):
            most = max(most, allowed.used)
        ranges = sorted(file.reads)
        assert [start // KIB for start, _ in ranges] == cuts
        assert [start + size for start, size in ranges][:-1] == [start for start, _ in ranges][1:]
        assert most <= allowed.limit
        if budget <= 8:
            assert most == allowed.limit, "a small budget is used up"
        from_store = sum(start % (nbytes * KIB) == 0 and size == nbytes * KIB for start, size in ranges)
        requests = -(-len(DATA) // (nbytes * KIB))
        assert requests - from_store <= reader.ahead_hits <= requests + len(cuts)

    reading(test, budget=budget * MIB, **options)


class Wide(Slow):
    """A file of a GiB of zeros."""

    def __init__(self) -> None:
        super().__init__()
        self.size = 1 << 30

    def read(self, offset: int, nbytes: int, wait: bool) -> BytesLike:
        if not wait:
            raise WouldBlockError
        self.reads.append((offset, nbytes))
        return bytes(min(nbytes, self.size - offset))


@pytest.mark.parametrize(("budget", "ahead", "block"), [(256, 32, 4), (12, 11, 3)])
def test_a_long_reader_is_32_mib_ahead_in_blocks_of_4_mib_or_as_far_as_a_budget_allows(
    budget: int, ahead: int, block: int
) -> None:
    async def main() -> None:
        file, allowed = Wide(), Budget(budget * MIB, LASTING)
        async with trio.open_nursery() as nursery:
            reader = Reader(file, Tasks(nursery), allowed)
            most = 0
            for offset in range(0, 128 * MIB, MIB):
                await reader.read(offset, MIB)
                await trio.testing.wait_all_tasks_blocked()
                most = max(most, max(start + nbytes for start, nbytes in file.reads) - (offset + MIB))
            assert most == ahead * MIB
            assert max(nbytes for _, nbytes in file.reads) == block * MIB
            assert allowed.buffers.nbytes
            reader.close()
            assert allowed.buffers.nbytes == 0, "an idle mount holds no memory"

    trio.run(main)


def test_a_reader_that_skips_more_than_it_reads_gets_no_read_ahead() -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        async for _ in read_all(reader, file, range(0, 8 * MIB, 192 * KIB), 64 * KIB):
            assert budget.used == 0

    reading(test)


def test_what_is_skipped_and_requested_later_counts() -> None:
    """The kernel may send its requests in any order."""

    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        order = [64, 0, 192, 128, 320, 256, 448, 384]
        async for _ in read_all(reader, file, [each * KIB for each in order], 64 * KIB):
            pass
        assert budget.used

    reading(test)


def test_a_whole_slab_is_fetched_ahead() -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        file.slabs = (0, 4 * MIB)
        async for _ in read_all(reader, file, range(0, 384 * KIB, 128 * KIB)):
            pass
        assert max(offset + nbytes for offset, nbytes in file.reads) == 8 * MIB

    reading(test)


@pytest.mark.parametrize(("start", "nbytes"), [(0, 256 * KIB), (5 * MIB, 512 * KIB)])
def test_read_ahead_begins_after_256_kib_or_twice_that_within_a_file(start: int, nbytes: int) -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        async for end in read_all(reader, file, range(start, start + nbytes, 4 * KIB), 4 * KIB):
            assert bool(budget.used) == (end == start + nbytes)
        assert len(file.reads) > nbytes // (4 * KIB)

    reading(test)


@pytest.mark.parametrize(
    ("distance", "is_one_sequence"),
    [(2 * MIB, True), (2 * MIB + 1, False), (-2 * MIB, True), (-2 * MIB - 1, False)],
)
def test_a_request_within_2_mib_belongs_to_the_sequence(distance: int, is_one_sequence: bool) -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        async for _ in read_all(reader, file, range(3 * MIB, 6 * MIB, 128 * KIB)):
            pass
        assert budget.used
        await reader.read(6 * MIB + distance, 1)
        assert bool(budget.used) == is_one_sequence

    reading(test)


@pytest.mark.parametrize(("gap", "is_one_sequence"), [(128 * KIB, True), (128 * KIB + 1, False)])
def test_rows_far_from_each_other_in_one_of_many_arrays_are_no_sequence(
    gap: int, is_one_sequence: bool
) -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        async for _ in read_all(reader, file, range(0, 8 * MIB, 128 * KIB + gap)):
            pass
        assert bool(budget.used) == is_one_sequence

    reading(test, holds_many=True)


def test_nothing_of_the_next_array_is_read_by_a_reader_of_one() -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        async for _ in read_all(reader, file, range(0, ARRAY, 128 * KIB)):
            pass
        assert max(offset + nbytes for offset, nbytes in file.reads) == ARRAY

    reading(test, holds_many=True)


def test_only_the_chunks_of_the_wanted_planes_are_read_in_any_array() -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        async for _ in read_all(reader, file, range(ARRAY, ARRAY + 3 * MIB, 128 * KIB)):
            pass
        assert max(offset + nbytes for offset, nbytes in file.reads) == ARRAY + SLAB

    reading(test, holds_many=True)


def test_the_kernel_is_given_all_of_a_block_but_its_first_256_kib() -> None:
    """It then requests the beginning, which shows its progress; and blocks that it may be requesting are left to it."""

    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        async for end in read_all(reader, file, range(0, len(DATA), 128 * KIB)):
            assert all(start > end + 2 * MIB for start, _ in pushed[len(seen) :])
            seen[:] = pushed

    def push(offset: int, content: memoryview) -> None:
        assert content == DATA[offset : offset + len(content)]
        pushed.append((offset, len(content)))

    pushed: list[tuple[int, int]] = []
    seen: list[tuple[int, int]] = []
    reading(test, push=push)
    cuts = [*range(4 * MIB, 12 * MIB + 1, MIB), *(at * MIB for at in (14, 16, 19, 22)), len(DATA)]
    assert sorted(pushed) == [
        (start + 256 * KIB, stop - start - 256 * KIB) for start, stop in itertools.pairwise(cuts)
    ]


def test_bytes_that_were_fetched_before_a_write_are_not_given_to_the_kernel() -> None:
    async def main() -> None:
        pushed: list[int] = []
        budget = Budget(1024 * MIB, LASTING)
        async with trio.open_nursery() as nursery:
            threads, file = Hung(nursery), Slow()
            reader = Reader(file, threads, budget, lambda offset, _: pushed.append(offset))
            await reader.read(0, 8 * MIB)
            await trio.testing.wait_all_tasks_blocked()
            assert threads.ahead
            file.changes += 1
            await reader.read(0, 1)
            threads.go_on.set()
            await trio.testing.wait_all_tasks_blocked()
            assert pushed == []
            await reader.read(1, 8 * MIB)
            await trio.testing.wait_all_tasks_blocked()
            assert pushed, "what is fetched now is right"
            reader.close()
        assert budget.used == 0

    trio.run(main)


def test_a_file_that_became_shorter_ends_early() -> None:
    async def test(reader: Reader, file: Slow, budget: Budget) -> None:
        async for _ in read_all(reader, file, range(0, MIB, 128 * KIB)):
            pass
        blocks_end = max(offset + nbytes for offset, nbytes in file.reads)
        file.data = DATA[: blocks_end + 5]
        offset = blocks_end - 10
        with trio.fail_after(60):
            assert bytes(await reader.read(offset, 100)) == DATA[offset : blocks_end + 5]

    reading(test)


def test_a_handle_whose_store_hangs_leaves_threads_to_others() -> None:
    """Also after blocks that arrived."""

    async def main() -> None:
        budget = Budget(1024 * MIB, LASTING)
        async with trio.open_nursery() as nursery:
            threads = Hung(nursery)
            readers = [Reader(Wide(), threads, budget) for _ in range(6)]
            nursery.start_soon(readers[0].read, 0, 16 * MIB)
            await trio.testing.wait_all_tasks_blocked()
            assert threads.ahead == 4
            threads.go_on.set()
            await trio.testing.wait_all_tasks_blocked()
            for reader in readers:
                await reader.read(0, 16 * MIB)
                await trio.testing.wait_all_tasks_blocked()
            threads.go_on, threads.ahead = trio.Event(), 0
            for count, reader in enumerate(readers, 1):
                nursery.start_soon(reader.read, 16 * MIB, 16 * MIB)
                await trio.testing.wait_all_tasks_blocked()
                assert threads.ahead == min(4 * count, FETCHES_MAX)
            threads.go_on.set()
            await trio.testing.wait_all_tasks_blocked()
            for reader in readers:
                reader.close()
        assert budget.used == 0

    trio.run(main)


def held(budget: int, stop: int, skipped: int | None = None) -> int:
    """The bytes held after a file was read up to an offset, except for one request."""
    kept = 0

    async def test(reader: Reader, file: Slow, allowed: Budget) -> None:
        nonlocal kept
        offsets = (offset for offset in range(0, stop, 128 * KIB) if offset != skipped)
        async for _ in read_all(reader, file, offsets):
            kept = allowed.used

    reading(test, budget=budget)
    return kept


@pytest.mark.parametrize(
    ("budget", "skipped", "stop", "nbytes"),
    [
        (64, 7, 24, 0),
        (64, 8, 24, 1),
        (16, 14, 23, 2),
        (16, 14, 24, 0),
    ],
)
def test_a_block_with_bytes_that_were_skipped_is_held_for_a_while(
    budget: int, skipped: int, stop: int, nbytes: int
) -> None:
    """For 16 MiB, or for half of a small budget."""
    kept = held(budget * MIB, stop * MIB, skipped * MIB) - held(budget * MIB, stop * MIB)
    assert kept == nbytes * MIB


def test_a_read_that_waits_runs_in_a_thread_and_the_end_of_a_file_needs_none() -> None:
    async def main() -> None:
        calls: list[tuple[Any, ...]] = []

        class Noting(Tasks):
            async def run(self, function: Callable[..., T], *arguments: Any) -> T:
                assert not file.reads, "nothing waits in the event loop"
                calls.append(arguments)
                return function(*arguments)

        async with trio.open_nursery() as nursery:
            file = Slow()
            reader = Reader(file, Noting(nursery), Budget(MIB, LASTING))
            assert await reader.read(5, 1) == DATA[5:6]
            assert calls == [(file.read, 5, 1, True)]
            file.reads.clear()
            assert await reader.read(len(DATA), 100) == b""
            assert await reader.read(5, 0) == b""
            assert len(calls) == 1

    trio.run(main)
