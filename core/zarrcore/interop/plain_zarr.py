"""A hierarchy of any format as the keys of a Zarr v3 hierarchy with plain chunks, for readers that know only Zarr v3."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from typing import Final

from zarrcore.errors import BodyTooLargeError, NodeNotFoundError, SelectionError, ZarrError
from zarrcore.filetypes import PlainChunks, VirtualFile, group_document
from zarrcore.hierarchy import AnyNode, ArrayNode, BrokenNode, Group, Hierarchy, normalize_path
from zarrcore.metadata.chunk_grid import chunk_indices
from zarrcore.stores import ByteRange, BytesLike, ListableStore, ReadableStore, StoreEntry, StoreStat
from zarrcore.stores.keys import check_key, check_prefix

_DOCUMENT: Final = "zarr.json"
_CHUNK: Final = re.compile(r"(?:(?P<path>.+)/)?c(?P<index>(?:/(?:0|[1-9][0-9]{0,18}))*)")
_ARRAYS_MAX: Final = 1000
"""The arrays whose plain chunks are remembered."""


class PlainZarrStore(ReadableStore, ListableStore):
    """The nodes of a hierarchy as Zarr v3. Closing it leaves the hierarchy open.

    Chunks are decoded when they are read; any part of a chunk of elements of fixed length can be read. A chunk that the
    source lacks has fill values here. A node that cannot be opened, or that Zarr v3 cannot express, is not listed; reading
    its document raises the error that says why.

    Args:
        hierarchy: the hierarchy, or a member of a collection; its chunk cache, if it has one, keeps decoded chunks.

    >>> from zarrcore.hierarchy import create_hierarchy
    >>> n5 = create_hierarchy("memory://", "n5")
    >>> n5.create_array("a", shape=(5,), dtype="uint8", chunks=(4,))[...] = 7
    >>> store = PlainZarrStore(n5)
    >>> [entry.key for entry in store.list()], bytes(store.get("a/c/1"))
    (['zarr.json', 'a/zarr.json', 'a/c/0', 'a/c/1'], b'\\x07\\x00\\x00\\x00')
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        self.url = hierarchy.url
        self.is_remote = hierarchy.store.is_remote
        self.requests_in_flight = hierarchy.store.requests_in_flight
        self._at = hierarchy.at.rstrip("/")
        self._known: OrderedDict[str, tuple[ArrayNode, PlainChunks]] = OrderedDict()
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[PlainZarrStore], tuple[Hierarchy]]:
        return type(self), (self.hierarchy,)

    @property
    def identity(self) -> Hashable:
        return "zarr3", self.hierarchy.store.identity, self.hierarchy.format.name, self._at

    def refresh(self) -> None:
        self.hierarchy.refresh()

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        found = self._value(key)
        if found is None:
            return None
        size = len(found) if isinstance(found, bytes) else found.size
        start, stop = (byte_range or ByteRange(0)).resolve(size)
        if max_nbytes is not None and stop - start > max_nbytes:
            raise BodyTooLargeError(stop - start, max_nbytes, key=key, url=self.url)
        return found[start:stop] if isinstance(found, bytes) else found.read(start, stop - start)

    def stat(self, key: str) -> StoreStat | None:
        found = self._value(key)
        if found is None:
            return None
        return StoreStat(len(found) if isinstance(found, bytes) else found.size)

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        node = self._node(prefix)
        if node is not None:
            for below in self.hierarchy.walk(node.path):
                if self._is_expressible(below):
                    yield from self._keys(below)
        elif (chunks := self._chunks_at(prefix)) is not None:
            yield from self._chunks(*chunks)

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        node = self._node(prefix)
        if isinstance(node, Group):
            yield from self._document(node)
            for child in node.children():
                if child.name != _DOCUMENT and self._is_expressible(child):
                    yield StoreEntry(f"{self._folder(child)}")
        elif isinstance(node, ArrayNode) and self._is_expressible(node):
            yield from self._document(node)
            if not self._plain(node).grid_shape:
                yield from self._chunks(node, ())
            elif 0 not in self._plain(node).grid_shape:
                yield StoreEntry(f"{self._folder(node)}c/")
        elif node is None and (chunks := self._chunks_at(prefix)) is not None:
            yield from self._next_indices(*chunks)

    def _value(self, key: str) -> bytes | VirtualFile | None:
        """The value of a key, or a file that makes it."""
        check_key(key, self.url)
        if key == _DOCUMENT or key.endswith(f"/{_DOCUMENT}"):
            node = self._node(key[: -len(_DOCUMENT)])
            if isinstance(node, BrokenNode):
                raise node.error.with_traceback(None)
            if isinstance(node, ArrayNode):
                return self._plain(node).document
            return None if node is None else group_document(node.attributes)
        if (chunks := self._chunks_at(key)) is None:
            return None
        plain, index = self._plain(chunks[0]), chunks[1]
        if len(index) != len(plain.grid_shape):
            return None
        return plain.chunk(index) if plain.nbytes is not None else plain.encoded(index)

    def _node(self, path: str) -> AnyNode | None:
        """The node at a path; in N5 any folder is a group, but folders of chunks are none here."""
        try:
            path = normalize_path(f"{self._at}/{path}")
            node = self.hierarchy.node(path)
            is_inside = any(isinstance(self.hierarchy.node(above), ArrayNode) for above in self._above(path))
        except (NodeNotFoundError, SelectionError):
            return None
        return None if is_inside else node

    def _plain(self, node: ArrayNode) -> PlainChunks:
        """The plain chunks of an array.

        Raises:
            UnsupportedError, MetadataError: as `PlainChunks`.
        """
        with self._lock:
            known = self._known.get(node.path)
            if known is not None and known[0] is node:
                self._known.move_to_end(node.path)
                return known[1]
        plain = PlainChunks(node)
        with self._lock:
            self._known[node.path] = (node, plain)
            if len(self._known) > _ARRAYS_MAX:
                self._known.popitem(last=False)
        return plain

    def _is_expressible(self, node: AnyNode) -> bool:
        try:
            return isinstance(node, Group) or (
                isinstance(node, ArrayNode) and bool(self._plain(node).document)
            )
        except ZarrError:
            return False

    def _chunks_at(self, key: str) -> tuple[ArrayNode, tuple[int, ...]] | None:
        """The array and the index in the key of a chunk, or the beginning of its index in a prefix of such keys."""
        match = _CHUNK.fullmatch(key.rstrip("/"))
        node = None if match is None else self._node(match["path"] or "/")
        if match is None or not isinstance(node, ArrayNode):
            return None
        index = tuple(int(number) for number in match["index"].split("/")[1:])
        grid = self._plain(node).grid_shape
        is_inside = len(index) + key.endswith("/") <= len(grid) and all(map(int.__lt__, index, grid))
        return (node, index) if is_inside and 0 not in grid else None

    def _keys(self, node: AnyNode) -> Iterator[StoreEntry]:
        """The keys of one node, without those of nodes below it."""
        if isinstance(node, Group):
            yield from self._document(node)
        elif isinstance(node, ArrayNode):
            yield from self._document(node)
            yield from self._chunks(node, ())

    def _document(self, node: Group | ArrayNode) -> Iterator[StoreEntry]:
        key = self._folder(node) + _DOCUMENT
        stat = self.stat(key)
        yield StoreEntry(key, None if stat is None else stat.size)

    def _chunks(self, node: ArrayNode, begin: tuple[int, ...]) -> Iterator[StoreEntry]:
        """The chunks of an array whose indices begin so."""
        plain = self._plain(node)
        for rest in chunk_indices(plain.grid_shape[len(begin) :]):
            yield StoreEntry("/".join((f"{self._folder(node)}c", *map(str, (*begin, *rest)))), plain.nbytes)

    def _next_indices(self, node: ArrayNode, begin: tuple[int, ...]) -> Iterator[StoreEntry]:
        """The chunks of an array, or the folders of chunks, whose indices begin so and have one number more."""
        plain = self._plain(node)
        folder = "/".join((f"{self._folder(node)}c", *map(str, begin)))
        is_chunk = len(begin) + 1 == len(plain.grid_shape)
        for number in range(plain.grid_shape[len(begin)]):
            yield (
                StoreEntry(f"{folder}/{number}", plain.nbytes)
                if is_chunk
                else StoreEntry(f"{folder}/{number}/")
            )

    def _folder(self, node: AnyNode) -> str:
        """The beginning of a node's keys."""
        path = node.path[len(self._at) + 1 :]
        return f"{path}/" if path else ""

    def _above(self, path: str) -> Iterator[str]:
        """The paths of the nodes above one."""
        while path not in ("/", self._at):
            path = path.rpartition("/")[0] or "/"
            yield path
