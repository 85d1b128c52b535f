"""``zarrscope tree``: the hierarchy, node by node, printed as it is read."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from zarrcore.cli.source import add_source_arguments, node_path, open_source
from zarrcore.cli.text import console, human_bytes, human_shape, printable

if TYPE_CHECKING:
    from zarrcore.hierarchy import AnyNode


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "tree",
        help="show the hierarchy: names, kinds, shapes, types",
        description="Show a hierarchy as a tree.",
    )
    add_source_arguments(parser)
    parser.add_argument("--depth", type=_depth, metavar="N", help="levels below PATH to show (default: all)")
    parser.add_argument("--json", action="store_true", help="one JSON object per node and line")
    parser.set_defaults(run=run)


def _depth(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected 0 or more, found {text!r}")
    return int(text)


def run(namespace: argparse.Namespace) -> int:
    """Print the tree; a node that cannot be opened is shown with its error and makes the exit status 1."""
    hierarchy = open_source(namespace)
    top = hierarchy.node(node_path(namespace))
    broken = False
    if namespace.json:
        for _, node in _walk(top, namespace.depth):
            broken |= node.kind == "broken"
            print(json.dumps(node_json(node)))
        return int(broken)
    out = console()
    for lead, node in _walk(top, namespace.depth):
        broken |= node.kind == "broken"
        out.print(_line(lead, node, top), markup=True)
        if sys.stdout.isatty():
            sys.stdout.flush()
    return int(broken)


def _walk(node: AnyNode, depth: int | None) -> Iterator[tuple[str, AnyNode]]:
    """Nodes with the lines that lead to them. Children are looked at one ahead, to know which one is the last."""
    from zarrcore.hierarchy import Group

    yield "", node
    levels: list[tuple[str, Iterator[AnyNode], AnyNode | None]] = []

    def descend(group: AnyNode, lead: str) -> None:
        if isinstance(group, Group) and (depth is None or len(levels) < depth):
            children = group.children()
            levels.append(
                (lead.replace("├── ", "│   ").replace("└── ", "    "), children, next(children, None))
            )

    descend(node, "")
    while levels:
        below, children, child = levels.pop()
        if child is None:
            continue
        following = next(children, None)
        levels.append((below, children, following))
        lead = below + ("├── " if following is not None else "└── ")
        yield lead, child
        descend(child, lead)


def _line(lead: str, node: AnyNode, top: AnyNode) -> str:
    from rich.markup import escape

    from zarrcore.hierarchy import ArrayNode, Group

    name = escape(printable(node.name or "/" if node is not top else node.path))
    if isinstance(node, Group):
        return f"{lead}[bold blue]{name}[/]"
    if isinstance(node, ArrayNode):
        told = f"{lead}[bold]{name}[/]  {human_shape(node.shape)}  [cyan]{escape(node.data_type.name)}[/]"
        known = not node.data_type.is_variable_length
        return f"{told}  [dim]{human_bytes(node.nbytes)}[/]" if known else told
    return f"{lead}[bold red]{name}[/]  [red]{escape(printable(str(node.error)))}[/]"


def node_json(node: AnyNode) -> dict[str, Any]:
    """What ``--json`` tells of a node."""
    from zarrcore.hierarchy import ArrayNode, BrokenNode

    told: dict[str, Any] = {"path": node.path, "kind": node.kind}
    if isinstance(node, BrokenNode):
        told["error"] = str(node.error)
    elif isinstance(node, ArrayNode):
        told["shape"] = list(node.shape)
        told["data_type"] = node.data_type.document()
        told["chunk_shape"] = list(node.chunk_shape)
        told["nbytes"] = None if node.data_type.is_variable_length else node.nbytes
    return told
