"""``zarrscope rm``: erases nodes."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from zarrcore.cli.changing.target import add_path_argument, open_target, path_in
from zarrcore.cli.source import add_source_arguments
from zarrcore.cli.text import printable
from zarrcore.sizes import format_bytes

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.hierarchy import Hierarchy
    from zarrcore.operations.usage import Usage

_DESCRIPTION = """\
Erase nodes, with all their chunks and everything below them. Nothing is erased if one of them does not exist, or is a group
that holds something and -r is missing. rm asks first; if it cannot ask, it needs --yes. Consolidated metadata is
written again if there was some."""


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "rm",
        help="erase nodes",
        description=_DESCRIPTION,
        examples=(
            "rm brain.zarr derived -r --dry-run",
            "rm brain.zarr derived/mean_signal --yes",
            "rm brain.zarr derived -r --yes",
        ),
    )
    add_source_arguments(parser, path=False)
    add_path_argument(parser, "paths", "path of a node; / is the root", nargs="+", metavar="PATH")
    parser.add_argument("-r", "--recursive", action="store_true", help="also groups that hold something")
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
    parser.add_argument("--dry-run", action="store_true", help="show what would be erased")
    parser.add_argument(
        "--json", action="store_true", help="one JSON object per erased node, each on its own line"
    )
    parser.set_defaults(run=run)


def run(namespace: argparse.Namespace) -> int:
    """Erase the nodes. Exit status 1 if the answer is no."""
    from zarrcore.errors import SelectionError

    paths = _outermost([path_in(namespace, path) for path in namespace.paths])
    asks = not (namespace.yes or namespace.dry_run)
    if asks and not sys.stdin.isatty():
        raise SelectionError("standard input is not a terminal, so that rm cannot ask: add --yes")
    with open_target(namespace) as hierarchy:
        found = [_found(hierarchy, path, recursive=namespace.recursive) for path in paths]
        for usage in found if asks or namespace.dry_run else ():
            _print_usage(usage, namespace)
        if namespace.dry_run:
            return 0
        if asks and not _is_confirmed(len(paths)):
            return 1
        for path, usage in zip(paths, found, strict=True):
            hierarchy.erase(path)
            if namespace.json:
                print(json.dumps(_told(usage)))
    return 0


def _outermost(paths: list[str]) -> list[str]:
    """The paths that are not below another one, each once."""
    found: list[str] = []
    for path in sorted(set(paths)):
        if not any(path.startswith(above.rstrip("/") + "/") for above in found):
            found.append(path)
    return found


def _found(hierarchy: Hierarchy, path: str, *, recursive: bool) -> Usage:
    """What would be erased at a path."""
    from zarrcore.cli.progress import progress_bar
    from zarrcore.errors import SelectionError
    from zarrcore.operations.usage import usage

    with progress_bar() as report:
        found = usage(hierarchy, path, report)
    top = found.nodes[0]
    holds = len(found.nodes) > 1 or found.other.keys > 0
    if top.kind in ("group", "broken") and holds and not recursive:
        raise SelectionError(f"{path} is a group that holds something: -r erases it with everything below it")
    return found


def _print_usage(usage: Usage, namespace: argparse.Namespace) -> None:
    if namespace.json:
        print(json.dumps(_told(usage)))
        return
    for node in usage.nodes:
        print(f"{node.kind} {printable(node.path)}")
    top, other = usage.nodes[0], usage.other
    if other.keys:
        print(f"{_keys(other.keys)} of no node, such as {printable(other.examples[0])}")
    nbytes = top.stored_nbytes + other.stored_nbytes
    print(f"{printable(top.path)}: {_keys(top.keys + other.keys)}, {format_bytes(nbytes)}")


def _keys(count: int) -> str:
    return f"{count:,} key" + ("" if count == 1 else "s")


def _told(usage: Usage) -> dict[str, Any]:
    return {
        "path": usage.nodes[0].path,
        "kind": usage.nodes[0].kind,
        "paths": [node.path for node in usage.nodes],
        "key_count": usage.nodes[0].keys + usage.other.keys,
        "stored_nbytes": usage.nodes[0].stored_nbytes + usage.other.stored_nbytes,
    }


def _is_confirmed(count: int) -> bool:
    sys.stdout.flush()
    print(f"Erase {'this' if count == 1 else 'these'}? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
