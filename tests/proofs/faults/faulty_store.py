"""A store between ours and any other that fails by script."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from hashlib import blake2b
from typing import TypeVar

from zarrcore.errors import (
    AccessDeniedError,
    BodyTooLargeError,
    BrokenBodyError,
    StoreError,
    StoreFullError,
    StoreTimeoutError,
    UnreachableError,
)
from zarrcore.stores import ByteRange, BytesLike, ReadableStore, Renaming, StoreEntry
from zarrcore.stores.interface import StoreStat
from zarrcore.stores.wrapper.interface import WrapperStore

T = TypeVar("T")


class Fault(Enum):
    """What goes wrong with one request."""

    REFUSED = "the store refuses"
    RESET = "the connection breaks"
    HANGS = "no answer within the timeout"
    BROKEN_OFF = "the body, or the listing, breaks off"
    LOST = "the request is carried out, but the answer is lost"
    FULL = "the store is full"
    SHORT = "the value is shorter than it is"
    LONG = "the value is longer than it is"
    FLIPPED = "a bit of the value is flipped"
    STALE = "the value is an earlier one"
    DUPLICATED = "a page of the listing comes twice"
    REORDERED = "the pages of the listing are in another order"
    SLOW = "the answer takes its time"


_ERRORS: dict[Fault, type[StoreError]] = {
    Fault.REFUSED: AccessDeniedError,
    Fault.RESET: UnreachableError,
    Fault.HANGS: StoreTimeoutError,
    Fault.BROKEN_OFF: BrokenBodyError,
    Fault.LOST: UnreachableError,
    Fault.FULL: StoreFullError,
}
_FAILURES = (Fault.REFUSED, Fault.RESET, Fault.HANGS)
OF_VALUES = frozenset(
    {*_FAILURES, Fault.BROKEN_OFF, Fault.SHORT, Fault.LONG, Fault.FLIPPED, Fault.STALE, Fault.SLOW}
)
OF_FACTS = frozenset({*_FAILURES, Fault.SLOW})
OF_LISTINGS = frozenset({*_FAILURES, Fault.BROKEN_OFF, Fault.DUPLICATED, Fault.REORDERED, Fault.SLOW})
OF_WRITES = frozenset({*_FAILURES, Fault.LOST, Fault.FULL, Fault.SLOW})
HARMLESS = frozenset({Fault.DUPLICATED, Fault.REORDERED, Fault.SLOW})
"""Faults that no operation needs to fail for."""

_PAGE = 3
_SLOW_S = 0.0005


class FaultyStore(WrapperStore):
    """A store that fails as ``seed`` says: which request of a key fails how does not depend on other threads.

    Args:
        store: the store that has the values.
        seed: what all faults follow from.
        has_checksum: whether a flipped bit of a key's value can be detected.
    """

    def __init__(
        self, store: ReadableStore, seed: int, has_checksum: Callable[[str], bool] = lambda _: False
    ) -> None:
        super().__init__(store)
        self.url = f"faulty://{seed}"
        self.fills_buffers = False
        self.rate = 0.0
        """The share of requests that fail."""
        self.kinds = frozenset(Fault)
        """The faults that may be given now."""
        self.given: Counter[Fault] = Counter()
        self.requests = 0
        self._seed = seed
        self._has_checksum = has_checksum
        self._asked: Counter[tuple[str, str]] = Counter()
        self._earlier: dict[str, list[bytes | None]] = {}
        self._guard = threading.Lock()

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        fault, choice = self._next("get", key, OF_VALUES)
        value = self.store.get(key, byte_range, max_nbytes=max_nbytes)
        if fault is Fault.STALE and self._earlier.get(key):
            value = choice.choice(self._earlier[key])
            if value is not None and byte_range is not None:
                value = value[slice(*byte_range.resolve(len(value)))]
        elif fault is Fault.SHORT and value:
            value = bytes(value)[: choice.randrange(len(value))]
        elif fault is Fault.LONG and value is not None:
            value = bytes(value) + choice.randbytes(choice.randint(1, 9))
        elif fault is Fault.FLIPPED and value:
            changed = bytearray(value)
            changed[choice.randrange(len(changed))] ^= 1 << choice.randrange(8)
            value = bytes(changed)
        if value is not None and max_nbytes is not None and len(value) > max_nbytes:
            raise BodyTooLargeError(len(value), max_nbytes, key=key, url=self.url)
        return value

    # These build on `get` and `stat`, so that each request may fail.
    get_with_stat = ReadableStore.get_with_stat
    get_into = ReadableStore.get_into
    get_partial_values = ReadableStore.get_partial_values

    def stat(self, key: str) -> StoreStat | None:
        self._next("stat", key, OF_FACTS)
        return self.store.stat(key)

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        return self._pages("list", prefix, lambda: super(FaultyStore, self).list_prefix(prefix))

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        return self._pages("list_dir", prefix, lambda: super(FaultyStore, self).list_dir(prefix))

    def has_prefix(self, prefix: str) -> bool:
        self._next("has_prefix", prefix, OF_FACTS)
        return super().has_prefix(prefix)

    def _pages(
        self, method: str, prefix: str, entries: Callable[[], Iterable[StoreEntry]]
    ) -> Iterator[StoreEntry]:
        fault, choice = self._next(method, prefix, OF_LISTINGS, later=Fault.BROKEN_OFF)
        found = [*entries()]
        pages = [found[start : start + _PAGE] for start in range(0, len(found), _PAGE)]
        if fault is Fault.REORDERED:
            choice.shuffle(pages)
        elif fault is Fault.DUPLICATED and pages:
            pages.insert(choice.randrange(len(pages)), choice.choice(pages))
        elif fault is Fault.BROKEN_OFF:
            del pages[choice.randint(0, len(pages)) :]
        for page in pages:
            yield from page
        if fault is Fault.BROKEN_OFF:
            raise self._error(fault, prefix)

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        return self._write(
            "set", [key], lambda: super(FaultyStore, self).set(key, value, if_absent=if_absent)
        )

    def set_attested(self, key: str, value: BytesLike) -> bool:
        return self._write("set", [key], lambda: super(FaultyStore, self).set_attested(key, value))

    def replace(self, key: str, value: BytesLike, stat: StoreStat) -> bool:
        return self._write("replace", [key], lambda: super(FaultyStore, self).replace(key, value, stat))

    def set_file(self, key: str, descriptor: int, *, if_absent: bool = False) -> bool:
        return self._write(
            "set_file", [key], lambda: super(FaultyStore, self).set_file(key, descriptor, if_absent=if_absent)
        )

    def rename(self, key: str, new: str, *, if_absent: bool = False) -> Renaming:
        return self._write(
            "rename", [key, new], lambda: super(FaultyStore, self).rename(key, new, if_absent=if_absent)
        )

    def link(self, key: str, new: str) -> Renaming:
        return self._write("link", [new], lambda: super(FaultyStore, self).link(key, new))

    def set_partial_values(self, key_start_values: Iterable[tuple[str, int, BytesLike]]) -> None:
        parts = [*key_start_values]
        self._write(
            "set_partial_values",
            [key for key, _, _ in parts],
            lambda: super(FaultyStore, self).set_partial_values(parts),
        )

    def erase(self, key: str) -> None:
        self._write("erase", [key], lambda: super(FaultyStore, self).erase(key))

    def erase_values(self, keys: Iterable[str]) -> None:
        for key in keys:  # some are erased before one fails
            self.erase(key)

    def erase_prefix(self, prefix: str) -> None:
        self.erase_values([entry.key for entry in self.list_prefix(prefix)])

    def _write(self, method: str, keys: list[str], act: Callable[[], T]) -> T:
        fault, _ = self._next(method, keys[0] if keys else "", OF_WRITES, later=Fault.LOST)
        with self._guard:
            for key in keys:
                before = self.store.get(key)
                history = self._earlier.setdefault(key, [])
                history.append(None if before is None else bytes(before))
                del history[:-4]
            done = act()
        if fault is Fault.LOST:
            raise self._error(fault, keys[0])
        return done

    def forget(self) -> None:
        """Forget earlier values, so that none of them is an answer."""
        self._earlier.clear()

    def _next(
        self, method: str, key: str, kinds: frozenset[Fault], later: Fault | None = None
    ) -> tuple[Fault | None, random.Random]:
        """The fault of the next request of this kind. It is raised if it is an error, except ``later``."""
        with self._guard:
            self.requests += 1
            self._asked[method, key] += 1
            name = f"{self._seed} {method} {key} {self._asked[method, key]}"
        if not self.rate:
            return None, _NO_CHOICE
        choice = random.Random(blake2b(name.encode(), digest_size=8).digest())
        possible = kinds & self.kinds
        if not self._has_checksum(key):
            possible -= {Fault.FLIPPED}
        if not possible or choice.random() >= self.rate:
            return None, choice
        fault = choice.choice(sorted(possible, key=lambda kind: kind.name))
        with self._guard:
            self.given[fault] += 1
        if fault is Fault.SLOW:
            time.sleep(_SLOW_S)
        elif fault in _ERRORS and fault is not later:
            raise self._error(fault, key)
        return fault, choice

    def _error(self, fault: Fault, key: str) -> StoreError:
        return _ERRORS[fault](f"{key} in {self.url}: {fault.value}", key=key, url=self.url)


_NO_CHOICE = random.Random(0)
