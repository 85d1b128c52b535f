"""Byte ranges of a shard that are close are fetched in one request."""

from __future__ import annotations

from zarrcore.array.shards.runs import Member, runs

KIB = 1 << 10


def starts(*ranges: tuple[int, int], max_nbytes: int = 1 << 20) -> list[list[int]]:
    members = [Member(start, stop, []) for start, stop in ranges]
    return [[member.start for member in run] for run in runs(members, max_nbytes)]


def test_ranges_are_in_order_and_joined_if_the_gap_is_small() -> None:
    assert starts() == []
    assert starts((500, 600), (0, 100)) == [[0, 500]]
    assert starts((0, 100), (200 * KIB, 201 * KIB)) == [[0], [200 * KIB]]


def test_a_request_is_bounded_except_for_a_single_range() -> None:
    assert starts((0, 600), (600, 1200), (1200, 1300), max_nbytes=1000) == [[0], [600, 1200]]
    assert starts((0, 5000), max_nbytes=1000) == [[0]]


def test_ranges_may_overlap() -> None:
    assert starts((0, 900), (100, 200), (800, 1000)) == [[0, 100, 800]]


def test_a_gap_of_128_kib_is_read_and_a_larger_one_is_not() -> None:
    assert starts((0, 100), (100 + 128 * KIB, 300 * KIB)) == [[0, 100 + 128 * KIB]]
    assert starts((0, 100), (101 + 128 * KIB, 300 * KIB)) == [[0], [101 + 128 * KIB]]
    assert starts((0, 900), (100, 200), (900 + 128 * KIB, 200 * KIB)) == [[0, 100, 900 + 128 * KIB]]


def test_a_request_is_as_large_as_allowed() -> None:
    assert starts((100, 600), (600, 1100), (1100, 1101), max_nbytes=1000) == [[100, 600], [1100]]
    assert starts((0, 400), (400, 800), (800, 1200), (1200, 1600), max_nbytes=1000) == [[0, 400], [800, 1200]]
