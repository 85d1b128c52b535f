"""Discovering the children of a group: from consolidated metadata if they are used, else by listing.

Accepted specification, "Storage", "Operations": "discover children". Consolidated metadata are used if a request costs a
round trip, as in other readers: one document then describes all nodes. A node that they do not contain is requested itself.
Otherwise they only replace a listing that the store cannot give, and every node is requested itself.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice

from zarrcore.errors import ListingUnsupportedError, NodeNotFoundError, StoreError, ZarrError
from zarrcore.formats import Format
from zarrcore.formats.detect import Get, fetch_document
from zarrcore.hierarchy.nodes import AnyNode
from zarrcore.metadata import JsonObject
from zarrcore.stores.interface import ListableStore, ReadableStore, StoreEntry

_SORTED_CHILDREN = 10_000
_RECENT_NAMES = 100_000
_BEGUN_LISTINGS = 64
_BEGUN_FOR_S = 1.0
_ROOT_KEYS = 1000


@dataclass(frozen=True, slots=True)
class _Consolidated:
    """The content of the root's consolidated metadata."""

    read_s: float
    """When they were requested, by the monotonic clock."""
    documents: dict[str, JsonObject]
    """The result of `Format.normalize` for each node's documents, by path."""
    names: dict[str, list[str]]
    """The names below each path."""


class Discovery:
    """Finds the children of the groups of one store. Paths are those within the store. Thread-safe.

    Args:
        store: the store of the nodes.
        format: the format of the nodes.
        max_age_s: consolidated metadata read longer ago is read again; None keeps it until `forget`.
        root: the root node; raises NodeNotFoundError if there is none.
        believes: whether consolidated metadata are used.
        asked: gets documents, some of which were requested just now; None gets them from the store.
    """

    def __init__(
        self,
        store: ReadableStore,
        format: Format,  # noqa: A002 - the specification's word
        max_age_s: float | None,
        root: Callable[[], AnyNode],
        *,
        believes: bool,
        asked: Get | None = None,
    ) -> None:
        self._store = store
        self._format = format
        self._root = root
        self._max_age_s = max_age_s
        self.believes = believes
        self._lock = threading.Lock()
        self._kept: tuple[float, _Consolidated | ZarrError | None] | None = None
        self._begun: dict[str, tuple[float, Iterator[str]]] = {}
        self._asked = None if asked is None or not believes else (time.monotonic(), asked)

    def forget(self) -> None:
        """Forget the consolidated metadata."""
        self._kept = self._asked = None
        self._begun.clear()

    def child_names(self, path: str) -> Iterator[str]:
        """The names of possible nodes below the group at ``path``; no document except consolidated metadata is fetched."""
        found = self.believed()
        if found is not None:
            yield from found.names.get(path, ())
            return
        try:
            yield from self._listed_names(path)
        except ListingUnsupportedError as error:
            found = self._consolidated()
            if found is None:
                url = self._store.url
                sentence = f"{url} cannot be listed and has no consolidated metadata: name the path of a node"
                raise ListingUnsupportedError(sentence, url=url) from error
            yield from found.names.get(path, ())

    def implies_group(self, path: str) -> bool:
        """Whether nodes below a path without documents make it a group.

        Consolidated metadata answer if they contain a node below it, else a listing, if the store can give one.

        Raises:
            StoreError: the store failed.
        """
        format_, store = self._format, self._store
        found = self.believed()
        if found is not None and path in found.names:
            return True
        try:
            if format_.empty_groups and isinstance(store, ListableStore):
                return store.has_prefix(format_.prefix(path))
            names = self._listed_names(path)
            first = next(names, None)
        except ListingUnsupportedError:
            with suppress(ZarrError):
                found = self._consolidated()
            return found is not None and path in found.names
        if first is not None and store.is_remote:
            self._begin(path, chain((first,), names))
        return first is not None

    def keys_at_root(self) -> frozenset[str] | None:
        """The first keys and prefixes at the root of the store; None if it cannot list them.

        Over a network, the listing is kept for the next caller that needs the children of the root.
        """
        if not isinstance(self._store, ListableStore):
            return None
        try:
            entries = self._store.list_dir("")
            first = [*islice(entries, _ROOT_KEYS)]
        except StoreError:
            return None  # a later listing of the children raises the error
        if not self._format.prefix("/"):
            self._begin("/", self._names("", chain(first, entries)))
        return frozenset(entry.key for entry in first)

    def consolidated_node(self, path: str) -> tuple[JsonObject, float] | None:
        """A node's entry in the consolidated metadata, in the form of `Format.normalize`, and when they were requested.

        None if they do not contain it.
        """
        found = self.believed()
        document = None if found is None else found.documents.get(path)
        return (document, found.read_s) if found is not None and document else None

    def _begin(self, path: str, names: Iterator[str]) -> None:
        """Keep a listing that has begun for the next caller that needs it, as a walk does: over a network it is a request."""
        with self._lock:
            self._begun[path] = (time.monotonic(), names)
            if len(self._begun) > _BEGUN_LISTINGS:
                del self._begun[next(iter(self._begun))]

    def _listed_names(self, path: str) -> Iterator[str]:
        begun_s, names = self._begun.pop(path, (0.0, iter(())))
        if begun_s and time.monotonic() - begun_s < _BEGUN_FOR_S:
            yield from names
            return
        if not isinstance(self._store, ListableStore):
            url = self._store.url
            raise ListingUnsupportedError(f"{url} cannot be listed", url=url)
        prefix = self._format.prefix(path)
        yield from self._names(prefix, self._store.list_dir(prefix))

    def _names(self, prefix: str, entries: Iterable[StoreEntry]) -> Iterator[str]:
        child_name = self._format.child_name
        told = (child_name(entry.key[len(prefix) :].rstrip("/"), entry.is_prefix) for entry in entries)
        return in_order((name for name in told if name is not None), self._store.is_remote)

    def believed(self) -> _Consolidated | None:
        """The consolidated metadata, if they are used and exist."""
        if not self.believes:
            return None
        try:
            return self._consolidated()
        except ZarrError:
            return None  # then each node is requested itself, and its error says what is wrong with the store

    def _consolidated(self) -> _Consolidated | None:
        """The root's consolidated metadata; None if there are none.

        Raises:
            MetadataError: they are broken.
            StoreError: the store failed.
        """
        with self._lock:  # many threads need it at first
            kept = self._kept
            if kept is None or not self._is_recent(kept[0]):
                asked, self._asked = self._asked, None  # the text is not needed twice
                if asked is None or not self._is_recent(asked[0]):
                    asked = (time.monotonic(), partial(fetch_document, self._store))
                read_s, get = asked
                try:
                    kept = (read_s, self._read(get, read_s))
                except ZarrError as error:
                    kept = (read_s, error)
                self._kept = kept
        if isinstance(kept[1], ZarrError):
            raise kept[1].with_traceback(None)
        return kept[1]

    def _is_recent(self, read_s: float) -> bool:
        return self._max_age_s is None or time.monotonic() - read_s < self._max_age_s

    def _read(self, get: Get, read_s: float) -> _Consolidated | None:
        format_ = self._format
        try:
            root = self._root().documents
        except NodeNotFoundError:
            return None
        documents = format_.consolidated_documents(get, root)
        if documents is None:
            return None
        return _Consolidated(read_s, documents, names_by_parent(documents, format_))


