"""The storage that each node uses: one walk over the nodes, and one listing of the keys, which are not kept.

A group's numbers include everything below it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from itertools import chain, islice

from zarrcore.hierarchy import (
    AnyNode,
    ArrayNode,
    BrokenNode,
    Collection,
    CollectionNode,
    Hierarchy,
    normalize_path,
)
from zarrcore.operations.key_owners import KeyOwners
from zarrcore.operations.parallel import in_parallel
from zarrcore.stores.interface import ReadableStore, StoreEntry
from zarrcore.stores.wrapper.interface import listable

Progress = Callable[[str, int, None], None]
"""Called with what is counted, and how many there are so far."""

_EXAMPLES = 3
_AT_ONCE = 1000
"""Keys whose sizes are asked for together, and after which the progress is told."""


@dataclass(slots=True)
class NodeUsage:
    """The storage of one node, and of everything below it."""

    path: str
    """The node."""
    kind: str
    """``group``, ``array``, ``broken`` or ``collection``."""
    stored_nbytes: int = 0
    """Bytes of all values of the node: documents and chunks."""
    nbytes: int | None = 0
    """Bytes of all elements, decoded; None for elements of variable length, which a group does not count."""
    is_partial: bool = False
    """Whether the group has arrays below it with elements of variable length."""
    keys: int = 0
    """Keys of the node."""
    same_as: str | None = None
    """The path of another array before it, if a link makes both the same one: the bytes are counted there."""


@dataclass(slots=True)
class OtherKeys:
    """Keys that belong to no node."""

    keys: int = 0
    """Their number."""
    stored_nbytes: int = 0
    """The bytes of their values."""
    examples: list[str] = field(default_factory=list)
    """The first few of them."""


@dataclass(slots=True)
class Usage:
    """The storage of a node and of all below it."""

    nodes: list[NodeUsage]
    """Each node, parents before children."""
    other: OtherKeys
    """Keys below the first node that belong to no node."""


def usage(hierarchy: Hierarchy, path: str = "/", progress: Progress | None = None) -> Usage:
    """The storage that the node at ``path`` and each node below it use.

    Args:
        hierarchy: where the node is.
        path: the node.
        progress: called with the number of nodes, then of keys.

    Raises:
        NodeNotFoundError: there is no node at ``path``.
        ListingUnsupportedError: the store cannot list its keys.
        StoreError: the store failed.
    """
    counter = _Counter(hierarchy, progress)
    top = normalize_path(path)
    for node in hierarchy.walk(top):
        counter.take(node)
    counter.count_keys()
    counter.add_to_parents(top)
    return Usage([*counter.nodes.values()], counter.other)


class _Counter:
    """Counts the keys of nodes."""

    def __init__(self, hierarchy: Hierarchy, progress: Progress | None) -> None:
        self._hierarchy = hierarchy
        self._progress = progress
        self._objects: dict[Hashable, str] = {}
        self._members: dict[str, tuple[Hierarchy, str, KeyOwners]] = {}
        self.nodes: dict[str, NodeUsage] = {}
        self.other = OtherKeys()

    def take(self, node: AnyNode) -> None:
        """Take in a node of a walk."""
        if node.path in self.nodes:  # a group whose children cannot be listed
            if isinstance(node, BrokenNode):
                raise node.error.with_traceback(None)
            return
        found = NodeUsage(node.path, node.kind)
        self.nodes[node.path] = found
        if isinstance(node, ArrayNode):
            found.nbytes = None if node.data_type.is_variable_length else node.nbytes
        self._report("nodes", len(self.nodes))
        member = self._hierarchy.member(node.path)
        if isinstance(member, Collection) or isinstance(node, CollectionNode):
            return
        path = member.within(node.path)
        if isinstance(node, ArrayNode) and (identity := member.store.object_identity(path)) is not None:
            first = self._objects.setdefault(identity, node.path)
            if first != node.path:
                found.same_as, found.nbytes = first, 0
        # Parents come first, so the first node of a member is its top.
        _, _, owners = self._members.setdefault(
            member.at, (member, path, KeyOwners(member, normalize_path(member.at + path)))
        )
        if isinstance(node, BrokenNode):
            owners.take_broken(node.path, path)
        elif isinstance(node, ArrayNode):
            owners.take(node.path, path, replace(node.metadata, chunk_key_encoding=node.chunk_key_encoding))
        else:
            owners.take(node.path, path, None)

    def count_keys(self) -> None:
        """List all keys, and count each for its node."""
        done = 0
        for member, top, owners in self._members.values():
            prefixes = {member.format.prefix(top), member.format.chunk_prefix(top)}
            entries = (entry for prefix in prefixes for entry in listable(member.store).list_prefix(prefix))
            while batch := list(islice(entries, _AT_ONCE)):
                for key, size in _sized(member.store, batch):
                    self._count(member, owners, key, size)
                done += len(batch)
                self._report("keys", done)

    def _count(self, member: Hierarchy, owners: KeyOwners, key: str, size: int) -> None:
        owner = owners.find(key)
        if owner is not None:
            node = self.nodes[owner.name]
            if node.same_as is None:
                node.keys, node.stored_nbytes = node.keys + 1, node.stored_nbytes + size
            return
        self.other.keys += 1
        self.other.stored_nbytes += size
        if len(self.other.examples) < _EXAMPLES:
            self.other.examples.append(f"{member.at}/{key}".lstrip("/"))

    def add_to_parents(self, top: str) -> None:
        """Add the numbers of each node to those of the groups above it, up to ``top``."""
        for node in reversed(self.nodes.values()):
            parent = self.nodes.get(node.path.rpartition("/")[0] or "/") if node.path != top else None
            if parent is None:
                continue
            parent.stored_nbytes += node.stored_nbytes
            parent.keys += node.keys
            parent.nbytes = (parent.nbytes or 0) + (node.nbytes or 0)
            parent.is_partial |= node.is_partial or node.nbytes is None

    def _report(self, what: str, done: int) -> None:
        if self._progress is not None:
            self._progress(what, done, None)


def _sized(store: ReadableStore, entries: list[StoreEntry]) -> Iterable[tuple[str, int]]:
    """Keys with the sizes of their values; sizes that the listing does not have are asked for at once."""
    known = [(entry.key, entry.size) for entry in entries if entry.size is not None]
    if len(known) == len(entries):
        return known

    def ask(entry: StoreEntry) -> tuple[str, int]:
        stat = store.stat(entry.key)
        return entry.key, 0 if stat is None else stat.size

    unknown = [entry for entry in entries if entry.size is None]
    return chain(known, in_parallel(ask, unknown, store.requests_in_flight))
