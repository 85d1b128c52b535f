"""The library over a store that fails by script: reading, writing, checking, copying, with and without a cache."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

import zarrcore as zc
from tests.proofs.faults.faulty_store import HARMLESS, Fault, FaultyStore
from tests.proofs.faults.hierarchies import (
    CHUNK,
    KINDS,
    SHAPE,
    Kind,
    Truth,
    create,
    random_elements,
    random_selection,
)
from zarrcore.errors import NodeExistsError, ZarrError
from zarrcore.hierarchy import ArrayNode, Group, Hierarchy
from zarrcore.operations.check import check
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.stores import MemoryStore, PrefixStore, ReadableStore
from zarrcore.stores.cache.directory import CacheDirectory
from zarrcore.stores.cache.store import CacheStore

T = TypeVar("T")

OPERATIONS = 300
_REMEMBERED = frozenset({Fault.STALE, Fault.FLIPPED})
"""Faults that a cache remembers, as it remembers every answer."""


def trial(seed: int, operations: int = OPERATIONS) -> int:
    """Operations on one hierarchy."""
    with ExitStack() as stack:
        campaign = Campaign(random.Random(seed), stack)
        for _ in range(operations):
            campaign.step()
        campaign.end()
    return operations


@dataclass
class Stored:
    """An array, and what is known of it."""

    kind: Kind
    truth: Truth
    attributes: dict[str, Any] = field(default_factory=lambda: {"n": 0})

    @property
    def unit(self) -> tuple[int, ...]:
        """The shape of what is stored as a whole."""
        return self.kind.shard or CHUNK


class Campaign:
    """One hierarchy in a store that fails, and what it holds."""

    def __init__(self, choice: random.Random, stack: ExitStack) -> None:
        self._choice = choice
        self._format = choice.choice(["v3", "v3", "v2", "n5"])
        self._clean: ReadableStore = MemoryStore()
        self._faulty = FaultyStore(self._clean, choice.getrandbits(32), self._has_checksum)
        self._now_s = 1e9
        way = choice.choice(["plain", "plain", "prefix", "cache", "chunk cache"])
        self._remembers = "cache" in way
        self._keeps = False
        self._store: ReadableStore = self._faulty
        if way == "prefix":
            self._clean = PrefixStore(self._clean, "some/where/")
            self._store = PrefixStore(self._faulty, "some/where/")
        elif way == "cache":
            place = stack.enter_context(tempfile.TemporaryDirectory())
            age_s = choice.choice([0.0, 60.0, float("inf")])
            self._store = CacheStore(self._faulty, CacheDirectory(place, 1 << 20), age_s, lambda: self._now_s)
        self._options: dict[str, Any] = (
            {"chunk_cache": zc.ChunkCache(1 << 14)} if way == "chunk cache" else {}
        )
        self._arrays: dict[str, Stored] = {}
        hierarchy = zc.create(self._clean, self._format)
        for number, kind in enumerate(choice.sample(KINDS[self._format], min(3, len(KINDS[self._format])))):
            path = f"/g{number % 2}/{kind.name}"
            array = create(hierarchy, path, kind)
            array[...] = random_elements(array, choice, SHAPE)
            self._arrays[path] = Stored(kind, Truth(array[...]))
        self._hierarchy = self._opened()
        self._faulty.rate = choice.choice([0.02, 0.1, 0.3])
        self._steps: list[Callable[[], None]] = [
            *4 * [self._read, self._write],
            *2 * [self._read_attributes, self._write_attributes, self._list],
            *(
                self._replace,
                self._check,
                self._copy_from,
                self._copy_to,
                self._reopen,
                self._clock,
                self._resize,
            ),
            *(self._consolidate, self._read_file),
        ]

    def _has_checksum(self, key: str) -> bool:
        parts = key.split("/")
        last = parts[-1]
        known = any(
            stored.kind.has_checksum and path.rpartition("/")[2] in parts
            for path, stored in self._arrays.items()
        )
        return known and last != "zarr.json" and not last.startswith(".z") and last != "attributes.json"

    def _opened(self) -> Hierarchy:
        rate, self._faulty.rate = self._faulty.rate, 0.0
        try:
            return zc.open_hierarchy(self._store, "r+", self._format, **self._options)
        finally:
            self._faulty.rate = rate

    def step(self) -> None:
        """One random operation."""
        self._choice.choice(self._steps)()

    def end(self) -> None:
        """Without faults all is as it should be."""
        self._faulty.rate = 0.0
        self._hierarchy = self._opened()
        for path, stored in self._arrays.items():
            array = self._array(path)
            assert np.array_equal(array[...], stored.truth.now)
        errors = [found for found in check(self._true()) if found.severity == "error"]
        assert not errors, errors

    def _true(self) -> Hierarchy:
        """The hierarchy without faults."""
        return zc.open_hierarchy(self._clean, "r+", self._format)

    def _any(self) -> tuple[str, Stored]:
        return self._choice.choice(sorted(self._arrays.items(), key=lambda item: item[0]))

    def _array(self, path: str) -> ArrayNode:
        array = self._hierarchy[path]
        assert isinstance(array, ArrayNode)
        return array

    def _try(self, act: Callable[[], T], *, writes: bool = False) -> tuple[T | None, Counter[Fault], bool]:
        """The result, what faults were given, and whether it failed, as it may only after a fault."""
        without = {Fault.STALE} if writes else set()
        if self._keeps:
            without.add(Fault.FLIPPED)
        self._faulty.kinds = frozenset(Fault) - (_REMEMBERED if self._remembers else without)
        self._faulty.given.clear()
        try:
            found, failed = act(), False
        except ZarrError as error:
            if set(self._faulty.given) <= HARMLESS:
                raise AssertionError(f"an error without a fault: {error}") from error
            found, failed = None, True
        given = Counter(self._faulty.given)
        if not given.keys().isdisjoint((Fault.STALE, Fault.SHORT, Fault.LONG)):
            self._hierarchy.refresh()  # it remembers a document, or that it is broken
        return found, given, failed

    def _read(self) -> None:
        path, stored = self._any()
        selection = random_selection(self._choice, stored.truth.now.shape)
        found, given, failed = self._try(lambda: self._array(path)[selection])
        if not failed and found is not None:
            stored.truth.check_read(np.asarray(found), selection, stored.unit, stale=Fault.STALE in given)

    def _read_file(self) -> None:
        path, stored = self._any()
        if stored.kind.data_type == "string":
            return
        start = self._choice.randrange(stored.truth.now.nbytes)
        count = self._choice.randint(1, 200)

        def read() -> bytes:
            return bytes(zc.virtual_file(self._array(path), suffix="raw").read(start, count))

        found, given, failed = self._try(read)
        if not failed and Fault.STALE not in given:
            right = stored.truth.now.tobytes()[start : start + count]
            assert found == right, f"{path} from {start}: {found!r} is not {right!r}"

    def _write(self) -> None:
        path, stored = self._any()
        new = stored.truth.now.copy()
        selection = random_selection(self._choice, new.shape)
        if self._choice.random() < 0.2:
            selection = (slice(None),) * new.ndim
        array = self._true()[path]
        assert isinstance(array, ArrayNode)
        new[selection] = random_elements(array, self._choice, new[selection].shape)
        if self._choice.random() < 0.15:
            new[selection] = array.fill_value
        # Other inner chunks of a shard keep the bytes that were read, so a bit that flipped on the way would be stored.
        self._keeps = stored.kind.shard is not None
        _, _, failed = self._try(lambda: self._array(path).write(selection, new[selection]), writes=True)
        self._keeps = False
        stored.truth.check_write(array[...], new, stored.unit, failed=failed)

    def _read_attributes(self) -> None:
        path, stored = self._any()
        found, given, failed = self._try(lambda: dict(self._array(path).attributes))
        if not failed and Fault.STALE not in given:
            assert found == stored.attributes

    def _write_attributes(self) -> None:
        path, stored = self._any()
        new = {"n": self._choice.randrange(1000), "text": "x" * self._choice.randrange(50)}

        def write() -> None:
            self._array(path).attributes = new

        _, _, failed = self._try(write, writes=True)
        found = dict(self._true()[path].attributes)
        assert found == new or (failed and found == stored.attributes)
        stored.attributes = found

    def _list(self) -> None:
        above = self._choice.choice(["/", "/g0", "/g1"])

        def names() -> list[str]:
            group = self._hierarchy[above]
            assert isinstance(group, Group)
            return [*group.child_names()]

        found, given, failed = self._try(names)
        if failed or Fault.STALE in given or found is None:
            return
        start = "" if above == "/" else above
        right = {
            path[len(start) + 1 :].split("/")[0] for path in self._arrays if path.startswith(start + "/")
        }
        assert sorted(found) == sorted(right), f"{found} are not {right}"

    def _replace(self) -> None:
        """Erase an array, make it anew: its old elements never come back."""
        path, stored = self._any()
        if self._choice.random() < 0.5:
            _, _, failed = self._try(lambda: self._hierarchy.erase(path), writes=True)
            if not failed:
                assert path not in self._true()
                assert not list(self._clean.list_prefix(path[1:] + "/"))  # type: ignore[attr-defined]
        _, _, failed = self._try(lambda: self._made(path, stored.kind), writes=True)
        if failed:
            self._faulty.rate, rate = 0.0, self._faulty.rate
            self._made(path, stored.kind)
            self._faulty.rate = rate
        array = self._true()[path]
        assert isinstance(array, ArrayNode)
        elements = array[...]
        assert elements.shape == SHAPE
        assert (elements == array.fill_value).all(), "a new array has elements of an old one"
        assert dict(array.attributes) == {"n": 0}
        self._arrays[path] = Stored(stored.kind, Truth(elements))
        self._faulty.forget()
        self._hierarchy.refresh()

    def _made(self, path: str, kind: Kind) -> None:
        create(self._hierarchy, path, kind, overwrite=True)

    def _resize(self) -> None:
        path, stored = self._any()
        shape = (self._choice.randint(1, 20), self._choice.randint(1, 14))
        array = self._true()[path]
        assert isinstance(array, ArrayNode)
        before = stored.truth.now
        new = np.full(shape, array.fill_value, dtype=before.dtype)
        common = tuple(slice(0, min(a, b)) for a, b in zip(shape, before.shape, strict=True))
        new[common] = before[common]
        _, _, failed = self._try(lambda: self._array(path).resize(shape), writes=True)
        if failed:
            # It may have been done in part: elements outside may be there. Done again, it is done.
            self._faulty.rate, rate = 0.0, self._faulty.rate
            self._hierarchy.refresh()
            self._array(path).resize(shape)
            self._faulty.rate = rate
        array = self._true()[path]
        assert isinstance(array, ArrayNode)
        assert array.shape == shape
        assert np.array_equal(array[...], new), "resizing changed elements"
        self._arrays[path].truth = Truth(new)
        self._faulty.forget()

    def _consolidate(self) -> None:
        if self._format != "n5":
            self._try(self._hierarchy.consolidate, writes=True)

    def _check(self) -> None:
        found, given, failed = self._try(lambda: [*check(self._hierarchy)])
        if not failed and found is not None and set(given) <= HARMLESS:
            errors = [one for one in found if one.severity == "error"]
            assert not errors, errors

    def _copy_from(self) -> None:
        def copy() -> MemoryStore:
            store = MemoryStore()
            execute(plan_copy(self._hierarchy, memory_nbytes=4000), self._hierarchy, store)
            return store

        self._keeps = True  # stored chunks are copied without being decoded
        copied, _, failed = self._try(copy, writes=True)
        self._keeps = False
        if not failed and copied is not None:
            self._check_copy(copied)

    def _copy_to(self) -> None:
        target = MemoryStore()
        faulty = FaultyStore(target, self._choice.getrandbits(32))
        faulty.rate = self._faulty.rate / 4
        faulty.kinds = frozenset(Fault) - {Fault.STALE}
        source = self._true()
        plan = plan_copy(source, memory_nbytes=4000)
        try:
            execute(plan, source, faulty)
        except ZarrError as error:
            if set(faulty.given) <= HARMLESS:
                raise AssertionError(f"an error without a fault: {error}") from error
            faulty.rate = 0.0
            try:
                execute(plan, source, faulty)  # goes on where it was
            except NodeExistsError:
                # The answer to the last write, that of erasing the marker, was lost.
                assert Fault.LOST in faulty.given
        self._check_copy(target)

    def _check_copy(self, store: ReadableStore) -> None:
        copied = zc.open_hierarchy(store, "r+", self._format)
        for path, stored in self._arrays.items():
            array = copied[path]
            assert isinstance(array, ArrayNode)
            assert np.array_equal(array[...], stored.truth.now), "a copy has other elements"
            assert dict(array.attributes) == stored.attributes
        assert not [found for found in check(copied) if found.severity == "error"]

    def _reopen(self) -> None:
        def reopened() -> Hierarchy:
            return zc.open_hierarchy(self._store, "r+", self._format, **self._options)

        found, _, failed = self._try(reopened)
        if not failed and found is not None:
            self._hierarchy = found

    def _clock(self) -> None:
        """The clock goes on, jumps ahead, or is set back."""
        self._now_s += self._choice.choice([1.0, 59.0, 61.0, 1e6, -1.0, -1e5])
