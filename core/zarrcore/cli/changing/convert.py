"""``zarrscope convert``: a Zarr v2 hierarchy becomes one of Zarr v3 where it is."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from zarrcore.cli.changing.target import open_target
from zarrcore.cli.source import add_source_arguments, node_path
from zarrcore.cli.text import printable

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.hierarchy import Hierarchy
    from zarrcore.operations.convert import Conversion

_DESCRIPTION = """\
Write documents of Zarr v3 beside those of a Zarr v2 hierarchy. Chunks stay as they are and where they are. Afterwards, programs
read it as either format. --remove-v2 erases the documents of Zarr v2, also of a hierarchy that was converted before."""


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "convert",
        help="turn Zarr v2 into Zarr v3 in place",
        description=_DESCRIPTION,
        examples=(
            "convert v2.zarr --dry-run",
            "convert v2.zarr",
            "convert v2.zarr --remove-v2",
        ),
    )
    add_source_arguments(parser)
    parser.add_argument("--remove-v2", action="store_true", help="erase the documents of Zarr v2 afterwards")
    parser.add_argument(
        "--dry-run", action="store_true", help="show the documents that would be written and erased"
    )
    parser.add_argument("--quiet", action="store_true", help="show only errors")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.set_defaults(run=run)


def run(namespace: argparse.Namespace) -> int:
    """Convert the hierarchy."""
    from zarrcore.cli.progress import progress_bar
    from zarrcore.errors import SelectionError
    from zarrcore.operations.convert import convert, plan_conversion

    if namespace.format not in (None, "v2"):
        raise SelectionError("convert reads Zarr v2: omit --format")
    namespace.format = "v2"
    with _opened(namespace) as hierarchy, progress_bar(quiet=namespace.quiet) as report:
        plan = plan_conversion(hierarchy, node_path(namespace))
        if not namespace.dry_run:
            convert(hierarchy, plan, remove_v2=namespace.remove_v2, progress=report)
    erased = plan.v2_keys if namespace.remove_v2 else ()
    if namespace.json:
        told = {"path": plan.path, "written_keys": [*plan.documents], "erased_keys": list(erased)}
        print(json.dumps({**told, "present_count": plan.present, "is_consolidated": plan.is_consolidated}))
    elif not namespace.quiet:
        _print(plan, erased, is_draft=namespace.dry_run)
    return 0


@contextmanager
def _opened(namespace: argparse.Namespace) -> Iterator[Hierarchy]:
    from zarrcore.errors import WrongFormatError
    from zarrcore.formats import format_named

    try:
        with open_target(namespace) as hierarchy:
            yield hierarchy
    except WrongFormatError as error:  # whose message speaks of an option that was not given
        found = format_named(error.found).title
        error.message = f"{error.url} is {found}: convert reads only Zarr v2, copy reads all formats"
        raise


def _print(plan: Conversion, erased: tuple[str, ...], *, is_draft: bool) -> None:
    for key in plan.documents if is_draft else ():
        print(f"+ {printable(key)}")
    for key in erased if is_draft else ():
        print(f"- {printable(key)}")
    would = "would be " if is_draft else ""
    parts = [f"{_documents(len(plan.documents))} of Zarr v3 {would}written"]
    if plan.present:
        parts.append(f"{plan.present:,} {'was' if plan.present == 1 else 'were'} there")
    if erased:
        parts.append(f"{_documents(len(erased))} of Zarr v2 {would}erased")
    print("; ".join(parts))


def _documents(count: int) -> str:
    return f"{count:,} document" + ("" if count == 1 else "s")
