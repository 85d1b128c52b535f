"""Neighbouring parts that threads request at once."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.errors import UnreachableError
from zarrcore.stores import ByteRange, MemoryStore
from zarrcore.stores.virtual.combined_reads import (
    MAX_GAP_NBYTES,
    MAX_TOGETHER_NBYTES,
    CombinedReads,
    _Wanted,
    plan,
)

WHOLE = bytes(range(256)) * 16384


class Slow(MemoryStore):
    """A store that takes a while, counts requests, and may fail."""

    def __init__(self) -> None:
        super().__init__(values={"a": WHOLE})
        self.requests: list[ByteRange | None] = []
        self.fail: Callable[[ByteRange | None], bool] = lambda _: False

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> tuple | None:
        self.requests.append(byte_range)
        time.sleep(0.05)
        if self.fail(byte_range):
            raise UnreachableError("no answer")
        value = MemoryStore.get(self, key, byte_range, max_nbytes=max_nbytes)
        return None if value is None else (value, MemoryStore.stat(self, key))

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> bytes | None:
        found = self.get_with_stat(key, byte_range, max_nbytes=max_nbytes)
        return None if found is None else found[0]


def together(store: CombinedReads, ranges: list[ByteRange], key: str = "a") -> list:
    """The results, or errors, of requests that threads make at once."""
    barrier = threading.Barrier(len(ranges))

    def read(byte_range: ByteRange) -> bytes | UnreachableError | None:
        barrier.wait()
        try:
            value = store.get(key, byte_range)
        except UnreachableError as error:
            return error
        return None if value is None else bytes(value)

    with ThreadPoolExecutor(len(ranges)) as pool:
        return [*pool.map(read, ranges)]


def test_neighbours_are_one_request() -> None:
    slow = Slow()
    ranges = [ByteRange(n * 1000, n * 1000 + 900) for n in range(64)]
    assert together(CombinedReads(slow), ranges) == [WHOLE[start:stop] for start, stop in ranges]
    assert len(slow.requests) < 32


def test_a_request_alone_is_sent_as_it_is() -> None:
    slow = Slow()
    store = CombinedReads(slow)
    for byte_range in (ByteRange(5, 9), ByteRange(-3), ByteRange(7), None):
        assert store.get("a", byte_range) == slow.get("a", byte_range)
    assert slow.requests[0] == ByteRange(5, 9)
    assert store.get("absent", ByteRange(0, 5)) is None
    assert (
        pickle.loads(pickle.dumps(CombinedReads(MemoryStore(values={"a": b"123"})))).get("a", ByteRange(1, 2))
        == b"2"
    )


def test_a_failed_request_for_several_parts_fails_only_those_that_fail_alone() -> None:
    slow = Slow()
    slow.fail = lambda part: part.start <= 20_500 < part.stop
    ranges = [ByteRange(n * 1000, n * 1000 + 1000) for n in range(40)]
    results = together(CombinedReads(slow), ranges)
    assert isinstance(results[20], UnreachableError)
    assert [result for number, result in enumerate(results) if number != 20] == [
        WHOLE[start:stop] for number, (start, stop) in enumerate(ranges) if number != 20
    ]


def test_parts_beyond_the_end_do_not_shorten_others() -> None:
    slow = Slow()
    end = len(WHOLE)
    ranges = [ByteRange(end - 100 * n, end - 100 * n + 90) for n in range(1, 9)] + [
        ByteRange(end - 5, end + 500)
    ]
    assert together(CombinedReads(slow), ranges) == [WHOLE[start:stop] for start, stop in ranges]


@given(st.lists(st.tuples(st.integers(0, 9 << 20), st.integers(1, MAX_TOGETHER_NBYTES)), max_size=30))
def test_each_part_is_in_one_group_that_is_neither_long_nor_sparse(parts: list) -> None:
    wanted = [_Wanted(start, start + nbytes) for start, nbytes in parts]
    plan(wanted)
    groups = {id(each.group): each.group for each in wanted}
    assert sum(each.is_owner for each in wanted) == len(groups)
    assert sum(group.members for group in groups.values()) == len(wanted)
    for each in wanted:
        assert each.group.start <= each.start < each.stop <= each.group.stop
    for group in groups.values():
        assert group.stop - group.start <= MAX_TOGETHER_NBYTES
        members = sorted((each for each in wanted if each.group is group), key=lambda each: each.start)
        stop = group.start
        for each in members:
            assert each.start - stop <= MAX_GAP_NBYTES
            stop = max(stop, each.stop)


@pytest.mark.parametrize("limit", [3, 100])
def test_limits_are_those_of_the_store(limit: int) -> None:
    store = CombinedReads(MemoryStore(values={"a": WHOLE}))
    if limit < 10:
        with pytest.raises(Exception, match="at most 3"):
            store.get("a", ByteRange(0, 10), max_nbytes=limit)
    else:
        assert len(store.get("a", ByteRange(0, 10), max_nbytes=limit)) == 10
