"""The node that a viewer on the web should open first."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from zarrcore.conventions import is_image
from zarrcore.errors import ZarrError
from zarrcore.hierarchy import AnyNode, ArrayNode, Group
from zarrfs.http.exchange import Exchange
from zarrfs.http.site import Site
from zarrfs.http.viewers import Featured
from zarrfs.trees.arrays.tree import ArraysTree

_SEARCHED: Final = 100
"""The nodes that are searched for an image. Each of them may cost a request to the store."""


def featured_by(node: AnyNode) -> Featured:
    """What viewers need to know of a node."""
    return Featured(node.path, is_image(node), isinstance(node, ArrayNode))


def find_featured(arrays: ArraysTree) -> Sequence[Featured]:
    """The nodes worth a look: the first image from the root down, or else the first array with two axes; and the root.

    Raises:
        ZarrError: the hierarchy cannot be opened.
    """
    first: list[Featured] = []
    root: list[Featured] = []
    for node in _nodes(arrays):
        found = featured_by(node)
        if found.path == "/":
            root = [found]
        if found.is_image or (not first and isinstance(node, ArrayNode) and node.ndim >= 2):
            first = [found]
        if found.is_image:
            break
    return [*first, *(each for each in root if each not in first)]


def _nodes(arrays: ArraysTree) -> Iterator[AnyNode]:
    """Nodes, those near the root first."""
    waiting: deque[AnyNode] = deque(filter(None, [arrays.node("/", wait=True)]))
    count = 0
    while waiting and count < _SEARCHED:
        count += 1
        yield (node := waiting.popleft())
        if isinstance(node, Group):
            try:
                for child in arrays.children(node):
                    waiting.append(child)
                    if len(waiting) >= _SEARCHED:
                        break
            except ZarrError:  # what cannot be listed has no image that could be found
                continue


async def viewed_nodes(exchange: Exchange, site: Site) -> Sequence[Featured]:
    """The nodes that the links on a page open: the featured ones on the first page, and below ``zarr3/`` the page's own."""
    names = [name for name in exchange.names if name]
    if not names:
        return site.featured
    path = site.node_path(names)
    if path is None:
        return ()
    try:
        node = await site.workers.run(exchange.client, partial(site.trees.arrays.node, path, True))
    except ZarrError:  # the listing says why
        return ()
    return () if node is None else (featured_by(node),)
