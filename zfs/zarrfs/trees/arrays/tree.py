"""A hierarchy, or a collection of hierarchies, as directories of files that any program reads.

A group is a directory of its nodes. An array is a directory of virtual files. A node whose metadata cannot be parsed is a
directory with the reason. A node always wins over a virtual file of the same name. The result of a lookup is valid for the
metadata time to live, as `zarrfs.trees.freshness` says.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain
from threading import Event, Lock
from typing import Any, Final

from zarrcore.ages import aged, note_age
from zarrcore.conventions import names_along
from zarrcore.errors import (
    HierarchyNotFoundError,
    MetadataError,
    NodeNotFoundError,
    UnsupportedError,
    ZarrError,
)
from zarrcore.filetypes import FileType
from zarrcore.formats import Format, is_node_key
from zarrcore.hierarchy import AnyNode, ArrayNode, Group, Hierarchy
from zarrfs.trees.arrays.array_directory import ArrayDirectory
from zarrfs.trees.arrays.group_directory import BrokenDirectory, ErrorDirectory, GroupDirectory
from zarrfs.trees.arrays.texts import Texts
from zarrfs.trees.entry import Directory
from zarrfs.trees.errors import WouldBlockError
from zarrfs.trees.freshness import Freshness, Remembered
from zarrfs.trees.names import file_name, segment
from zarrfs.trees.writing.array_editor import ArrayEditor
from zarrfs.trees.writing.spool import SpoolMemory

_NODES_MAX: Final = 10_000
_FACTS_MAX: Final = 32
"""The number of arrays whose facts are remembered; each has at most 65,536 names of planes."""
_SHOWN: Final = ("raw", "npy")


class ArraysTree:
    """The decoded tree of a hierarchy.

    Args:
        open_hierarchy: opens it; called again after a refresh.
        freshness: how long its documents are valid.
        forget_chunks: drops cached chunks; called when a file is opened and cached chunks are not valid.
        shown: suffixes of virtual files that listings show; the others open by name.
        memory: for data being written; None for a read-only mount.

    Attributes:
        editor: changes the hierarchy; None for a read-only mount.
        when_listed: called when a program has listed a group, with the group and the number of its nodes.
        imageless: groups by path, and names in them, for which the log already says why their levels cannot be one image.
    """

    def __init__(
        self,
        open_hierarchy: Callable[[], Hierarchy],
        freshness: Freshness,
        forget_chunks: Callable[[], None] = lambda: None,
        shown: tuple[str, ...] = _SHOWN,
        memory: SpoolMemory | None = None,
    ) -> None:
        self.editor = None if memory is None else ArrayEditor(self.hierarchy, memory)
        self.freshness = freshness
        self.shown = shown
        self._open_hierarchy = open_hierarchy
        self._forget_chunks = forget_chunks
        self._hierarchy: Hierarchy | None = None
        self._generation = freshness.generation
        self._nodes: Remembered[str, AnyNode | None] = Remembered(freshness, _NODES_MAX)
        self._children: Remembered[str, list[str]] = Remembered(freshness, _NODES_MAX)
        self.texts = Texts(freshness, self.before_open)
        self._facts: Remembered[tuple[str, str, str], Any] = Remembered(freshness, _FACTS_MAX)
        self.imageless: Remembered[tuple[str, str], None] = Remembered(Freshness(math.inf), _NODES_MAX)
        self.when_listed: Callable[[Group, int], None] | None = None
        self._fetching: dict[str, Event] = {}
        """Groups whose nodes are fetched before a program needs them."""
        self._listing: Counter[str] = Counter()
        """Groups that programs are listing."""
        self._listing_lock = Lock()
        self._lock = Lock()

    def hierarchy(self) -> Hierarchy:
        """The hierarchy; it is opened again after a refresh.

        Raises:
            HierarchyNotFoundError: the store holds no hierarchy.
        """
        with self._lock:
            if self._hierarchy is None or self._generation != self.freshness.generation:
                generation = self.freshness.generation
                self._hierarchy = self._open_hierarchy()
                self._generation = generation
            return self._hierarchy

    def changed(self, key: str) -> None:
        """Drop everything that was made from a key that was set or erased."""
        self.texts.forget()
        path = f"/{key}"
        while path:
            path = path.rpartition("/")[0]
            known = self._nodes.get(path or "/")
            if known is None or not isinstance(known[0], ArrayNode):
                continue
            # This may ask the store for the chunk key encoding, and the store may fail.
            with suppress(ZarrError):
                if known[0].forget_chunk(key) or not is_node_key(known[0].hierarchy.within(f"/{key}")[1:]):
                    return
        # The key is a document, or a chunk of an array that is no longer remembered: drop everything.
        self.freshness.refresh()
        self._forget_chunks()

    @property
    def format(self) -> Format | None:
        """The format of the hierarchy as it was last opened; None before that."""
        return None if self._hierarchy is None else self._hierarchy.format

    def node(self, path: str, wait: bool) -> AnyNode | None:
        """The node at a path, or None."""
        known = self._nodes.get(path)
        if known is not None:
            return known[0]
        if not wait:
            raise WouldBlockError
        return self._nodes.learn(path, lambda: self._found(path))

    def _found(self, path: str) -> AnyNode | None:
        try:
            node = self.hierarchy().node(path)
        except NodeNotFoundError:
            return None
        note_age(node.read_s)
        return node

    def children(self, group: Group, ahead: int | None = None) -> Iterator[AnyNode]:
        """The nodes of a group. Those of a remote group are answered from memory while the last listing is valid.

        Args:
            group: the group.
            ahead: how many nodes to fetch at once at most; None for a program that lists them, and as many as the store takes.
        """
        path, is_program = group.path, ahead is None
        known, fetching = self._kept_children(path), self._begin(path) if is_program else None
        while known is None and fetching is not None:
            fetching.wait()
            known, fetching = self._kept_children(path), self._begin(path)
        count = 0
        try:
            for node in self._fetched_children(group, ahead) if known is None else known:
                yield node
                count += 1
        finally:
            if is_program and fetching is None:
                self._end(path)
        if is_program and self.when_listed is not None:
            self.when_listed(group, count)

    def _begin(self, path: str) -> Event | None:
        """Note that a program lists a group, unless its nodes are being fetched; then the end of that."""
        with self._listing_lock:
            fetching = self._fetching.get(path)
            if fetching is None:
                self._listing[path] += 1
            return fetching

    def _end(self, path: str) -> None:
        with self._listing_lock:
            self._listing[path] -= 1
            if not self._listing[path]:
                del self._listing[path]

    def _kept_children(self, path: str) -> list[AnyNode] | None:
        """The nodes of a group, if all are remembered."""
        known = self._children.get(path)
        if known is None:
            return None
        nodes = [node[0] for path in known[0] if (node := self._nodes.get(path)) is not None and node[0]]
        return nodes if len(nodes) == len(known[0]) else None

    def _fetched_children(self, group: Group, ahead: int | None) -> Iterator[AnyNode]:
        asked_s, nodes = self.freshness.now(), group.children(ahead)
        first, oldest_s = aged(next, nodes, None)
        # The listing of an implicit group may be that which found keys below it.
        asked_s = min(asked_s, oldest_s, math.inf if any(group.documents) else group.read_s)
        note_age(asked_s)
        paths: list[str] = []
        for node in chain(() if first is None else (first,), nodes):
            note_age(node.read_s)
            self._nodes.put(node.path, node, min(asked_s, node.read_s))
            if group.hierarchy.store.is_remote and len(paths) <= _NODES_MAX:
                paths.append(node.path)
            yield node
        if group.hierarchy.store.is_remote:
            self._children.put(group.path, paths, asked_s, 1 + len(paths))

    @contextmanager
    def fetching(self, path: str) -> Iterator[bool]:
        """For a ``with`` block that fetches the nodes of a group: programs wait for it. False if others fetch them now."""
        ended = Event()
        with self._listing_lock:
            is_mine = path not in self._listing and self._fetching.setdefault(path, ended) is ended
        try:
            yield is_mine
        finally:
            if is_mine:
                del self._fetching[path]
                ended.set()

    def listing(self, path: str) -> tuple[list[str], float] | None:
        """The paths of the nodes of a remote group, and when they were requested, if that is remembered."""
        return self._children.get(path)

    def is_group(self, path: str) -> bool:
        """Whether a remembered node is a group."""
        known = self._nodes.get(path)
        return known is not None and isinstance(known[0], Group)

    def has_room(self, count: int) -> bool:
        """Whether one more node, and a listing of ``count`` nodes, fit in memory without dropping others."""
        return len(self._nodes) < _NODES_MAX and self._children.weight + 1 + count <= _NODES_MAX

    def forget_node(self, path: str) -> None:
        """Forget a node, so that it is requested again, and so are listings with it."""
        self._nodes.drop(path)

    def child(self, group: Group, name: str, wait: bool) -> AnyNode | None:
        """The node whose file name in a group's directory is ``name``, or None."""
        part = segment(name)
        if not part or file_name(part) != name:
            return None
        return self.node(f"{group.path.rstrip('/')}/{part}", wait)

    def root(self, wait: bool, shown: Callable[[AnyNode], Directory] | None = None) -> Directory:
        """The root's directory, made by ``shown`` if given. A store without a hierarchy gets a directory that says so."""
        try:
            node = self.node("/", wait)
        except (HierarchyNotFoundError, MetadataError, UnsupportedError) as error:
            return ErrorDirectory(error)
        if node is None:
            return ErrorDirectory(NodeNotFoundError("/", self.hierarchy().url))
        return (shown or self.directory)(node)

    def directory(self, node: AnyNode) -> Directory:
        """The directory of a node."""
        if isinstance(node, ArrayNode):
            editor = None if node.read_only else self.editor
            facts, names = partial(self._facts_of, node), partial(self._names_along, node)
            return ArrayDirectory(
                node, self.mtime_s(node), self.shown, self.before_open, self.texts, editor, facts, names
            )
        if isinstance(node, Group):
            return GroupDirectory(self, node)
        return BrokenDirectory(node, self.mtime_s(node))

    def _facts_of(self, array: ArrayNode, kind: FileType, wait: bool) -> Any:
        """What other nodes say about an array, for a type of files, as `FileType.facts_of`.

        Raises:
            WouldBlockError: it is not in memory, and ``wait`` is False.
            StoreError: the store failed.
        """
        if not kind.facts:
            return None
        return self._told(array, kind.suffix, partial(kind.facts_of, array), wait)

    def _names_along(self, array: ArrayNode, wait: bool) -> Sequence[str | None] | None:
        """The names of an array's dimensions, its own or those of its image.

        Raises:
            WouldBlockError: they are not in memory, and ``wait`` is False.
            StoreError: the store failed.
        """
        if array.dimension_names is not None:
            return array.dimension_names
        found: Sequence[str | None] | None = self._told(array, "names", partial(names_along, array), wait)
        return found

    def _told(
        self, array: ArrayNode, what: str, ask: Callable[[Callable[[str], Any]], Any], wait: bool
    ) -> Any:
        """What other nodes say about an array; ``ask`` is called with what finds them.

        Raises:
            WouldBlockError: it is not in memory, and ``wait`` is False.
            StoreError: the store failed.
        """
        question = what, array.path, array.version
        known = self._facts.get(question)
        if known is not None:
            return known[0]
        if not wait:
            raise WouldBlockError

        def find(path: str) -> AnyNode:
            node = self.node(path, wait=True)
            if node is None:
                raise NodeNotFoundError(path, array.hierarchy.url)
            return node

        return self._facts.learn(question, lambda: ask(find))

    def mtime_s(self, node: AnyNode) -> float | None:
        """When a node's document was written, if that is known without a round trip for each node."""
        hierarchy = self._hierarchy
        return None if hierarchy is None or hierarchy.store.is_remote else node.mtime_s

    def before_open(self) -> None:
        """Called before a file is decoded: with a time to live of 0, cached chunks must not be reused."""
        if self.freshness.ttl_s == 0:
            self._forget_chunks()
