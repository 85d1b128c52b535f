"""The cache on disk compared with a dictionary: several processes share it, some are killed, and time passes."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.proofs.models.cache_process import is_value, value_of
from tests.proofs.models.engine import run_machine
from tests.proofs.trials import ROOT
from zarrcore.errors import BodyTooLargeError, UnreachableError
from zarrcore.stores import ByteRange, LocalStore, StoreStat
from zarrcore.stores.cache.directory import CacheDirectory

RUNS, STEPS = 8, 60
PROCESSES = 3
TTL_S = 60.0
BUDGET = 200_000
KEYS = ("a", "b", "p/c")
BURST = 60
RANGES = st.one_of(
    st.none(),
    st.builds(ByteRange, st.integers(0, 6000), st.one_of(st.none(), st.integers(0, 6000))),
    st.builds(ByteRange, st.integers(-50, -1)),
)
NUMBERS = st.integers(0, PROCESSES - 1)


def part(value: bytes | None, byte_range: ByteRange | None) -> bytes | None:
    if value is None or byte_range is None:
        return value
    start, stop = byte_range.resolve(len(value))
    return value[start:stop]


@dataclass
class Member:
    """One of the processes.

    Args:
        since_s: answers for a key are not older, since this process refreshed or wrote it then; "" for all keys.
    """

    process: int
    connection: Connection
    since_s: dict[str, float] = field(default_factory=dict)

    is_killed: bool = False

    def signal(self) -> None:
        """Kill it."""
        if not self.is_killed:
            self.is_killed = True
            os.kill(self.process, signal.SIGKILL)

    def kill(self) -> None:
        """Kill it and wait for its end, which the connection tells."""
        self.signal()
        with contextlib.suppress(EOFError, OSError):
            while True:
                self.connection.recv()
        self.connection.close()


class CacheModel(RuleBasedStateMachine):
    """Each answer is one that the store would have given within the time to live, and after this process's writes."""

    taken: ClassVar[list[int]]
    source: ClassVar[subprocess.Popen[bytes]]

    @initialize(ttl_s=st.sampled_from([0.0, TTL_S, TTL_S, float("inf")]))
    def begin(self, ttl_s: float) -> None:
        self.ttl_s = ttl_s
        self.place = Path(tempfile.mkdtemp())
        self.listener = Listener(str(self.place / "socket"), "AF_UNIX")
        (self.place / "values").mkdir()
        self.beneath = LocalStore(self.place / "values")
        self.now_s = 1e9
        self.numbers = itertools.count(1)
        self.values: dict[str, bytes] = {}
        self.former: dict[str, list[tuple[bytes | None, float]]] = {key: [] for key in KEYS}
        """For each key its earlier values, each with the time when it was replaced."""
        self.members = self.started(PROCESSES)

    def started(self, count: int) -> list[Member]:
        """New processes, which start at the same time."""
        words = [
            *(str(self.place / name) for name in ("socket", "values", "cache")),
            str(BUDGET),
            str(self.ttl_s),
        ]
        assert self.source.stdin is not None
        self.source.stdin.write(count * (" ".join(words).encode() + b"\n"))
        self.source.stdin.flush()
        connections = [self.listener.accept() for _ in range(count)]
        return [Member(connection.recv(), connection) for connection in connections]

    def teardown(self) -> None:
        if not hasattr(self, "place"):
            return
        self.kill_all()
        self.listener.close()
        # A process that is killed has not checked the budget; the next one that does so meets it.
        CacheDirectory(self.place / "cache", BUDGET).make_room()
        size = sum(file.stat().st_size for file in self.files())
        shutil.rmtree(self.place)
        assert size <= BUDGET, size

    def files(self) -> Iterator[Path]:
        return (file for file in (self.place / "cache").rglob("*") if file.is_file())

    @invariant()
    def count(self) -> None:
        self.taken[0] += 1

    # What is right

    def passes(self, seconds: float = 0.001) -> None:
        self.now_s += seconds

    def replaced(self, key: str, value: bytes | None) -> None:
        self.former[key].append((self.values.get(key), self.now_s))
        if value is None:
            self.values.pop(key, None)
        else:
            self.values[key] = value
        self.passes()

    def right(self, member: Member, key: str) -> list[bytes | None]:
        since_s = max(self.now_s - self.ttl_s, member.since_s.get("", 0), member.since_s.get(key, 0))
        if self.ttl_s == 0:
            since_s = self.now_s
        return [self.values.get(key), *(value for value, until_s in self.former[key] if until_s > since_s)]

    # Processes

    def send(self, member: Member, method: str, *arguments: Any, is_down: bool = False) -> None:
        member.connection.send((self.now_s, is_down, method, arguments))

    def ask(self, member: Member, method: str, *arguments: Any, is_down: bool = False) -> Any:
        self.send(member, method, *arguments, is_down=is_down)
        return self.answer(member)

    def answer(self, member: Member) -> Any:
        found = member.connection.recv()
        if isinstance(found, BaseException):
            raise found
        return found

    @rule(number=NUMBERS, key=st.sampled_from(KEYS), byte_range=RANGES, down=st.booleans(),
          most=st.one_of(st.none(), st.integers(0, 6000)))  # fmt: skip
    def get(self, number: int, key: str, byte_range: ByteRange | None, down: bool, most: int | None) -> None:
        member = self.members[number]
        right = [part(value, byte_range) for value in self.right(member, key)]
        try:
            found = self.ask(member, "get", key, byte_range, is_down=down)
        except UnreachableError:
            assert down
        except BodyTooLargeError:
            assert any(value is not None and len(value) > (most or 0) for value in right)
        else:
            assert found in right
        self.passes()

    @rule()
    def read_all(self) -> None:
        for member in self.members:
            for key in KEYS:
                self.send(member, "get", key)
        for number, member in enumerate(self.members):
            for key in KEYS:
                found = self.answer(member)
                assert found in self.right(member, key), f"{key} in process {number}: {(found or b'')[:20]!r}"
        self.passes()

    @rule(number=NUMBERS, key=st.sampled_from(KEYS))
    def stat(self, number: int, key: str) -> None:
        member = self.members[number]
        found: StoreStat | None = self.ask(member, "stat", key)
        sizes = [None if value is None else len(value) for value in self.right(member, key)]
        assert (None if found is None else found.size) in sizes
        self.passes()

    @rule(number=NUMBERS, key=st.sampled_from(KEYS), byte_range=RANGES)
    def get_twice(self, number: int, key: str, byte_range: ByteRange | None) -> None:
        """A recent answer is returned again without a request, unless the maximum age is 0."""
        member = self.members[number]
        first = self.ask(member, "get", key, byte_range)
        second = self.ask(member, "get", key, byte_range, is_down=self.ttl_s > 0)
        assert first == second
        self.passes()

    @rule(number=NUMBERS, key=st.sampled_from(KEYS))
    def set(self, number: int, key: str) -> None:
        member, value = self.members[number], value_of(key, next(self.numbers))
        self.ask(member, "set", key, value)
        self.replaced(key, value)
        member.since_s[key] = self.now_s
        self.passes()
        assert self.ask(member, "get", key) == value

    @rule(number=NUMBERS, key=st.sampled_from(KEYS))
    def erase(self, number: int, key: str) -> None:
        member = self.members[number]
        self.ask(member, "erase_values", [key])
        self.replaced(key, None)
        member.since_s[key] = self.now_s
        self.passes()
        assert self.ask(member, "get", key) is None

    @rule(number=NUMBERS)
    def erase_prefix(self, number: int) -> None:
        member = self.members[number]
        self.ask(member, "erase_prefix", "p/")
        self.replaced("p/c", None)
        member.since_s[""] = self.now_s
        self.passes()

    @rule(number=NUMBERS)
    def refresh(self, number: int) -> None:
        self.passes()
        self.ask(self.members[number], "refresh")
        self.members[number].since_s[""] = self.now_s
        self.passes()

    # Others

    @rule(key=st.sampled_from(KEYS))
    def change_behind(self, key: str) -> None:
        value = value_of(key, next(self.numbers))
        self.beneath.set(key, value)
        self.replaced(key, value)

    @rule(key=st.sampled_from(KEYS))
    def erase_behind(self, key: str) -> None:
        self.beneath.erase(key)
        self.replaced(key, None)

    @rule(seconds=st.sampled_from([1.0, 20.0, 59.0, 61.0]))
    def wait(self, seconds: float) -> None:
        self.passes(seconds)
        self.read_all()

    @rule(place=st.integers(0, 3000), what=st.sampled_from(["changes", "cuts", "loses"]))
    def damage(self, place: int, what: str) -> None:
        """Change a byte of each entry, or cut it, or lose the directory."""
        if what == "loses":
            self.lose_the_directory()
            return
        for path in self.files():
            # On a busy machine, a process may remove an entry only now.
            with contextlib.suppress(FileNotFoundError), path.open("r+b") as file:
                content = file.read()
                at = place % max(1, len(content))
                if what == "cuts":
                    file.truncate(at)
                elif content:
                    file.seek(at)
                    file.write(bytes([content[at] ^ 0x41]))
        self.read_all()

    def lose_the_directory(self) -> None:
        """Processes that have it open keep nothing any more, so new ones begin."""
        shutil.rmtree(self.place / "cache", ignore_errors=True)
        self.kill_all()
        self.members = self.started(PROCESSES)

    @rule(number=NUMBERS)
    def begin_anew(self, number: int) -> None:
        self.kill(number)

    def kill(self, number: int) -> None:
        self.members[number].kill()
        # What it knew, a new process reads from the directory, which may be lost.
        self.members[number : number + 1] = self.started(1)

    def kill_all(self) -> None:
        for member in self.members:
            member.signal()
        for member in self.members:
            member.kill()

    @rule(seeds=st.lists(st.integers(0, 1 << 30), min_size=PROCESSES, max_size=PROCESSES),
          killed=st.frozensets(NUMBERS), after_ms=st.integers(0, 30))  # fmt: skip
    def race(self, seeds: list[int], killed: frozenset[int], after_ms: int) -> None:
        """All processes read and write at once, and some are killed meanwhile."""
        known = next(self.numbers)
        until = known + BURST
        self.numbers = itertools.count(until)
        for member, seed in zip(self.members, seeds, strict=True):
            self.send(member, "burst", seed, KEYS, known, until)
        time.sleep(after_ms / 1000)
        for number in killed:
            self.members[number].signal()
        for number, member in enumerate(self.members):
            if number in killed:
                self.kill(number)
                continue
            found = member.connection.recv()
            assert found is None, found
        for key in KEYS:
            stored = self.beneath.get(key)
            # Any of these values may have been seen during the race.
            self.former[key] += [(value_of(key, number), self.now_s) for number in range(known, until)]
            self.replaced(key, None if stored is None else bytes(stored))
            assert stored is None or is_value(bytes(stored), key, until)
        for member in self.members:
            member.since_s.clear()
        self.passes()


def trial(seed: int, runs: int = RUNS, steps: int = STEPS, *, shrinks: bool = True) -> int:
    """Run the model; returns the number of steps."""
    taken = [0]
    source = subprocess.Popen(
        [sys.executable, "-P", "-m", "tests.proofs.models.cache_process"],
        stdin=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), *sys.path]))},
    )
    try:
        members = {"taken": taken, "source": source}
        run_machine(type("Model", (CacheModel,), members), seed, runs, steps, shrinks=shrinks)
    finally:
        source.kill()
        source.communicate()
    return taken[0]
