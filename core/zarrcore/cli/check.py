"""``zarrscope check``: decode everything, report what is wrong."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from zarrcore.cli.scheduler import add_scheduler_argument, scheduler
from zarrcore.cli.source import add_source_arguments, node_path, open_source, print_notes
from zarrcore.cli.text import painter, printable

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from collections.abc import Callable

    from zarrcore.operations.check import Finding

_DESCRIPTION = """\
Check a node and all below it: whether documents are valid, every chunk decodes, every key belongs to a node, and
consolidated metadata is up to date. Exit status: 1 if there is an error, with --strict also if there is a warning."""
_STYLES = {"error": "bold red", "warning": "yellow", "advice": "cyan", "note": "dim"}


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "check",
        help="decode everything, report what is wrong",
        description=_DESCRIPTION,
        examples=(
            "check brain.zarr",
            "check brain.zarr --no-decode --strict",
            "check s3://bucket/data.zarr --anonymous --advise",
        ),
    )
    add_source_arguments(parser)
    parser.add_argument(
        "--no-decode", action="store_true", help="check only documents and keys, decode no chunk"
    )
    parser.add_argument(
        "--conventions",
        action="store_true",
        help="also check whether nodes hold to the conventions that they follow (OME-NGFF, CF, GeoZarr, NeXus, …)",
    )
    parser.add_argument(
        "--advise",
        action="store_true",
        help="read only documents, and say instead what slices cost from a distance, and what would make them cheaper",
    )
    add_scheduler_argument(parser)
    parser.add_argument("--strict", action="store_true", help="exit status 1 for warnings too")
    parser.add_argument("--quiet", action="store_true", help="show no progress and no notes")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.set_defaults(run=run)


def run(namespace: argparse.Namespace) -> int:
    """Print the findings; the exit status says whether there are any."""
    from zarrcore.cli.progress import progress_bar
    from zarrcore.operations.advice import advise
    from zarrcore.operations.check import check

    hierarchy, path = open_source(namespace), node_path(namespace)
    print_notes(hierarchy)
    counts: Counter[str] = Counter()
    chunks: dict[str, int] = {}
    findings: list[Finding] = []
    with scheduler(namespace) as run_work, progress_bar(quiet=namespace.quiet) as report:

        def progress(array: str, done: int, total: int) -> None:
            chunks[array] = done
            if report is not None:
                report(array, done, total)

        paint = painter()
        if namespace.advise:
            found = advise(hierarchy, path)
        else:
            found = check(
                hierarchy,
                path,
                decode=not namespace.no_decode,
                conventions=namespace.conventions,
                progress=progress,
                run_work=run_work,
            )
        for finding in found:
            counts[finding.severity] += finding.count if finding.severity != "note" else 1
            if namespace.json:
                findings.append(finding)
            elif not (namespace.quiet and finding.severity == "note"):
                print(_line(finding, paint))
                if sys.stdout.isatty():
                    sys.stdout.flush()
    told = {
        "source": hierarchy.url,
        "path": path,
        "format": hierarchy.format.name,
        "error_count": counts["error"],
        "warning_count": counts["warning"],
        "advice_count": counts["advice"],
        "note_count": counts["note"],
        "array_count": len(chunks),
        "chunk_count": sum(chunks.values()),
        "is_decoded": not (namespace.no_decode or namespace.advise),
        "findings": [finding.document() for finding in findings],
    }
    if namespace.json:
        from zarrcore.metadata.json_document import format_json

        print(format_json(told).decode("utf-8", "surrogatepass"), end="")
    elif not namespace.advise:
        print(_summary(counts, len(chunks), sum(chunks.values()), namespace.no_decode))
    elif not counts:
        print("nothing to advise")
    return int(counts["error"] > 0 or (namespace.strict and counts["warning"] > 0))


def _line(finding: Finding, paint: Callable[[str, str], str]) -> str:
    # A key shows its node too, except at the root and in formats that keep documents elsewhere.
    severity = paint(f"{finding.severity:<8}", _STYLES[finding.severity])
    where = paint(printable(finding.key or finding.path), "bold")
    return f"{severity} {where}  {printable(finding.sentence)}"


def _summary(counts: Counter[str], arrays: int, chunks: int, no_decode: bool) -> str:
    found = [_number(counts[name], name) for name in _STYLES if counts[name]]
    looked = f"{_number(chunks, 'chunk')} of {_number(arrays, 'array')} {'found' if no_decode else 'decoded'}"
    return f"{', '.join(found) or 'nothing wrong'}  ({looked})"


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
