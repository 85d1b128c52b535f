"""A hierarchy, or a collection of them, as directories of files that any program reads.

A group is a directory of its nodes, an array one of virtual files, and a node that does not parse one that says why.
A node always wins over a virtual file of its name. What a look-up found counts for the metadata time to live; the
hierarchy itself should remember no documents, lest the two times add up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Lock
from typing import Any, Final

from zarrcore.errors import (
    HierarchyNotFoundError,
    MetadataError,
    NodeNotFoundError,
    UnsupportedError,
    ZarrError,
)
from zarrcore.formats import Format
from zarrcore.hierarchy import AnyNode, ArrayNode, BrokenNode, Group, Hierarchy
from zarrfs.views.array_directory import ArrayDirectory
from zarrfs.views.documents import DocumentFile, as_json, sentence
from zarrfs.views.entry import Directory, Entry, WouldBlockError
from zarrfs.views.facts import facts_of
from zarrfs.views.freshness import Freshness, Remembered
from zarrfs.views.names import file_name, segment
from zarrfs.views.texts import Texts

_NODES_MAX: Final = 10_000
_SHOWN: Final = ("raw", "npy")


class ArraysView:
    """The decoded tree of a hierarchy.

    Args:
        open_hierarchy: opens it; called again after a refresh.
        freshness: how long its documents count.
        forget_chunks: called when a file is opened and nothing older than that moment may be told.
        shown: suffixes of virtual files that listings show; the others open by name.
    """

    def __init__(
        self,
        open_hierarchy: Callable[[], Hierarchy],
        freshness: Freshness,
        forget_chunks: Callable[[], None] = lambda: None,
        shown: tuple[str, ...] = _SHOWN,
    ) -> None:
        self.freshness = freshness
        self.shown = shown
        self._open_hierarchy = open_hierarchy
        self._forget_chunks = forget_chunks
        self._hierarchy: Hierarchy | None = None
        self._generation = freshness.generation
        self._nodes: Remembered[str, AnyNode | None] = Remembered(freshness, _NODES_MAX)
        self._children: Remembered[str, list[str]] = Remembered(freshness, _NODES_MAX)
        self.texts = Texts(freshness, self.before_open)
        self._lock = Lock()

    def hierarchy(self) -> Hierarchy:
        """The hierarchy, opened anew after a refresh.

        Raises:
            HierarchyNotFoundError: the store holds none.
        """
        with self._lock:
            if self._hierarchy is None or self._generation != self.freshness.generation:
                generation = self.freshness.generation
                self._hierarchy = self._open_hierarchy()
                self._generation = generation
            return self._hierarchy

    def changed(self, key: str) -> None:
        """A key was set or erased: let nothing be told that was made of it."""
        self.texts.forget()
        path = f"/{key}"
        while path:
            path = path.rpartition("/")[0]
            known = self._nodes.get(path or "/")
            # How the chunks' keys are built may have to be asked, and the store not answer.
            with suppress(ZarrError):
                if known is not None and isinstance(known[0], ArrayNode) and known[0].forget_chunk(key):
                    return
        # A document, or a chunk of an array that nobody has asked for lately.
        self.freshness.refresh()
        self._forget_chunks()

    @property
    def format(self) -> Format | None:
        """How the hierarchy is laid out, as it was opened last; None before that."""
        return None if self._hierarchy is None else self._hierarchy.format

    def node(self, path: str, wait: bool) -> AnyNode | None:
        """The node at a path, or None."""
        known = self._nodes.get(path)
        if known is not None:
            return known[0]
        if not wait:
            raise WouldBlockError
        asked_s = self.freshness.now()
        node: AnyNode | None
        try:
            node = self.hierarchy().node(path)
        except NodeNotFoundError:
            node = None
        self._nodes.put(path, node, asked_s)
        return node

    def children(self, group: Group) -> Iterator[AnyNode]:
        """The nodes of a group; of a remote one that was listed before from memory, as long as that may be told."""
        known = self._children.get(group.path)
        if known is not None:
            nodes = [self._nodes.get(path) for path in known[0]]
            if all(node is not None and node[0] is not None for node in nodes):
                yield from (node[0] for node in nodes if node is not None and node[0] is not None)
                return
        asked_s = self.freshness.now()
        paths: list[str] = []
        for node in group.children():
            self._nodes.put(node.path, node, asked_s)
            if group.hierarchy.store.is_remote and len(paths) <= _NODES_MAX:
                paths.append(node.path)
            yield node
        if group.hierarchy.store.is_remote:
            self._children.put(group.path, paths, asked_s, 1 + len(paths))

    def child(self, group: Group, name: str, wait: bool) -> AnyNode | None:
        """The node whose file name in a group's directory is ``name``, or None."""
        part = segment(name)
        if not part or file_name(part) != name:
            return None
        return self.node(f"{group.path.rstrip('/')}/{part}", wait)

    def root(self, wait: bool, shown: Callable[[AnyNode], Directory] | None = None) -> Directory:
        """The root of the tree in which ``shown`` shows the nodes; where there is no hierarchy, a directory that says so."""
        try:
            node = self.node("/", wait)
        except (HierarchyNotFoundError, MetadataError, UnsupportedError) as error:
            return ErrorDirectory(sentence(error))
        if node is None:
            return ErrorDirectory("this store holds no hierarchy\n")
        return (shown or self.directory)(node)

    def directory(self, node: AnyNode) -> Directory:
        """The directory that shows a node."""
        if isinstance(node, ArrayNode):
            return ArrayDirectory(node, self.mtime_s(node), self.shown, self.before_open, self.texts)
        if isinstance(node, Group):
            return GroupDirectory(self, node)
        return BrokenDirectory(node, self.mtime_s(node))

    def mtime_s(self, node: AnyNode) -> float | None:
        """When a node's document was written, where that costs no round trip for each of thousands of nodes."""
        hierarchy = self._hierarchy
        return None if hierarchy is None or hierarchy.store.is_remote else node.mtime_s

    def before_open(self) -> None:
        """Called before anything is decoded: where each open asks the store, no chunk at hand counts."""
        if self.freshness.ttl_s == 0:
            self._forget_chunks()


