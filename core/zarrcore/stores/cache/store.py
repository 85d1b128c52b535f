"""A cache of a store's answers: values and parts of them, facts about keys, and absent keys.

Decoded chunks are kept in memory elsewhere (`zarrcore.array.ChunkCache`), as are parsed documents, and the system keeps
recently read files: so bytes are not kept in memory a third time here. Reading a cached value takes about 30 microseconds,
or a millisecond for 4 MiB.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable
from itertools import islice
from typing import Any, Final

from zarrcore.stores.cache.entries import CacheEntries
from zarrcore.stores.cache.kept_values import Claim, KeptValues, Known
from zarrcore.stores.cache.single_flight import SingleFlight
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ReadableStore,
    Renaming,
    StoreStat,
)
from zarrcore.stores.keys import check_key, check_prefix
from zarrcore.stores.wrapper.interface import WrapperStore, writable
from zarrcore.stores.wrapper.request_log import REACHED

_ERASED_AT_ONCE: Final = 1000
_WHOLE: Final = ByteRange(0)

_OTHERS_S: Final = 5.0
"""How long to wait for a value that another process fetches: it may have been killed."""

_PAUSE_S: Final = 0.002
_LONGEST_PAUSE_S: Final = 0.05

Answer = tuple[BytesLike | None]
"""A value, in a tuple because an absent key's value is None."""


