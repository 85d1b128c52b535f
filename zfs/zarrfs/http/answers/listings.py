"""Listings of directories, as pages for people and as JSON for programs.

A page has the title of the listings of nginx and Apache, and the JSON is that of nginx, so that programs which read theirs read
these. Names are data of others: they are escaped wherever they stand.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from email.utils import formatdate
from typing import Final
from urllib.parse import quote

from zarrcore.printable import printable
from zarrcore.sizes import format_bytes
from zarrfs.http.access import TOKEN
from zarrfs.http.answers.rows import Row, batches
from zarrfs.http.answers.view import NAME, address_of
from zarrfs.http.exchange import Exchange, quoted
from zarrfs.http.featured import viewed_nodes
from zarrfs.http.site import Site
from zarrfs.http.viewers import Featured, Viewer, links
from zarrfs.trees.arrays.array_directory import ArrayDirectory
from zarrfs.trees.arrays.group_directory import GroupDirectory
from zarrfs.trees.entry import Directory
from zarrfs.trees.root import TreeName

_STYLE: Final = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em;color:#222;background:#fff}"
    "table{border-collapse:collapse}td{padding:0 2em 0 0;white-space:nowrap}td+td{text-align:right;color:#666}"
    "a{text-decoration:none;color:#05a}a:hover{text-decoration:underline}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}a{color:#7bf}td+td{color:#999}}"
)
_DIGEST: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_HEADERS: Final = {
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    "content-security-policy": f"default-src 'none'; style-src 'sha256-{_DIGEST}'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "vary": "accept",
}
"""A page loads nothing, runs nothing, and gives other servers neither its address nor a token in it."""


async def answer_directory(exchange: Exchange, site: Site, directory: Directory) -> None:
    """Answer a request for a directory; one whose path does not end in a slash is told the path that does.

    Raises:
        ClientGoneError: the client has gone away.
        As `Directory.entries`.
    """
    query = f"?{exchange.query}" if exchange.query else ""
    if not exchange.is_directory:
        await exchange.refuse(
            308, "this is a directory", {"location": f"./{quoted(exchange.names[-1])}/{query}"}
        )
        return
    wants_json = "application/json" in exchange.headers.get("accept", "")
    kind = "application/json" if wants_json else "text/html; charset=utf-8"
    found = batches(directory, exchange.client, site.workers)
    # An error of the first batch still has a status of its own.
    first: list[Row] = await anext(found, [])
    await exchange.begin(200, {**_HEADERS, "content-type": kind})
    if exchange.method == "GET":
        rows = _all(first, found)
        await (_write_json(exchange, rows) if wants_json else _write_page(exchange, site, directory, rows))
    await exchange.end()


async def _write_json(exchange: Exchange, batched: AsyncIterator[list[Row]]) -> None:
    separator = "[\n"
    async for rows in batched:
        await exchange.send(separator.encode())
        separator = ",\n"
        await exchange.send_texts(
            (separator if place else "") + json.dumps(_facts(row)) for place, row in enumerate(rows)
        )
    await exchange.send(b"\n]\n" if separator == ",\n" else b"[]\n")


def _facts(row: Row) -> dict[str, object]:
    facts: dict[str, object] = {"name": row.name, "type": "directory" if row.is_directory else "file"}
    if row.mtime_s is not None:
        facts["mtime"] = formatdate(row.mtime_s, usegmt=True)
    return facts if row.size is None else {**facts, "size": row.size}


async def _write_page(
    exchange: Exchange, site: Site, directory: Directory, batched: AsyncIterator[list[Row]]
) -> None:
    token = exchange.parameter(TOKEN)
    query = "" if token is None else f"?{TOKEN}={quote(token, safe='')}"
    place = "/" + "/".join(exchange.names)
    begin = [
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n',
        f"<title>Index of {_text(place)}</title>\n<style>{_STYLE}</style>\n<h1>Index of {_text(place)}</h1>\n",
        f"<p>{_text(site.title)}</p>\n" if place == "/" else "",
        "<table>\n",
        f'<tr><td><a href="../{query}">../</a></td></tr>\n' if place != "/" else "",
    ]
    await exchange.send("".join(begin).encode())
    async for rows in batched:
        await exchange.send_texts(_line(row, query) for row in rows)
    viewer = _own_viewer(exchange, site, directory, query)
    viewers = viewer + "".join(_viewers(exchange, site, node) for node in await viewed_nodes(exchange, site))
    await exchange.send(f"</table>\n{viewers}</html>\n".encode())


async def _all(first: list[Row], more: AsyncIterator[list[Row]]) -> AsyncIterator[list[Row]]:
    if first:
        yield first
    async for rows in more:
        yield rows


def _line(row: Row, query: str) -> str:
    slash = "/" if row.is_directory else ""
    size = "" if row.size is None else format_bytes(row.size)
    time = "" if row.mtime_s is None else f"{datetime.fromtimestamp(row.mtime_s, UTC):%Y-%m-%d %H:%M:%S}"
    link = f'<a href="{quoted(row.name)}{slash}{query}">{_text(row.name)}{slash}</a>'
    return f"<tr><td>{link}</td><td>{size}</td><td>{time}</td></tr>\n"


def _text(name: str) -> str:
    """A text for a page: markup is escaped, and so are characters that cannot be seen, as in `printable`."""
    return html.escape(printable(name))


def _own_viewer(exchange: Exchange, site: Site, directory: Directory, query: str) -> str:
    """The link that shows the page's node in the server's own viewer; none on pages that show no node of ``arrays/``."""
    tree, *inside = [name for name in exchange.names if name] or [TreeName.ARRAYS]
    is_node = not inside or isinstance(directory, ArrayDirectory | GroupDirectory)
    if not site.has_viewer or tree != TreeName.ARRAYS or not is_node:
        return ""
    up = "../" * (len(exchange.names) - 1)
    return f'<p><a href="{up}{NAME}/{query}{html.escape(address_of(inside))}">view in this browser</a></p>\n'


def _viewers(exchange: Exchange, site: Site, node: Featured) -> str:
    """Links that open a node in viewers on the web."""
    address = site.address(exchange.origin, node, exchange.parameter(TOKEN))
    items = [
        f'<li><a href="{html.escape(link)}" rel="noreferrer">{viewer.name}</a>{_note(viewer, site)}</li>\n'
        for viewer, link in links(node, address)
    ]
    heading = f"<h2>Open {_text(node.path)} in a viewer on the web</h2>\n"
    return f"{heading}<ul>\n{''.join(items)}</ul>\n" if items else ""


def _note(viewer: Viewer, site: Site) -> str:
    return "" if site.allows(viewer.origin) else f" (needs <code>--allow-origin {viewer.name}</code>)"
