"""``zarrscope reference``: references to the chunks of a hierarchy, for programs that read references of kerchunk."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from zarrcore.cli.source import add_source_arguments, node_path, open_source
from zarrcore.cli.store_arguments import natural, size
from zarrcore.cli.text import printable
from zarrcore.sizes import SIZE_UNITS

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.hierarchy import Hierarchy
    from zarrcore.operations.reference import ReferenceResult
    from zarrcore.stores import ReadableStore

_DESCRIPTION = """\
Write references of kerchunk: a Zarr hierarchy whose chunks stay in the files of SOURCE. Programs that read such references,
zarrscope among them, open it as they open Zarr. SOURCE is anything whose chunks are files or parts of files."""
_PARQUET = (".parq", ".parquet")


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "reference",
        help="write references to the chunks of a hierarchy (kerchunk)",
        description=_DESCRIPTION,
        examples=(
            "reference brain.zarr -o brain.json --zarr-format 3",
            "reference brain.zarr derived -o derived.json",
            "reference s3://bucket/data.nc -o data.parq",
        ),
    )
    add_source_arguments(
        parser, path_help="path of the node that becomes the root of the references (default: the root)"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="DEST",
        required=True,
        help="path or URL of a new document, such as data.refs.json, or of a new folder that ends in .parq",
    )
    parser.add_argument(
        "--zarr-format",
        type=natural,
        choices=(2, 3),
        default=2,
        help="version of Zarr whose metadata DEST has (default: %(default)s, which all readers of references know); "
        "3 also describes shards, more data types, and TIFF images with interleaved colours, but not in .parq",
    )
    parser.add_argument(
        "--inline-threshold",
        type=size,
        default="0",
        metavar="SIZE",
        help=f"copy chunks of at most this size into DEST (default: %(default)s); {SIZE_UNITS}",
    )
    parser.add_argument("--skip", action="store_true", help="leave out nodes that references cannot describe")
    parser.add_argument("--overwrite", action="store_true", help="replace an existing document")
    parser.add_argument("--quiet", action="store_true", help="show only errors")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.set_defaults(run=run)


def run(namespace: argparse.Namespace) -> int:
    """Write the references. Exit status 1 if nodes were left out."""
    from zarrcore.cli.progress import progress_bar
    from zarrcore.errors import NodeExistsError
    from zarrcore.formats import Format
    from zarrcore.operations.reference import write_references

    source = open_source(namespace)
    path = node_path(namespace)
    output, key = _output(namespace)
    with output, progress_bar(quiet=namespace.quiet) as report:
        if key and not namespace.overwrite and output.stat(key) is not None:
            raise NodeExistsError(key, output.url, "exists: --overwrite replaces it")
        result = write_references(
            source,
            output,
            key,
            path,
            to=Format.V2 if namespace.zarr_format == 2 else Format.V3,
            inline_nbytes=namespace.inline_threshold,
            skip=namespace.skip,
            progress=report,
        )
    for skipped, why in result.skipped.items():
        print(f"zarrscope: {printable(f'{skipped} is left out: {why}')}", file=sys.stderr)
    if namespace.json:
        print(json.dumps(_told(source, path, result, namespace.output)))
    elif not namespace.quiet:
        print(_summary(result, namespace.output))
    return int(bool(result.skipped))


def _output(namespace: argparse.Namespace) -> tuple[ReadableStore, str]:
    """The store to write to, and the key of the document; no key for a Parquet folder."""
    from dataclasses import replace

    from zarrcore.cli.store_arguments import store_options
    from zarrcore.errors import SelectionError
    from zarrcore.stores import open_store

    options = replace(store_options(namespace), anonymous=False, cache_dir=None, cache_url=None)
    place = namespace.output.rstrip("/")
    if place.endswith(_PARQUET) and namespace.zarr_format != 2:
        raise SelectionError(
            "readers of Parquet folders know only Zarr v2: name an output that ends in .json"
        )
    if place.endswith(_PARQUET):
        return open_store(place, options=options, create=True), ""
    folder, slash, key = place.rpartition("/")
    if not key.endswith(".json"):
        raise SelectionError("the output ends in .json, or in .parq for a folder of Parquet files")
    return open_store(folder + slash if folder or slash else ".", options=options, create=True), key


def _told(source: Hierarchy, path: str, result: ReferenceResult, output: str) -> dict[str, Any]:
    return {
        "source": source.url,
        "path": path,
        "destination": output,
        "group_count": result.groups,
        "array_count": result.arrays,
        "reference_count": result.references,
        "inlined_count": result.inlined,
        "skipped": result.skipped,
    }


def _summary(result: ReferenceResult, output: str) -> str:
    arrays = "1 array" if result.arrays == 1 else f"{result.arrays:,} arrays"
    inlined = (
        f", {result.inlined:,} chunk{'s' if result.inlined != 1 else ''} inside" if result.inlined else ""
    )
    references = f"{result.references:,} reference{'s' if result.references != 1 else ''}"
    return f"{arrays}, {references}{inlined}, written to {printable(output)}"
