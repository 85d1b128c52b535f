"""``zarrscope cat``: an array, or a selection of it, as a file; a group as HDF5, NetCDF or OME-TIFF."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from zarrcore.cli.completion import complete_by
from zarrcore.cli.source import add_missing_argument, add_source_arguments, node_path, open_source
from zarrcore.cli.text import printable
from zarrcore.errors import SelectionError, UnsupportedError
from zarrcore.filetypes import FILE_TYPES, FileType, file_type, file_type_of

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.filetypes import VirtualFile
    from zarrcore.hierarchy import ArrayNode, Group

_PROGRESS_NBYTES = 64 << 20
_PLAIN = {"", ".bin", ".dat", ".data", ".txt"}
"""Suffixes of files of any content."""
_NAMES = [known.name for known in FILE_TYPES]


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "cat",
        help="write an array, or a part of it, as raw bytes, NumPy file, image or text; a group as HDF5, NetCDF, OME-TIFF",
        description="Write an array, or a selection of it, to a file or to standard output. As hdf5 or netcdf, an array"
        " is written with its coordinates, and a group with everything below it. Notes on standard error, and the attribute"
        " _zarrscope_left_out, name what such a file cannot hold. As ometiff, a group that is a multiscale image (OME-NGFF, N5)"
        " is written with its coarser levels, as far as these differ along x and y only, and without its labels."
        " As geotiff, an array is written with its place on Earth and the coarser levels of its pyramid.",
        examples=(
            "cat brain.zarr functional --select 1,12 -o plane.npy",
            "cat brain.zarr functional --select 1,12,::24,::32 --as csv",
            "cat brain.zarr -o brain.h5",
        ),
    )
    add_source_arguments(parser)
    add_missing_argument(parser)
    parser.add_argument(
        "--select",
        metavar="SELECTION",
        default="...",
        help="as in NumPy: '3,:,0:100'; 3,_,0-100 is the same without shell characters; time=3,y=0:100 by name",
    )
    type_argument = parser.add_argument(
        "--as",
        dest="suffix",
        metavar="TYPE",
        help=f"{', '.join(_NAMES[:-1])} or {_NAMES[-1]} (default: the ending of --output, else raw; json for strings)",
    )
    complete_by(type_argument, lambda **_: _NAMES)
    parser.add_argument(
        "-o",
        "--output",
        type=lambda name: None if name == "-" else name,
        metavar="FILE",
        help="file to write, or - (default: standard output)",
    )
    parser.set_defaults(run=run)


def run(namespace: argparse.Namespace) -> int:
    """Write the file; with ``--output`` it appears complete or not at all."""
    from zarrcore.array import parse_selection
    from zarrcore.conventions import names_along
    from zarrcore.filetypes import values_as_text
    from zarrcore.hierarchy import Group

    node = open_source(namespace)[node_path(namespace)]
    kind = _file_type(namespace, node)
    if not kind.takes_selection and namespace.select != "...":
        from zarrcore.operations.copied_part import copied_part

        with copied_part(node, namespace.select) as part:
            file = kind.of_group(part) if isinstance(part, Group) else kind.of_array(part)
            _write(namespace.output, kind, file)
        return 0
    if isinstance(node, Group):
        if kind.groups:
            _need_whole(namespace, kind)
        _write(namespace.output, kind, _group_file(node, kind))
        return 0
    names = names_along(node, node.hierarchy.node) if "=" in namespace.select else None
    selection = parse_selection(namespace.select, names)
    if kind.is_text:
        _write_text(namespace.output, values_as_text(node, selection, kind.suffix))
    else:
        _write(namespace.output, kind, kind.of_array(node, selection))
    return 0


def _group_file(group: Group, kind: FileType) -> VirtualFile:
    if not kind.groups:
        raise SelectionError(
            f"{group.uri} is a {group.kind}: name an array in it (zarrscope tree shows them), or write all of it --as hdf5"
        )
    return kind.of_group(group)


def _need_whole(namespace: argparse.Namespace, kind: FileType) -> None:
    if namespace.select != "...":
        raise SelectionError(
            f"--as {kind.name} writes nodes as a whole: omit --select, or write the part as a Zarr hierarchy first:"
            " zarrscope copy SOURCE PART.zarr --select …"
        )


def _file_type(namespace: argparse.Namespace, node: Group | ArrayNode) -> FileType:
    from zarrcore.hierarchy import Group

    if namespace.suffix is not None:
        return file_type(namespace.suffix)
    output = namespace.output or ""
    kind = file_type_of(output)
    if kind is not None:
        return kind
    kind = file_type("raw" if isinstance(node, Group) or not node.data_type.is_variable_length else "json")
    suffix = os.path.splitext(output)[1]
    if suffix.lower() not in _PLAIN and not isinstance(node, Group):  # groups are refused
        print(
            f"zarrscope: note: {printable(output)} is written as {kind.name}: no file type has the suffix"
            f" {printable(suffix)}; choose one of {', '.join(_NAMES)} with --as",
            file=sys.stderr,
        )
    return kind


def _write(output: str | None, kind: FileType, file: VirtualFile) -> None:
    for text in file.left_out():
        print(f"zarrscope: note: left out {printable(text)}", file=sys.stderr)
    if output is None:
        if kind.suffix != "raw" and sys.stdout.isatty():
            raise UnsupportedError(
                "output", kind.name, "cannot be written to a terminal: use --output FILE or a pipe"
            )
        file.write_to(sys.stdout.buffer)
        return
    from zarrcore.filetypes import whole_or_nothing

    with whole_or_nothing(output) as stream, _progress(file) as report:
        file.write_to(stream, report)


def _write_text(output: str | None, text: bytes) -> None:
    if output is None:
        sys.stdout.buffer.write(text)
        return
    from zarrcore.filetypes import whole_or_nothing

    with whole_or_nothing(output) as stream:
        stream.write(text)


@contextmanager
def _progress(file: VirtualFile) -> Iterator[Any]:
    """A progress bar on standard error for long work, if standard error is a terminal."""
    if file.size < _PROGRESS_NBYTES or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (BarColumn(), DownloadColumn(binary_units=True), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=file.size)
        yield lambda nbytes: bar.update(task, advance=nbytes)
