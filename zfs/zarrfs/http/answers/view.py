"""``/view/``: the server's own viewer, and what it needs to know of each node. It reads elements from ``arrays/``.

The page and its program are the same for all nodes: which one is shown, and how, is in the fragment of the address, which a
browser never sends. All links are relative, so the viewer also works below a prefix of a proxy.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from functools import cache, partial
from importlib.resources import files
from itertools import islice
from typing import Any, Final
from urllib.parse import quote

from zarrcore.array import plane_ndim
from zarrcore.conventions import MultiscaleImage, image_of, inferred, is_image
from zarrcore.conventions.cf import missing_values_of
from zarrcore.errors import ListingUnsupportedError, NodeNotFoundError, ZarrError
from zarrcore.hierarchy import AnyNode, ArrayNode, BrokenNode, Group
from zarrcore.printable import printable
from zarrfs.http.access import TOKEN
from zarrfs.http.exchange import Exchange, quoted
from zarrfs.http.site import Site
from zarrfs.http.statuses import NOT_FOUND, status_of
from zarrfs.trees.arrays.tree import ArraysTree
from zarrfs.trees.names import file_name, segment

NAME: Final = "view"
"""The first name of the viewer's addresses."""
_NODES: Final = "nodes"
_PAGE: Final = "index.html"
_PROGRAMS: Final = (
    "colours.js",
    "npy.js",
    "picture.js",
    "scene.js",
    "server.js",
    "table.js",
    "tree.js",
    "view.js",
)
_MEDIA_TYPES: Final = {
    "view.css": "text/css; charset=utf-8",
    **dict.fromkeys(_PROGRAMS, "text/javascript; charset=utf-8"),
}
_CHILDREN_MAX: Final = 1000
"""The nodes of a group that the tree shows."""
_SAFE: Final = {"x-content-type-options": "nosniff", "cache-control": "no-cache"}
_PAGE_HEADERS: Final = {
    **_SAFE,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "referrer-policy": "no-referrer",
}
"""The page runs its own program only: stored values are never sent as a type of scripts. No text can become markup."""


async def answer_view(exchange: Exchange, site: Site) -> None:
    """Answer a request for an address of the viewer.

    Raises:
        ClientGoneError: the client has gone away.
        StoreError: the store failed.
    """
    query = f"?{exchange.query}" if exchange.query else ""
    names = exchange.names[1:]
    if not names:
        await exchange.refuse(308, "this is a directory", {"location": f"./{NAME}/{query}"})
    elif names == [""]:
        await _send(exchange, _page(exchange.parameter(TOKEN)), _PAGE_HEADERS)
    elif names[0] == _NODES:
        found = partial(_node_facts, site.trees.arrays, [name for name in names[1:] if name])
        facts = await site.workers.run(exchange.client, found)
        if facts is None:
            await exchange.refuse(NOT_FOUND, "there is no such node")
            return
        document = json.dumps({"source": printable(site.title), **facts}).encode()
        with site.documents.holding(len(document)):
            await _send(exchange, document, {**_SAFE, "content-type": "application/json"})
    elif len(names) == 1 and names[0] in _MEDIA_TYPES:
        await _send(exchange, _file(names[0]), {**_SAFE, "content-type": _MEDIA_TYPES[names[0]]})
    else:
        await exchange.refuse(NOT_FOUND, "there is no such file")


def address_of(path_names: Sequence[str]) -> str:
    """What follows the viewer's address to show the node with these file names.

    >>> address_of([]), address_of(["g", "a b"])
    ('#/', '#/g/a%20b')
    """
    return "#/" + "/".join(map(quoted, path_names))


async def _send(exchange: Exchange, content: bytes, headers: dict[str, str]) -> None:
    await exchange.begin(200, {**headers, "content-length": str(len(content))})
    if exchange.method == "GET":
        await exchange.send(content)
    await exchange.end()


@cache
def _file(name: str) -> bytes:
    return (files("zarrfs.http.viewer") / name).read_bytes()


