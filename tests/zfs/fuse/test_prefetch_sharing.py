"""Blocks that several readers of one file share: nothing is fetched twice, and nothing old is given to another reader."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable

import pytest
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.zfs.fuse.test_prefetch import DATA, KIB, LASTING, MIB, Hung, Slow, Tasks
from zarrfs.fuse.prefetch import Budget, Reader
from zarrfs.trees.freshness import Freshness

STEP = 128 * KIB
VERSION = (7, "a")
NewReader = Callable[[], Reader]


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def sharing(
    test: Callable[[NewReader, Slow], Awaitable[None]],
    *,
    freshness: Freshness = LASTING,
    version: Hashable | None = VERSION,
    budget: int = 64 * MIB,
) -> None:
    """Run a test with a file, and a function that opens another reader of it. All of them are closed afterwards."""

    async def main() -> None:
        file, allowed = Slow(), Budget(budget, freshness)
        readers: list[Reader] = []
        async with trio.open_nursery() as nursery:

            def new_reader() -> Reader:
                readers.append(Reader(file, Tasks(nursery), allowed, version=version))
                return readers[-1]

            await test(new_reader, file)
            for reader in readers:
                reader.close()
        assert allowed.used == 0

    trio.run(main)


async def read(reader: Reader, start: int, stop: int) -> None:
    for offset in range(start, stop, STEP):
        assert await reader.read(offset, STEP) == DATA[offset : offset + STEP]


def fetched(file: Slow) -> int:
    return sum(nbytes for _, nbytes in file.reads)


@pytest.mark.parametrize("version", [VERSION, None])
def test_many_readers_of_a_part_each_fetch_a_slab_once(version: Hashable | None) -> None:
    async def test(new_reader: NewReader, file: Slow) -> None:
        file.slabs = (0, 8 * MIB)
        async with trio.open_nursery() as nursery:
            for start in range(0, 24 * MIB, 2 * MIB):
                nursery.start_soon(read, new_reader(), start, start + 2 * MIB)
        times = fetched(file) / len(DATA)
        assert times < 1.4 if version else times > 2

    sharing(test, version=version)


def test_a_block_stays_until_its_last_reader_is_closed() -> None:
    async def test(new_reader: NewReader, file: Slow) -> None:
        file.slabs = (0, 8 * MIB)
        first, second = new_reader(), new_reader()
        await read(first, 0, MIB)
        await read(second, 2 * MIB, 3 * MIB)
        first.close()
        del file.reads[:]
        await read(second, 3 * MIB, 4 * MIB)
        assert all(start >= 8 * MIB for start, _ in file.reads)

    sharing(test)


def test_old_blocks_are_not_given_to_another_reader() -> None:
    clock = Clock()

    async def test(new_reader: NewReader, file: Slow) -> None:
        file.slabs = (0, 8 * MIB)
        await read(new_reader(), 0, MIB)
        await trio.testing.wait_all_tasks_blocked()
        del file.reads[:]
        clock.now_s = 9.0
        await read(new_reader(), 4 * MIB, 4 * MIB + STEP)
        assert file.reads == []
        clock.now_s = 10.0
        await read(new_reader(), 4 * MIB, 4 * MIB + STEP)
        assert file.reads == [(4 * MIB, STEP)]

    sharing(test, freshness=Freshness(10.0, clock))


def test_blocks_from_before_a_write_are_not_given_to_another_reader() -> None:
    async def test(new_reader: NewReader, file: Slow) -> None:
        first = new_reader()
        await read(first, 0, MIB)
        file.data, file.changes = bytes(len(DATA)), file.changes + 1
        for reader in (new_reader(), first):
            assert await reader.read(MIB, STEP) == bytes(STEP)

    sharing(test)


def test_only_sequential_readers_wait_for_the_blocks_of_others() -> None:
    async def main() -> None:
        budget, file = Budget(64 * MIB, LASTING), Slow()
        file.slabs = (0, 8 * MIB)
        async with trio.open_nursery() as nursery:
            threads = Hung(nursery)
            first, second = (Reader(file, threads, budget, version=VERSION) for _ in range(2))
            nursery.start_soon(first.read, 0, 512 * KIB)
            await trio.testing.wait_all_tasks_blocked()
            await read(second, 4 * MIB, 4 * MIB + STEP)
            with trio.move_on_after(0) as waiting:
                await second.read(4 * MIB + STEP, STEP)
            assert waiting.cancelled_caught
            threads.go_on.set()
            first.close()
            second.close()
        assert budget.used == 0

    trio.run(main)


STEPS = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.one_of(st.none(), st.integers(0, len(DATA))),
        st.sampled_from([1, 4 * KIB, STEP, MIB]),
    ),
    max_size=40,
)


@settings(max_examples=40)
@given(STEPS, st.sampled_from([0, 4 * MIB]), st.sampled_from([4 * MIB, 64 * MIB]), st.booleans())
def test_readers_in_any_order_get_their_bytes(
    steps: list[tuple[int, int | None, int]], slab: int, budget: int, are_at_once: bool
) -> None:
    """Four readers, each of which goes on where it was, or somewhere else."""

    async def test(new_reader: NewReader, file: Slow) -> None:
        file.slabs = (0, slab)
        readers, ends = [new_reader() for _ in range(4)], [0] * 4

        async def one(number: int, offset: int, nbytes: int) -> None:
            assert await readers[number].read(offset, nbytes) == DATA[offset : offset + nbytes]

        async with trio.open_nursery() as nursery:
            for number, start, nbytes in steps:
                offset = ends[number] if start is None else start
                ends[number] = offset + nbytes
                if are_at_once:
                    nursery.start_soon(one, number, offset, nbytes)
                    await trio.lowlevel.checkpoint()
                else:
                    await one(number, offset, nbytes)

    sharing(test, budget=budget)
