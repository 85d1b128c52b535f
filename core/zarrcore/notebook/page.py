"""The HTML of one object: a head, facts, a drawing of the chunks or a tree of the nodes below, and the attributes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from zarrcore.array import Array
from zarrcore.describe import array_facts, meaning_facts
from zarrcore.errors import ZarrError
from zarrcore.hierarchy import AnyNode, ArrayNode, BrokenNode, Group, Hierarchy
from zarrcore.notebook.chunk_drawing import chunk_drawing
from zarrcore.notebook.markup import Markup, element, joined, lines
from zarrcore.notebook.style import STYLE
from zarrcore.notebook.tree import tree
from zarrcore.printable import printable_json

_ATTRIBUTES_MAX: Final = 20_000
_FACT_MAX: Final = 2_000
"""Characters that are shown of attributes, and of a fact."""


def as_html(shown: Any) -> str:
    """A hierarchy, a node or an array as HTML. It reads no chunk, and only the metadata of the nodes that it shows.

    Errors become a line of the HTML: in a notebook, the object is only the last line of a cell.
    """
    try:
        content = _hierarchy(shown) if isinstance(shown, Hierarchy) else _node(shown)
    except Exception as error:  # noqa: BLE001 - whatever fails, the cell has done its work
        content = element("div", f"{type(shown).__name__}: {_reason(error)}", class_="zs-error")
    return str(element("div", element("style", Markup(STYLE)), content, class_="zarrscope"))


def _hierarchy(hierarchy: Hierarchy) -> Markup:
    node = hierarchy.node(hierarchy.at)
    return joined([_head("Hierarchy", hierarchy.url), _content(node)])


def _node(node: Array | AnyNode) -> Markup:
    if isinstance(node, Array | BrokenNode | Group):
        kind = "Array" if isinstance(node, Array) else node.kind.capitalize()
        return joined([_head(kind, getattr(node, "uri", "")), _content(node)])
    raise TypeError(f"expected a node, found {type(node).__name__}")


def _head(kind: str, place: str) -> Markup:
    return element(
        "div",
        element("span", f"{kind} ", class_="zs-kind"),
        element("span", place, class_="zs-name"),
        class_="zs-head",
    )


def _content(node: Array | AnyNode) -> Markup:
    if isinstance(node, BrokenNode):
        return element("div", _reason(node.error), class_="zs-error")
    if isinstance(node, Array):
        facts = [*_node_facts(node), *array_facts(node)] if isinstance(node, ArrayNode) else array_facts(node)
        body = [_table(facts), chunk_drawing(node)]
        return joined([element("div", *body, class_="zs-body"), _attributes(node.attributes)])
    return joined([_table(_node_facts(node)), _attributes(node.attributes), tree(node)])


def _node_facts(node: Group | ArrayNode) -> list[tuple[str, str]]:
    facts = [("format", node.hierarchy.format.title)] if node.kind != "collection" else []
    if node.path == node.hierarchy.at:
        store = node.hierarchy.store
        facts += [*store.description(), *(("warning", text) for text in store.warnings())]
    return [*facts, *meaning_facts(node, reads_elements=False)]


def _table(facts: Iterable[tuple[str, str]]) -> Markup:
    rows = [
        element("tr", element("th", label), element("td", lines(_cut(text, _FACT_MAX))))
        for label, text in facts
    ]
    return element("table", element("tbody", *rows)) if rows else Markup()


def _attributes(attributes: Mapping[str, Any]) -> Markup:
    if not attributes:
        return Markup()
    text = printable_json(json.dumps(dict(attributes), indent=2, ensure_ascii=False, default=str))
    return element(
        "details",
        element("summary", f"{len(attributes):,} attribute{'s' if len(attributes) > 1 else ''}"),
        element("pre", lines(_cut(text, _ATTRIBUTES_MAX))),
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} … ({len(text) - most:,} more characters)"


def _reason(error: Exception) -> str:
    """An error in one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    return _cut(text if isinstance(error, ZarrError) else f"{type(error).__name__}: {text}", _FACT_MAX)
