"""Hierarchies: nodes by path.

Accepted specification, "Storage", "Operations": discovering children, existence of a node, implicit groups; creating and
erasing nodes. `Hierarchy` is the common part; a `StoreHierarchy` is in one store and one format, and a `Collection`
combines other hierarchies.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, fields
from itertools import islice
from typing import Any, Final

from zarrcore.array import ChunkCache
from zarrcore.array.reader import DEFAULT_MAX_CHUNK_BYTES, Missing, Verify
from zarrcore.display import Pictured, Preview
from zarrcore.errors import NodeNotFoundError, SelectionError, StoreError, ZarrError
from zarrcore.formats import Format
from zarrcore.hierarchy.changing import ChangingNodes
from zarrcore.hierarchy.changing_members import ChangingMembers
from zarrcore.hierarchy.nodes import AnyNode, ArrayNode, BrokenNode, Group
from zarrcore.hierarchy.paths import normalize_path
from zarrcore.hierarchy.walking import Branch, Survey, grow
from zarrcore.metadata.attributes import Attributes
from zarrcore.stores.interface import ReadableStore

_COMPARED: Final = 1000
"""Names that are compared with one that does not exist."""


@dataclass(frozen=True, slots=True)
class HierarchyOptions:
    """How a hierarchy reads. Its attributes `chunk_cache` to `read_only` are these."""

    chunk_cache: ChunkCache | None = None
    """Shared by all arrays; None keeps no decoded chunks. It is not pickled."""
    metadata_max_age_s: float | None = None
    """Documents read longer ago are read again; None keeps them until `Hierarchy.refresh`."""
    max_chunk_bytes: int = DEFAULT_MAX_CHUNK_BYTES
    """Arrays refuse chunks that decode to more."""
    read_only: bool = True
    """Whether all changes are refused, even if the store is writable."""
    believe_consolidated: bool | None = None
    """Whether to use consolidated metadata; by default, if the store is remote and the hierarchy is read-only."""
    named: bool = False
    """Whether the caller named the format. Then nodes raise WrongFormatError if the root has documents of another format, and
    none of this one."""

    missing: Missing = "fill"
    """How arrays read missing chunks: "fill" as fill values, "error" raises ChunkNotFoundError."""

    verify: Verify = "needed"
    """How much of a chunk arrays decode: what is "needed" of it, or "always" all of it."""

    def __reduce__(self) -> tuple[Any, ...]:
        values = (None if each.name == "chunk_cache" else getattr(self, each.name) for each in fields(self))
        return HierarchyOptions, tuple(values)


DEFAULT_OPTIONS: Final = HierarchyOptions()


class Hierarchy(ChangingMembers, ChangingNodes, Pictured):
    """Nodes by path, and a mapping of those directly below its root. Thread-safe.

    `zarrcore.open` and `zarrcore.create` return one.

    Attributes:
        store: the store; the hierarchy's root is at its empty prefix.
        format: the format.
        options: how it reads.
        at: the path of the root; not ``/`` for a member of a `Collection`.
    """

    def __init__(
        self,
        store: ReadableStore,
        format: Format,  # noqa: A002 - the specification's word, and the option's
        options: HierarchyOptions,
        at: str,
    ) -> None:
        self.store = store
        self.format = format
        self.options = options
        self.chunk_cache = options.chunk_cache
        self.metadata_max_age_s = options.metadata_max_age_s
        self.max_chunk_bytes = options.max_chunk_bytes
        self.read_only = options.read_only
        self.missing = options.missing
        self.verify = options.verify
        self.at = at

    @abstractmethod
    def node(self, path: str, *, together: bool = True) -> AnyNode:
        """The node at ``path``; a `BrokenNode` if it cannot be opened.

        Args:
            path: path of the node.
            together: whether, over a network, all documents that it may have are requested in one round trip. For many
                nodes at once it is faster to request only those that matter, one after another.

        Raises:
            NodeNotFoundError: no node has this path.
            SelectionError: ``path`` is not a valid path.
            StoreError: the store failed.
        """

    @abstractmethod
    def child_names(self, path: str) -> Iterator[str]:
        """The names of possible nodes below the group at ``path``; no document is fetched."""

    @abstractmethod
    def alone(self) -> Hierarchy:
        """The same hierarchy with its root at ``/``, each node read from its own documents, not from consolidated metadata."""

    @abstractmethod
    def forget(self, path: str) -> None:
        """Forget the metadata of a node and of everything below it, and its entries in documents above it."""

    @property
    def url(self) -> str:
        """The store's URL, without credentials."""
        return self.store.url

    @property
    def root(self) -> Group | ArrayNode:
        """The node at ``/``, or at ``at``.

        Raises:
            MetadataError, UnsupportedError: it cannot be opened.
        """
        return self[self.at]

    @property
    def attributes(self) -> Attributes:
        """The attributes of the `root`."""
        return self.root.attributes

    @attributes.setter
    def attributes(self, attributes: Mapping[str, Any]) -> None:
        self.root.attributes = attributes

    attrs = attributes

    def preview(self, selection: Any = None, *, size: int = 512) -> Preview:
        """A picture of the root, if that is an image or an array."""
        return self.root.preview(selection, size=size)

    def within(self, path: str) -> str:
        """``path`` as seen from the store's root: another path for a member of a `Collection`."""
        return path[len(self.at) :] or "/" if self.at != "/" else path

    def __getitem__(self, path: str) -> Group | ArrayNode:
        """The group or array at ``path``, with or without the leading slash.

        Raises:
            TypeError: ``path`` is not a str.
            NodeNotFoundError: no node has this path.
            MetadataError: its document is broken.
            UnsupportedError: it needs an unknown extension.
            StoreError: the store failed.
        """
        path = normalize_path(self._path(path))
        try:
            node = self.node(path)
        except NodeNotFoundError as error:
            similar = self._similar(path)
            if similar is None:
                raise
            raise NodeNotFoundError(error.path, error.url, f": did you mean {similar}?") from None
        if isinstance(node, BrokenNode):
            # The error is kept for later callers, so it must not collect their frames.
            raise node.error.with_traceback(None)
        return node

    def _similar(self, path: str) -> str | None:
        """The path of an existing node that resembles the first missing part of ``path``; None if that takes requests."""
        from difflib import get_close_matches

        if self._costs_round_trips():
            return None
        above, _, name = path.rpartition("/")
        with suppress(ZarrError):
            while above and above not in self:
                above, _, name = above.rpartition("/")
            names = islice(self.child_names(above or "/"), _COMPARED)
            found = (f"{above}/{near}" for near in get_close_matches(name, names))
            return next((near for near in found if near in self), None)
        return None

    @property
    def _owner(self) -> Hierarchy:
        return self

    @property
    def _base(self) -> str:
        return ""

    def _nodes(self) -> Iterator[AnyNode]:
        return self.children(self.at)

    def member(self, path: str) -> Hierarchy:
        """The hierarchy that the node at ``path`` belongs to: this one, except in a `Collection`.

        Raises:
            As `node`.
        """
        return self

    def children(self, path: str, ahead: int | None = None) -> Iterator[AnyNode]:
        """The nodes directly below the group at ``path``, in the store's order, documents fetched ahead in parallel.

        Args:
            path: the group.
            ahead: as `branch`.

        Raises:
            ListingUnsupportedError: the store cannot list keys and has no consolidated metadata.
            StoreError: the store failed.
        """
        with self.branch(path, 1, ahead) as top:
            for branch in top:
                yield branch.node

    def branch(
        self, path: str = "/", depth: int | None = None, ahead: int | None = None
    ) -> AbstractContextManager[Branch]:
        """The node at ``path`` with the branches below it, for a ``with`` block; fetched ahead if the store is remote.

        Args:
            path: the node.
            depth: levels below it; None for all.
            ahead: how many nodes of a remote store to fetch ahead at most, and thus how many at once; None for as many
                as keep all of the store's threads busy. A small number leaves threads to other readers.

        Raises:
            As `node`.
        """
        return self._grown(self.node(path), depth, ahead)

    @contextmanager
    def _grown(self, top: AnyNode, depth: int | None, ahead: int | None) -> Iterator[Branch]:
        if not isinstance(top, Group) or not self._costs_round_trips():
            yield grow(self, top, depth)
            return
        survey = Survey(self, self.store, depth, ahead)
        try:
            yield survey.branch(top)
        finally:
            survey.stop()

    def _costs_round_trips(self) -> bool:
        """Whether each node of a walk takes a request over a network."""
        return self.store.is_remote

    def child(self, path: str) -> AnyNode | None:
        """The node at a listed path; a `BrokenNode` if the store fails."""
        try:
            return self.node(path, together=False)
        except (NodeNotFoundError, SelectionError):  # such as a name with NUL, which no node can have
            return None
        except StoreError as error:  # a child that cannot be read does not hide its siblings
            return self.broken(path, error)

    def broken(self, path: str, error: ZarrError) -> BrokenNode:
        """A broken node without documents, with its error."""
        return BrokenNode(self, path, (None,) * len(self.format.document_keys(self.within(path))), error)

    def may_be_value(self, key: str, find: Callable[[str], AnyNode | None] | None = None) -> bool:
        """Whether a node may store a value under a key: a document or a chunk. Otherwise it can only begin other keys.

        Readers take a missing value for an empty one, so a store that refuses to answer for it must not seem to lack it. The
        nearest array above the key decides. Below a node that cannot be opened, every key may be a value.

        Args:
            key: the key, from the root of all paths.
            find: gets the node at a path, or None; by default `child`.

        Raises:
            As ``find``.
        """
        find, inside = find or self.child, self.within(f"/{key}")[1:]
        if self.format.is_document_key(inside):
            return True
        top = self.format.chunk_prefix("/")
        folders = inside.removeprefix(top).split("/")[:-1] if inside.startswith(top) else []
        for depth in range(len(folders) + 1):
            node = find("/".join((self.at.rstrip("/"), *folders[:depth])) or "/")
            if isinstance(node, BrokenNode):
                return True
            if node is not None and node.hierarchy.at != self.at:  # a member of a collection
                return node.hierarchy.may_be_value(key, find)
            if isinstance(node, ArrayNode):
                return not node.only_begins_chunk_keys(inside)
        return False

    def walk(self, path: str = "/", depth: int | None = None) -> Iterator[AnyNode]:
        """The node at ``path`` and all below it, parents before children, lazily.

        If the store cannot list the children of a group, a `BrokenNode` with the group's path takes their place.

        Args:
            path: the node.
            depth: levels below it; None for all.

        Raises:
            As `node`, and as `children` of the node at ``path``.
        """
        with self.branch(path, depth) as top:
            yield top.node
            stack = [top]
            while stack:
                branch = next(iter(stack[-1]), None)
                if branch is None:
                    stack.pop()
                else:
                    yield branch.node
                    stack.append(branch)

    def close(self) -> None:
        self.store.close()
