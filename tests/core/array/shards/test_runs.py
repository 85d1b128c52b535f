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
