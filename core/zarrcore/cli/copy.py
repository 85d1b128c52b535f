"""``zarrscope copy``: a hierarchy to another store, in another format, other chunks, shards and codecs."""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import TYPE_CHECKING, Any

from zarrcore.cli.changing.destination import check_destination
from zarrcore.cli.changing.layout_arguments import add_layout_arguments, named_codecs
from zarrcore.cli.scheduler import add_memory_argument, add_scheduler_argument, scheduler
from zarrcore.cli.source import (
    add_missing_argument,
    add_source_arguments,
    node_path,
    open_source,
    print_notes,
)
from zarrcore.cli.text import printable
from zarrcore.sizes import format_bytes
from zarrcore.stores import split_uri

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.hierarchy import Hierarchy
    from zarrcore.operations.copy import CopyPlan, CopyResult, Layout
    from zarrcore.stores import ReadableStore

_DESCRIPTION = """\
Copy a node and all below it to DEST, where it becomes the root. Format, chunks, shards and codecs stay the same
unless you choose others. Chunks that stay the same are copied byte for byte, and not decoded. Everything is verified.
Run the same command again to resume an interrupted copy; arrays that changed in SOURCE in the meantime are copied
again. A folder of several hierarchies becomes one hierarchy, in which each is a group. Keys of SOURCE that belong to
no node are not copied: copy names some of them and exits with 1. A node that cannot be copied, such as a broken one,
ends the copy before it writes. With --skip, copy leaves such nodes out, names each of them, and exits with 1."""
_ICECHUNK = "icechunk"


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "copy",
        help="copy a hierarchy to any store, also with another format, chunks or codecs",
        description=_DESCRIPTION,
        examples=(
            "copy brain.zarr copy.zip",
            "copy brain.zarr#/derived mean.zarr --to v2",
            "copy brain.zarr#/functional plane.zarr --select 0:1,12",
            "copy brain.zarr s3://bucket/brain.zarr --chunks 1,8,96,128 --codec zstd",
        ),
    )
    add_source_arguments(parser, path=False)
    add_missing_argument(parser)
    parser.add_argument(
        "destination",
        metavar="DEST",
        help="path or URL of the store to write; NAME/ for a folder with the name of a file, such as a.h5/",
    )
    parser.add_argument(
        "--select",
        metavar="SELECTION",
        help="part of one array (3,:,0:100), or of all that have these dimensions (time=0:10,lat=40:80)",
    )
    parser.add_argument(
        "--to",
        metavar="FORMAT",
        help="v3, v2, n5, or icechunk for a repository (default: the format of SOURCE)",
    )
    add_layout_arguments(parser, "unchanged", "unchanged", "unchanged")
    parser.add_argument(
        "--skip",
        action="store_true",
        help="leave out nodes that are broken, or that the format of DEST cannot hold",
    )
    parser.add_argument("--overwrite", action="store_true", help="erase the hierarchy in DEST first")
    parser.add_argument(
        "--no-verify", action="store_true", help="do not compare what was written with the source"
    )
    parser.add_argument("--consolidate", action="store_true", help="write consolidated metadata too")
    add_memory_argument(parser, "blocks in flight")
    parser.add_argument(
        "--message",
        metavar="TEXT",
        help="message of the commit to an Icechunk repository (default: names SOURCE)",
    )
    add_scheduler_argument(parser)
    parser.add_argument("--quiet", action="store_true", help="show only errors")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.set_defaults(run=run)


def run(namespace: argparse.Namespace) -> int:
    """Copy; when interrupted, say how to resume."""
    from zarrcore.cli.progress import progress_bar
    from zarrcore.formats import format_named
    from zarrcore.operations.copy import Part, execute, plan_copy

    started_s = time.monotonic()
    source = open_source(namespace)
    print_notes(source)
    path = node_path(namespace)
    _check_repository(namespace)
    to = format_named("v3" if namespace.to == _ICECHUNK else namespace.to) if namespace.to else None
    plan = plan_copy(
        source,
        path,
        to=to,
        layout=_layout(namespace),
        part=None if namespace.select is None else Part(namespace.select),
        memory_nbytes=namespace.memory,
        skip=namespace.skip,
    )
    for skipped, why in plan.skipped:
        print(f"zarrscope: {printable(f'{skipped} is left out: {why}')}", file=sys.stderr)
    if not namespace.quiet:
        for note in plan.notes:
            print(f"zarrscope: note: {printable(note)}", file=sys.stderr)
    try:
        with (
            _destination(namespace, source) as destination,
            scheduler(namespace) as run_work,
            progress_bar(quiet=namespace.quiet, of_bytes=True) as report,
        ):
            result = execute(
                plan,
                source,
                destination,
                overwrite=namespace.overwrite,
                verify=not namespace.no_verify,
                consolidate=namespace.consolidate,
                progress=report,
                run_work=run_work,
            )
            committed = _commit(namespace, destination, plan)
    except KeyboardInterrupt:
        again = (
            "nothing was committed" if namespace.to == _ICECHUNK else "run the same command again to resume"
        )
        print(f"\nzarrscope: interrupted: {again}", file=sys.stderr)
        return 130
    for changed in result.changed if not namespace.quiet else ():
        note = f"{changed} changed since the earlier run, and is copied again"
        print(f"zarrscope: note: {printable(note)}", file=sys.stderr)
    if namespace.json:
        told = _told(source.url, plan, result, destination.url, time.monotonic() - started_s)
        print(json.dumps({**told, "snapshot_id": committed} if committed else told))
    elif not namespace.quiet:
        summary = _summary(plan, result, destination.url, time.monotonic() - started_s)
        print(summary + (f"; snapshot {committed}" if committed else ""))
    if result.left.count:
        print(f"zarrscope: {_left(plan, result)}", file=sys.stderr)
    return int(result.left.count > 0 or len(plan.skipped) > 0)