def _page(token: str | None) -> bytes:
    """The page; its links have the token, if the address has one."""
    query = "" if token is None else html.escape(f"?{TOKEN}={quote(token, safe='')}")
    return _file(_PAGE).replace(b"{query}", query.encode())


def _node_facts(arrays: ArraysTree, names: Sequence[str]) -> dict[str, Any] | None:
    """What the viewer needs to know of the node with these file names; None if there is none.

    Raises:
        ZarrError: the hierarchy cannot be opened.
    """
    path = "/" + "/".join(map(segment, names))
    node = arrays.node(path, wait=True)
    if node is None:
        return None
    facts: dict[str, Any] = {"path": printable(path), "place": _place(path), "kind": node.kind}
    if isinstance(node, BrokenNode):
        return {**facts, "error": str(node.error)}
    if node.kind != "collection":
        facts["format"] = node.hierarchy.format.name
    if isinstance(node, ArrayNode):
        return {**facts, "array": _array_facts(node)}
    try:
        nodes = list(islice(arrays.children(node), _CHILDREN_MAX + 1))
    except ListingUnsupportedError as error:  # an image may still name its levels
        nodes, facts["error"] = [], (status_of(error) or (0, ""))[1]
    facts |= {"children": [_child(child) for child in nodes[:_CHILDREN_MAX]]}
    facts["has_more"] = len(nodes) > _CHILDREN_MAX
    return facts | _image_facts(arrays, node)


def _place(path: str) -> str:
    """The path as it stands in addresses."""
    return "".join(f"/{quoted(file_name(part))}" for part in path.split("/")[1:]) if path != "/" else ""


def _child(node: AnyNode) -> dict[str, Any]:
    facts = {"name": printable(node.name), "place": _place(node.path), "kind": node.kind}
    return (
        {**facts, "shape": node.shape, "type": printable(node.data_type.name)}
        if isinstance(node, ArrayNode)
        else facts
    )


def _array_facts(array: ArrayNode) -> dict[str, Any]:
    missing = [one for values in missing_values_of(array).values() for one in values.reshape(-1).tolist()]
    document = array.metadata.document()
    return {
        "place": _place(array.path),
        "shape": array.shape,
        "dtype": str(array.dtype),
        "data_type": printable(array.data_type.name),
        "chunks": array.chunks,
        "shards": array.shards,
        "dimensions": [None if name is None else printable(name) for name in array.dimension_names or ()],
        "fill_value": printable(json.dumps(document.get("fill_value"), default=str)),
        "missing": [repr(one) for one in missing],  # as text, since numbers of JavaScript have 53 bits
        "is_colour": plane_ndim(array.shape, array.dtype) == 3,
        "is_text": array.data_type.is_variable_length,
    }


def _image_facts(arrays: ArraysTree, group: Group) -> dict[str, Any]:
    """The first level of an image as an array, and all levels that can stand for it; nothing for other groups."""

    def find(path: str) -> AnyNode:
        node = arrays.node(path, wait=True)
        if node is None:
            raise NodeNotFoundError(path, group.hierarchy.url)
        return node

    try:
        if not is_image(group) and inferred(group, find) is None:
            return {}
        image = image_of(group, find)
    except ZarrError:  # the group is shown with its nodes
        return {}
    first = image.levels[0].node
    levels = _levels(image, first)
    channels = [printable(channel.name) for channel in image.channels]
    return {
        "array": {**_array_facts(first), "levels": levels, "is_labels": image.is_labels},
        "channels": channels,
    }


def _levels(image: MultiscaleImage, first: ArrayNode) -> list[dict[str, Any]]:
    return [
        {
            "place": _place(level.node.path),
            "shape": level.node.shape,
            "factors": level.factors,
            # where element 0 begins, in elements of the first level
            "begins": [
                offset + 0.5 - factor / 2 for offset, factor in zip(level.offsets, level.factors, strict=True)
            ],
        }
        for level in image.levels
        if isinstance(level.node, ArrayNode)
        and level.node.ndim == first.ndim
        and level.node.dtype == first.dtype
        and level.factors is not None
        and level.offsets is not None
        and all(factor > 0 for factor in level.factors)
    ]
