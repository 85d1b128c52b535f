"""Collections: a folder or bucket of hierarchies, of any formats and at any depth, as one tree.

No specification defines them. Hierarchies are discovered lazily, each prefix by its own keys. A key that is neither a
hierarchy nor a prefix is not part of the tree.

A prefix without documents is an implicit group (of Zarr v3 as of 2023, or of N5) if one of its first children is such a node
and none is of another format. Its other children are looked at one by one all the same, so one format never hides another.
"""

from __future__ import annotations

import time
import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from threading import Lock
from typing import Any, NamedTuple

from zarrcore.ages import note_age
from zarrcore.errors import (
    HierarchyNotFoundError,
    ListingUnsupportedError,
    MetadataError,
    NodeNotFoundError,
    ReadOnlyError,
    StoreNotFoundError,
    UnsupportedError,
)
from zarrcore.formats import FORMATS, Format, detect_format, known_formats
from zarrcore.formats.detect import ask_root
from zarrcore.hierarchy.collections.format import COLLECTION
from zarrcore.hierarchy.collections.glance import Glance
from zarrcore.hierarchy.collections.implicit_group import children_agree, store_below
from zarrcore.hierarchy.hierarchy import DEFAULT_OPTIONS, Hierarchy, HierarchyOptions
from zarrcore.hierarchy.kept_nodes import KeptNodes
from zarrcore.hierarchy.listings import in_order
from zarrcore.hierarchy.node_loader import Seen
from zarrcore.hierarchy.node_writer import NodeWriter
from zarrcore.hierarchy.nodes import AnyNode, BrokenNode, CollectionNode, Group
from zarrcore.hierarchy.paths import normalize_path
from zarrcore.hierarchy.store_hierarchy import StoreHierarchy
from zarrcore.metadata import GroupMetadata
from zarrcore.stores.enclosing import place_inside, recognized
from zarrcore.stores.interface import ListableStore, ReadableStore
from zarrcore.stores.keys import join_url
from zarrcore.stores.kinds import FolderLook, kind_by_content, kind_by_suffix, listed_suffixes
from zarrcore.stores.wrapper.interface import listable
from zarrcore.threads import ThreadPool

PROBES = 16
"""Prefixes to look at before a place counts as one without hierarchies."""
_MIN_AGE_S = 5.0
"""Least time for which the kind of a prefix is remembered: otherwise each path would cost requests at every level."""


class _Member(NamedTuple):
    """The content of a prefix of a collection."""

    hierarchy: Hierarchy
    """The hierarchy or nested collection; the collection itself if it cannot be opened."""
    top: AnyNode
    """Its root, or a broken node."""


