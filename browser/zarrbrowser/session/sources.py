"""Open sources: the user's request and the hierarchy opened for it."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from zarrbrowser.nodes.protocols import HierarchyLike, NodeLike
from zarrbrowser.session.connection import Connection

if TYPE_CHECKING:  # the window shows before stores are loaded
    from zarrcore.stores import RequestRecord

_log = logging.getLogger(__name__)
CACHE_BYTES = 512 * 2**20
"""The size of decoded chunks cached per source, so that moving a slider back is free."""
RECENT_SOURCES = 12
_DOCUMENTS = frozenset(["zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata", "attributes.json"])
"""Metadata files: a path to one of them means its directory."""


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """What to open: a path or URL, a node in it, and connection options."""

    address: str
    path: str = "/"
    format: str | None = None
    options: Any = None
    """`zarrcore.stores.StoreOptions`, a `Connection`, or None for the defaults."""

    @classmethod
    def typed(cls, text: str) -> SourceRequest:
        """The request for typed or dropped text: ``~`` is home, ``URL#/node/path`` a node, a document its directory.

        >>> SourceRequest.typed(" s3://bucket/a.zarr#/raw/0 ")
        SourceRequest(address='s3://bucket/a.zarr', path='/raw/0', format=None, options=None)
        >>> SourceRequest.typed("file:///data/a.zarr/zarr.json").address
        '/data/a.zarr'
        """
        address, marker, path = text.strip().rpartition("#/")
        if not marker:
            address, path = text.strip(), ""
        address = _without_file_scheme(address)
        around, _, name = address.rpartition("/")
        if around and name in _DOCUMENTS:
            address = around
        if "\0" not in address:  # opening such an address reports it
            address = os.path.expanduser(address)
        return cls(address, "/" + path.strip("/"))

    @property
    def shown_address(self) -> str:
        """The address without a password, and without the query of a web address, which may be a signature.

        >>> SourceRequest("https://me:secret@example.org/a.zarr?sig=secret").shown_address
        'https://example.org/a.zarr'
        >>> SourceRequest("az://container@account/a.zarr").shown_address
        'az://container@account/a.zarr'
        """
        scheme, marker, rest = self.address.partition("://")
        server, slash, path = rest.partition("/")
        is_web = scheme.lower() in {"http", "https"}
        user, _, host = server.rpartition("@")
        if is_web:
            path = path.partition("?")[0]
        return f"{scheme}{marker}{host if is_web or ':' in user else server}{slash}{path}"

    def allowing(self, prefix: str) -> SourceRequest:
        """The same request, in which data may name what is below a folder or URL."""
        from zarrcore.stores import StoreOptions  # late: the window shows before stores are loaded

        options = self.options.store_options() if isinstance(self.options, Connection) else self.options
        options = options or StoreOptions()
        return replace(self, options=replace(options, allow_targets=(*options.allow_targets, prefix)))

    @property
    def place(self) -> str:
        """The normalised address, which identifies a source."""
        return place_of(self.address)


@dataclass(slots=True)
class Source:
    """One open hierarchy and its root node."""

    request: SourceRequest
    hierarchy: HierarchyLike
    root: NodeLike
    statistics: Callable[[], Mapping[str, Any]] = dict
    """Requests to the store so far, by kind of operation: see `zarrcore`'s `StatisticsStore`."""

    take_requests: Callable[[], Sequence[RequestRecord]] = tuple
    """The latest requests to the store that have not been taken yet, the oldest first."""

    versions: tuple[tuple[str, str], ...] = ()
    """Other views of the same source: labels, and addresses; empty for most sources."""

    may_change: bool = False
    """Whether the user has allowed changes; never kept from one run to the next."""

    first: str = ""
    """The path of the node that the root names as the one to show first (NeXus); empty if it names none."""

    def traffic(self) -> tuple[int, int]:
        """Requests to the store so far, and bytes received."""
        requests = nbytes = 0
        for one in self.statistics().values():
            requests, nbytes = requests + one.requests, nbytes + one.bytes
        return requests, nbytes

    @property
    def title(self) -> str:
        """The last part of the address, shown in the tree."""
        return short_name(self.hierarchy.url)

    @property
    def shown_address(self) -> str:
        """The address of its store, without credentials."""
        return replace(self.request, address=self.hierarchy.url).shown_address

    @property
    def places(self) -> frozenset[str]:
        """Its address in normalised forms, without credentials: as the user typed it, and as its store has it."""
        return frozenset((place_of(self.request.shown_address), place_of(self.shown_address)))

    def address_of(self, path: str) -> str:
        """The address of a node, as the address line shows it."""
        url = self.hierarchy.url
        return url if path == "/" else f"{url}#{path}"

    def format_of(self, node: NodeLike) -> Any:
        """The format of a node's hierarchy; in a collection each hierarchy has its own."""
        return getattr(node, "hierarchy", self.hierarchy).format

    def kind_of(self, node: NodeLike) -> str:
        """What a node's hierarchy is stored as: ``Zarr v3``, ``NetCDF-4``; costs no request."""
        hierarchy = getattr(node, "hierarchy", self.hierarchy)
        store = getattr(hierarchy, "store", None)  # that of a collection has none
        return getattr(store, "presents", "") or str(hierarchy.format.title)

    def warnings_of(self, node: NodeLike) -> list[str]:
        """Why what the hierarchy of a node shows may be incomplete; costs no request."""
        store = getattr(getattr(node, "hierarchy", self.hierarchy), "store", None)  # a collection has none
        return [] if store is None else list(store.warnings())


