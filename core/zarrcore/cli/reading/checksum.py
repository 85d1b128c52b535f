"""``zarrscope checksum``: checksums of arrays, as sha256sum has them for files."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from zarrcore.cli.scheduler import add_memory_argument
from zarrcore.cli.source import add_missing_argument, add_source_arguments, node_path, open_source
from zarrcore.cli.text import printable

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.hierarchy import AnyNode, ArrayNode, Hierarchy

_DESCRIPTION = """\
Print a checksum of each array at and below PATH: of its data type, shape and elements. It is the same for all chunks, codecs,
formats and stores. --check compares with an earlier list. Exit status 1: an array differs, is missing, or cannot be read."""
_ALGORITHMS: Final = ("sha256", "xxh128")
_LENGTHS: Final = {64: "sha256", 32: "xxh128"}
_LINE: Final = re.compile(r"(\\?)([0-9a-fA-F]{64}|[0-9a-fA-F]{32})[ ][ *](.+)", re.DOTALL)


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "checksum",
        help="print or compare checksums of the elements of arrays",
        description=_DESCRIPTION,
        examples=(
            "checksum brain.zarr",
            "checksum brain.zarr functional --algorithm xxh128",
            "checksum s3://bucket/data.zarr --anonymous",
        ),
    )
    add_source_arguments(parser)
    add_missing_argument(parser)
    parser.add_argument(
        "--algorithm", choices=_ALGORITHMS, help="hash function; xxh128 is faster (default: sha256)"
    )
    parser.add_argument(
        "--check", metavar="FILE", help="compare with the checksums in a file; - is standard input"
    )
    add_memory_argument(parser, "decoded elements")
    parser.add_argument(
        "--quiet", action="store_true", help="with --check: print only what differs; show no progress"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per array, each on its own line")
    parser.set_defaults(run=run)


def run(namespace: argparse.Namespace) -> int:
    """Print or compare the checksums."""
    from zarrcore.errors import SelectionError

    hierarchy, path = open_source(namespace), node_path(namespace)
    if namespace.check is None:
        if namespace.quiet:
            raise SelectionError("--quiet is for --check")
        return _print_all(namespace, hierarchy, path)
    if namespace.algorithm is not None:
        raise SelectionError(
            "--check knows the hash function from the length of a checksum: omit --algorithm"
        )
    return _check(namespace, hierarchy, path)


def _print_all(namespace: argparse.Namespace, hierarchy: Hierarchy, path: str) -> int:
    """Print the checksum of each array, as it is known. Exit status 1 if one of them cannot be read."""
    from zarrcore.errors import ZarrError
    from zarrcore.hierarchy import ArrayNode, BrokenNode

    failed = False
    algorithm = namespace.algorithm or _ALGORITHMS[0]
    for node in hierarchy.walk(path):
        within = _within(node, path)
        try:
            if isinstance(node, BrokenNode):
                raise node.error.with_traceback(None)
            if not isinstance(node, ArrayNode):
                continue
            digest = _digest(node, algorithm, namespace)
        except ZarrError as error:
            failed = True
            sys.stdout.flush()
            print(f"zarrscope: {printable(f'{node.path}: {error}')}", file=sys.stderr)
            continue
        if namespace.json:
            told = {"path": within, "algorithm": algorithm, "checksum": digest, "shape": list(node.shape)}
            print(json.dumps({**told, "dtype": node.data_type.document()}))
        else:
            print(_line(digest, within))
    return int(failed)


def _check(namespace: argparse.Namespace, hierarchy: Hierarchy, path: str) -> int:
    """Compare with a list of checksums. Exit status 1 if anything differs."""
    failed = 0
    for within, digest in _listed(namespace.check):
        outcome = _outcome(namespace, hierarchy, f"{path}/{within}", digest)
        matches = outcome == "OK"
        failed += not matches
        if namespace.json:
            print(json.dumps({"path": within, "matches": matches, "sentence": outcome}))
        elif not matches or not namespace.quiet:
            print(f"{printable(within)}: {outcome}")
    if failed:
        print(f"zarrscope: {failed:,} of the checksums did not match", file=sys.stderr)
    return int(failed > 0)


def _outcome(namespace: argparse.Namespace, hierarchy: Hierarchy, path: str, digest: str) -> str:
    from zarrcore.errors import NodeNotFoundError, ZarrError
    from zarrcore.hierarchy import ArrayNode

    try:
        node = hierarchy[path]
        if not isinstance(node, ArrayNode):
            return "FAILED: it is a group"
        return "OK" if _digest(node, _LENGTHS[len(digest)], namespace) == digest.lower() else "FAILED"
    except NodeNotFoundError:
        return "FAILED: it does not exist"
    except ZarrError as error:
        return f"FAILED: {error}"


def _digest(array: ArrayNode, algorithm: str, namespace: argparse.Namespace) -> str:
    from zarrcore.cli.progress import progress_bar
    from zarrcore.operations.checksum import checksum

    with progress_bar(quiet=namespace.quiet, of_bytes=True) as report:
        progress = None if report is None else lambda done: report(array.path, done, array.nbytes)
        return checksum(array, algorithm, namespace.memory, progress)


def _within(node: AnyNode, top: str) -> str:
    """The path of a node, as seen from the one that was asked for."""
    return node.path[len(top.rstrip("/")) :] or "/"


def _line(digest: str, path: str) -> str:
    """A line as sha256sum writes it: a backslash says that the name has escapes."""
    escaped = path.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    return ("" if escaped == path else "\\") + f"{digest}  {escaped}"


def _listed(file: str) -> Iterator[tuple[str, str]]:
    """The paths and checksums in a file."""
    if file == "-":
        yield from _parsed(sys.stdin, "standard input")
    else:
        with open(file, encoding="utf-8", errors="surrogateescape") as lines:
            yield from _parsed(lines, file)


def _parsed(lines: Iterable[str], name: str) -> Iterator[tuple[str, str]]:
    from zarrcore.errors import SelectionError

    found = False
    for number, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line.rstrip("\n"))
        if match is None:
            raise SelectionError(f"{name}, line {number}: expected a checksum, two spaces and a path")
        found = True
        escapes, digest, path = match.groups()
        yield (_unescaped(path) if escapes else path), digest
    if not found:
        raise SelectionError(f"{name} has no checksums")


def _unescaped(path: str) -> str:
    letters = {"\\\\": "\\", "\\n": "\n", "\\r": "\r"}
    return re.sub(r"\\[\\nr]", lambda match: letters[match[0]], path)