class Collection(Hierarchy):
    """The hierarchies below the root of one store, at any depth, for reading. Thread-safe.

    Its children are the prefixes of the first level, and its files with a suffix of `listed_suffixes`: hierarchies, or
    otherwise nested collections. Names that
    begin with a dot open, and are not listed.

    Args:
        format: format of the implicit group at the prefix; `COLLECTION` if it is not a group.
        others: as `Hierarchy`.

    >>> from zarrcore.stores import MemoryStore
    >>> v3, v2 = b'{"zarr_format": 3, "node_type": "group"}', b'{"zarr_format": 2}'
    >>> found = open_place(MemoryStore(values={"a/zarr.json": v3, "b/.zgroup": v2}))
    >>> [(node.path, node.kind, node.hierarchy.format.name) for node in found.walk()]
    [('/', 'collection', 'collection'), ('/a', 'group', 'v3'), ('/b', 'group', 'v2')]
    >>> found["b"].uri
    'memory://b#/'
    """

    def __init__(
        self,
        store: ReadableStore,
        format: Format = COLLECTION,  # noqa: A002 - as `Hierarchy`
        options: HierarchyOptions = DEFAULT_OPTIONS,
        at: str = "/",
    ) -> None:
        super().__init__(store, format, options, at)
        # The user named the collection, and not the documents in it.
        store.options = replace(store.options, targets="shared")
        max_age_s = options.metadata_max_age_s
        self._kept: KeptNodes[_Member] = KeptNodes(None if max_age_s is None else max(max_age_s, _MIN_AGE_S))
        self._opened: weakref.WeakSet[Hierarchy] = weakref.WeakSet()
        self._lock = Lock()

    def node(self, path: str, *, together: bool = True) -> AnyNode:
        path = normalize_path(path)
        if path == self.at:
            return self._top()
        member, is_new = self._member(path)
        if member.top.path == path and (is_new or member.hierarchy is self):
            return member.top
        if member.hierarchy is self:
            if isinstance(member.top, BrokenNode):  # what is below it is unknown
                return self.broken(path, member.top.error)
            raise NodeNotFoundError(path, self.url)
        return member.hierarchy.node(path, together=together)

    def child_names(self, path: str) -> Iterator[str]:
        below = self.below(path)
        if below is not self:
            yield from below.child_names(path)
            return
        if not isinstance(self.store, ListableStore):
            raise ListingUnsupportedError(
                f"{self.url} cannot be listed: name the path of a hierarchy", url=self.url
            )
        names = (
            entry.key.rstrip("/")
            for entry in self.store.list_dir("")
            if (entry.is_prefix or entry.key.lower().endswith(listed_suffixes()))
            and not entry.key.startswith(".")
        )
        yield from in_order(names, self.store.is_remote)

    def member(self, path: str) -> Hierarchy:
        path = normalize_path(path)
        found = self.below(path)
        return found if found is self or not isinstance(found, Collection) else found.member(path)

    def alone(self) -> Collection:
        return Collection(self.store, self.format, replace(self.options, believe_consolidated=False))

    def refresh(self) -> None:
        self._kept.clear()
        if self.chunk_cache is not None:
            self.chunk_cache.clear()
        for member in self._members():
            member.refresh()

    def forget(self, path: str) -> None:
        self._kept.forget(path)
        for member in self._members():
            member.forget(path)

    def _members(self) -> list[Hierarchy]:
        with self._lock:
            return [*self._opened]

    def writer(self) -> NodeWriter:
        raise ReadOnlyError(
            f"{self.url} is a collection of hierarchies, which is read-only: name one of them, or a new place"
        )

    def below(self, path: str) -> Hierarchy:
        """The node at ``path`` as the hierarchy that lists it sees it."""
        return self if path == self.at else self._member(path)[0].hierarchy

    def settle(self) -> None:
        """Check whether an apparent implicit group is one: it is not if a child has another format, or is a file."""
        names = [*islice(self.child_names(self.at), PROBES)]
        # A document of the group would hide files: nodes of a hierarchy are prefixes.
        if any(map(self._is_file, names)) or not children_agree(self.store, names, self.format):
            self.format = COLLECTION

    def probe(self) -> tuple[str | None, int]:
        """The first hierarchy among a few prefixes below, and the number of prefixes looked at.

        A broken node counts as a hierarchy, since it may be one.
        """
        pending, looked = deque([self.at]), 0
        # Programs that open a place look at its first children next: over a network, they are fetched together.
        with ThreadPool(PROBES, "zarrcore-collection") as threads:
            while pending and looked < PROBES:
                above = pending.popleft().rstrip("/")
                names = islice(self.child_names(above or "/"), PROBES - looked)
                paths = (f"{above}/{name}" for name in names)
                for node in (threads.map if self.store.is_remote else map)(self.child, paths):
                    if node is not None and node.kind != "collection":
                        return node.path, looked
                    if node is not None:
                        looked += 1
                        pending.append(node.path)
        return None, looked

    def _top(self) -> Group:
        kind = CollectionNode if self.format is COLLECTION else Group
        return kind(self, self.at, (None,) * len(self.format.document_keys("/")), GroupMetadata())

    def _member(self, path: str) -> tuple[_Member, bool]:
        """The member at the first segment of ``path``, and whether it was read now.

        Raises:
            NodeNotFoundError: there is none.
            StoreError: the store failed.
        """
        name = self.within(path)[1:].partition("/")[0]
        at = f"{self.at.rstrip('/')}/{name}"
        kept = self._kept.get(at)
        if kept is not None:
            if self.metadata_max_age_s is None or self.metadata_max_age_s >= _MIN_AGE_S:
                note_age(kept.top.read_s)
            return kept, False
        read_s = time.monotonic()
        try:
            member = self._open(name, at)
        except HierarchyNotFoundError as error:
            raise NodeNotFoundError(at, self.url) from error
        except (MetadataError, UnsupportedError) as error:
            member = _Member(self, self.broken(at, error))
            member.top.read_s = read_s
        self._kept.keep(at, read_s, member)
        return member, True

    def _open(self, name: str, at: str) -> _Member:
        kind = kind_by_suffix(name)
        if kind is not None and self._is_file(name):
            # A file of a known kind can be opened; one without a hierarchy is just a file.
            kind = (None if self.store.is_remote else kind_by_content(self.store, name)) or kind
            hierarchy = open_place(
                kind.open(self.store, name, join_url(self.store.url, name)), self.options, at
            )
        else:
            hierarchy = self._open_prefix(f"{name}/", at)
        with self._lock:
            self._opened.add(hierarchy)
        return _Member(hierarchy, hierarchy.node(at))

    def _is_file(self, name: str) -> bool:
        """Whether a child is a file that holds a hierarchy."""
        return kind_by_suffix(name) is not None and self.store.stat(name) is not None

    def _open_prefix(self, prefix: str, at: str) -> Hierarchy:
        store = store_below(self.store, prefix)
        if not store.is_remote:
            member = open_place(store, self.options, at, demanded=False)
            is_there = not isinstance(member, Collection) or listable(self.store).has_prefix(prefix)
        else:
            glance = Glance(store)
            member = open_place(store, self.options, at, demanded=False, seen=glance)
            is_there = not isinstance(member, Collection) or not glance.is_empty
        if not is_there:
            raise NodeNotFoundError(at, self.url)
        return member

    def __repr__(self) -> str:
        return f"<Collection {self.url}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Collection, (self.store, self.format, self.options, self.at)


