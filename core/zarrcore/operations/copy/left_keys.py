"""Keys of the source that a copy leaves behind, because they belong to no node that was copied.

A copy goes from node to node. A key that belongs to no node may be an unrelated file, or data that a damaged hierarchy hides:
the copy must report it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from zarrcore.errors import ListingUnsupportedError
from zarrcore.formats import FORMATS
from zarrcore.hierarchy import Collection, Hierarchy, normalize_path
from zarrcore.metadata import ArrayMetadata, ChunkKeyEncoding
from zarrcore.operations.check.keys import ROOT_KEYS, is_temporary
from zarrcore.operations.copy.plan import CopyPlan
from zarrcore.stores.interface import ListableStore

_EXAMPLES = 3
_WRITTEN = tuple(known for known in FORMATS if known.writable)
_CONSOLIDATED = frozenset(known.consolidated_key for known in FORMATS if known.consolidated_key)


@dataclass(frozen=True, slots=True)
class LeftKeys:
    """The keys that were left behind."""

    count: int = 0
    """Their number."""
    examples: tuple[str, ...] = ()
    """The first few of them."""


def find_left_keys(plan: CopyPlan, source: Hierarchy) -> LeftKeys:
    """The keys below the node that ``plan`` copies that belong to no node of the plan.

    Costs one listing of the copied part. For a store that cannot be listed, such keys are unknown. Not counted are files that
    an interrupted writer left, documents of other formats beside a node's own, and files beside the hierarchies of
    a collection.

    Args:
        plan: what was copied.
        source: the hierarchy of the plan.

    Raises:
        StoreError: the store failed.
    """
    members: dict[str, _Member] = {}
    for path, array in _nodes(plan):
        hierarchy = source.member(path)
        if not isinstance(hierarchy, Collection):
            # Parents come first, so the first node of a member is the top of its copied part.
            member = members.setdefault(hierarchy.at, _Member(hierarchy, hierarchy.within(path)))
            member.take(hierarchy.within(path), array)
    count, examples = 0, []
    for member in members.values():
        for key in member.left():
            count += 1
            if count <= _EXAMPLES:
                examples.append(key)
    return LeftKeys(count, tuple(examples))


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
        self._keys = {*_CONSOLIDATED, *ROOT_KEYS}
        self._chunks: dict[str, tuple[ChunkKeyEncoding, int]] = {}

    def take(self, path: str, array: ArrayMetadata | None) -> None:
        """Mark the keys of a node."""
        own = self._hierarchy.format
        for known in (own, *_WRITTEN):
            self._keys.update(known.document_keys(path))
        # Writers also put consolidated metadata into groups other than the root.
        self._keys.update(own.prefix(path) + key for key in _CONSOLIDATED)
        if array is not None:
            self._chunks[own.chunk_prefix(path)] = array.chunk_key_encoding, len(array.shape)

    def left(self) -> Iterator[str]:
        """The keys that belong to no node, as the source names them."""
        store, prefix = self._hierarchy.store, f"{self._hierarchy.at}/".lstrip("/")
        if isinstance(store, ListableStore):
            try:
                for listed in self._listed:
                    for entry in store.list_prefix(listed):
                        if not self._belongs(entry.key):
                            yield prefix + entry.key
            except ListingUnsupportedError:
                return

    def _belongs(self, key: str) -> bool:
        return key in self._keys or self._is_chunk(key) or is_temporary(key)

    def _is_chunk(self, key: str) -> bool:
        end = len(key)
        while end:
            end = key.rfind("/", 0, end - 1) + 1
            found = self._chunks.get(key[:end])
            if found is not None:
                encoding, ndim = found
                return encoding.decode(key[end:], ndim) is not None
        return False
