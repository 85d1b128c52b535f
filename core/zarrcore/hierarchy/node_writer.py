"""Making, changing and erasing nodes.

Accepted specification, "Storage", "Operations": creating and erasing groups and arrays. A node exists as soon as its decisive
document does, so that document is written last and erased first. Documents are changed member by member: unknown
members of another writer stay.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from zarrcore.errors import (
    ChangedError,
    ListingUnsupportedError,
    MetadataError,
    NodeExistsError,
    NodeNotFoundError,
    SelectionError,
    UnsupportedError,
)
from zarrcore.formats.attributes import json_attributes
from zarrcore.formats.detect import fetch_document, is_there
from zarrcore.formats.interface import Documents
from zarrcore.formats.look import Look, look_at
from zarrcore.hierarchy.elements_outside import erase_outside, with_whole_chunks
from zarrcore.hierarchy.moved_keys import move_keys
from zarrcore.hierarchy.node_loader import NodeLoader
from zarrcore.hierarchy.nodes import AnyNode, ArrayNode, BrokenNode, Group, NodeOwner
from zarrcore.metadata import ArrayMetadata, GroupMetadata, NodeMetadata
from zarrcore.metadata.attributes import Change
from zarrcore.metadata.read_only_json import changeable
from zarrcore.stores.interface import ListableStore, StoreStat
from zarrcore.stores.wrapper.interface import writable
from zarrcore.threads import ThreadPool

T = TypeVar("T")

_ERASED_AT_ONCE = 1000
_REPEATS = 20
"""How often a change begins again because other writers come between."""

_locks: WeakValueDictionary[Hashable, threading.RLock] = WeakValueDictionary()
"""The lock of each store that is being changed."""


class NodeWriter:
    """Changes the nodes of one hierarchy. Thread-safe: one change of a store at a time, by all its hierarchies in this process.

    Args:
        owner: the hierarchy that the nodes belong to.
        loader: reads them.

    Raises:
        ReadOnlyError: the store is read-only.
    """

    def __init__(self, owner: NodeOwner, loader: NodeLoader) -> None:
        self._owner = owner
        self._loader = loader
        self._format = owner.format
        self._store = writable(owner.store)
        # A change replaces whole documents: two at once would lose one of them.
        self._lock = _locks.setdefault(self._store.identity, threading.RLock())
        self._stats: dict[str, StoreStat] = {}

    def create(
        self, path: str, metadata: NodeMetadata, *, overwrite: bool = False, look: Look | None = None
    ) -> AnyNode:
        """Make a node, and missing groups above it.

        Args:
            path: path of the node.
            metadata: its metadata.
            overwrite: erase an existing node, with everything below it.
            look: the present content of the store, if it was just looked at.

        Raises:
            NodeExistsError: a node exists at ``path``, or an array above it.
            SelectionError: ``path`` is not a valid path.
            MetadataError, UnsupportedError: the format cannot hold the node.
        """
        self._check_names(path)
        documents = self._format.encode(metadata, at_root=path == "/")
        for_array = isinstance(metadata, ArrayMetadata)
        with self._lock:
            seen, missing = self._look_for_room(path, for_array, overwrite, look)
            node = None if overwrite else self._check_room(path, for_array, seen)
            self._unconsolidate(seen)
            if overwrite:
                self._erase(path)
            elif node is not None:
                self._write(path, node.documents, (None,) * len(node.documents))
            self._make_groups(missing)
            if not self._write(path, (None,) * len(documents), documents, if_absent=not overwrite):
                raise NodeExistsError(path, self._owner.url, "was made by another writer meanwhile")
            return self._taken(path, documents)

    def check_create(self, path: str, metadata: NodeMetadata) -> list[str]:
        """Check that `create` can make a node, and change nothing. Returns the paths of groups that it would make, too.

        Raises:
            As `create`.
        """
        self._check_names(path)
        self._format.encode(metadata, at_root=path == "/")
        for_array = isinstance(metadata, ArrayMetadata)
        with self._lock:
            seen, missing = self._look_for_room(path, for_array)
            self._check_room(path, for_array, seen)
            return missing

    def _check_names(self, path: str) -> None:
        for name in path[1:].split("/") if path != "/" else ():
            if not self._format.may_name_new_node(name):
                raise SelectionError(
                    f"path {path!r} has the segment {name!r}, which cannot be the name of a node"
                )

    def _look_for_room(
        self, path: str, for_array: bool, overwrite: bool = False, look: Look | None = None
    ) -> tuple[NodeLoader, list[str]]:
        """The store as it is around a new node, and the groups above it that have no document yet."""
        # What matters is requested at once: documents here and above, and the listing below an array.
        above, here = _paths_above(path), [] if overwrite else [path]
        prefixes = [self._format.prefix(path)] if for_array and here else []
        seen = self._look(*above, *here, prefixes=prefixes, look=look)
        return seen, self._missing_above(path, above, seen)

    def _look(self, *paths: str, prefixes: Sequence[str] = (), look: Look | None = None) -> NodeLoader:
        """The nodes of the store as they are now; over a network, documents at the root and at ``paths`` are requested at once.

        Nodes that were kept for other callers are forgotten: a change is decided on what other writers stored until now.
        """
        self._loader.forget("/")
        if look is None:
            keys = []
            if self._store.is_remote:
                keys = [key for path in {"/", *paths} for key in self._format.document_keys(path)]
                keys += filter(None, [self._format.consolidated_key])
            look = look_at(self._owner.store, keys, prefixes)
        return NodeLoader(self._owner, look)

    def _missing_above(self, path: str, above: Iterable[str], seen: NodeLoader) -> list[str]:
        """The groups above a path that have no document yet."""
        missing: list[str] = []
        for group in above:
            node = self._found(group, seen, is_group=True)
            if isinstance(node, BrokenNode):
                raise node.error.with_traceback(None)
            if isinstance(node, ArrayNode):
                raise NodeExistsError(group, self._owner.url, f"is an array: {path} cannot be below it")
            if node is None or not any(node.documents):
                missing.append(group)
        return missing

    def _found(self, path: str, seen: NodeLoader, *, is_group: bool = False) -> AnyNode | None:
        """The node at a path; ``is_group`` says that it does not matter whether a path without documents is a group."""
        documents = self._format.fetch(seen.get, path)
        if is_group and all(document is None for document in documents):
            with suppress(MetadataError):  # a document that matters only to an implicit group is broken
                self._format.implied_group(seen.get, path)
                return None  # found without a listing
        return seen.take(path, documents)

    def _make_groups(self, paths: Sequence[str]) -> None:
        """Store the documents of implicit groups: first the root's, then, over a network, the others at once."""
        below = [path for path in paths if path != "/"]
        if len(below) < len(paths):
            self._make_group("/")
        if self._store.is_remote and len(below) > 1:
            width = min(len(below), self._store.requests_in_flight)
            # At interpreter exit no thread can be started: then they are stored one after another.
            with suppress(RuntimeError), ThreadPool(width, "zarrcore-groups") as threads:
                list(threads.map(self._make_group, below))  # raises the first error, after all have ended
                return
        for path in below:
            self._make_group(path)

    def _make_group(self, path: str) -> None:
        """Store the document of an implicit group, unless another writer has just stored one."""
        documents = self._format.encode(GroupMetadata(), at_root=path == "/")
        for key, document in zip(self._format.document_keys(path), documents, strict=True):
            if document is not None:
                self._store.set(key, document, if_absent=True)
        self._loader.forget(path)

    def _check_room(self, path: str, for_array: bool, seen: NodeLoader) -> AnyNode | None:
        """Check that a new node can be at a path. Returns the group that gives way to it, if there is one."""
        node = self._found(path, seen, is_group=not for_array)
        if node is not None and not (isinstance(node, Group) and self._gives_way(node, for_array, seen)):
            raise NodeExistsError(path, self._owner.url, f"already exists, as {_a(node)}")
        if node is None and for_array and (key := self._any_key(path, seen)) is not None:
            raise NodeExistsError(path, self._owner.url, f"cannot be made: {key} would become a part of it")
        return node

    def _gives_way(self, group: Group, for_array: bool, seen: NodeLoader) -> bool:
        """Whether a group may be replaced: by a group if it is implicit, by an array if nothing is lost."""
        if not for_array:
            return not any(group.documents)
        if group.attributes:
            return False
        try:
            return next(seen.child_names(group.path), None) is None
        except ListingUnsupportedError:
            return False

    def _any_key(self, path: str, seen: NodeLoader) -> str | None:
        """A key below ``path``, which has no node; None if no such key exists or the store cannot list."""
        if not isinstance(seen.store, ListableStore) or path == "/":
            return None
        try:
            entry = next(iter(seen.store.list_prefix(self._format.prefix(path))), None)
        except ListingUnsupportedError:
            return None
        return None if entry is None else entry.key

    def erase(self, path: str) -> None:
        """Erase a node and all below it; the group above it stays.

        Raises:
            NodeNotFoundError: no node has this path.
        """
        with self._lock:
            above = path.rpartition("/")[0] or "/"
            seen = self._look(above, path)
            if self._found(path, seen) is None:
                raise NodeNotFoundError(path, self._owner.url)
            parent = self._found(above, seen)
            self._unconsolidate(seen)
            self._erase(path)
            if path != "/" and parent is not None and not any(parent.documents):
                self._make_group(above)  # an implicit group exists only as long as it has content

    def _erase(self, path: str) -> None:
        try:
            self._store.erase_values(self._format.document_keys(path))
            for prefix in {self._format.prefix(path), self._format.chunk_prefix(path)}:
                self._store.erase_prefix(prefix)
        finally:  # a store that failed may have erased some of it
            self._loader.forget(path)
            self._forget_chunks()

    def check_move(self, path: str, new: str) -> tuple[NodeLoader, list[str]]:
        """Check that `move` can move a node. Returns what it found in the store, and the groups that it would make.

        Raises:
            As `move`.
        """
        self._check_names(new)
        if new == path or new.startswith(path.rstrip("/") + "/"):
            raise SelectionError(f"{path} cannot be moved to {new}, which is the same or below it")
        if self._format.prefix(path) != self._format.chunk_prefix(path):
            raise UnsupportedError(
                "format", self._format.name, "keeps documents and chunks apart: cannot move"
            )
        seen = self._look(*_paths_above(new), path, new, path.rpartition("/")[0] or "/")
        if self._found(path, seen) is None:
            raise NodeNotFoundError(path, self._owner.url)
        if (there := self._found(new, seen)) is not None:
            raise NodeExistsError(new, self._owner.url, f"already exists, as {_a(there)}")
        if (key := self._any_key(new, seen)) is not None:
            raise NodeExistsError(new, self._owner.url, f"cannot be made: {key} would become a part of it")
        return seen, self._missing_above(new, _paths_above(new), seen)

    def move(self, path: str, new: str) -> bool:
        """Give a node and all below it another path, and make missing groups above it. Returns whether it was renamed at once.

        Raises:
            NodeNotFoundError: no node has this path.
            NodeExistsError: something is at the new path, or an array above it.
            SelectionError: the new path is not valid, or below the node.
            UnsupportedError: the format cannot be written.
            StoreError: the store failed; the node is still at its path, or, as the message then says, all of it at the new one.
        """
        with self._lock:
            seen, missing = self.check_move(path, new)
            above = path.rpartition("/")[0] or "/"
            parent = self._found(above, seen)
            self._unconsolidate(seen)
            self._make_groups(missing)
            try:
                at_once = move_keys(self._owner.store, self._format, path, new)
            finally:
                self._loader.forget("/")
                self._forget_chunks()
            if parent is not None and not any(parent.documents):
                self._make_group(above)  # an implicit group exists only as long as it has content
            return at_once

    def _forget_chunks(self) -> None:
        if self._owner.chunk_cache is not None:
            self._owner.chunk_cache.clear()

    def set_attributes(self, path: str, attributes: Mapping[str, Any], *, implicit: bool = False) -> AnyNode:
        """Replace the attributes of a node; ``implicit`` also allows a group without a document.

        Raises:
            NodeNotFoundError: the node no longer exists.
            MetadataError: an attribute is not JSON.
        """
        return self.change_attributes(path, partial(_replaced, attributes), implicit=implicit)[0]

    def change_attributes(self, path: str, change: Change[T], *, implicit: bool = False) -> tuple[AnyNode, T]:
        """Apply a change to the stored attributes of a node. Returns the node, and what ``change`` returns.

        Raises:
            As `set_attributes`, and whatever ``change`` raises; then nothing is changed.
        """
        with self._lock:
            return self._repeated(lambda: self._change_attributes(path, change, implicit))

    def _change_attributes(self, path: str, change: Change[T], implicit: bool) -> tuple[AnyNode, T]:
        self._with_change(path, change, implicit)  # what fails does so before anything is changed
        self._unconsolidate(self._look())
        stored, documents, result = self._with_change(path, change, implicit)
        self._write(path, stored, documents)
        return self._taken(path, documents), result

    def _with_change(self, path: str, change: Change[T], implicit: bool) -> tuple[Documents, Documents, T]:
        """The stored documents of a node, those with changed attributes, and what ``change`` returns."""
        stored = self._fresh(path, implicit=implicit)
        metadata = self._format.parse(stored)
        if metadata is None:
            metadata = self._format.implied_group(partial(fetch_document, self._owner.store), path)
        attributes = changeable(metadata.attributes)
        result = change(attributes)
        json_attributes(attributes)
        return stored, self._format.with_attributes(stored, attributes), result

    def _repeated(self, change: Callable[[], T]) -> T:
        """The result of a change of a node's documents, which is begun again if another writer comes between."""
        for _ in range(_REPEATS):
            with suppress(ChangedError):
                return change()
        return change()

    def resize(self, path: str, shape: tuple[int, ...], *, erase_chunks: bool) -> AnyNode:
        """Give an array another shape; ``erase_chunks`` erases what is then outside the array, which is kept otherwise.

        Raises:
            NodeNotFoundError: the node no longer exists.
            MetadataError: it cannot have this shape.
        """
        with self._lock:
            self._unconsolidate(self._look())
            stored, documents, before = self._repeated(lambda: self._with_shape(path, shape))
            after = self._format.parse(documents)
            node = self._taken(path, documents)
            if before.shape == shape:
                # An earlier attempt may have failed after it stored the shape: erase up to the ends of the last chunks.
                before = with_whole_chunks(before)
            shrunk = any(new < old for new, old in zip(shape, before.shape, strict=True))
            try:
                if erase_chunks and (shrunk or stored == documents) and isinstance(after, ArrayMetadata):
                    before = self._format.resolve(path, before, partial(is_there, self._owner.store))
                    after = replace(after, chunk_key_encoding=before.chunk_key_encoding)
                    erase_outside(
                        self._owner.store,
                        self._format.chunk_prefix(path),
                        before,
                        after,
                        self._owner.max_chunk_bytes,
                    )
            finally:
                self._forget_chunks()
            return node

    def _with_shape(self, path: str, shape: tuple[int, ...]) -> tuple[Documents, Documents, ArrayMetadata]:
        """Store the documents of an array with another shape; returns those before, these, and the metadata before."""
        stored = self._fresh(path)
        before = self._format.parse(stored)
        if not isinstance(before, ArrayMetadata):
            raise MetadataError("is no longer an array", key=path)
        documents = self._format.with_shape(stored, shape)
        self._write(path, stored, documents)
        return stored, documents, before

    def consolidate(self, nodes: Iterable[AnyNode]) -> int:
        """Write the documents of all ``nodes`` into the root's consolidated metadata; returns how many nodes have some.

        Raises:
            UnsupportedError: the format has none.
            MetadataError: a document is not a JSON object.
        """
        with self._lock:
            documents = {node.path: node.documents for node in nodes if any(node.documents)}
            for key, value in self._format.consolidate(documents).items():
                self._store.set(key, value)
            self._loader.forget("/")
            return len(documents)

    def _unconsolidate(self, seen: NodeLoader) -> None:
        """Remove consolidated metadata before a change."""
        stale = self._format.unconsolidate(self._format.fetch(seen.get, "/"))
        if all(value is None and seen.get(key) is None for key, value in stale.items()):
            return
        self._repeated(self._remove_consolidated)
        self._loader.forget("/")

    def _remove_consolidated(self) -> None:
        root = self._documents("/")
        for key, value in self._format.unconsolidate(root).items():
            if value is not None:
                self._replace(key, value)
            else:
                self._store.erase(key)

    def _documents(self, path: str) -> Documents:
        """The stored documents of a node, whose facts are noted for `_replace`."""
        self._stats = {}
        return self._format.fetch(partial(fetch_document, self._owner.store, stats=self._stats), path)

    def _replace(self, key: str, document: bytes) -> None:
        """Store a document in place of the one that was fetched last, or of none.

        Raises:
            ChangedError: another writer has changed it since.
        """
        stat = self._stats.get(key)
        if stat is None:
            is_stored = self._store.set(key, document, if_absent=True)
        elif stat.version is None:
            is_stored = self._store.set(key, document)
        else:
            is_stored = self._store.replace(key, document, stat)
        if not is_stored:
            why = f"{key} in {self._owner.url} is changed by another writer again and again: try it once more"
            raise ChangedError(why, key=key, url=self._owner.url)

    def _fresh(self, path: str, *, implicit: bool = False) -> Documents:
        documents = self._documents(path)
        if not any(documents) and not (implicit and self._found(path, self._look(path)) is not None):
            raise NodeNotFoundError(path, self._owner.url)
        return documents

    def _write(self, path: str, before: Documents, after: Documents, *, if_absent: bool = False) -> bool:
        """Store changed documents, the decisive one last; erase removed ones, the decisive one first.

        Returns False if ``if_absent`` is set but the decisive document exists.
        """
        changes = list(zip(self._format.document_keys(path), before, after, strict=True))
        for key, old, _ in (change for change in changes if change[2] is None):
            if old is not None:
                self._store.erase(key)
        new_values = [(key, new) for key, old, new in changes if new is not None and new != old]
        if not any(before):
            for key, new in reversed(new_values[1:]):
                self._store.set(key, new)
            return not new_values or self._store.set(*new_values[0], if_absent=if_absent)
        for key, new in reversed(new_values):
            self._replace(key, new)
        return True

    def _taken(self, path: str, documents: Documents) -> AnyNode:
        self._loader.forget(path)
        node = self._loader.take(path, documents)
        if node is None:  # pragma: no cover - documents that zarrcore writes describe a node
            raise NodeNotFoundError(path, self._owner.url)
        for held in self._loader.held(path):
            held.update_from(node)
        return node


def _replaced(attributes: Mapping[str, Any], stored: dict[str, Any]) -> None:
    stored.clear()
    stored.update(attributes)


def _paths_above(path: str) -> list[str]:
    """The paths of the groups above a path, the root first.

    >>> _paths_above("/a/b/c"), _paths_above("/")
    (['/', '/a', '/a/b'], [])
    """
    return [path[:end] or "/" for end, letter in enumerate(path) if letter == "/"] if path != "/" else []


def _a(node: AnyNode) -> str:
    return {"array": "an array", "group": "a group", "broken": "though broken"}[node.kind]
