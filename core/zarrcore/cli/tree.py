"""``zarrscope tree``: the hierarchy, printed node by node as it is read."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from zarrcore.cli.source import add_source_arguments, node_path, open_source, print_notes
from zarrcore.cli.store_arguments import natural
from zarrcore.cli.text import painter, printable
from zarrcore.sizes import format_bytes, format_shape

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.hierarchy import AnyNode
    from zarrcore.hierarchy.walking import Branch


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "tree",
        help="show the hierarchy: names, kinds, shapes, types",
        description="Show a hierarchy as a tree, or all hierarchies in a folder or bucket.",
    )
    add_source_arguments(parser)
    parser.add_argument("--depth", type=natural, metavar="N", help="levels below PATH to show (default: all)")
    parser.add_argument("--json", action="store_true", help="one JSON object per node, each on its own line")
    parser.set_defaults(run=run)


def run(namespace: argparse.Namespace) -> int:
    """Print the tree. Nodes that cannot be opened or listed are shown with their error, and the exit status is 1."""
    hierarchy, paint = open_source(namespace), painter()
    print_notes(hierarchy)
    broken = False
    with hierarchy.branch(node_path(namespace), namespace.depth) as top:
        for lead, node in _walk(top):
            broken |= node.kind == "broken"
            line = (
                json.dumps(node_json(node)) if namespace.json else _line(lead, node, node is top.node, paint)
            )
            sys.stdout.write(line + "\n")
            if sys.stdout.isatty():
                sys.stdout.flush()
    return int(broken)


def _walk(top: Branch) -> Iterator[tuple[str, AnyNode]]:
    """Nodes with the lines that lead to them. Children are fetched one ahead, to know which one is the last."""
    yield "", top.node
    levels = [("", iter(top), next(iter(top), None))]
    while levels:
        below, children, branch = levels.pop()
        if branch is None:
            continue
        following = next(children, None)
        levels.append((below, children, following))
        yield below + ("├── " if following is not None else "└── "), branch.node
        indent = below + ("│   " if following is not None else "    ")
        levels.append((indent, iter(branch), next(iter(branch), None)))


def _line(lead: str, node: AnyNode, is_top: bool, paint: Callable[[str, str], str]) -> str:
    from zarrcore.conventions import recognise
    from zarrcore.hierarchy import ArrayNode, Group

    name = printable(node.path if is_top else node.name)
    # In a tree of several hierarchies, the root of each shows its format.
    in_collection = node.kind != "collection" and node.path == node.hierarchy.at != "/"
    format_ = "  " + paint(node.hierarchy.format.title, "dim") if in_collection else ""
    if isinstance(node, Group):
        recognised = recognise(node)
        what = "  " + paint(f"{recognised[0].title} {recognised[1]}", "dim") if recognised else ""
        return lead + paint(name, "bold blue" if node.kind == "group" else "blue") + what + format_
    if isinstance(node, ArrayNode):
        told = (
            f"{lead}{paint(name, 'bold')}  {format_shape(node.shape)}  {paint(node.data_type.name, 'cyan')}"
        )
        known = not node.data_type.is_variable_length
        return (f"{told}  {paint(format_bytes(node.nbytes), 'dim')}" if known else told) + format_
    return f"{lead}{paint(name, 'bold red')}  {paint(printable(str(node.error)), 'red')}"


def node_json(node: AnyNode) -> dict[str, Any]:
    """A node as ``--json`` prints it."""
    from zarrcore.conventions import recognise
    from zarrcore.hierarchy import ArrayNode, BrokenNode

    told: dict[str, Any] = {"path": node.path, "kind": node.kind}
    if (recognised := recognise(node)) is not None:
        told |= {"convention": recognised[0].name, "meaning": recognised[1]}
    if node.path == node.hierarchy.at:
        told["format"] = node.hierarchy.format.name
    if isinstance(node, BrokenNode):
        told["error"] = str(node.error)
    elif isinstance(node, ArrayNode):
        told["shape"] = list(node.shape)
        told["data_type"] = node.data_type.document()
        told["chunk_shape"] = list(node.chunk_shape)
        told["nbytes"] = None if node.data_type.is_variable_length else node.nbytes
    return told