def in_order(told: Iterable[str], is_remote: bool) -> Iterator[str]:
    """The names in a listing of a store, each once."""
    names = _each_once(told)
    if not is_remote:
        # A directory lists names in an arbitrary order; object stores list them sorted.
        yield from sorted(islice(names, _SORTED_CHILDREN))
    yield from names


def _each_once(names: Iterable[str]) -> Iterator[str]:
    """Each name once, in bounded memory: repeated names are close to one another."""
    recent: dict[str, None] = {}
    for name in names:
        if name not in recent:
            yield name
            recent[name] = None
            if len(recent) > _RECENT_NAMES:
                del recent[next(iter(recent))]


def names_by_parent(paths: Iterable[str], format: Format) -> dict[str, list[str]]:  # noqa: A002
    """The names below each path, sorted; groups that the paths imply are among them.

    >>> names_by_parent(["/a/b/c", "/d"], Format.V3)
    {'/': ['a', 'd'], '/a': ['b'], '/a/b': ['c']}
    """
    names: dict[str, set[str]] = {}
    for path in paths:
        parent = "/"
        for name in path.strip("/").split("/"):
            if not format.may_name_node(name):
                break
            names.setdefault(parent, set()).add(name)
            parent = f"{parent.rstrip('/')}/{name}"
    return {parent: sorted(below) for parent, below in names.items()}
