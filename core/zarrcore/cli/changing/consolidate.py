"""``zarrscope consolidate``: write the metadata of all nodes into the root's."""

from __future__ import annotations

import argparse
import json
from typing import Any

from zarrcore.cli.changing.target import open_target, path_in
from zarrcore.cli.source import add_source_arguments
from zarrcore.errors import SelectionError

_DESCRIPTION = """\
Write a copy of the metadata of all nodes into the root's, so that readers get them with one request. Changing a node with
another program makes the copy stale, which check reports; this command then writes it again."""


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "consolidate",
        help="write the metadata of all nodes into the root's, for fast opening",
        description=_DESCRIPTION,
        examples=("consolidate brain.zarr", "consolidate brain.zarr --json"),
    )
    add_source_arguments(parser, path=False)
    parser.add_argument("--quiet", action="store_true", help="show only errors")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.set_defaults(run=run)


def run(namespace: argparse.Namespace) -> int:
    """Consolidate the metadata."""
    path = path_in(namespace, "")
    if path != "/":
        raise SelectionError(f"the metadata of a whole hierarchy are consolidated: name it without #{path}")
    with open_target(namespace) as hierarchy:
        count = hierarchy.consolidate()
    if namespace.json:
        print(json.dumps({"node_count": count}))
    elif not namespace.quiet:
        print(f"the root holds the metadata of {count:,} node{'' if count == 1 else 's'}")
    return 0
