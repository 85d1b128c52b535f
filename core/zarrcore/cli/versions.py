"""``zarrscope log``, and what ``zarrscope diff`` shows of two versions of a repository."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import Any, Final

from zarrcore.cli.source import add_source_arguments, repository_of
from zarrcore.cli.store_arguments import positive
from zarrcore.cli.text import painter, printable

_MARKS: Final = {"added": ("+", "green"), "deleted": ("-", "red"), "updated": ("~", "yellow")}


def register_log(commands: Any) -> None:
    """Add ``log``."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "log",
        help="show the history of an Icechunk repository",
        description="Show the snapshots of a version of an Icechunk repository, newest first.",
        examples=(
            "log repository.icechunk",
            "log repository.icechunk --limit 5 --json",
            "log s3://bucket/repository --branch main --anonymous",
        ),
    )
    add_source_arguments(parser, path=False)
    parser.add_argument("--limit", type=positive, metavar="N", help="the newest N snapshots (default: all)")
    parser.add_argument(
        "--json", action="store_true", help="one JSON object per snapshot, each on its own line"
    )
    parser.set_defaults(run=run_log)


def run_log(namespace: argparse.Namespace) -> int:
    """Print the log."""
    repository, version = repository_of(namespace)
    paint = painter()
    with repository.source:
        for snapshot in repository.log(version, namespace.limit):
            time = snapshot.written_at.isoformat(timespec="seconds")
            if namespace.json:
                told = {
                    "id": snapshot.id,
                    "parent_id": snapshot.parent_id,
                    "written_at": time,
                    "message": snapshot.message,
                }
                print(json.dumps(told))
            else:
                print(f"{paint(snapshot.id, 'bold')}  {paint(time, 'dim')}  {printable(snapshot.message)}")
    return 0


def run_diff(namespace: argparse.Namespace, version_a: str, version_b: str) -> int:
    """Print what changed from one version to another. Exit status 1 if anything did."""
    from zarrcore.stores.icechunk.differences import difference

    repository, _ = repository_of(namespace)
    with repository.source:
        one, other = (repository.find(name) for name in (version_a, version_b))
        found = difference(repository, one, other)
    if namespace.json:
        told = asdict(found)
        told["changed_chunk_counts"] = told.pop("chunks")
        print(json.dumps(told))
        return int(not found.is_empty)
    paint = painter()
    for change, (mark, colour) in _MARKS.items():
        for path, kind in getattr(found, change).items():
            print(
                paint(f"{mark} {printable(path)}", colour)
                + f"  {kind} {change}{_chunks(found.chunks.get(path, 0))}"
            )
    named = {*found.added, *found.deleted, *found.updated}
    for path, count in found.chunks.items():
        if path not in named:
            print(paint(f"~ {printable(path)}", "yellow") + "  array" + _chunks(count))
    return int(not found.is_empty)


def _chunks(count: int) -> str:
    return f", {count:,} chunk{'s' if count > 1 else ''} changed" if count else ""
