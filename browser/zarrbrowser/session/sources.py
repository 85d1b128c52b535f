"""Opened sources: what a person asked for, and the hierarchy that came of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from zarrbrowser.session.nodes import HierarchyLike, NodeLike

CACHE_BYTES = 512 * 2**20
"""Decoded chunks kept per source, so that the way back along a slider costs nothing."""
RECENT_SOURCES = 12


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """What to open: a path or URL, a node in it, and how to reach it."""

    address: str
    path: str = "/"
    format: str | None = None
    options: Any = None
    """`zarrcore.stores.StoreOptions`, or None for the defaults."""

    @classmethod
    def typed(cls, text: str) -> SourceRequest:
        """From what was typed or dropped: ``~`` is home, ``URL#/node/path`` names a node.

        >>> SourceRequest.typed(" s3://bucket/a.zarr#/raw/0 ")
        SourceRequest(address='s3://bucket/a.zarr', path='/raw/0', format=None, options=None)
        """
        address, marker, path = text.strip().rpartition("#/")
        if not marker:
            address, path = text.strip(), ""
        if address.startswith("file://"):
            address = unquote(urlsplit(address).path)
        return cls(os.path.expanduser(address), "/" + path.strip("/"))

    @property
    def place(self) -> str:
        """Where it is, however it was written: what tells one source from another."""
        return place_of(self.address)


@dataclass(slots=True)
class Source:
    """One opened hierarchy and its root node."""

    request: SourceRequest
    hierarchy: HierarchyLike
    root: NodeLike

    @property
    def title(self) -> str:
        """The last part of the address: what the tree shows."""
        return short_name(self.hierarchy.url)

    def format_of(self, node: NodeLike) -> Any:
        """The format of the hierarchy that a node belongs to: in a collection each has its own."""
        return getattr(node, "hierarchy", self.hierarchy).format


Opener = Callable[[SourceRequest], Source]


def open_source(request: SourceRequest) -> Source:
    """Open what was asked for; blocks.

    Raises:
        ZarrError: it cannot be reached, or is no hierarchy.
    """
    import zarrcore  # not with this module: the window stands before codecs and stores are loaded

    cache = zarrcore.ChunkCache(CACHE_BYTES)
    options = {} if request.options is None else {"options": request.options}
    store = zarrcore.open_store(request.address, **options)
    hierarchy = zarrcore.open(store, format=request.format, chunk_cache=cache)
    return Source(request, hierarchy, hierarchy.node("/"))


def place_of(address: str) -> str:
    """One text for all ways to write an address.

    >>> place_of("/data/../data/a.zarr/"), place_of("file:///data/a.zarr"), place_of("s3://bucket/a.zarr/")
    ('/data/a.zarr', '/data/a.zarr', 's3://bucket/a.zarr')
    """
    if address.startswith("file://"):
        address = unquote(urlsplit(address).path)
    return address.rstrip("/") if "://" in address else os.path.abspath(address)


def short_name(address: str) -> str:
    """The last part of a path or URL.

    >>> short_name("s3://bucket/data/scan.zarr/"), short_name("/"), short_name("https://example.org")
    ('scan.zarr', '/', 'example.org')
    """
    return address.rstrip("/").rpartition("/")[2] or address


@dataclass(slots=True)
class RecentSources:
    """Addresses opened before, the latest first, each once."""

    addresses: list[str] = field(default_factory=list)

    def add(self, address: str) -> None:
        """Put ``address`` in front."""
        self.addresses = [address, *(other for other in self.addresses if other != address)][:RECENT_SOURCES]
