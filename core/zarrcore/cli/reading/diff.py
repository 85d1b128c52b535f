"""``zarrscope diff``: what differs between two sources, or between two versions of a repository."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from zarrcore.cli.source import add_missing_argument, add_source_arguments, node_path, open_source
from zarrcore.cli.store_arguments import natural
from zarrcore.cli.text import painter, printable
from zarrcore.cli.versions import run_diff
from zarrcore.sizes import parse_number

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.hierarchy import Hierarchy
    from zarrcore.operations.compare import Difference, Wanted

_TROUBLE: Final = 2
_DESCRIPTION = """\
Compare two hierarchies, or two nodes: metadata and elements, whatever the formats, chunks, codecs and stores. To compare
nodes, add their paths after #, as in a.zarr#/images. With two versions of one Icechunk repository, show the nodes and the
numbers of chunks that changed between these branches, tags or snapshots. Exit status 0: equal; 1: different; 2: trouble."""
_USAGE = "%(prog)s [options] A B\n       %(prog)s [options] REPOSITORY VERSION VERSION"
_MARKS: Final = {"only-in-a": ("-", "red"), "only-in-b": ("+", "green"), "trouble": ("!", "bold red")}
_OF_SOURCES: Final = (
    "other_format",
    "metadata_only",
    "layout",
    "rtol",
    "atol",
    "nan_differs",
    "examples",
    "quiet",
)


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "diff",
        help="show what differs between two sources, or two versions of a repository",
        description=_DESCRIPTION,
        usage=_USAGE,
        examples=(
            "diff brain.zarr brain.zarr --layout",
            "diff brain.zarr#/functional brain.zarr#/functional --rtol 1e-6",
            "diff brain.zarr s3://bucket/brain.zarr --metadata-only",
        ),
    )
    add_source_arguments(
        parser,
        path=False,
        name="A",
        source_help="path or URL of a store, or of a folder that contains several, or A#/node/path; or a REPOSITORY",
    )
    add_missing_argument(parser)
    parser.add_argument(
        "other", metavar="B", help="the source to compare with A; or the repository's first VERSION"
    )
    parser.add_argument("version_b", metavar="VERSION", nargs="?", help="the repository's second version")
    parser.add_argument("--other-format", metavar="NAME", help="on-disk format of B (default: detected)")
    parser.add_argument("--metadata-only", action="store_true", help="compare no elements")
    parser.add_argument(
        "--layout", action="store_true", help="compare the shapes of chunks and the codecs, too"
    )
    parser.add_argument(
        "--rtol", type=_tolerance, metavar="X", help="allow a relative difference (default: 0)"
    )
    parser.add_argument(
        "--atol", type=_tolerance, metavar="X", help="allow an absolute difference (default: 0)"
    )
    parser.add_argument(
        "--nan-differs", action="store_true", help="NaN differs from NaN (default: they are equal)"
    )
    parser.add_argument(
        "--examples", type=natural, metavar="N", help="elements to name of each array (default: 3)"
    )
    parser.add_argument(
        "--quiet", action="store_true", help="print nothing, and stop at the first difference"
    )
    parser.add_argument(
        "--json", action="store_true", help="one JSON object per difference, each on its own line"
    )
    parser.set_defaults(run=run, error_status=_TROUBLE)


def _tolerance(text: str) -> float:
    try:
        value = parse_number(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number of at least 0, found {text!r}")
    return value


def run(namespace: argparse.Namespace) -> int:
    """Print the differences."""
    from zarrcore.errors import SelectionError

    if namespace.version_b is not None:
        named = [name for name in _OF_SOURCES if getattr(namespace, name) not in (None, False)]
        if named:
            option = "--" + named[0].replace("_", "-")
            raise SelectionError(f"{option} is for a comparison of two sources, not of two versions")
        return run_diff(namespace, namespace.other, namespace.version_b)
    status, paint = 0, painter()
    for difference in _differences(namespace):
        status = max(status, _TROUBLE if difference.what == "trouble" else 1)
        if namespace.quiet:
            break
        if namespace.json:
            print(json.dumps(difference.document()))
        else:
            mark, colour = _MARKS.get(difference.what, ("~", "yellow"))
            head = paint(f"{mark} {printable(difference.path)}", colour)
            print(
                "\n".join(
                    [f"{head}  {printable(difference.sentence)}{_size(difference)}", *_lines(difference)]
                )
            )
        if sys.stdout.isatty():
            sys.stdout.flush()
    return status


def _differences(namespace: argparse.Namespace) -> Iterator[Difference]:
    from zarrcore.cli.progress import progress_bar
    from zarrcore.operations.compare import compare

    other = argparse.Namespace(
        **{**vars(namespace), "source": namespace.other, "format": namespace.other_format}
    )
    with (
        open_source(namespace) as a,
        open_source(other) as b,
        progress_bar(quiet=namespace.quiet, of_bytes=True) as report,
    ):
        yield from compare(_node(a, namespace), _node(b, other), _wanted(namespace), report)


def _node(hierarchy: Hierarchy, namespace: argparse.Namespace) -> tuple[Hierarchy, str]:
    return hierarchy, node_path(namespace)


def _wanted(namespace: argparse.Namespace) -> Wanted:
    from zarrcore.operations.compare import Tolerance, Wanted

    examples = 3 if namespace.examples is None else namespace.examples
    tolerance = Tolerance(namespace.rtol or 0.0, namespace.atol or 0.0, not namespace.nan_differs)
    return Wanted(not namespace.metadata_only, namespace.layout, tolerance, examples)


def _size(difference: Difference) -> str:
    return f", by at most {difference.largest:.6g}" if difference.largest else ""


def _lines(difference: Difference) -> Iterator[str]:
    """The elements that are named, one on each line."""
    for example in difference.examples:
        index = f"[{', '.join(map(str, example.index))}]"
        yield f"    {index}  {printable(example.a)} in A, {printable(example.b)} in B"
    if difference.examples and (difference.count or 0) > len(difference.examples):
        yield "    …"
