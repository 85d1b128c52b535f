"""The text of a tree row in each column, and its tooltip."""

from __future__ import annotations

from zarrbrowser.image.multiscales import is_image
from zarrbrowser.models.tree_item import Fetching, TreeItem
from zarrbrowser.nodes.describe import convention_kind, short_type_name
from zarrbrowser.nodes.protocols import NodeLike, is_array, is_broken, is_group
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import short_name
from zarrbrowser.values.quantities import count, format_shape


def cell_text(item: TreeItem, column: int) -> str:
    """Name, shape or type."""
    node = item.node
    if column == 0:
        if item.request is not None:
            return item.source.title if item.source else short_name(item.request.shown_address)
        if item.is_range:
            first, last = item.children[0].node, item.children[-1].node
            return f"{first.name} … {last.name}" if first and last else ""
        return item.note if node is None else node.name
    if item.is_range:
        return count(len(item.children), "node") if column == 1 else ""
    if node is not None and is_array(node):
        return format_shape(node.shape) if column == 1 else short_type_name(node)
    if column == 2 and node is not None and is_group(node) and (told := convention_kind(node)) is not None:
        return told[1]
    if column == 1 and item.request is not None and item.source is None:
        return "cannot be opened" if item.fetching is Fetching.FAILED else "opening…"
    if column == 1 and is_changing(item):
        return "changes on"
    return "cannot be read" if column == 1 and node is not None and is_broken(node) else ""


def is_changing(item: TreeItem) -> bool:
    """Whether the row is a source that may be changed."""
    return item.request is not None and item.source is not None and item.source.may_change


def tool_tip(item: TreeItem) -> str:
    """The location of the row's node, or what is wrong with it."""
    if item.is_range:
        return count(len(item.children), "node")
    if item.node is None:
        return item.note
    if is_broken(item.node):
        return f"{item.node.path}\n{sentence(item.node.error)}"
    if is_array(item.node):
        return f"{item.node.path}\n{format_shape(item.node.shape)}  ·  {short_type_name(item.node)}"
    if item.source is None:
        return item.node.path
    place = item.node.path if item.request is None else item.source.hierarchy.url
    return f"{place}\n{item.source.format_of(item.node).title}"


def icon_name(item: TreeItem) -> str:
    """The icon of the row's kind."""
    node = item.node
    if item.request is not None and (node is None or is_group(node)):
        return "broken" if item.fetching is Fetching.FAILED and node is None else "source"
    if item.is_range:
        return "range"
    if node is None:
        failed = item.parent is not None and item.parent.fetching is Fetching.FAILED
        return "broken" if failed else "loading"
    return node_icon_name(node)


def node_icon_name(node: NodeLike) -> str:
    """The icon of a node's kind; arrays by their number of axes."""
    if is_array(node):
        return f"array{min(node.ndim, 3)}"
    if node.kind == "collection":
        return "source"
    if is_image(node):
        return "levels"
    return "broken" if is_broken(node) else "group"
