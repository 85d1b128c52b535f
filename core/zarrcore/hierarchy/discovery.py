"""Discovering the children of a group: by consolidated metadata where they are believed, else by listing.

Accepted specification, "Storage", "Operations": "discover children". Consolidated metadata are believed where a request costs a
round trip, as other readers do: one document then tells of all nodes. A node that they do not tell of is asked for itself.
Where they are not believed they stand in for a listing that the store cannot give, and every node is asked for itself.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice

from zarrcore.errors import ListingUnsupportedError, NodeNotFoundError, ZarrError
from zarrcore.formats import Format
from zarrcore.formats.detect import Get, fetch_document
from zarrcore.hierarchy.nodes import AnyNode
from zarrcore.metadata import JsonObject
from zarrcore.stores.interface import ListableStore, ReadableStore

_SORTED_CHILDREN = 10_000
_RECENT_NAMES = 100_000
_BEGUN_LISTINGS = 64
_BEGUN_FOR_S = 1.0


@dataclass(frozen=True, slots=True)
class _Consolidated:
    """What the root's consolidated metadata tell."""

    read_s: float
    """When they were asked for, by the monotonic clock."""
    documents: dict[str, JsonObject]
    """What `Format.normalize` makes of each node's documents, by path."""
    names: dict[str, list[str]]
    """The names below each path."""


class Discovery:
    """Tells what stands below the groups of one store. Paths are those path the store. Thread-safe.

    Args:
        store: where the nodes are.
        format: how they are laid out.
        max_age_s: consolidated metadata read longer ago is read again; None keeps it until `forget`.
        root: the root node; raises NodeNotFoundError where there is none.
        believes: whether consolidated metadata are believed.
        asked: gives what was asked for just now.
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
        """Forget what was read of consolidated metadata."""
        self._kept = self._asked = None
        self._begun.clear()

    def child_names(self, path: str) -> Iterator[str]:
        """The names under which the group at ``path`` may have nodes; no document is fetched but consolidated metadata."""
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
        """Whether what stands below a path without documents makes it a group.

        Consolidated metadata answer where they tell of a node below it, else a listing, where the store can give one.

        Raises:
            StoreError: the store did not answer as it should.
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

    def consolidated_node(self, path: str) -> tuple[JsonObject, float] | None:
        """What consolidated metadata tell of a node, as `Format.normalize` has it, and when they were asked for.

        None where they do not.
        """
        found = self.believed()
        document = None if found is None else found.documents.get(path)
        return (document, found.read_s) if found is not None and document else None

    def _begin(self, path: str, names: Iterator[str]) -> None:
        """Keep a listing that has begun for who asks next for those names, as a walk does: over a network it is a request."""
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
        child_name = self._format.child_name
        told = (
            child_name(entry.key[len(prefix) :].rstrip("/"), entry.is_prefix)
            for entry in self._store.list_dir(prefix)
        )
        yield from in_order((name for name in told if name is not None), self._store.is_remote)

    def believed(self) -> _Consolidated | None:
        """The consolidated metadata, where they are believed and there are any."""
        if not self.believes:
            return None
        try:
            return self._consolidated()
        except ZarrError:
            return None  # then each node is asked for itself, and tells what is wrong with the store

    def _consolidated(self) -> _Consolidated | None:
        """What the root's consolidated metadata tell; None where there are none.

        Raises:
            MetadataError: they are broken.
            StoreError: the store did not answer as it should.
        """
        with self._lock:  # many threads want it first
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
    """The names that a listing of a store tells, each once."""
    names = _each_once(told)
    if not is_remote:
        # A directory tells names in no order that people could follow; object stores list them sorted.
        yield from sorted(islice(names, _SORTED_CHILDREN))
    yield from names


def _each_once(names: Iterable[str]) -> Iterator[str]:
    """Each name once, as far as memory that does not grow can tell: those told twice are told close to one another."""
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