class GroupDirectory(Directory):
    """A group: its nodes, ``metadata.json`` and ``attributes.json``; a collection, which has no documents, only its nodes."""

    __slots__ = ("_node", "_view", "mtime_s")

    def __init__(self, view: ArraysView, node: Group) -> None:
        self._view = view
        self._node = node
        self.mtime_s = view.mtime_s(node)

    def lookup(self, name: str, wait: bool) -> Entry | None:
        node = self._view.child(self._node, name, wait)
        return self._documents().get(name) if node is None else self._view.directory(node)

    def facts(self, wait: bool) -> dict[str, Any]:
        return facts_of(self._node)

    def entries(self) -> Iterator[tuple[str, Entry]]:
        documents = self._documents()
        for node in self._view.children(self._node):
            name = file_name(node.name)
            documents.pop(name, None)
            yield name, self._view.directory(node)
        yield from documents.items()

    def _documents(self) -> dict[str, Entry]:
        node = self._node
        if node.kind == "collection":
            return {}
        return {
            "metadata.json": DocumentFile(lambda: as_json(node.metadata_document()), self.mtime_s),
            "attributes.json": DocumentFile(lambda: as_json(node.attributes), self.mtime_s),
        }


class BrokenDirectory(Directory):
    """A node that cannot be shown: its document as found, and why in one sentence."""

    __slots__ = ("_node", "mtime_s")

    def __init__(self, node: BrokenNode, mtime_s: float | None) -> None:
        self._node = node
        self.mtime_s = mtime_s

    def lookup(self, name: str, wait: bool) -> Entry | None:
        if name == "error.txt":
            return DocumentFile(lambda: sentence(self._node.error), self.mtime_s)
        if name != "document.json":
            return None
        if not wait and self._node.hierarchy.store.is_remote:
            raise WouldBlockError
        # Kept, since it was fetched: the documents of nodes that parse are made anew from what is known of them.
        document = self._node.stored_bytes()
        return DocumentFile(lambda: document, self.mtime_s)

    def facts(self, wait: bool) -> dict[str, Any]:
        return facts_of(self._node)

    def entries(self) -> Iterator[tuple[str, Entry]]:
        for name in ("document.json", "error.txt"):
            entry = self.lookup(name, wait=True)
            if entry is not None:
                yield name, entry


class ErrorDirectory(Directory):
    """A directory in place of a tree that is not there."""

    __slots__ = ("_text",)

    mtime_s = None

    def __init__(self, text: str | bytes) -> None:
        self._text = text.encode() if isinstance(text, str) else text

    def lookup(self, name: str, wait: bool) -> Entry | None:
        return dict(self.entries()).get(name)

    def entries(self) -> Iterator[tuple[str, Entry]]:
        yield "error.txt", DocumentFile(lambda: self._text, None)
