"""Which node of a hierarchy each key belongs to, for keys in the order of any listing."""

from __future__ import annotations

from typing import NamedTuple

from zarrcore.formats import FORMATS
from zarrcore.hierarchy import Hierarchy
from zarrcore.metadata import ArrayMetadata, ChunkKeyEncoding
from zarrcore.operations.check.keys import ROOT_KEYS

_WRITTEN = tuple(known for known in FORMATS if known.writable)
_CONSOLIDATED = frozenset(known.consolidated_key for known in FORMATS if known.consolidated_key)


class Owner(NamedTuple):
    """The node that a key belongs to."""

    name: str
    """What `KeyOwners.take` was told to call it."""
    chunk: tuple[int, ...] | None
    """The grid index, if the key is that of a chunk."""
    is_inside: bool
    """Whether this chunk is inside the grid."""


class KeyOwners:
    """The nodes of one hierarchy by their keys. Memory grows with the number of nodes, not of keys.

    A node also owns documents of other formats beside its own, and consolidated metadata.

    Args:
        hierarchy: the hierarchy; not a `Collection`.
        root: what to call the owner of keys at the root that belong to no single node.
    """

    def __init__(self, hierarchy: Hierarchy, root: str) -> None:
        self._format = hierarchy.format
        self._names = dict.fromkeys((*_CONSOLIDATED, *ROOT_KEYS), root)
        self._arrays: dict[str, tuple[str, ChunkKeyEncoding, tuple[int, ...]]] = {}
        self._broken: dict[str, str] = {}

    def take(self, name: str, path: str, array: ArrayMetadata | None) -> None:
        """Take in the node with this path in its hierarchy; ``array`` is its metadata if it is one."""
        own = self._format
        for known in (own, *_WRITTEN):
            self._names.update(dict.fromkeys(known.document_keys(path), name))
        # Writers also put consolidated metadata into groups other than the root.
        self._names.update((own.prefix(path) + key, name) for key in _CONSOLIDATED)
        if array is not None:
            counts = array.chunk_grid.grid_shape(array.shape)
            self._arrays[own.chunk_prefix(path)] = name, array.chunk_key_encoding, counts

    def take_broken(self, name: str, path: str) -> None:
        """Take in a broken node: its documents do not say which keys below it are its own, so that all are."""
        self.take(name, path, None)
        self._broken |= dict.fromkeys((self._format.prefix(path), self._format.chunk_prefix(path)), name)

    def find(self, key: str) -> Owner | None:
        """The node that a key belongs to; None if it belongs to no node."""
        if (name := self._names.get(key)) is not None:
            return Owner(name, None, False)
        end = len(key)
        while end:
            end = key.rfind("/", 0, end - 1) + 1
            if (found := self._arrays.get(key[:end])) is not None:
                name, encoding, counts = found
                index = encoding.decode(key[end:], len(counts))
                if index is None:
                    return None
                return Owner(name, index, all(i < n for i, n in zip(index, counts, strict=True)))
            if (name := self._broken.get(key[:end])) is not None:
                return Owner(name, None, False)
        return None
