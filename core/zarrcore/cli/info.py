"""``zarrscope info``: everything about one node."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from zarrcore.cli.source import add_source_arguments, node_path, open_source, print_warning
from zarrcore.cli.text import console, printable, printable_json
from zarrcore.cli.tree import node_json
from zarrcore.errors import ZarrError
from zarrcore.sizes import format_bytes

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.array.storage_info import StorageInfo
    from zarrcore.hierarchy import AnyNode, ArrayNode

_LABEL_WIDTH = 17
_LINES_MAX = 1000


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "info",
        help="show metadata, codecs and chunks of one node",
        description="Show metadata, codecs and chunks of one node.",
        examples=(
            "info brain.zarr functional",
            "info brain.zarr functional --storage",
            "info brain.zarr --json",
        ),
    )
    add_source_arguments(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument(
        "--storage",
        action="store_true",
        help="also show the stored chunks of an array, their bytes and ratio (lists its keys)",
    )
    parser.set_defaults(run=run)


def run(namespace: argparse.Namespace) -> int:
    """Print the node; exit status 1 if it cannot be opened."""
    hierarchy = open_source(namespace)
    node = hierarchy.node(node_path(namespace))
    _confirm(node)
    if namespace.json:
        from zarrcore.metadata.json_document import format_json

        told = {"source": hierarchy.url, **_json(node)}
        if storage := _storage(node, namespace):
            told["storage"] = _storage_json(storage)
        print(printable_json(format_json(told).decode("utf-8", "surrogatepass")), end="")
    else:
        out = console()
        rows = _rows(node)
        if storage := _storage(node, namespace):
            rows += _storage_rows(storage)
        for label, value in rows:
            out.print(f"{label + ' ':<{_LABEL_WIDTH}}", style="dim", end="")
            lines = (printable(line) for line in value.split("\n"))
            out.print(("\n" + " " * _LABEL_WIDTH).join(lines), markup=False)
    return int(node.kind == "broken")


def _confirm(node: AnyNode) -> None:
    """Warn of an array that only consolidated metadata include."""
    from zarrcore.hierarchy import ArrayNode

    if isinstance(node, ArrayNode):
        try:
            node.confirm()
        except ZarrError as error:
            print_warning(str(error))


def _storage(node: AnyNode, namespace: argparse.Namespace) -> StorageInfo | None:
    from zarrcore.hierarchy import ArrayNode

    return node.storage_info() if namespace.storage and isinstance(node, ArrayNode) else None


def _storage_json(storage: StorageInfo) -> dict[str, Any]:
    return {
        "chunk_count": storage.chunks,
        "present_count": storage.present,
        "missing_count": storage.missing,
        "outside_count": storage.outside,
        "nbytes": storage.nbytes,
        "stored_nbytes": storage.stored_nbytes,
        "outside_nbytes": storage.outside_nbytes,
        "ratio": storage.ratio,
    }


def _storage_rows(storage: StorageInfo) -> list[tuple[str, str]]:
    shown = f"{storage.present:,} of {storage.chunks:,}"
    if storage.missing:
        shown += f"  ({storage.missing:,} missing, which read as the fill value)"
    stored = format_bytes(storage.stored_nbytes)
    if storage.ratio is not None:
        stored += f"  (1 : {storage.ratio:.2f})"
    rows = [("chunks stored", shown), ("bytes stored", stored)]
    if storage.outside:
        outside = f"{storage.outside:,} chunk{'s' if storage.outside > 1 else ''}, {format_bytes(storage.outside_nbytes)}"
        rows.append(("outside the grid", f"{outside}: left from when the array was larger"))
    return rows


def _json(node: AnyNode) -> dict[str, Any]:
    return {
        **node_json(node),
        "format": node.hierarchy.format.name,
        "specification": node.hierarchy.format.specification or None,
        "metadata_key": node.metadata_key or None,
        "metadata": node.metadata_document(),
        "stored_document": node.stored_document(),
        "ignored": _ignored(node),
        "meaning": _meaning_document(node),
        "store": dict(_source_rows(node)),
    }


def _ignored(node: AnyNode) -> list[str]:
    """Unknown extensions in the node's documents that may be ignored."""
    return [] if node.kind == "broken" else list(node.hierarchy.format.ignored(node.documents))


def _rows(node: AnyNode) -> list[tuple[str, str]]:
    from zarrcore.describe import meaning_facts
    from zarrcore.hierarchy import ArrayNode, BrokenNode

    rows = [
        ("node", node.uri),
        ("kind", node.kind),
        ("format", _format(node)),
    ]
    if node.kind != "collection":
        rows.append(("metadata key", node.metadata_key))
    if isinstance(node, BrokenNode):
        rows.append(("error", str(node.error)))
        rows.append(("as found", _json_text(node.stored_document())))
        return rows
    rows += _source_rows(node)
    if ignored := _ignored(node):
        rows.append(("ignored", "\n".join(ignored)))
    rows += meaning_facts(node)
    if isinstance(node, ArrayNode):
        rows += _array_rows(node)
    if node.attributes:
        rows.append(("attributes", _json_text(dict(node.attributes))))
    return rows


def _json_text(value: Any) -> str:
    """A value as indented JSON, at most `_LINES_MAX` lines of it."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    lines = text.split("\n", _LINES_MAX)
    if len(lines) <= _LINES_MAX:
        return text
    lines[-1] = f"… and {lines[-1].count(chr(10)) + 1:,} more lines, which --json shows"
    return "\n".join(lines)


def _meaning_document(node: AnyNode) -> dict[str, Any] | None:
    from zarrcore.describe import meaning_or_error

    match meaning_or_error(node):
        case None:
            return None
        case (title, kind, ZarrError() as error):
            return {"convention": title, "kind": kind, "error": str(error)}
        case (_, _, found):
            return found.document()


def _source_rows(node: AnyNode) -> list[tuple[str, str]]:
    """Facts about the source, at the root."""
    return node.hierarchy.store.description() if node.path == node.hierarchy.at else []


def _format(node: AnyNode) -> str:
    format_ = node.hierarchy.format
    return format_.title + (f"  ({format_.specification})" if format_.specification else "")


def _array_rows(array: ArrayNode) -> list[tuple[str, str]]:
    from zarrcore.conventions import names_along
    from zarrcore.describe import array_facts

    try:
        names = names_along(array, array.hierarchy.node)
    except ZarrError:  # the groups above cannot be read, but this array can
        names = None
    *rows, codecs = array_facts(array, names)
    if array.size:
        found = array.chunk_key_encoding != array.metadata.chunk_key_encoding
        how = "  (detected from stored keys: the documents name other keys, or none)" if found else ""
        rows.append(("first chunk key", array.chunk_key((0,) * array.ndim) + how))
    return [*rows, codecs]
