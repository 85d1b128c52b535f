"""CacheStore compared with a dictionary, while other processes change values and time passes."""

from __future__ import annotations

import shutil
import tempfile
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.core.stores.cache.test_store import Clock, Distant
from zarrcore.errors import BodyTooLargeError, UnreachableError
from zarrcore.stores import ByteRange
from zarrcore.stores.cache.directory import CacheDirectory
from zarrcore.stores.cache.store import CacheStore

TTL_S = 60.0
KEYS = st.sampled_from(["a", "b", "p/c"])
VALUES = st.binary(max_size=40)
RANGES = st.one_of(
    st.none(),
    st.builds(ByteRange, st.integers(0, 50), st.one_of(st.none(), st.integers(0, 50))),
    st.builds(ByteRange, st.integers(-50, -1)),
)


def part(value: bytes | None, byte_range: ByteRange | None) -> bytes | None:
    if value is None or byte_range is None:
        return value
    start, stop = byte_range.resolve(len(value))
    return value[start:stop]


class CacheModel(RuleBasedStateMachine):
    """Each answer is one that the store would have given within the time to live, and after this process's writes."""

    def __init__(self) -> None:
        super().__init__()
        self.place = tempfile.mkdtemp()
        self.clock = Clock()
        self.beneath = Distant()
        self.history: dict[str, list[tuple[bytes | None, float]]] = {}
        """For each key its values, each with the time when it was replaced."""
        self.values: dict[str, bytes] = {}
        self.store: Any = self.opened(self.beneath)

    def opened(self, beneath: Distant) -> CacheStore:
        return CacheStore(beneath, CacheDirectory(self.place, 1 << 24), self.ttl_s, self.clock)

    ttl_s = TTL_S

    @initialize(ttl_s=st.sampled_from([0.0, TTL_S, float("inf")]))
    def choose(self, ttl_s: float) -> None:
        self.ttl_s = ttl_s
        self.store = self.opened(self.beneath)

    def teardown(self) -> None:
        shutil.rmtree(self.place, ignore_errors=True)

    def _over(self, key: str) -> None:
        self.history.setdefault(key, []).append((self.values.get(key), self.clock.now_s))

    def _right(self, key: str) -> list[bytes | None]:
        """The answers about a key that are allowed now."""
        since_s = self.clock.now_s - self.ttl_s
        old = [value for value, over_s in self.history.get(key, []) if over_s > since_s]
        return [self.values.get(key), *(old if self.ttl_s else [])]

    @rule(key=KEYS, value=VALUES)
    def change_behind(self, key: str, value: bytes) -> None:
        self._over(key)
        self.values[key] = value
        self.beneath.set(key, value)

    @rule(key=KEYS)
    def erase_behind(self, key: str) -> None:
        self._over(key)
        self.values.pop(key, None)
        self.beneath.erase(key)

    @rule(key=KEYS, value=VALUES)
    def write(self, key: str, value: bytes) -> None:
        self.store.get(key)
        self.store.set(key, value)
        self.values[key] = value
        self.history.pop(key, None)
        for store in (self.store, self.opened(self.beneath)):
            assert bytes(store.get(key)) == value

    @rule(key=KEYS)
    def erase(self, key: str) -> None:
        self.store.erase_values([key])
        self.values.pop(key, None)
        self.history.pop(key, None)

    @rule()
    def erase_prefix(self) -> None:
        self.store.erase_prefix("p/")
        self.values.pop("p/c", None)
        self.history.clear()
        self.clock.now_s += 0.001

    @rule(seconds=st.sampled_from([1.0, 20.0, 59.0, 61.0]))
    def wait(self, seconds: float) -> None:
        self.clock.now_s += seconds

    @rule()
    def refresh(self) -> None:
        self.store.refresh()
        self.history.clear()
        self.clock.now_s += 0.001

    @rule()
    def begin_anew(self) -> None:
        self.store = self.opened(self.beneath)

    @rule()
    def lose_the_directory(self) -> None:
        shutil.rmtree(self.place, ignore_errors=True)
        self.store = self.opened(self.beneath)

    @rule(key=KEYS, byte_range=RANGES, most=st.one_of(st.none(), st.integers(0, 40)), down=st.booleans())
    def get(self, key: str, byte_range: ByteRange | None, most: int | None, down: bool) -> None:
        right = [part(value, byte_range) for value in self._right(key)]
        self.beneath.failure = UnreachableError("down") if down else None
        try:
            got = self.store.get(key, byte_range, max_nbytes=most)
        except BodyTooLargeError:
            assert most is not None
            assert any(value is not None and len(value) > most for value in right)
        except UnreachableError:
            assert down
        else:
            assert (None if got is None else bytes(got)) in right
            assert most is None or got is None or len(got) <= most
        finally:
            self.beneath.failure = None

    @rule(key=KEYS)
    def stat(self, key: str) -> None:
        found = self.store.stat(key)
        assert (None if found is None else found.size) in [
            None if value is None else len(value) for value in self._right(key)
        ]

    @rule(key=KEYS, byte_range=RANGES)
    def get_twice(self, key: str, byte_range: ByteRange | None) -> None:
        """A recent answer is returned again without a request, unless the maximum age is 0."""
        first = self.store.get(key, byte_range)
        self.beneath.failure = None if self.ttl_s == 0 else UnreachableError("down")
        second = self.store.get(key, byte_range)
        self.beneath.failure = None
        assert (None if first is None else bytes(first)) == (None if second is None else bytes(second))


def test_a_cache_never_returns_an_outdated_answer() -> None:
    run_state_machine_as_test(
        CacheModel,
        settings=settings(
            max_examples=40, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