Opener = Callable[[SourceRequest], Source]


def open_source(request: SourceRequest) -> Source:
    """Open the source of a request; blocks.

    Raises:
        ZarrError: the source cannot be reached, or is not a hierarchy.
    """
    # late: the window shows before codecs and stores are loaded
    import zarrcore
    from zarrcore.conventions import recognise  # noqa: F401 - rows need it when they are drawn, and would wait for it
    from zarrcore.stores import RequestLog, StatisticsStore

    cache, options, log = zarrcore.ChunkCache(CACHE_BYTES), request.options, RequestLog()
    if isinstance(options, Connection):
        options = options.store_options()
    store = StatisticsStore(zarrcore.open_store(request.address, options=options, all_versions=True))
    store.log_to(log)
    hierarchy = zarrcore.open_hierarchy(store, format=request.format, chunk_cache=cache)
    versions = tuple(hierarchy.store.choices())
    root = hierarchy.node("/")
    first = _first(root, hierarchy) if request.path == "/" else ""
    return Source(request, hierarchy, root, store.statistics, log.take, versions, first=first)


def _first(root: Any, hierarchy: HierarchyLike) -> str:
    """The path of the node that the root names as the one to show first."""
    if root.kind != "group" or "default" not in root.attributes:
        return ""
    from zarrcore.conventions import default_signal  # late: for a fast start
    from zarrcore.errors import ZarrError

    try:
        return default_signal(root, hierarchy.node)
    except ZarrError as error:  # the root can be shown
        _log.debug("cannot find what %s names as its default: %s", hierarchy.url, error)
        return ""


def load_stores() -> None:
    """Import what the first opening of a source would wait for; a worker runs it while the user chooses a source.

    Imports keep the interpreter busy: during an opening, the window would stall behind them.
    """
    import zarrcore
    from zarrcore.conventions import recognise  # noqa: F401 - see `open_source`
    from zarrcore.stores import StatisticsStore  # noqa: F401

    # Opening a bucket imports the S3 client. It sends no request.
    zarrcore.open_store("s3://unused", anonymous=True, region="us-east-1")


def place_of(address: str) -> str:
    """A normalised address, the same for all ways to write it.

    >>> place_of("/data/../data/a.zarr/"), place_of("file:///data/a.zarr"), place_of("s3://bucket/a.zarr/")
    ('/data/a.zarr', '/data/a.zarr', 's3://bucket/a.zarr')
    """
    address = _without_file_scheme(address)
    return address.rstrip("/") if "://" in address else os.path.abspath(address)


def _without_file_scheme(address: str) -> str:
    """The path of a ``file://`` URL; any other address, also one that is not a URL, as it is."""
    try:
        return unquote(urlsplit(address).path) if address.startswith("file://") else address
    except ValueError:  # such as brackets that are not around an address; opening it reports it
        return address


def short_name(address: str) -> str:
    """The last part of a path or URL.

    >>> short_name("s3://bucket/data/scan.zarr/"), short_name("/"), short_name("https://example.org")
    ('scan.zarr', '/', 'example.org')
    """
    return address.rstrip("/").rpartition("/")[2] or address


@dataclass(slots=True)
class RecentSources:
    """Recent requests, the latest first, one per source."""

    requests: list[SourceRequest] = field(default_factory=list)

    @property
    def addresses(self) -> list[str]:
        """Their paths or URLs."""
        return [request.address for request in self.requests]

    def add(self, request: SourceRequest) -> None:
        """Put ``request`` first."""
        others = [other for other in self.requests if other.place != request.place]
        self.requests = [request, *others][:RECENT_SOURCES]

    def known(self, request: SourceRequest) -> SourceRequest:
        """The request, with the options and format used before if it has none."""
        if request.options is not None or request.format is not None:
            return request
        before = next((other for other in self.requests if other.place == request.place), None)
        return replace(request, format=before.format, options=before.options) if before else request
