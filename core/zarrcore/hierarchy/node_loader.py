"""The nodes of one store: what is known of them, for how long, and what a write makes unknown.

Data flow one way: a `NodeLoader` reads documents through ``get``, and names through `Listings`; it parses and keeps
nodes, and the consolidated metadata. Nothing below it keeps an answer or calls back. `NodeWriter` writes, and says here
what to forget.

Consolidated metadata are used if a request costs a round trip, as in other readers: one document then describes all
nodes. A node that they do not contain is requested itself. Otherwise they only replace a listing that the store cannot
give, and every node is requested itself.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from zarrcore.ages import note_age
from zarrcore.array.pools import executor_for
from zarrcore.errors import (
    InternalError,
    ListingUnsupportedError,
    MetadataError,
    NodeNotFoundError,
    PlacedError,
    UnreadableNodeError,
    WrongFormatError,
    ZarrError,
)
from zarrcore.formats import known_formats
from zarrcore.formats.detect import Get, contradicting_format, fetch_document
from zarrcore.formats.interface import Documents
from zarrcore.hierarchy.consolidated_nodes import ConsolidatedNodes, consolidated_nodes
from zarrcore.hierarchy.kept_nodes import HeldNodes, KeptNodes
from zarrcore.hierarchy.listings import Listings
from zarrcore.hierarchy.nodes import AnyNode, ArrayNode, BrokenNode, ChangeableNode, Found, Group, NodeOwner
from zarrcore.metadata import ArrayMetadata
from zarrcore.stores.interface import ListableStore, ReadableStore
from zarrcore.threads import at_once, meanwhile

if TYPE_CHECKING:
    from zarrcore.hierarchy.revalidated import Revalidated

_PAUSES_S: Final = (0.005, 0.015)
"""How long to wait before documents that look damaged are read again."""
_JUST_NOW_S: Final = 1.0
"""Older documents are not read again, so that nodes that are damaged for good cost no time."""
_NAMED_LEVELS: Final = 8
"""Further below, attributes name no nodes, since a server may answer whatever it is asked. Labels of plates are 7 levels deep."""


class Seen(NamedTuple):
    """What was requested to open a hierarchy."""

    since_s: float
    """When the first request was sent, by the monotonic clock."""
    root_documents: Documents | None = None
    """The root's documents, if they are known."""
    get: Get | None = None
    """Gets documents, some of which were requested."""


def _may_be_revalidated(store: ReadableStore) -> bool:
    """Whether a store lists flat, and its answers are not those of a cache."""
    return store.lists_flat and store.states_versions and not store.remembers


