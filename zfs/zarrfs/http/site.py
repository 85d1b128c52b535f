"""What all requests share: the trees, the threads that read them, and memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from zarrfs.http.answers.body import Memory
from zarrfs.http.exchange import quoted
from zarrfs.http.options import ServeOptions
from zarrfs.http.viewers import ANY_ORIGIN, Featured
from zarrfs.http.workers import Workers
from zarrfs.trees.entry import Directory
from zarrfs.trees.names import file_name, segment
from zarrfs.trees.root import TreeName
from zarrfs.trees.store_trees import StoreTrees, TreeOptions

_AHEAD_MAX: Final = 128 << 20
"""Memory for bytes that are read and not sent yet, half of it for pieces of files and half for documents."""
_PLACES: Final = 3
"""The places that each have a part of the time to live: the trees, the ETags of decoded elements, and the client."""
_ZARR3_PLACES: Final[dict[str | None, str]] = {None: "/zarr3/", TreeName.ZARR3: "/"}
"""The place of the tree of Zarr v3, by the tree that is shown."""


@dataclass(slots=True)
class Site:
    """What the server shows."""

    trees: StoreTrees
    """The trees of the store."""
    root: Directory
    """The directory at ``/``."""
    title: str
    """The source, for people."""
    workers: Workers
    """The threads that read."""
    memory: Memory
    """The memory for pieces of files that are read and not sent yet."""
    documents: Memory
    """The memory for documents, which are made as a whole, that are not sent yet."""
    view: str | None = None
    """The tree at ``/``; None for all trees as directories."""
    origins: frozenset[str] = frozenset()
    """The origins whose pages may read from the server, or `ANY_ORIGIN`."""
    is_private: bool = False
    """Whether a token is needed, so that no cache may give an answer to others."""
    featured: Sequence[Featured] = ()
    """The nodes that the links to viewers open; none until they are found."""

    @property
    def has_viewer(self) -> bool:
        """Whether the server's own viewer is at ``/view/``: it reads the tree ``arrays/`` beside it."""
        return self.view is None

    @property
    def cache_control(self) -> str:
        """How long a client may repeat the answer for a file."""
        share_s = self.trees.ttl_s
        age_s = 365 * 86_400 if math.isinf(share_s) else math.floor(share_s)
        scope = "private" if self.is_private else "public"
        return f"{scope}, max-age={age_s}" if age_s else "no-cache"

    def allows(self, origin: str) -> bool:
        """Whether pages of an origin may read from the server."""
        return origin in self.origins or ANY_ORIGIN in self.origins

    def address(self, origin: str, node: Featured, token: str | None = None) -> str | None:
        """The address of a node's directory in the tree of Zarr v3; None if that tree is not shown.

        Args:
            origin: scheme, host and port of the server.
            node: the node.
            token: the token that the address shall have.
        """
        above = _ZARR3_PLACES.get(self.view)
        parts = [f"{quoted(file_name(part))}/" for part in node.path.split("/") if part]
        query = "" if token is None else f"?token={quoted(token)}"
        return None if above is None else f"{origin}{above}{''.join(parts)}{query}"

    def node_path(self, names: Sequence[str]) -> str | None:
        """The path of the node whose directory in the tree of Zarr v3 has these names; None for other directories."""
        inside = [*names]
        if self.view is None and inside[:1] == [TreeName.ZARR3]:
            del inside[0]
        elif self.view != TreeName.ZARR3:
            return None
        return "/" + "/".join(map(segment, inside))


def tree_options(options: ServeOptions) -> TreeOptions:
    """How the trees show the store."""
    ahead = _ahead(options)
    return TreeOptions(
        options.view, options.show, options.cache_bytes - ahead, options.spill_bytes, options.ttl_s, _PLACES
    )


def site_of(trees: StoreTrees, options: ServeOptions) -> Site:
    """The site that shows the trees.

    Raises:
        As `StoreTrees.root`.
    """
    return Site(
        trees,
        trees.root(),
        trees.store.url,
        Workers(options.threads),
        Memory(_ahead(options) // 2),
        Memory(_ahead(options) // 2),
        options.view,
        frozenset(options.origins),
        is_private=options.token is not None,
    )


def _ahead(options: ServeOptions) -> int:
    return min(_AHEAD_MAX, options.cache_bytes // 4)
