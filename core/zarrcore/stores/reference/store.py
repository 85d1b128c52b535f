"""The hierarchy that references describe: documents from the reference document, chunks from the files that it names."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Protocol

from zarrcore.errors import BrokenReferenceError, StoreError
from zarrcore.stores.interface import ByteRange, BytesLike, ReadableStore, StoreEntry
from zarrcore.stores.reference.document import parse_references
from zarrcore.stores.reference.index import Found
from zarrcore.stores.targets.opening import Targets, is_remote_target
from zarrcore.stores.virtual.store import Part, VirtualStore

_BLOCK_NBYTES: Final = 4 << 20
_REMOTE_REQUESTS: Final = 64


class References(Protocol):
    """References by key."""

    @property
    def urls(self) -> Iterable[str]:
        """Targets, of which some may be missing; enough of them to see if they are remote."""

    def find(self, key: str) -> Found | None:
        """The value, or where it is; None if the key is absent."""

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        """As `ListableStore.list_dir`."""


class ReferenceStore(VirtualStore):
    """The keys and values that references describe.

    Args:
        source: the store of the references.
        key: the key of the reference document there; empty for a Parquet folder.
        url: the URL to show.
        load: reads the references of ``source``.
    """

    presents = "references"

    def __init__(
        self, source: ReadableStore, key: str, url: str, load: Callable[[ReadableStore, str, str], References]
    ) -> None:
        super().__init__(source, key, url)
        self._load = load
        self._begin()
        if not self.is_remote:
            self.is_remote = any(map(is_remote_target, self._references.urls))
            if self.is_remote:
                self.requests_in_flight = _REMOTE_REQUESTS
        self.fills_buffers = self.fills_buffers and not self.is_remote

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._loaded: References | None = None
        folder = self.key[: self.key.rfind("/") + 1] if self.key else None
        self._targets = Targets(self.source, folder, self.url)

    def __getstate__(self) -> dict[str, Any]:
        hidden = ("_lock", "_loaded", "_targets", "_token")
        return {name: value for name, value in self.__dict__.items() if name not in hidden}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.source.options = self.options  # not all stores keep them, and they say what may be named
        self._begin()

    @property
    def _references(self) -> References:
        loaded = self._loaded
        if loaded is None:
            with self._lock:
                loaded = self._loaded
                if loaded is None:
                    loaded = self._loaded = self._load(self.source, self.key, self.url)
        return loaded

    def find(self, key: str) -> BytesLike | Part | None:
        found = self._references.find(key)
        if found is None or isinstance(found, bytes):
            return found
        store, inner = self._targets.find(found.url, key)
        return Part(store, inner, found.start, found.nbytes)

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        return self._references.list_dir(prefix)

    def refresh(self) -> None:
        super().refresh()
        self._targets.refresh()
        with self._lock:
            self._loaded = None

    def close(self) -> None:
        self._targets.close()
        super().close()


def open_document(source: ReadableStore, key: str, url: str) -> ReferenceStore:
    """A reference document in JSON as a store; an `Opener`.

    Raises:
        StoreError: a local document is broken. Remote ones are read when a key is requested.
    """
    return ReferenceStore(source, key, url, _load_document)


def _load_document(source: ReadableStore, key: str, url: str) -> References:
    return parse_references(_blocks(source, key, url), url)


def _blocks(source: ReadableStore, key: str, url: str) -> Iterator[bytes]:
    """The bytes of a value, block by block; all blocks are of one version."""
    facts = source.stat(key)
    if facts is None:
        raise StoreError(f"{url} does not exist", key=key, url=url)
    at = 0
    while at < facts.size:
        stop = min(at + _BLOCK_NBYTES, facts.size)
        block = source.get(key, ByteRange(at, stop), max_nbytes=stop - at)
        if block is None or len(block) != stop - at:
            raise BrokenReferenceError(f"{url} became shorter while it was read", key=key, url=url)
        yield bytes(block)
        at = stop
    now = source.stat(key)
    if now is None or now.lasting_version != facts.lasting_version:
        raise BrokenReferenceError(f"{url} changed while it was read", key=key, url=url)
