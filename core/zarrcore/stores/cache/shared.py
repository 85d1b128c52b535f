"""The entries of a cache in another store, such as Redis or a bucket, so that several machines share them.

The service decides what to remove and when (``maxmemory-policy`` of Redis, lifecycle rules of a bucket). Whatever it removes is
fetched again. Values are checked, as those of a directory are.
"""

from __future__ import annotations

import logging
import time
from typing import Any, Final

from zarrcore.errors import StoreError, StoreFullError, ValueTooLargeError
from zarrcore.stores.cache.entries import FOLDER, LAYOUT, sealed, unsealed
from zarrcore.stores.interface import BytesLike, ReadableStore
from zarrcore.stores.object.store import ObstoreStore
from zarrcore.stores.wrapper.interface import writable

_log = logging.getLogger(__name__)

_PAUSE_S: Final = 60.0
"""The pause of all requests after one failed: a service that does not answer must not delay each read."""

_INDEX: Final = "parts"
_MOST_ENDINGS: Final = 1000


class SharedCache:
    """Entries in ``store``.

    A failure of the store is logged once and never raised: for a minute nothing is found and nothing is kept.

    Args:
        store: keeps the entries; processes that use the same store share them.

    Raises:
        ReadOnlyError: it cannot be written.
    """

    def __init__(self, store: ReadableStore) -> None:
        self.store = store
        self._writable = writable(store)
        self._resume_s = 0.0
        self._resume_writing_s = 0.0
        self._warned = False

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.store,)

    def get(self, name: str) -> BytesLike | None:
        """The bytes kept under a name, or None."""
        if time.monotonic() < self._resume_s:
            return None
        try:
            content = self.store.get(_key(name))
        except StoreError as error:
            self._skip(error)
            return None
        if content is None:
            return None
        value = unsealed(name, content)
        if value is None:
            _log.info("an entry of the cache in %s is damaged and was dropped", self.store.url)
            self.drop(name)
        return value

    def put(self, name: str, value: BytesLike) -> None:
        """Keep bytes under a name, if there is space."""
        if time.monotonic() < max(self._resume_s, self._resume_writing_s):
            return
        try:
            self._writable.set(_key(name), sealed(name, value))
        except ValueTooLargeError:
            return
        except StoreFullError as error:
            self._skip_writing(error)
        except StoreError as error:
            self._skip(error)

    def claim(self, name: str) -> bool:
        """Make an empty entry; False if there is one already, and True as well if nothing can be kept.

        A bucket makes none: two more requests for each miss cost more than fetching some values twice.
        """
        paused = time.monotonic() < max(self._resume_s, self._resume_writing_s)
        if paused or isinstance(self.store, ObstoreStore):
            return True
        try:
            return self._writable.set(_key(name), sealed(name, b""), if_absent=True)
        except StoreFullError as error:
            self._skip_writing(error)
        except StoreError as error:
            self._skip(error)
        return True

    def is_claimed(self, name: str) -> bool:
        """Whether the entry of a claim exists."""
        return self.get(name) is not None

    def unclaim(self, name: str) -> None:
        """Remove the entry of a claim."""
        if not isinstance(self.store, ObstoreStore):
            self.drop(name)

    def drop(self, name: str) -> None:
        """Remove the entry of a name."""
        if time.monotonic() < self._resume_s:
            return
        try:
            self._writable.erase(_key(name))
        except StoreError as error:
            self._skip(error)

    def endings(self, beginning: str) -> list[str]:
        """The rest of the names of entries that begin with ``beginning``, as far as they were noted."""
        # Listing would cost a scan of the whole database of Redis. What two processes note at once may be lost.
        noted = self.get(beginning + _INDEX)
        return [] if noted is None else bytes(noted).decode().split()

    def note_ending(self, beginning: str, ending: str) -> None:
        """Make an entry known to `endings`."""
        endings = [known for known in self.endings(beginning) if known != ending][1 - _MOST_ENDINGS :]
        self.put(beginning + _INDEX, " ".join([*endings, ending]).encode())

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def _skip(self, error: StoreError) -> None:
        """Ask for nothing for a while."""
        self._resume_s = time.monotonic() + _PAUSE_S
        self._log_failure(error)

    def _skip_writing(self, error: StoreError) -> None:
        """Keep nothing for a while; what is there can be read."""
        self._resume_writing_s = time.monotonic() + _PAUSE_S
        self._log_failure(error)

    def _log_failure(self, error: StoreError) -> None:
        if not self._warned:
            self._warned = True
            _log.warning("the cache in %s is skipped: %s", self.store.url, error)


def _key(name: str) -> str:
    return f"{LAYOUT}/{name[:FOLDER]}/{name[FOLDER:]}"
