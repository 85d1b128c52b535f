"""The time to live, and the answers remembered for that time."""

from __future__ import annotations

import math

from tests.zfs.trees.entries import fresh
from zarrcore.ages import aged
from zarrfs.trees.freshness import Freshness, Remembered


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_an_answer_expires_after_the_time_to_live_or_at_a_refresh() -> None:
    clock = Clock()
    freshness = Freshness(10.0, clock)
    assert not freshness.expired(100.0)
    clock.now_s = 110.0
    assert freshness.expired(100.0)
    assert not freshness.expired(105.0)
    freshness.refresh()
    assert freshness.expired(105.0)
    assert freshness.generation == 1


def test_answers_expire_at_once_with_a_time_to_live_of_0_and_never_with_an_endless_one() -> None:
    assert Freshness(0.0, Clock()).expired(100.0)
    assert not Freshness(math.inf, Clock()).expired(-1e9)


def test_the_kernel_is_given_what_is_left_of_the_time() -> None:
    clock = Clock()
    freshness = Freshness(60.0, clock)
    assert (freshness.left_s(100.0), freshness.left_s(70.0), freshness.left_s(40.0)) == (60.0, 30.0, 0.0)
    assert freshness.left_s(math.inf) == 60.0
    assert Freshness(math.inf, clock).left_s(-1e9) == 2.0**31
    assert Freshness(0.0, clock).left_s(100.0) == 0.0
    clock.now_s = 110.0
    freshness.expire()
    assert (freshness.left_s(105.0), freshness.left_s(110.0)) == (0.0, 60.0)


def test_an_answer_is_as_old_as_the_oldest_one_it_was_made_from() -> None:
    clock = Clock()
    freshness = Freshness(10.0, clock)
    parts: Remembered[str, int] = Remembered(freshness, 10)
    whole: Remembered[str, int] = Remembered(freshness, 10)
    parts.put("a", 1, 100.0)
    clock.now_s = 108.0
    assert whole.learn("a", lambda: parts.get("a")[0] + 1) == 2  # type: ignore[index]
    assert whole.get("a") == (2, 100.0)
    assert whole.learn("b", lambda: 5, lambda answer: answer) == 5
    assert (whole.get("b"), whole.weight) == ((5, 108.0), 6)
    assert aged(whole.get, "b") == ((5, 108.0), 108.0)
    clock.now_s = 110.0
    assert whole.get("a") is None


def test_remembered_answers_are_found_until_they_expire() -> None:
    clock = Clock()
    remembered: Remembered[str, int | None] = Remembered(Freshness(10.0, clock), 10)
    remembered.put("a", None, 100.0)
    assert remembered.get("a") == (None, 100.0)
    assert remembered.get("b") is None
    clock.now_s = 110.0
    assert remembered.get("a") is None
    assert (len(remembered), remembered.weight) == (0, 0)


def test_the_least_recently_used_answers_are_dropped_first() -> None:
    remembered: Remembered[str, int] = Remembered(Freshness(10.0, Clock()), 5)
    remembered.put("a", 1, 100.0, weight=2)
    remembered.put("b", 2, 100.0, weight=2)
    assert remembered.get("a") is not None
    remembered.put("c", 3, 100.0, weight=2)
    assert (remembered.get("a"), remembered.get("b"), remembered.get("c")) == ((1, 100.0), None, (3, 100.0))
    assert remembered.weight == 4
    remembered.drop("a")
    assert (len(remembered), remembered.weight) == (1, 2)


def test_a_refresh_forgets_all_earlier_answers() -> None:
    freshness = Freshness(10.0, Clock())
    remembered: Remembered[str, int] = Remembered(freshness, 5)
    remembered.put("a", 1, 100.0)
    freshness.refresh()
    remembered.put("b", 2, 200.0)
    assert (remembered.get("a"), remembered.get("b")) == (None, (2, 200.0))


def test_remembered_answers_are_bounded() -> None:
    remembered: Remembered[int, int] = Remembered(fresh(), budget=10)
    for question in range(100):
        remembered.put(question, question, 100.0)
    assert len(remembered) == 10
    assert remembered.get(99) == (99, 100.0)
    assert remembered.get(0) is None
    remembered.put(1000, 0, 100.0, weight=11)
    assert len(remembered) == 0
