"""Memory that is reused, but never while it is still referenced."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from zarrfs.fuse.prefetch_buffers import Buffers

PAGE = 4096
LIMIT = 40 * PAGE


class Taking(RuleBasedStateMachine):
    """Views are taken, sliced and released; each keeps its content."""

    @initialize()
    def begin(self) -> None:
        self.buffers = Buffers(LIMIT)
        self.held: dict[int, memoryview] = {}
        self.count = 0

    @rule(nbytes=st.integers(1, 20 * PAGE))
    def take(self, nbytes: int) -> None:
        view = self.buffers.take(nbytes)
        assert len(view) == nbytes
        self.count += 1
        view[:] = bytes([self.count % 256]) * nbytes
        self.held[self.count] = view

    @rule(data=st.data())
    def keep_a_part(self, data: st.DataObject) -> None:
        if self.held:
            number = data.draw(st.sampled_from(sorted(self.held)))
            self.held[number] = self.held[number][len(self.held[number]) // 2 :]

    @rule(data=st.data())
    def let_go(self, data: st.DataObject) -> None:
        if self.held:
            del self.held[data.draw(st.sampled_from(sorted(self.held)))]

    @rule()
    def clear(self) -> None:
        self.buffers.clear()
        if not self.held:
            assert self.buffers.nbytes == 0

    @invariant()
    def nothing_is_overwritten(self) -> None:
        for number, view in getattr(self, "held", {}).items():
            assert bytes(view) == bytes([number % 256]) * len(view)


TestTaking = Taking.TestCase
TestTaking.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)


def test_unused_memory_is_reused() -> None:
    buffers = Buffers(LIMIT)
    for _ in range(10):
        buffers.take(10 * PAGE)[:1] = b"x"
    assert buffers.nbytes == 10 * PAGE


def test_unused_memory_is_freed_for_new_blocks() -> None:
    buffers = Buffers(LIMIT)
    held = buffers.take(20 * PAGE)
    for pages in (1, 3, 7, 15):
        buffers.take(pages * PAGE)
    assert buffers.nbytes <= LIMIT
    held.release()
    buffers.clear()
    assert buffers.nbytes == 0


def test_a_block_of_up_to_twice_the_size_is_reused() -> None:
    buffers = Buffers(LIMIT)
    buffers.take(10 * PAGE)
    buffers.take(5 * PAGE)
    buffers.take(10 * PAGE - 1)
    assert buffers.nbytes == 10 * PAGE
    buffers.take(4 * PAGE)
    assert buffers.nbytes == 14 * PAGE, "the rest of a larger block would be wasted"


def test_the_whole_limit_is_used_and_the_oldest_blocks_are_freed_first() -> None:
    buffers = Buffers(LIMIT)
    buffers.take(4 * PAGE)
    buffers.take(36 * PAGE)
    assert buffers.nbytes == 40 * PAGE
    buffers.take(9 * PAGE)
    assert buffers.nbytes == 9 * PAGE
    buffers = Buffers(LIMIT)
    buffers.take(4 * PAGE)
    buffers.take(30 * PAGE)
    buffers.take(9 * PAGE)
    assert buffers.nbytes == 39 * PAGE
    held = [buffers.take(30 * PAGE), buffers.take(9 * PAGE), buffers.take(PAGE)]
    assert buffers.take(20 * PAGE), "blocks in use are not freed, even beyond the limit"
    assert buffers.nbytes == 60 * PAGE
    assert len(held) == 3


def test_blocks_between_those_in_use_are_freed() -> None:
    buffers = Buffers(LIMIT)
    held = buffers.take(2 * PAGE)
    buffers.take(5 * PAGE)
    other = buffers.take(11 * PAGE)
    buffers.take(22 * PAGE)
    buffers.clear()
    assert buffers.nbytes == 13 * PAGE
    assert (len(held), len(other)) == (2 * PAGE, 11 * PAGE)
