"""The columns of the tree and of the search results, and the tooltip and icon of a row. A new column is an entry in `COLUMNS`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from zarrbrowser.image.multiscales import is_image
from zarrbrowser.models.tree_item import Fetching, TreeItem
from zarrbrowser.nodes.describe import convention_kind, short_type_name
from zarrbrowser.nodes.protocols import NodeLike, is_array, is_broken, is_group
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.inventory import Entry
from zarrbrowser.session.sources import short_name
from zarrbrowser.values.quantities import count, format_shape


@dataclass(frozen=True, slots=True)
class Column:
    """A column. The first one takes the width that the others leave, and contains the names."""

    title: str
    text: Callable[[TreeItem], str]
    """The text of a row of the tree."""
    found_text: Callable[[Entry], str]
    """The text of a search result."""
    width: int = 0
    """In pixels, at first."""
    width_most: int = 0
    """The tree widens it up to this for long texts; 0 if not."""
    rank: int = 0
    """In a narrow tree, columns of higher rank are hidden first."""


def is_changing(item: TreeItem) -> bool:
    """Whether the row is a source that may be changed."""
    return item.request is not None and item.source is not None and item.source.may_change


def _name(item: TreeItem) -> str:
    if item.request is not None:
        return item.source.title if item.source else short_name(item.request.shown_address)
    if item.span is not None:
        return " … ".join(item.span)
    if item.is_range:
        first, last = item.children[0].node, item.children[-1].node
        return f"{first.name} … {last.name}" if first and last else ""
    return item.note if item.node is None else item.node.name


def _shape(item: TreeItem) -> str:
    """The shape of an array, or the state of another row."""
    if item.is_range:
        return count(item.node_count + len(item.unread), "node")
    if item.node is not None and is_array(item.node):
        return format_shape(item.node.shape)
    if item.request is not None and item.source is None:
        return "cannot be opened" if item.fetching is Fetching.FAILED else "opening…"
    if is_changing(item):
        return "changes on"
    return "cannot be read" if item.node is not None and is_broken(item.node) else ""


def _type(item: TreeItem) -> str:
    node = None if item.is_range else item.node
    if node is not None and is_array(node):
        return short_type_name(node)
    kind = convention_kind(node) if node is not None and is_group(node) else None
    return "" if kind is None else kind[1]


COLUMNS: Final = (
    Column("Name", _name, lambda entry: entry.name),
    Column(
        "Shape",
        _shape,
        lambda entry: "" if entry.shape is None else format_shape(entry.shape),
        width=112,
        width_most=180,
        rank=1,
    ),
    Column("Type", _type, lambda entry: entry.type_name, width=84, rank=2),
)


def tool_tip(item: TreeItem) -> str:
    """The location of the row's node, or what is wrong with it."""
    if item.is_range:
        return count(item.node_count + len(item.unread), "node")
    if item.node is None:
        return item.note
    if is_broken(item.node):
        return f"{item.node.path}\n{sentence(item.node.error)}"
    if is_array(item.node):
        return f"{item.node.path}\n{format_shape(item.node.shape)}  ·  {short_type_name(item.node)}"
    if item.source is None:
        return item.node.path
    place = item.node.path if item.request is None else item.source.hierarchy.url
    return f"{place}\n{item.source.kind_of(item.node)}"


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