def open_place(
    store: ReadableStore,
    options: HierarchyOptions = DEFAULT_OPTIONS,
    at: str = "/",
    *,
    demanded: bool = True,
    seen: ReadableStore | None = None,
    may_be_file: bool = True,
) -> Hierarchy:
    """The hierarchy, or collection, at the root of a store, for reading.

    Args:
        store: the store.
        options: how to read it.
        at: the path of its root.
        demanded: whether a place without any hierarchy is an error.
        seen: the same store, for detecting its content.
        may_be_file: whether the place may be one value; False if it was recognized as one, which another may replace meanwhile.

    Raises:
        HierarchyNotFoundError: a few requests found no hierarchy at the root or below it.
        MetadataError, UnsupportedError: an entry point is broken, or demands an unknown extension.
        StoreError: the store failed.
    """
    missing, began_s = None, time.monotonic()
    # Formats of other packages are loaded while the answers arrive.
    asked = ask_root(store, FORMATS) if store.is_remote and seen is None else None
    folder = FolderLook(seen or store)
    try:
        format_, documents = detect_format(seen or store, known_formats(), asked, folder)
    except (HierarchyNotFoundError, StoreNotFoundError) as error:
        found = recognized(store, folder, may_be_file=demanded and may_be_file)
        if found is not None:
            return open_place(found, options, at, demanded=demanded, may_be_file=False)
        if isinstance(error, StoreNotFoundError):
            raise
        format_, documents, missing = COLLECTION, None, error
    if missing is None and (documents is not None or format_.prefix("/")):
        return StoreHierarchy(store, format_, options, at, Seen(began_s, documents, asked))
    store_options = store.options
    collection = Collection(store, format_, options, at)
    if missing is None:
        collection.settle()
    elif demanded:
        try:
            _refuse_nothing(collection, missing)
        except HierarchyNotFoundError:
            store.options = store_options
            found = place_inside(store)
            if found is None:
                raise
            return open_place(found, options, at)
    return collection


def _refuse_nothing(collection: Collection, missing: HierarchyNotFoundError) -> None:
    try:
        found, looked = collection.probe()
    except ListingUnsupportedError:
        raise missing from None
    if found is None and looked < PROBES:
        hint = (
            f", nor in the {looked} folders below it"
            if looked > 1
            else ", nor in the folder below it" * looked
        )
        raise HierarchyNotFoundError(missing.url, missing.tried, hint)


def refuse_collection(store: ReadableStore, format: Format = COLLECTION) -> None:  # noqa: A002 - as `Collection`
    """Refuse to write to a place without its own document that contains hierarchies of several formats.

    Args:
        store: the store.
        format: format of the implicit group that the place may be.

    Raises:
        ReadOnlyError: it is a collection.
    """
    collection = Collection(store, format)
    with suppress(ListingUnsupportedError):
        if format is not COLLECTION:
            collection.settle()
        if collection.format is COLLECTION and collection.probe()[0] is not None:
            collection.writer()