class CacheStore(WrapperStore):
    """A store whose answers are kept, in a directory or in another store. It lists and writes if ``store`` does.

    Listings are not kept.

    An answer is reused for ``max_age_s``; then it is revalidated with one `stat`. A value without an etag or a
    modification time is not kept, and neither are errors. Threads that request the same bytes at once share one request.
    Closing it closes the store.

    The result of `get` is always of one version, and never older than an earlier result. To combine parts of a value,
    such as an index and the bytes it points to, compare the results of `stat` before and after, which costs nothing here.

    Args:
        store: where the values are.
        entries: keeps the answers; several stores and processes may share it.
        max_age_s: the maximum age of an answer, in seconds; 0 revalidates each time.
        clock: returns the seconds since the epoch.

    >>> import tempfile
    >>> from zarrcore.stores.cache.directory import CacheDirectory
    >>> from zarrcore.stores.memory import MemoryStore
    >>> beneath = MemoryStore(values={"a": b"1"})
    >>> with tempfile.TemporaryDirectory() as place:
    ...     store = CacheStore(beneath, CacheDirectory(place, 1 << 20))
    ...     before = bytes(store.get("a"))
    ...     beneath.set("a", b"2")
    ...     kept = bytes(store.get("a"))
    ...     store.refresh()
    ...     before, kept, bytes(store.get("a"))
    True
    (b'1', b'1', b'2')
    """

    def __init__(
        self,
        store: ReadableStore,
        entries: CacheEntries,
        max_age_s: float = 60.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(store)
        self.remembers = True
        self.fills_buffers = False
        self.entries = entries
        self.max_age_s = max_age_s
        self._clock = clock
        self._reset()

    def _reset(self) -> None:
        self._values = KeptValues(self.entries, self.store.identity)
        self._generation = 0
        self._gets: SingleFlight[Answer] = SingleFlight()
        self._stats: SingleFlight[StoreStat | None] = SingleFlight()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.store, self.entries, self.max_age_s, self._clock)

    def refresh(self) -> None:
        super().refresh()
        self._generation += 1
        self._values.refresh()

    def close(self) -> None:
        super().close()
        self.entries.close()

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        check_key(key, self.url)
        asked = (key, byte_range, max_nbytes)
        generation = self._generation
        answer = self._kept(*asked) or self._gets.run(
            (asked, self._moment), lambda: self._kept(*asked) or self._fetched_once(*asked, generation)
        )
        return answer[0]

    # All of these build on `get` and `stat`, so they are cached too.
    get_with_stat = ReadableStore.get_with_stat
    get_into = ReadableStore.get_into
    get_partial_values = ReadableStore.get_partial_values

    def origin(self, key: str) -> tuple[ReadableStore, str]:
        return self.store.origin(key)

    def stat(self, key: str) -> StoreStat | None:
        check_key(key, self.url)
        known = self._lookup(key)
        if known is not None and self._is_fresh(known):
            return known.stat
        generation = self._generation
        return self._stats.run((key, self._moment), lambda: self._asked(key, generation))

    @property
    def _moment(self) -> Hashable:
        """Concurrent requests share an answer. With ``max_age_s`` above 0 it may be older than the later requests."""
        return self._generation if self.max_age_s > 0 else object()

    def _kept(self, key: str, byte_range: ByteRange | None, max_nbytes: int | None) -> Answer | None:
        """The cached answer, if it is known and valid."""
        known = self._lookup(key)
        if known is None:
            return None
        value = None
        if known.stat is not None and known.version is not None:
            start, stop = (byte_range or _WHOLE).resolve(known.stat.size)
            value = self._values.read(key, known.version, start, stop, known.stat.size)
        if value is None and known.stat is not None:
            return None
        if value is not None and max_nbytes is not None and len(value) > max_nbytes:
            return None  # the store raises the proper error
        if not self._is_fresh(known) and (value is None or _version(self.stat(key)) != known.version):
            return None
        return (value,)

    def _fetched_once(
        self, key: str, byte_range: ByteRange | None, max_nbytes: int | None, generation: int
    ) -> Answer:
        """The answer of the store, or that which another process fetches at the moment."""
        asked = (key, byte_range, max_nbytes)
        if self.max_age_s <= 0:  # each process has to ask anyway
            return self._fetched(*asked, generation)
        claim, is_mine = self._values.claim(key, byte_range)
        answer = self._kept(*asked) if is_mine else self._awaited(claim, *asked)
        try:
            return answer or self._fetched(*asked, generation)
        finally:
            if is_mine or answer is None:
                claim.drop()

    def _awaited(
        self, claim: Claim, key: str, byte_range: ByteRange | None, max_nbytes: int | None
    ) -> Answer | None:
        """What another process fetches; None if it does not keep it, or takes too long."""
        ends_s, pause_s = time.monotonic() + _OTHERS_S, _PAUSE_S
        is_held = True
        while is_held and time.monotonic() < ends_s:
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
            is_held = claim.is_held
            answer = self._kept(key, byte_range, max_nbytes)
            if answer is not None:
                return answer
        return None

    def _fetched(
        self, key: str, byte_range: ByteRange | None, max_nbytes: int | None, generation: int
    ) -> Answer:
        """The answer of the store. It is kept."""
        REACHED.count += 1
        asked_s, era = self._clock(), self._values.era
        value, stat = self.store.get_with_stat(key, byte_range, max_nbytes=max_nbytes) or (None, None)
        if value is not None and stat is not None and stat.version is not None:
            start, stop = (byte_range or _WHOLE).resolve(stat.size)
            if len(value) == stop - start:
                self._values.keep(key, stat.version, start, value, stat.size)
        self._learn(key, Known(stat, asked_s, era), generation)
        return (value,)

    def _asked(self, key: str, generation: int) -> StoreStat | None:
        """The store's current facts about a key."""
        known = self._lookup(key)  # another thread may have asked the store meanwhile
        if known is None or not self._is_fresh(known):
            REACHED.count += 1
            asked_s, era = self._clock(), self._values.era
            known = Known(self.store.stat(key), asked_s, era)
            self._learn(key, known, generation)
        return known.stat

    def _lookup(self, key: str) -> Known | None:
        """The known answer about a key, of any age."""
        known = self._values.remembered(key)
        # Another process may have asked the store since.
        return known if known is not None and self._is_fresh(known) else self._values.known(key)

    def _learn(self, key: str, known: Known, generation: int) -> None:
        """Keep the store's answer, unless it was given before a write or a newer one is known."""
        other = self._values.remembered(key)
        is_newest = other is None or other.asked_s <= known.asked_s or not self._is_fresh(other)
        if is_newest and generation == self._generation:
            self._values.note(key, known)
            if generation != self._generation:
                self._values.forget(key)

    def _is_fresh(self, known: Known) -> bool:
        # An answer from the future was given before the clock was corrected.
        in_time = known.asked_s <= self._clock() < known.asked_s + self.max_age_s
        return in_time and known.era == self._values.era

    def _written(self, keys: Iterable[str]) -> None:
        """Forget the keys that were written, or may have been."""
        self._generation += 1
        for key in keys:
            self._values.forget(key)

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        try:
            return writable(self.store).set(key, value, if_absent=if_absent)
        finally:
            self._written([key])

    def set_attested(self, key: str, value: BytesLike) -> bool:
        try:
            return writable(self.store).set_attested(key, value)
        finally:
            self._written([key])

    def replace(self, key: str, value: BytesLike, stat: StoreStat) -> bool:
        try:
            return writable(self.store).replace(key, value, stat)
        finally:
            self._written([key])

    def set_file(self, key: str, descriptor: int, *, if_absent: bool = False) -> bool:
        try:
            return writable(self.store).set_file(key, descriptor, if_absent=if_absent)
        finally:
            self._written([key])

    def rename(self, key: str, new: str, *, if_absent: bool = False) -> Renaming:
        try:
            return Renaming(writable(self.store).rename(key, new, if_absent=if_absent))
        finally:
            self._written([key, new])

    def rename_prefix(self, prefix: str, new: str) -> Renaming:
        return Renaming.NOT_POSSIBLE  # the keys that would have to be forgotten are not known

    def link(self, key: str, new: str) -> Renaming:
        try:
            return Renaming(writable(self.store).link(key, new))
        finally:
            self._written([new])

    def clone(self, source: ReadableStore, key: str, new: str) -> bool:
        try:
            return writable(self.store).clone(source, key, new)
        finally:
            self._written([new])

    def set_partial_values(self, key_start_values: Iterable[tuple[str, int, BytesLike]]) -> None:
        parts = [*key_start_values]
        try:
            writable(self.store).set_partial_values(parts)
        finally:
            self._written({key for key, _, _ in parts})

    def erase(self, key: str) -> None:
        try:
            writable(self.store).erase(key)
        finally:
            self._written([key])

    def erase_values(self, keys: Iterable[str]) -> None:
        rest = iter(keys)
        while batch := [*islice(rest, _ERASED_AT_ONCE)]:
            try:
                writable(self.store).erase_values(batch)
            finally:
                self._written(batch)

    def erase_prefix(self, prefix: str) -> None:
        check_prefix(prefix, self.url)
        try:
            writable(self.store).erase_prefix(prefix)
        finally:
            self.refresh()  # the erased keys are unknown


def _version(stat: StoreStat | None) -> str | None:
    return None if stat is None else stat.version
