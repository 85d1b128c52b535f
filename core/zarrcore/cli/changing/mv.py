"""``zarrscope mv``: a node gets another path."""

from __future__ import annotations

import argparse
import json
from typing import Any

from zarrcore.cli.changing.target import add_path_argument, open_target, path_in
from zarrcore.cli.source import add_source_arguments
from zarrcore.cli.text import printable

_DESCRIPTION = """\
Give a node, with everything below it, another path in the same store, and make missing groups above it. A directory is renamed
at once. Other stores copy all keys, compare the copies, and erase the originals last. Nothing is ever replaced.
Consolidated metadata is written again if there was some."""


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "mv",
        help="move a node to another path in its store",
        description=_DESCRIPTION,
        examples=(
            "mv brain.zarr derived/mean_signal signal --dry-run",
            "mv brain.zarr derived/mean_signal signal",
            "mv brain.zarr signal derived/mean_signal",
        ),
    )
    add_source_arguments(parser, path=False)
    add_path_argument(parser, "old", "path of the node")
    add_path_argument(parser, "new", "its new path, where nothing may be")
    parser.add_argument("--dry-run", action="store_true", help="check, and move nothing")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.set_defaults(run=run)


def run(namespace: argparse.Namespace) -> int:
    """Move the node."""
    old, new = (path_in(namespace, path) for path in (namespace.old, namespace.new))
    at_once = None
    with open_target(namespace) as hierarchy:
        if namespace.dry_run:
            hierarchy.writer().check_move(old, new)
        else:
            at_once = hierarchy.move(old, new)
    if namespace.json:
        print(json.dumps({"path": new, "old_path": old, "is_renamed": at_once}))
        return 0
    how = {
        None: "could be moved",
        True: "was renamed",
        False: "was copied, compared and erased at its old place",
    }
    print(printable(f"{old} {how[at_once]}: {new}"))
    return 0
