"""One listing of the source: the keys that belong to no node, and a digest of the chunks of each array.

A copy goes from node to node. A key that belongs to no node may be an unrelated file, or data that a damaged hierarchy hides:
the copy must report it. The digests show whether chunks changed before the copy was resumed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from zarrcore.errors import ListingUnsupportedError, ZarrError
from zarrcore.hierarchy import Collection, Hierarchy, normalize_path
from zarrcore.metadata import ArrayMetadata
from zarrcore.operations.check.keys import is_temporary
from zarrcore.operations.copy.plan import CopyPlan
from zarrcore.operations.copy.stored import ChunkDigest, StoredChunks
from zarrcore.operations.key_owners import KeyOwners
from zarrcore.stores.interface import ListableStore, StoreEntry
from zarrcore.stores.wrapper.interface import listable

_EXAMPLES = 3
_KEPT_CHUNKS = 1 << 28
"""Chunks of all grids for which one bit each is kept."""


@dataclass(frozen=True, slots=True)
class LeftKeys:
    """The keys that were left behind."""

    count: int = 0
    """Their number."""
    examples: tuple[str, ...] = ()
    """The first few of them."""


@dataclass(frozen=True, slots=True)
class Listed:
    """What the listing of the copied part shows. For a store that cannot be listed, it is empty."""

    left: LeftKeys = field(default_factory=LeftKeys)
    """The keys that belong to no node of the plan."""
    digests: dict[str, ChunkDigest] = field(default_factory=dict)
    """The digest of the chunks of each array, by its path in the source."""
    stored: dict[str, StoredChunks] = field(default_factory=dict)
    """The chunks of arrays that are stored, by the same path. Arrays are left out whose chunks may have other keys than expected,
    and those of many chunks."""


def list_source(plan: CopyPlan, source: Hierarchy) -> Listed:
    """What one listing of the node that ``plan`` copies shows.

    Not counted as left are files that an interrupted writer left, documents of other formats beside a node's own, and files
    beside the hierarchies of a collection.

    Args:
        plan: what was copied.
        source: the hierarchy of the plan.

    Raises:
        StoreError: the store failed.
    """
    members: dict[str, _Member] = {}
    found = Listed()
    if any(array.ranges is not None for array in plan.arrays):
        return found  # a listing of everything would cost more than a part
    for path, array in _nodes(plan):
        hierarchy = source.member(path)
        if not isinstance(hierarchy, Collection):
            # Parents come first, so the first node of a member is the top of its copied part.
            member = members.setdefault(hierarchy.at, _Member(hierarchy, hierarchy.within(path)))
            member.take(path, hierarchy.within(path), array)
    for path, _ in plan.skipped:
        with suppress(ZarrError):  # a part of a collection that does not open, whose keys are not listed
            hierarchy = source.member(path)
            if hierarchy.at in members:
                members[hierarchy.at].take_skipped(path, hierarchy.within(path))
    count, examples = 0, []
    for member in members.values():
        before = count
        for key in member.left():
            count += 1
            if count <= _EXAMPLES:
                examples.append(key)
        found.digests.update(member.digests)
        if count == before:  # otherwise these may be chunks that are named differently, which reading detects
            found.stored.update(member.stored)
    return replace(found, left=LeftKeys(count, tuple(examples)))


def _nodes(plan: CopyPlan) -> Iterator[tuple[str, ArrayMetadata | None]]:
    """Path in the source of each node, with the metadata of arrays; groups first."""
    for path, _ in plan.groups:
        yield normalize_path(f"{plan.source_path}/{path}"), None
    for array in plan.arrays:
        yield array.source_path, array.source


class _Member:
    """The keys of one hierarchy, divided into those of nodes and others."""

    def __init__(self, hierarchy: Hierarchy, top: str) -> None:
        format_ = hierarchy.format
        self._hierarchy = hierarchy
        self._listed = {format_.prefix(top), format_.chunk_prefix(top)}
        self._owners = KeyOwners(hierarchy, "")
        self._skipped: set[str] = set()
        """The prefixes of nodes that are left out."""
        self.digests: dict[str, ChunkDigest] = {}
        """The digest of each array by its path in the source; empty if the store cannot list."""
        self.stored: dict[str, StoredChunks] = {}
        """The stored chunks of arrays by the same path."""
        self._room = _KEPT_CHUNKS

    def take(self, source_path: str, path: str, array: ArrayMetadata | None) -> None:
        """Mark the keys of a node with this path in the source, and this one in its hierarchy."""
        self._owners.take(source_path, path, array)
        if array is not None:
            self.digests[source_path] = ChunkDigest()
            chunks = math.prod(array.chunk_grid.grid_shape(array.shape))
            if chunks <= self._room:
                self._room -= chunks
                self.stored[source_path] = StoredChunks(array)

    def take_skipped(self, source_path: str, path: str) -> None:
        """Mark the keys of a node that is left out, and all below it."""
        self._owners.take_broken(source_path, path)
        self._skipped |= {self._hierarchy.format.prefix(path), self._hierarchy.format.chunk_prefix(path)}

    def left(self) -> Iterator[str]:
        """The keys that belong to no node, as the source names them."""
        store, prefix = self._hierarchy.store, f"{self._hierarchy.at}/".lstrip("/")
        try:
            for listed in self._listed:
                for entry in self._entries(listable(store), listed):
                    if not self._belongs(entry):
                        yield prefix + entry.key
        except ListingUnsupportedError:
            self.digests.clear()
            self.stored.clear()

    def _entries(self, store: ListableStore, prefix: str) -> Iterator[StoreEntry]:
        """The keys after a prefix; from a local store, where listing may be denied, without those of nodes that are left out."""
        if store.is_remote or not self._skipped:
            yield from store.list_prefix(prefix)
            return
        for entry in store.list_dir(prefix):
            if not entry.is_prefix:
                yield entry
            elif entry.key not in self._skipped:
                yield from self._entries(store, entry.key)

    def _belongs(self, entry: StoreEntry) -> bool:
        owner = self._owners.find(entry.key)
        if owner is not None and owner.chunk is not None and owner.is_inside:
            self.digests[owner.name].add(owner.chunk, entry)
            if (stored := self.stored.get(owner.name)) is not None:
                stored.add(owner.chunk)
        return owner is not None or is_temporary(entry.key)