class NodeLoader:
    """The nodes of one store in one format. Thread-safe.

    Args:
        owner: the hierarchy that the nodes belong to.
        store: where nodes are looked for, if it is not the owner's own store: a `Look` at it.
        max_age_s: documents read longer ago are read again; None keeps them until `clear`.
        believes: whether consolidated metadata are used.
        named: whether the caller named the format, so that it may be wrong.
        seen: what was requested just now.

    Attributes:
        store: where nodes are looked for.
        get: gets a document.
        believes: whether consolidated metadata are used.
    """

    def __init__(
        self,
        owner: NodeOwner,
        store: ReadableStore | None = None,
        *,
        max_age_s: float | None = None,
        believes: bool = False,
        named: bool = False,
        seen: Seen | None = None,
    ) -> None:
        self._owner = owner
        self._format = owner.format
        self._kept: KeptNodes[AnyNode] = KeptNodes(max_age_s)
        self._revalidated: Revalidated | None = None
        if store is None and max_age_s and owner.read_only and _may_be_revalidated(owner.store):
            from zarrcore.hierarchy.revalidated import Revalidated  # late: most hierarchies have none

            store = self._revalidated = Revalidated(owner.store, owner.format, self._kept.is_recent)
        self.store = store or owner.store
        self.get: Get = (
            partial(fetch_document, self.store) if self._revalidated is None else self._revalidated.read
        )
        self.believes = believes
        self._held: HeldNodes[ChangeableNode] = HeldNodes()
        self._listings = Listings(self.store, owner.format)
        self._is_named = named
        self._is_right = not named
        """Whether the format is known not to be wrong."""
        self._consolidated: tuple[float, ConsolidatedNodes | ZarrError | None] | None = None
        """The root's consolidated metadata, or why they cannot be read, and when they were requested."""
        self._asked = (seen.since_s, seen.get) if seen is not None and seen.get and believes else None
        self._lock = threading.Lock()
        if seen is not None and seen.root_documents is not None:
            self.take(owner.at, seen.root_documents, seen.since_s)

    def has_consolidated(self) -> bool:
        """Whether consolidated metadata exist and are used."""
        return self._believed() is not None

    def node(self, path: str, *, together: bool = True) -> AnyNode:
        """As `Hierarchy.node`, for a path in its normal form."""
        if self._is_right:
            return self._node(path, together=together)
        try:
            node = self._node(path, together=together)
        except NodeNotFoundError:
            self._refuse_wrong_format()
            raise
        if isinstance(node, Group) and not self._is_right and not _has_any(node.documents):
            self._refuse_wrong_format()
        return node

    def _refuse_wrong_format(self) -> None:
        """Refuse a format that the caller named, if the root has documents of another one, and none of this one.

        Called for an implicit group, or for no node at all. Over a network, this takes the listing of the root, which a
        walk needs too, and a document of the other format if there is one.

        Raises:
            WrongFormatError: the format is wrong.
            StoreError: the store failed.
        """
        own, store = self._format, self.store
        root = self._root()
        if root is None or not _has_any(root.documents):
            listed = self._listings.keys_at_root() if store.is_remote else None
            other = None
            if listed is not None or not store.is_remote:
                other = contradicting_format(store, own, known_formats(), listed)
            if other is not None:
                names = [(each.name, each.title) for each in (own, other)]
                raise WrongFormatError(self._owner.url, own.document_keys("/"), *names)
        self._is_right = True

    def _node(self, path: str, *, together: bool = True) -> AnyNode:
        kept = self._kept.get(path)
        if kept is not None:
            return kept
        node = self.take(path, *self._documents(path, together=together))
        if node is None:
            raise NodeNotFoundError(path, self._owner.url, self._hint(path))
        return node

    def _documents(self, path: str, *, together: bool) -> tuple[Found, float, Get | None]:
        """The documents of a node, when they were requested, and what gets others: the arguments of `take`."""
        within = self._owner.within(path)
        told = None if within == "/" else self._believed()
        document = None if told is None else told[1].documents.get(within)
        if told is not None and document:
            return document, told[0], None
        read_s, get = self._source(within)
        get = self._asking(get, within, together)
        return self._format.fetch(get, within), read_s, get

    def _hint(self, path: str) -> str:
        """The end of the error for a path without a node: that it is inside an array, if that array was read already."""
        while path != self._owner.at:
            path = path.rpartition("/")[0] or "/"
            if isinstance(self._kept.get(path), ArrayNode):
                return f": it is inside the array {path}"
        return ""

    def _source(self, within: str) -> tuple[float, Get]:
        """What gets the documents of a node, and when its answers are requested, by the monotonic clock."""
        return (time.monotonic(), self.get) if self._revalidated is None else self._revalidated.source(within)

    def _asking(self, get: Get, within: str, together: bool) -> Get:
        """Gets documents. Over a network, those of one node are requested at once: all of them, or, where many nodes are
        requested, those that most nodes need, as far as threads are idle.
        """
        if not self.store.is_remote:
            return get
        keys = self._format.document_keys(within) if together else self._format.usual_keys(within)[1:]
        if self._revalidated is not None:
            keys = tuple(filter(self._revalidated.needs_request, keys))
        if together:
            return at_once(get, keys)
        return meanwhile(get, keys, executor_for(self._owner.store)[0]) if keys else get

    def child_names(self, path: str) -> Iterator[str]:
        """As `Hierarchy.child_names`; no document except consolidated metadata is fetched."""
        within = self._owner.within(path)
        found = self._believed()
        if found is None:
            try:
                yield from self._listings.names(within)
            except ListingUnsupportedError as error:
                found = self._read_consolidated()
                if found is None:
                    yield from (names := self._named_by_attributes(path))
                    url, what = self.store.url, "name the path of a node"
                    if names:
                        what = "only nodes that attributes name are known; name the path of another one"
                    sentence = f"{url} cannot be listed and has no consolidated metadata: {what}"
                    raise ListingUnsupportedError(sentence, url=url) from error
            else:
                return
        yield from found[1].names.get(within, ())

    def _named_by_attributes(self, path: str) -> list[str]:
        """The names below a path that attributes of its group, or of a group above it that is known, name."""
        from zarrcore.hierarchy.named_nodes import named_nodes  # late: most stores can be listed

        names: dict[str, None] = {}
        if path.count("/") > _NAMED_LEVELS:
            return []
        base, above = path.rstrip("/") + "/", path
        while True:
            node = self._kept.get(above)
            for named in named_nodes(node.attributes) if isinstance(node, Group) else ():
                full = f"{above.rstrip('/')}/{named}"
                name = full[len(base) :].split("/")[0] if full.startswith(base) else ""
                if name not in ("", ".", "..") and self._format.child_name(name, True) is not None:
                    names[name] = None
            if above in ("/", ""):
                return [*names]
            above = above.rpartition("/")[0] or "/"

    def _implies_group(self, within: str) -> bool:
        """Whether nodes below a path without documents make it a group.

        Consolidated metadata answer if they contain a node below it, else a listing, if the store can give one.

        Raises:
            StoreError: the store failed.
        """
        found = self._believed()
        if found is None or within not in found[1].names:
            try:
                return self._listings.implies_group(within)
            except ListingUnsupportedError:
                with suppress(ZarrError):
                    found = self._read_consolidated()
        return found is not None and within in found[1].names

    def _believed(self) -> tuple[float, ConsolidatedNodes] | None:
        """The consolidated metadata, if they are used and exist, and when they were requested."""
        if self.believes:
            # If they are broken, each node is requested itself, and its error says what is wrong with the store.
            with suppress(ZarrError):
                return self._read_consolidated()
        return None

    def _read_consolidated(self) -> tuple[float, ConsolidatedNodes] | None:
        """The root's consolidated metadata, and when they were requested; None if there are none.

        Raises:
            MetadataError: they are broken.
            StoreError: the store failed.
        """
        with self._lock:  # many threads need it at first
            kept = self._consolidated
            if kept is None or not self._kept.is_recent(kept[0]):
                asked, self._asked = self._asked, None  # the text is not needed twice
                if asked is None or not self._kept.is_recent(asked[0]):
                    asked = self._source(self._owner.within(self._owner.at))
                read_s, get = asked
                found: ConsolidatedNodes | ZarrError | None
                try:
                    root = self._root()
                    read_s = min(read_s, math.inf if root is None else root.read_s)
                    found = consolidated_nodes(self._format, get, () if root is None else root.documents)
                except ZarrError as error:
                    found = error
                kept = self._consolidated = (read_s, found)
        read_s, found = kept
        note_age(read_s)
        if isinstance(found, ZarrError):
            raise found.with_traceback(None)
        return None if found is None else (read_s, found)

    def _root(self) -> AnyNode | None:
        try:
            return self._node(self._owner.at)
        except NodeNotFoundError:
            return None

    def forget(self, path: str) -> None:
        """Forget the node at ``path``, all below it, and its entries in documents above it."""
        self._kept.forget(path)
        self._forget_names()

    def clear(self) -> None:
        """Forget all nodes."""
        self._is_right = not self._is_named
        self._kept.clear()
        self._forget_names()

    def _forget_names(self) -> None:
        self._consolidated = self._asked = None
        self._listings.forget()
        if self._revalidated is not None:
            self._revalidated.forget()

    def take(
        self, path: str, found: Found, read_s: float | None = None, get: Get | None = None
    ) -> AnyNode | None:
        """The node that documents from the store describe, kept for later callers.

        Args:
            path: its path.
            found: the documents.
            read_s: when they were requested, by the monotonic clock; without it, they are current.
            get: gets other documents of the node, some of which were requested.
        """
        if path == self._owner.at and not isinstance(found, dict) and _has_any(found):
            self._is_right = True
        read_s = time.monotonic() if read_s is None else read_s
        node = self._made(path, found, get)
        for pause_s in _PAUSES_S:
            if not self._is_being_written(node):
                break
            time.sleep(pause_s)
            node = self._made(path, self._format.fetch(self.get, self._owner.within(path)))
        if node is not None:
            node.read_s = read_s
            if not self._may_pass(node):
                self._kept.keep(path, read_s, node)
        if isinstance(node, ChangeableNode) and not self._owner.read_only:
            self._held.add(path, node)
        return node

    def _made(self, path: str, found: Found, get: Get | None = None) -> AnyNode | None:
        try:
            return self._parse(path, found, get or self.get)
        except PlacedError as error:
            node = BrokenNode(self._owner, path, found, error)
            # A node of another format's file has no document of its own.
            is_made_up = isinstance(error, UnreadableNodeError)
            key = path if is_made_up else f"{self._owner.at}/{node.metadata_key}".lstrip("/")
            node.error = error.at(key, self.store.url if path == "/" else "")
        except InternalError as error:
            node = BrokenNode(self._owner, path, found, error)
        return node

    def _may_pass(self, node: AnyNode) -> bool:
        """Whether the next attempt to open a node may succeed: after an internal error, or if a service answered with something
        else than its documents. What is kept for a limited time is not asked for again earlier.
        """
        if not isinstance(node, BrokenNode) or isinstance(node.error, InternalError):
            return isinstance(node, BrokenNode)
        is_damaged = isinstance(node.error, MetadataError)
        return is_damaged and self.store.is_remote and self._kept.max_age_s is None

    def _is_being_written(self, node: AnyNode | None) -> bool:
        """Whether a node's documents look damaged, and one of them was written just now by a program that may not be done."""
        if not isinstance(node, BrokenNode) or not isinstance(node.error, MetadataError):
            return False
        keys = self._format.document_keys(self._owner.within(node.path))
        stats = map(self.store.stat, keys) if self.store.may_be_half_written else ()
        times = (stat.mtime_s for stat in stats if stat is not None and stat.mtime_s is not None)
        return any(abs(time.time() - mtime_s) < _JUST_NOW_S for mtime_s in times)

    def held(self, path: str) -> list[ChangeableNode]:
        """The groups and arrays at ``path`` that callers may still hold, whenever they were read."""
        return self._held.at(path)

    def _parse(self, path: str, found: Found, get: Get) -> AnyNode | None:
        try:
            metadata = (
                self._format.parse_consolidated(found)
                if isinstance(found, dict)
                else self._format.parse(found)
            )
            if isinstance(metadata, ArrayMetadata):
                return ArrayNode(self._owner, path, found, metadata)
        except ZarrError:
            raise
        except Exception as error:
            # Documents are not trusted: an unforeseen error still makes only one broken node. It may have another cause.
            raise InternalError(f"{path} cannot be understood ({type(error).__name__}: {error})") from error
        return (
            self._implicit_group(path, found, get)
            if metadata is None
            else Group(self._owner, path, found, metadata)
        )

    def _implicit_group(self, path: str, found: Found, get: Get) -> Group | None:
        if path == self._owner.at:
            exists = isinstance(self.store, ListableStore)
        else:
            names = self._owner.within(path)[1:].split("/")
            exists = self._format.implicit_groups and all(map(self._format.may_name_new_node, names))
            exists = (
                exists and self._implies_group(self._owner.within(path)) and not self._is_inside_array(path)
            )
        if not exists:
            return None
        return Group(self._owner, path, found, self._format.implied_group(get, self._owner.within(path)))

    def _is_inside_array(self, path: str) -> bool:
        """Whether the nearest node above a path that has documents is an array: the keys below the path are its chunks then.

        A walk comes from above, so that only a path that the caller names costs requests.
        """
        while path != self._owner.at:
            path = path.rpartition("/")[0] or "/"
            node = self._kept.get(path)
            if node is None:
                found, read_s, get = self._documents(path, together=True)
                if not isinstance(found, dict) and not _has_any(found):
                    continue
                node = self.take(path, found, read_s, get)
            return isinstance(node, ArrayNode)
        return False


def _has_any(documents: Documents) -> bool:
    return any(document is not None for document in documents)
