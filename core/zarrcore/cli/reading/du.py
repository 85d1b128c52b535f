"""``zarrscope du``: the storage that each node uses."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from zarrcore.cli.source import add_source_arguments, node_path, open_source
from zarrcore.cli.store_arguments import natural
from zarrcore.cli.text import printable
from zarrcore.sizes import format_bytes

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.operations.usage import NodeUsage, OtherKeys

_DESCRIPTION = """\
Show the bytes that each node uses in the store, and those of its decoded elements. The numbers of a group include everything
below it. Keys that belong to no node are counted, too. The store must be able to list its keys."""
_SORTS: Final = ("stored_nbytes", "nbytes", "path")
_WIDTH: Final = 12


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "du",
        help="show the stored and the decoded bytes of each node",
        description=_DESCRIPTION,
        examples=(
            "du brain.zarr",
            "du brain.zarr --depth 1 --sort stored_nbytes",
            "du brain.zarr functional --json",
        ),
    )
    add_source_arguments(parser)
    parser.add_argument(
        "--depth",
        type=natural,
        metavar="N",
        help="levels below PATH to show (default: all); all levels are counted",
    )
    parser.add_argument(
        "--sort",
        choices=_SORTS,
        help="most stored or decoded bytes first, or by path (default: as in the tree)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per node, each on its own line")
    parser.set_defaults(run=run)


def run(namespace: argparse.Namespace) -> int:
    """Print the bytes of each node. Exit status 1 if one of them cannot be opened."""
    from zarrcore.cli.progress import progress_bar
    from zarrcore.operations.usage import usage

    hierarchy, path = open_source(namespace), node_path(namespace)
    with progress_bar() as report:
        found = usage(hierarchy, path, report)
    nodes = [node for node in found.nodes if _is_shown(node, path, namespace.depth)]
    if namespace.sort == "path":
        nodes.sort(key=lambda node: node.path)
    elif namespace.sort is not None:
        nodes.sort(key=lambda node: getattr(node, namespace.sort) or 0, reverse=True)
    if namespace.json:
        for node in nodes:
            print(json.dumps(_json(node)))
        if found.other.keys:
            print(json.dumps({"path": None, "kind": "no-node", **_json(found.other)}))
    else:
        _print(nodes, found.other)
    return int(any(node.kind == "broken" for node in found.nodes))


def _json(used: NodeUsage | OtherKeys) -> dict[str, Any]:
    names = {"keys": "key_count", "examples": "example_keys"}
    return {names.get(name, name): value for name, value in asdict(used).items()}


def _print(nodes: list[NodeUsage], other: OtherKeys) -> None:
    print(f"{'stored':>{_WIDTH}}{'decoded':>{_WIDTH + 2}}  node")
    for node in nodes:
        print(_line(node))
    if other.keys:
        print(_other(other))


def _is_shown(node: NodeUsage, top: str, levels: int | None) -> bool:
    return levels is None or node.path.rstrip("/").count("/") - top.rstrip("/").count("/") <= levels


def _line(node: NodeUsage) -> str:
    decoded = "?" if node.nbytes is None else format_bytes(node.nbytes)
    if node.is_partial:
        decoded = f"> {decoded}"
    same = "" if node.same_as is None else f" (the same array as {printable(node.same_as)})"
    return (
        f"{format_bytes(node.stored_nbytes):>{_WIDTH}}{decoded:>{_WIDTH + 2}}  {printable(node.path)}{same}"
    )


def _other(other: OtherKeys) -> str:
    examples = ", ".join(map(printable, other.examples)) + (", …" if other.keys > len(other.examples) else "")
    keys = "1 key belongs" if other.keys == 1 else f"{other.keys:,} keys belong"
    return f"{format_bytes(other.stored_nbytes):>{_WIDTH}}{'':{_WIDTH + 2}}  {keys} to no node: {examples}"
