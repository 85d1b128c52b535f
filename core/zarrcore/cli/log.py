"""``zarrscope log``: the history of a repository."""

from __future__ import annotations

import argparse
import json
from typing import Any

from zarrcore.cli.source import add_source_arguments, repository_of
from zarrcore.cli.text import painter, printable


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "log",
        help="show the history of an Icechunk repository",
        description="Show the snapshots of a version of an Icechunk repository, newest first.",
    )
    add_source_arguments(parser, path=False)
    parser.add_argument("--limit", type=_limit, metavar="N", help="the newest N snapshots (default: all)")
    parser.add_argument(
        "--json", action="store_true", help="one JSON object per snapshot, each on its own line"
    )
    parser.set_defaults(run=run)


def _limit(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"expected 1 or more, found {text!r}")
    return int(text)


def run(namespace: argparse.Namespace) -> int:
    """Print the log."""
    repository, version = repository_of(namespace)
    paint = painter()
    with repository.source:
        for snapshot in repository.log(version, namespace.limit):
            time = snapshot.written_at.isoformat(timespec="seconds")
            if namespace.json:
                told = {
                    "id": snapshot.id,
                    "parent": snapshot.parent_id,
                    "time": time,
                    "message": snapshot.message,
                }
                print(json.dumps(told))
            else:
                print(f"{paint(snapshot.id, 'bold')}  {paint(time, 'dim')}  {printable(snapshot.message)}")
    return 0
