"""The age limit of answers: one rule for everything that remembers one, from the hierarchy to the kernel.

An answer that was requested from the store at ``t`` may be given until ``t`` + the time to live, from whatever place. So each
place keeps an answer with the time at which it was requested; one that was made of others has the time of the oldest of
them (`zarrcore.ages`). Absence is an answer like any other. `Freshness` decides, for the trees and the inodes alike, and
the kernel is given what is left of the time. A place that cannot pass the time on, such as the store's own cache, has a
part of the time to live for itself, which `zarrfs.trees.store_trees` subtracts.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

from zarrcore.ages import aged, note_age

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Freshness:
    """The metadata time to live, and the moment before which all answers are expired."""

    def __init__(self, ttl_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.ttl_s = ttl_s
        self.now = clock
        self.generation = 0
        """Grows whenever all answers must be forgotten."""
        self._refreshed_s = -math.inf

    def expired(self, taken_s: float) -> bool:
        """Whether an answer requested at ``taken_s`` is stale."""
        return self.now() - taken_s >= self.ttl_s or taken_s < self._refreshed_s

    def refresh(self) -> None:
        """Expire and forget all answers learnt so far."""
        self.generation += 1
        self._refreshed_s = self.now()

    def expire(self) -> None:
        """Expire all answers learnt so far; what was made from them may still be valid."""
        self._refreshed_s = self.now()

    def left_s(self, taken_s: float) -> float:
        """How long an answer requested at ``taken_s`` may still be given, in the form that the kernel expects."""
        if taken_s < self._refreshed_s:
            return 0.0
        return (
            2.0**31
            if math.isinf(self.ttl_s)
            else min(self.ttl_s, max(0.0, taken_s + self.ttl_s - self.now()))
        )


class Remembered(Generic[K, V]):
    """A cache of answers by question. None is older than the time to live; the least recently used are dropped first.

    Args:
        budget: the maximum sum of weights.

    Attributes:
        weight: the current sum of weights.
    """

    def __init__(self, freshness: Freshness, budget: int) -> None:
        self.freshness = freshness
        self._budget = budget
        self.weight = 0
        self._generation = freshness.generation
        self._answers: OrderedDict[K, tuple[V, float, int]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._answers)

    def get(self, question: K) -> tuple[V, float] | None:
        """The answer, which may itself be None, and when it was requested; None if it is unknown or too old."""
        with self._lock:
            self._forget_old_generation()
            found = self._answers.get(question)
            if found is None:
                return None
            if self.freshness.expired(found[1]):
                self._drop(question)
                return None
            self._answers.move_to_end(question)
        if not math.isinf(self.freshness.ttl_s):
            note_age(found[1])
        return found[:2]

    def learn(self, question: K, make: Callable[[], V], weigh: Callable[[V], int] = lambda _: 1) -> V:
        """The answer that ``make`` returns. It is kept, and as old as the oldest answer that it was made from."""
        asked_s = self.freshness.now()
        answer, oldest_s = aged(make)
        self.put(question, answer, min(asked_s, oldest_s), weigh(answer))
        return answer

    def put(self, question: K, answer: V, asked_s: float, weight: int = 1) -> None:
        """Keep the answer to a question asked at ``asked_s``."""
        with self._lock:
            self._forget_old_generation()
            self._drop(question)
            self._answers[question] = (answer, asked_s, weight)
            self.weight += weight
            while self.weight > self._budget:
                self._drop(next(iter(self._answers)))

    def drop(self, question: K) -> None:
        """Forget one answer."""
        with self._lock:
            self._drop(question)

    def clear(self) -> None:
        """Forget all answers."""
        with self._lock:
            self._answers.clear()
            self.weight = 0

    def _drop(self, question: K) -> None:
        found = self._answers.pop(question, None)
        if found is not None:
            self.weight -= found[2]

    def _forget_old_generation(self) -> None:
        if self._generation != self.freshness.generation:
            self._generation = self.freshness.generation
            self._answers.clear()
            self.weight = 0