def _check_repository(namespace: argparse.Namespace) -> None:
    """Refuse options that do not apply to repositories, or only to them."""
    from zarrcore.errors import SelectionError

    if namespace.to != _ICECHUNK and namespace.message is not None:
        raise SelectionError("--message is for a copy to a repository: add --to icechunk")
    if namespace.to == _ICECHUNK and namespace.scheduler is not None:
        raise SelectionError(
            "a copy to an Icechunk repository is one commit of one process: omit --scheduler"
        )


def _commit(namespace: argparse.Namespace, destination: ReadableStore, plan: CopyPlan) -> str | None:
    """Commit a copy to a repository; returns the new snapshot."""
    if namespace.to != _ICECHUNK:
        return None
    from zarrcore.stores.icechunk.writing import SessionStore

    message = namespace.message or f"Copy {plan.source_url}"
    return destination.commit(message) if isinstance(destination, SessionStore) else None


def _destination(namespace: argparse.Namespace, source: Hierarchy) -> ReadableStore:
    from dataclasses import replace

    from zarrcore.cli.store_arguments import store_options
    from zarrcore.errors import SelectionError
    from zarrcore.operations.copy import refuse_place_inside
    from zarrcore.stores import open_store

    url, path = split_uri(namespace.destination)
    if path not in (None, "/"):
        raise SelectionError("DEST is a store, not a node in it: a copy becomes the root of its store")
    check_destination(url, is_repository=namespace.to == _ICECHUNK, is_copy=True)
    refuse_place_inside(source.store, url)
    # Reading a public bucket without credentials must not disable those of DEST. Verification must read from the store.
    options = replace(store_options(namespace), anonymous=False, cache_dir=None, cache_url=None)
    if namespace.to != _ICECHUNK:
        return open_store(url, options=options, create=True)
    from zarrcore.stores.icechunk.versions import split_version
    from zarrcore.stores.icechunk.writing import open_session

    url, version = split_version(url)
    if version is not None and version.kind != "branch":
        raise SelectionError(f"DEST is a {version.kind}, which cannot be changed: name a branch")
    target = open_store(url, options=options, create=True)
    return open_session(target, options.branch if version is None else version.name)


def _layout(namespace: argparse.Namespace) -> Layout:
    from zarrcore.operations.copy import Layout

    return Layout(namespace.chunks, namespace.shards, named_codecs(namespace.codec))


def _told(source: str, plan: CopyPlan, result: CopyResult, url: str, seconds: float) -> dict[str, Any]:
    return {
        "source": source,
        "path": plan.source_path,
        "destination": url,
        "format": plan.format.name,
        "group_count": result.groups,
        "array_count": result.arrays,
        "nbytes": result.nbytes,
        "copied_nbytes": result.copied_nbytes,
        "resumed_nbytes": result.resumed_nbytes,
        "missing_nbytes": result.missing_nbytes,
        "is_resumed": result.resumed,
        "changed": list(result.changed),
        "left_key_count": result.left.count,
        "example_keys": list(result.left.examples),
        "skipped": dict(plan.skipped),
        "notes": list(plan.notes),
        "seconds": round(seconds, 3),
    }


def _summary(plan: CopyPlan, result: CopyResult, url: str, seconds: float) -> str:
    arrays = "1 array" if result.arrays == 1 else f"{result.arrays:,} arrays"
    parts = [
        f"{arrays}, {format_bytes(result.nbytes)}, copied to {printable(url)} as {plan.format.title} in {seconds:.1f} s"
    ]
    if result.resumed:
        parts.append(f"{format_bytes(result.resumed_nbytes)} of it were copied by the earlier run")
    if result.missing_nbytes:
        parts.append(f"{format_bytes(result.missing_nbytes)} are missing chunks, and stay missing")
    if plan.skipped:
        parts.append(
            "1 node is left out" if len(plan.skipped) == 1 else f"{len(plan.skipped):,} nodes are left out"
        )
    return "; ".join(parts)


def _left(plan: CopyPlan, result: CopyResult) -> str:
    left = result.left
    examples = ", ".join(map(printable, left.examples)) + (", …" if left.count > len(left.examples) else "")
    one, many = "1 key belongs to no node and was", f"{left.count:,} keys belong to no node and were"
    keys = one if left.count == 1 else many
    return f"{printable(plan.source_url)}: {keys} not copied: {examples} (zarrscope check says more)"
