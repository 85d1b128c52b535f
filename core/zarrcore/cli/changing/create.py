"""``zarrscope create``: a new group or array."""

from __future__ import annotations

import argparse
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from zarrcore.cli.changing.layout_arguments import add_layout_arguments, named_codecs
from zarrcore.cli.changing.target import add_path_argument, open_target, path_in
from zarrcore.cli.source import add_source_arguments
from zarrcore.cli.text import json_or_text, printable, tuple_parts
from zarrcore.cli.tree import node_json
from zarrcore.sizes import format_shape

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.formats import Format
    from zarrcore.hierarchy import ArrayNode, Group, Hierarchy
    from zarrcore.metadata import NodeMetadata

_DESCRIPTION = """\
Make an array full of its fill value, or a group, and missing groups above it. If SOURCE does not exist, it becomes a hierarchy
of the format that --format names (v3, v2 or n5), or else of Zarr v3. A node that exists is never replaced."""
_OF_ARRAYS = ("dtype", "chunks", "shards", "codec", "fill_value", "dimension_names")


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "create",
        help="make a group or an array",
        description=_DESCRIPTION,
        examples=(
            "create new.zarr images --group",
            "create new.zarr images/raw --shape 100,512,512 --dtype uint16 --chunks 10,256,256",
            "create new.zarr mask --shape 100,512,512 --dtype bool --dimension-names z,y,x --dry-run",
        ),
    )
    add_source_arguments(parser, path=False)
    add_path_argument(parser, "path", "path of the new node")
    parser.add_argument("--group", action="store_true", help="make a group")
    parser.add_argument(
        "--shape", type=_shape, metavar="N,N,…", help="make an array of this shape; () is a scalar"
    )
    parser.add_argument(
        "--dtype", metavar="NAME", help="data type, such as float32 (JSON for those with parameters)"
    )
    add_layout_arguments(parser, "chunks of 2 to 4 MiB", "none", "zstd:3")
    parser.add_argument(
        "--fill-value", metavar="VALUE", help="value of elements until they are written (default: 0)"
    )
    parser.add_argument(
        "--dimension-names",
        type=_names,
        metavar="NAME,NAME,…",
        help="name of each dimension; it may be empty",
    )
    parser.add_argument("--attributes", type=_attributes, metavar="JSON", help="attributes, as a JSON object")
    parser.add_argument("--dry-run", action="store_true", help="check, and show what would be made")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.set_defaults(run=run)


def _shape(text: str) -> tuple[int, ...]:
    parts = tuple_parts(text)
    if not all(part.isdecimal() for part in parts):
        raise argparse.ArgumentTypeError(f"expected lengths such as 100,512,512, or (), found {text!r}")
    return tuple(map(int, parts))


def _names(text: str) -> tuple[str | None, ...]:
    return tuple(name.strip() or None for name in text.split(",")) if text else ()


def _attributes(text: str) -> dict[str, Any]:
    found = json_or_text(text)
    if not isinstance(found, dict):
        raise argparse.ArgumentTypeError("expected a JSON object")
    return found


def run(namespace: argparse.Namespace) -> int:
    """Make the node, or only check that it can be made."""
    _check(namespace)
    path = path_in(namespace, namespace.path)
    made, node = (_in_hierarchy if _exists(namespace) else _in_new_hierarchy)(namespace, path)
    if namespace.json:
        print(json.dumps({**node_json(node), "format": node.hierarchy.format.name}))
    else:
        print(f"{'would make ' if namespace.dry_run else ''}{printable(_told(path, node, made))}")
    return 0


def _exists(namespace: argparse.Namespace) -> bool:
    """Whether SOURCE is a hierarchy, of any format."""
    from zarrcore.errors import HierarchyNotFoundError, StoreNotFoundError

    detected = argparse.Namespace(**{**vars(namespace), "format": None})
    with suppress(HierarchyNotFoundError, StoreNotFoundError), open_target(detected):
        return True
    return False


