"""``zarrscope set``: attributes of a node."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from zarrcore.cli.changing.target import add_path_argument, open_target, path_in
from zarrcore.cli.source import add_source_arguments
from zarrcore.cli.text import json_or_text, printable, printable_json

_DESCRIPTION = """\
Set and remove attributes of a group or an array. VALUE is JSON, or else text. Other attributes stay as they are. All changes
are stored at once. Consolidated metadata is written again if there was some."""


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "set",
        help="set and remove attributes of a node",
        description=_DESCRIPTION,
        examples=(
            "set brain.zarr functional unit=mm scale=[2,1,1]",
            "set brain.zarr functional --remove unit",
            "set brain.zarr / title=Brain --dry-run",
        ),
    )
    add_source_arguments(parser, path=False)
    add_path_argument(parser, "path", "path of the node; / is the root")
    parser.add_argument("attributes", metavar="KEY=VALUE", nargs="*", help="attributes to set")
    parser.add_argument(
        "--remove", action="append", default=[], metavar="KEY", help="remove an attribute; may be repeated"
    )
    parser.add_argument(
        "--from-file", metavar="FILE", help="set the members of a JSON object in a file; - is standard input"
    )
    parser.add_argument("--dry-run", action="store_true", help="show the attributes that the node would have")
    parser.add_argument(
        "--json", action="store_true", help="one JSON object, with all attributes of the node afterwards"
    )
    parser.set_defaults(run=run)


def run(namespace: argparse.Namespace) -> int:
    """Set the attributes."""
    from zarrcore.formats.attributes import json_attributes
    from zarrcore.metadata.json_document import format_json

    wanted = _wanted(namespace)
    path = path_in(namespace, namespace.path)
    with open_target(namespace) as hierarchy:
        node = hierarchy[path]
        before = dict(node.attributes)
        _check_removed(namespace.remove, before, path)
        after = {name: value for name, value in {**before, **wanted}.items() if name not in namespace.remove}
        json_attributes(after)
        if not namespace.dry_run:
            node.attributes = after
    if namespace.json:
        told = format_json({"path": path, "attributes": after})
        print(printable_json(told.decode("utf-8", "surrogatepass")), end="")
        return 0
    _print_changes(before, after)
    return 0


def _print_changes(before: dict[str, Any], after: dict[str, Any]) -> None:
    for name in {**before, **after}:
        if name not in after:
            print(f"- {printable(name)}")
            continue
        value = json.dumps(after[name], ensure_ascii=False)
        if name not in before or json.dumps(before[name], ensure_ascii=False) != value:
            print(f"{'~' if name in before else '+'} {printable(name)} = {printable(value)}")


def _wanted(namespace: argparse.Namespace) -> dict[str, Any]:
    """The attributes to set: those of the file, then those of the command line."""
    from zarrcore.errors import SelectionError

    wanted = {} if namespace.from_file is None else _from_file(namespace.from_file)
    for text in namespace.attributes:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise SelectionError(f"expected KEY=VALUE, found {text!r}")
        wanted[key] = json_or_text(value)
    if not wanted and not namespace.remove and namespace.from_file is None:
        raise SelectionError("say what to set, as KEY=VALUE, or what to --remove")
    both = [key for key in namespace.remove if key in wanted]
    if both:
        raise SelectionError(f"{both[0]} cannot be both set and removed")
    return wanted


def _from_file(path: str) -> dict[str, Any]:
    from zarrcore.metadata.json_document import parse_json_object

    if path == "-":
        return parse_json_object(sys.stdin.buffer.read())
    with open(path, "rb") as file:
        return parse_json_object(file.read())


def _check_removed(names: list[str], attributes: dict[str, Any], path: str) -> None:
    from zarrcore.errors import MetadataError

    for name in names:
        if name not in attributes:
            raise MetadataError(f"{path} has no attribute {name}")
