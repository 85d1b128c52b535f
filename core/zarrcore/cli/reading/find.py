"""``zarrscope find``: the nodes that fulfil conditions, printed as they are found."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any, Final

from zarrcore.cli.completion import complete_by
from zarrcore.cli.source import add_source_arguments, node_path, open_source
from zarrcore.cli.store_arguments import argument_type, natural, size
from zarrcore.cli.text import json_or_text, printable, tuple_parts
from zarrcore.cli.tree import node_json
from zarrcore.sizes import SIZE_UNITS

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.hierarchy import AnyNode
    from zarrcore.operations.find import AttributeCondition, Conditions, ConventionCondition

_TROUBLE: Final = 2
_DESCRIPTION = """\
Print the paths of the nodes at and below PATH that meet all conditions, as they are found. Exit status 0: a node was found;
1: none; 2: trouble, such as a node that cannot be opened."""
_KINDS: Final = ("group", "array", "broken")


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "find",
        help="find nodes by name, type, shape, size, attributes, codecs, convention",
        description=_DESCRIPTION,
        examples=(
            "find brain.zarr --kind array --dtype 'int*'",
            "find brain.zarr --min-nbytes 1M",
            "find brain.zarr --shape '*,*,*,*' --json",
        ),
    )
    add_source_arguments(parser)
    parser.add_argument("--name", metavar="GLOB", help="pattern for the name, such as 'raw*'")
    parser.add_argument(
        "--path", dest="path_pattern", metavar="GLOB", help="pattern for the whole path; * also matches /"
    )
    parser.add_argument("--kind", choices=_KINDS, help="kind of node; broken ones cannot be opened")
    parser.add_argument(
        "--dtype", metavar="NAME", help="data type, such as float32, or a pattern such as 'uint*'"
    )
    parser.add_argument(
        "--shape", type=_shape, metavar="N,N,…", help="shape; * is any length, as in '*,512,512'"
    )
    parser.add_argument(
        "--min-nbytes",
        type=size,
        metavar="SIZE",
        help=f"at least these decoded bytes, such as 512M; {SIZE_UNITS}",
    )
    parser.add_argument("--max-nbytes", type=size, metavar="SIZE", help="at most these decoded bytes")
    parser.add_argument(
        "--attribute",
        action="append",
        default=[],
        metavar="KEY[=VALUE]",
        help="an attribute, with this value (JSON, or else text) or any; a.b is member b of a; may be repeated",
    )
    parser.add_argument(
        "--codec", metavar="NAME", help="codec, such as blosc, also inside shards; or a pattern"
    )
    convention = parser.add_argument(
        "--convention",
        type=argument_type(_convention),
        metavar="WORDS",
        help="what the node is by a convention: 'ome', 'image', 'cf variable'; a wrong word lists all",
    )
    complete_by(convention, _convention_words)
    parser.add_argument(
        "--depth", type=natural, metavar="N", help="levels below PATH to search (default: all)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per node, each on its own line")
    parser.set_defaults(run=run, error_status=_TROUBLE)


def _shape(text: str) -> tuple[int | None, ...]:
    parts = tuple_parts(text)
    if any(part != "*" and not part.isdecimal() for part in parts):
        raise argparse.ArgumentTypeError(f"expected lengths such as '*,512,512', found {text!r}")
    return tuple(None if part == "*" else int(part) for part in parts)


def _convention(words: str) -> ConventionCondition:
    from zarrcore.operations.find import convention_condition

    return convention_condition(words)


def _convention_words(**_: Any) -> list[str]:
    from zarrcore.operations.find import convention_words

    return convention_words()


def run(namespace: argparse.Namespace) -> int:
    """Print the nodes."""
    hierarchy, conditions = open_source(namespace), _conditions(namespace)
    found = trouble = False
    for node in hierarchy.walk(node_path(namespace), namespace.depth):
        if conditions.hold(node):
            found = True
            _print(node, as_json=namespace.json)
        elif node.kind == "broken" and namespace.kind is None and conditions.may_hold(node):
            trouble = True
            sys.stdout.flush()
            print(f"zarrscope: {printable(_trouble(node))}", file=sys.stderr)
    return _TROUBLE if trouble else int(not found)


def _print(node: AnyNode, *, as_json: bool) -> None:
    line = json.dumps(node_json(node)) if as_json else node.path
    if sys.stdout.isatty():  # a program gets the exact path; a terminal gets no control characters
        line = printable(line)
    sys.stdout.write(line + "\n")
    if sys.stdout.isatty():
        sys.stdout.flush()


def _trouble(node: AnyNode) -> str:
    from zarrcore.hierarchy import BrokenNode

    return f"{node.path} cannot be opened: {node.error if isinstance(node, BrokenNode) else node.kind}"


def _conditions(namespace: argparse.Namespace) -> Conditions:
    from zarrcore.operations.find import Conditions, data_type_pattern

    return Conditions(
        name=namespace.name,
        path=namespace.path_pattern,
        kind=namespace.kind,
        data_type=None if namespace.dtype is None else data_type_pattern(namespace.dtype),
        shape=namespace.shape,
        min_nbytes=namespace.min_nbytes,
        max_nbytes=namespace.max_nbytes,
        codec=namespace.codec,
        attributes=tuple(map(_attribute, namespace.attribute)),
        convention=namespace.convention,
    )


def _attribute(text: str) -> AttributeCondition:
    """The condition that ``KEY`` or ``KEY=VALUE`` means. ``version=0.5`` means a number or a text."""
    from zarrcore.operations.find import AttributeCondition

    key, has_value, value = text.partition("=")
    return AttributeCondition(key, (json_or_text(value), value) if has_value else ())