def _in_hierarchy(namespace: argparse.Namespace, path: str) -> tuple[list[str], Group | ArrayNode]:
    """The groups above the node that are made, too, and the node."""
    with open_target(namespace, "a") as hierarchy:
        metadata = _metadata(namespace, hierarchy)
        made = hierarchy.writer().check_create(path, metadata)
        if namespace.dry_run:
            return made, _draft(namespace, path, hierarchy.format)[1]
        return made, hierarchy.create_node(path, metadata)


def _in_new_hierarchy(namespace: argparse.Namespace, path: str) -> tuple[list[str], Group | ArrayNode]:
    from zarrcore.formats import format_named

    made, node = _draft(namespace, path, format_named(namespace.format or "v3"))
    if namespace.dry_run:
        return made, node
    with open_target(namespace, "a") as hierarchy:
        metadata = _metadata(namespace, hierarchy)
        if path != "/" or not namespace.group:
            return made, hierarchy.create_node(path, metadata)
        hierarchy.root.attributes = metadata.attributes
        return made, hierarchy.root


def _draft(namespace: argparse.Namespace, path: str, format_: Format) -> tuple[list[str], Group | ArrayNode]:
    """The groups above a node in a new hierarchy, and the node, in memory: what a format cannot hold is found in time."""
    from zarrcore.hierarchy import create_hierarchy
    from zarrcore.stores.memory import MemoryStore

    hierarchy = create_hierarchy(MemoryStore(), format_)
    metadata = _metadata(namespace, hierarchy)
    if path == "/":
        return [], hierarchy.create_node(path, metadata, overwrite=True)
    return ["/", *hierarchy.writer().check_create(path, metadata)], hierarchy.create_node(path, metadata)


def _check(namespace: argparse.Namespace) -> None:
    from zarrcore.errors import SelectionError

    if namespace.group == (namespace.shape is not None):
        raise SelectionError("say either --group, or --shape and --dtype for an array")
    if namespace.shape is not None and namespace.dtype is None:
        raise SelectionError("an array needs a --dtype, such as float32")
    named = [name for name in _OF_ARRAYS if getattr(namespace, name) is not None]
    if namespace.group and named:
        raise SelectionError(f"--{named[0].replace('_', '-')} is for an array, not for a group")


def _metadata(namespace: argparse.Namespace, hierarchy: Hierarchy) -> NodeMetadata:
    from zarrcore.hierarchy.new_array import as_data_type, new_array_metadata
    from zarrcore.metadata import GroupMetadata

    attributes = namespace.attributes or {}
    if namespace.group:
        return GroupMetadata(attributes)
    spelled = json_or_text(namespace.dtype)
    data_type = as_data_type(spelled if isinstance(spelled, dict) else namespace.dtype)
    return new_array_metadata(
        hierarchy.format,
        shape=namespace.shape,
        dtype=data_type,
        chunks=_whole(namespace.chunks, namespace.shape),
        shards=_whole(namespace.shards, namespace.shape) or None,
        codecs=named_codecs(namespace.codec),
        fill_value=_fill_value(namespace.fill_value, is_text=data_type.dtype.kind in "TU"),
        chunk_key_encoding=None,
        dimension_names=namespace.dimension_names,
        attributes=attributes,
    )


def _whole(lengths: tuple[int, ...] | None, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Lengths of chunks in which -1 is replaced by the length of the dimension."""
    if lengths is None or len(lengths) != len(shape):
        return lengths
    return tuple(max(1, n) if chunk == -1 else chunk for chunk, n in zip(lengths, shape, strict=True))


def _fill_value(text: str | None, *, is_text: bool) -> Any:
    value = None if text is None else json_or_text(text)
    return text if is_text and value is not None and not isinstance(value, str) else value


def _told(path: str, node: Group | ArrayNode, made: list[str]) -> str:
    from zarrcore.hierarchy import ArrayNode

    told = f"{node.kind} {path}"
    if isinstance(node, ArrayNode):
        told += f": {format_shape(node.shape)}  {node.data_type.name}, chunks {format_shape(node.inner_chunk_shape)}"
        if node.inner_chunk_shape != node.chunk_shape:
            told += f" in shards {format_shape(node.chunk_shape)}"
    return told + (f"; also the groups {', '.join(made)}" if made else "")
