"""``zarrscope tree``: the hierarchy, printed node by node as it is read."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from zarrcore.cli.source import add_source_arguments, node_path, open_source, print_notes
from zarrcore.cli.store_arguments import natural
from zarrcore.cli.text import painter

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.hierarchy import AnyNode


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "tree",
        help="show the hierarchy: names, kinds, shapes, types",
        description="Show a hierarchy as a tree, or all hierarchies in a folder or bucket.",
        examples=(
            "tree brain.zarr",
            "tree brain.zarr derived --json",
            "tree s3://bucket/data.zarr --anonymous --depth 1",
        ),
    )
    add_source_arguments(parser)
    parser.add_argument("--depth", type=natural, metavar="N", help="levels below PATH to show (default: all)")
    parser.add_argument("--json", action="store_true", help="one JSON object per node, each on its own line")
    parser.set_defaults(run=run)


def run(namespace: argparse.Namespace) -> int:
    """Print the tree. Nodes that cannot be opened or listed are shown with their error, and the exit status is 1."""
    from zarrcore.tree_lines import tree_lines

    hierarchy = open_source(namespace)
    print_notes(hierarchy)
    broken = False
    with hierarchy.branch(node_path(namespace), namespace.depth) as top:
        for node, line in tree_lines(top, painter()):
            broken |= node.kind == "broken"
            sys.stdout.write((json.dumps(node_json(node)) if namespace.json else line) + "\n")
            if sys.stdout.isatty():
                sys.stdout.flush()
    return int(broken)


def node_json(node: AnyNode) -> dict[str, Any]:
    """A node as ``--json`` prints it."""
    from zarrcore.conventions import recognise
    from zarrcore.hierarchy import ArrayNode, BrokenNode

    told: dict[str, Any] = {"path": node.path, "kind": node.kind}
    if (recognised := recognise(node)) is not None:
        told |= {"convention": recognised[0].name, "convention_kind": recognised[1]}
    if node.path == node.hierarchy.at:
        told["format"] = node.hierarchy.format.name
    if isinstance(node, BrokenNode):
        told["error"] = str(node.error)
    elif isinstance(node, ArrayNode):
        told["shape"] = list(node.shape)
        told["dtype"] = node.data_type.document()
        told["chunks"] = list(node.chunks)
        told["shards"] = None if node.shards is None else list(node.shards)
        told["nbytes"] = None if node.data_type.is_variable_length else node.nbytes
    return told
