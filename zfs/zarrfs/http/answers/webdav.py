"""WebDAV, RFC 4918, as far as a client needs it that only reads: PROPFIND of depth 0 and 1.

Files, the names in them, and the request are data of others. So a request with a document type, which could define entities, is
refused, and text in an answer is escaped.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from email.utils import formatdate
from functools import partial
from typing import Final
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from zarrcore.errors import ZarrError
from zarrcore.printable import printable
from zarrfs.http.answers.media_types import media_type
from zarrfs.http.answers.rows import Describe, Row, batches, row
from zarrfs.http.answers.validators import validators
from zarrfs.http.exchange import Exchange, quoted
from zarrfs.http.site import Site
from zarrfs.trees.entry import Directory, Entry, File

_DAV: Final = "{DAV:}"
_ETAG: Final = "getetag"
_HEADERS: Final = {
    "content-type": "application/xml; charset=utf-8",
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
}
_INFINITE: Final = (
    b'<?xml version="1.0" encoding="utf-8"?>\n<D:error xmlns:D="DAV:"><D:propfind-finite-depth/></D:error>\n'
)

Property = Callable[[Row], str | None]
"""The content of a property as XML; None if an entry has no such property."""


def _modified(found: Row) -> str | None:
    return None if found.mtime_s is None else formatdate(found.mtime_s, usegmt=True)


def _length(found: Row) -> str | None:
    return None if found.size is None else str(found.size)


PROPERTIES: Final[Mapping[str, Property]] = {
    "resourcetype": lambda found: "<D:collection/>" if found.is_directory else "",
    "displayname": lambda found: _text(found.name),
    "getcontentlength": _length,
    "getcontenttype": lambda found: None if found.is_directory else media_type(found.name),
    "getlastmodified": _modified,
    _ETAG: lambda found: None if found.etag is None else _text(found.etag),
}
"""The properties of files and directories, by name. No store says when a value was first created (``creationdate``)."""
_NAMED_MAX: Final = 100
"""The properties that a request may name. All of them are told for each entry."""


class BadPropfindError(Exception):
    """The body of a request is not a valid PROPFIND."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The properties that a request asks for."""

    names: Sequence[str] = tuple(PROPERTIES)
    """Their names. Those of other name spaces than WebDAV's are in James Clark's notation, ``{URI}name``."""
    are_named: bool = False
    """Whether the request names them, so that those which an entry lacks must be told."""
    only_names: bool = False
    """Whether it asks for the names only."""


def wanted_properties(body: bytes) -> Wanted:
    """The properties that the body of a PROPFIND asks for.

    Raises:
        BadPropfindError: the body is not valid.
    """
    if not body.strip():
        return Wanted()
    if b"<!" in body:
        raise BadPropfindError("a request must not have a document type")
    try:
        root = ET.fromstring(body)  # noqa: S314 - without a document type there are no entities
    except (ET.ParseError, ValueError, LookupError) as error:
        raise BadPropfindError("the request is not valid XML") from error
    children = {child.tag: child for child in root}
    if root.tag == f"{_DAV}propfind":
        if f"{_DAV}prop" in children:
            named = [child.tag.removeprefix(_DAV) for child in children[f"{_DAV}prop"]]
            if len(named) > _NAMED_MAX:
                raise BadPropfindError(f"a request must not name more than {_NAMED_MAX} properties")
            return Wanted(named, are_named=True)
        if f"{_DAV}propname" in children:
            return Wanted(only_names=True)
        if f"{_DAV}allprop" in children:
            return Wanted()
    raise BadPropfindError("the request is not a PROPFIND of WebDAV")


async def answer_propfind(exchange: Exchange, site: Site, entry: Entry, body: bytes) -> None:
    """Answer a PROPFIND for an entry.

    Raises:
        ClientGoneError: the client has gone away.
        As `Directory.entries`.
    """
    depth = exchange.headers.get("depth", "infinity")
    if depth not in {"0", "1"}:
        await exchange.begin(403, {**_HEADERS, "content-length": str(len(_INFINITE))})
        await exchange.end(_INFINITE)
        return
    try:
        wanted = wanted_properties(body)
    except BadPropfindError as error:
        await exchange.refuse(400, str(error))
        return
    place = exchange.place
    above, own_name = place.rpartition("/")[0], _last(exchange.names)
    own = await site.workers.run(exchange.client, partial(_describing(site, above, wanted), own_name, entry))
    found: AsyncIterator[list[Row]] | None = None
    first: list[Row] = []
    if depth == "1" and isinstance(entry, Directory):
        found = batches(entry, exchange.client, site.workers, _describing(site, place, wanted))
        first = await anext(found, [])  # an error of the first batch still has a status of its own
    await exchange.begin(207, _HEADERS)
    await exchange.send(b'<?xml version="1.0" encoding="utf-8"?>\n<D:multistatus xmlns:D="DAV:">\n')
    await exchange.send(_response(place, own, wanted).encode())
    while found is not None and first:
        await exchange.send_texts(_response(f"{place}/{quoted(each.name)}", each, wanted) for each in first)
        first = await anext(found, [])
    await exchange.end(b"</D:multistatus>\n")


def _describing(site: Site, above: str, wanted: Wanted) -> Describe:
    """What makes the rows of the directory at ``above``; ETags are made only if they are wanted."""
    return partial(_tagged, site, above) if _ETAG in wanted.names else row


def _tagged(site: Site, above: str, name: str, entry: Entry) -> Row:
    """The row of an entry, with the ETag that the answer to a GET has."""
    found = row(name, entry)
    with suppress(ZarrError):
        if isinstance(entry, File):
            with closing(entry.open(True)) as opened:
                known = validators(f"{above}/{quoted(name)}", entry, opened, site.trees.freshness)
            return replace(found, etag=known.etag)
    return found


def _last(names: Sequence[str]) -> str:
    return next((name for name in reversed(names) if name), "")


def _response(place: str, found: Row, wanted: Wanted) -> str:
    """The answer for one entry; ``place`` is its path as in a URL, without a slash at the end."""
    present, absent = [], []
    for name in wanted.names:
        make = PROPERTIES.get(name)
        content = None if make is None else make(found)
        if content is None:
            absent.append(_empty(name))
        else:
            present.append(_empty(name) if wanted.only_names else f"<D:{name}>{content}</D:{name}>")
    href = escape(place + "/" if found.is_directory else place)
    parts = [f"<D:response><D:href>{href}</D:href>"]
    if present or not absent:
        parts.append(_status("".join(present), "200 OK"))
    if absent and wanted.are_named:
        parts.append(_status("".join(absent), "404 Not Found"))
    return "".join([*parts, "</D:response>\n"])


def _status(properties: str, status: str) -> str:
    return f"<D:propstat><D:prop>{properties}</D:prop><D:status>HTTP/1.1 {status}</D:status></D:propstat>"


def _empty(name: str) -> str:
    """An empty element with a name that a request has, in James Clark's notation unless it is WebDAV's."""
    if not name.startswith("{"):
        return f"<D:{name}/>"
    uri, _, local = name[1:].rpartition("}")
    return f"<X:{local} xmlns:X={_attribute(uri)}/>"


def _attribute(text: str) -> str:
    return '"' + escape(text, {'"': "&quot;"}) + '"'


def _text(name: str) -> str:
    """A name as text in XML, which has no control characters; people see it as in other listings."""
    return escape(printable(name))
