"""A node as text: the facts that the Metadata tab and the overview show, in order."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from zarrbrowser.image.axes import axis_names
from zarrbrowser.nodes.protocols import ArrayLike, KnownNode, NodeLike, is_array, is_group, is_small_number
from zarrbrowser.values.quantities import count, format_bytes, format_shape, format_value
from zarrcore.conventions import symbol
from zarrcore.errors import ZarrError

_LONG_DOCUMENT = 1 << 20
"""Documents of more bytes are not read again for a detail."""
_PLOT = ("NeXus", "NXdata")
_LINE = 72
"""A list of plain values up to this length is written on one line."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A label and its text; ``detail`` is shown in a muted colour."""

    label: str
    text: str
    detail: str = ""


def array_facts(array: ArrayLike, format_title: str, specification: str = "") -> list[Fact]:
    """Facts about an array."""
    stored_type, stored_fill = _stored_codes(array)
    return [
        Fact("Path", array.path),
        Fact("Format", format_title, specification),
        Fact("Shape", format_shape(array.shape), _axes_detail(array)),
        Fact("Data type", type_name(array), " · ".join(filter(None, (_type_detail(array), stored_type)))),
        *size_facts(array),
        *_chunk_facts(array),
        Fact("Fill value", _fill_value(array.fill_value), stored_fill),
    ]


def _stored_codes(array: ArrayLike) -> tuple[str, str]:
    """How the document writes the data type and the fill value, where that is a code: ``"<f4"``, base64, hexadecimal."""
    if sum(len(one) for one in getattr(array, "documents", ()) if one) > _LONG_DOCUMENT:
        return "", ""
    try:
        stored = array.stored_document()
    except ZarrError:  # the pane that shows the document says why
        return "", ""
    stored = next((stored[name] for name in (".zarray", "meta") if name in stored), stored)  # v2, v1
    told = stored.get("data_type", stored.get("dtype"))
    return _code(told, type_name(array)), _code(stored.get("fill_value"), format_value(array.fill_value))


def _code(stored: Any, meaning: str) -> str:
    """What is stored for a meaning, if that is a short code and another text."""
    is_code = isinstance(stored, str | list) and str(stored).casefold() != meaning.casefold()
    text = json.dumps(stored, ensure_ascii=False) if is_code else ""
    return f"stored as {text}" if text and len(text) <= _LINE else ""


def codec_facts(array: ArrayLike) -> list[Fact]:
    """The codecs in the order of encoding, numbered, each with its configuration; those inside a shard below it."""
    facts: list[Fact] = []
    for number, codec in enumerate(array.codecs, start=1):
        nested = {name: value for name, value in codec.configuration.items() if _are_codecs(value)}
        plain = {name: value for name, value in codec.configuration.items() if name not in nested}
        facts.append(Fact(str(number), codec.name, configuration_text(plain)))
        for member, codecs in nested.items():
            place = str(number) if member == "codecs" else member.removesuffix("_codecs")
            facts += [
                Fact(f"{place}.{inner}", str(one["name"]), configuration_text(one.get("configuration") or {}))
                for inner, one in enumerate(codecs, start=1)
            ]
    return facts


def _are_codecs(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) > 0
        and all(isinstance(item, Mapping) and "name" in item for item in value)
    )


def configuration_text(configuration: Mapping[str, Any]) -> str:
    """A configuration as ``level: 5, checksum: false``; nested codecs by name only."""
    return ", ".join(f"{name}: {_configured(value)}" for name, value in configuration.items())


def group_facts(group: KnownNode, format_title: str, url: str, specification: str = "") -> list[Fact]:
    """Facts about a group, except its children, which take time to count."""
    return [
        Fact("Path", group.path),
        Fact("Format", format_title, specification),
        Fact("Source", url),
        Fact("Attributes", count(len(group.attributes), "attribute")),
    ]


def summary(node: NodeLike) -> str:
    """The line below a node's name."""
    if is_array(node):
        parts = [format_shape(node.shape), type_name(node)]
        if not node.dtype.hasobject:
            parts.append(format_bytes(node.nbytes))
        return "  ·  ".join(filter(None, [_quantity(node), *parts]))
    if is_group(node) and (told := convention_kind(node)):
        if told[0] != _PLOT[0]:
            return " ".join(told)
        signal = node.attributes.get("signal") if told == _PLOT else None
        return f"{told[1]}: {signal}" if isinstance(signal, str) else told[1]
    words = {"group": "Group", "collection": "Collection", "broken": "Cannot be read"}
    return words.get(node.kind, node.kind)


def _quantity(array: ArrayLike) -> str:
    """What elements are, and in which unit, as CF says; empty if it does not.

    CF conventions 3.1 "Units", 3.2 "Long Name", 3.3 "Standard Name".
    """
    told = [array.attributes.get(name) for name in ("long_name", "standard_name", "units")]
    long_name, standard_name, units = (one if isinstance(one, str) else "" for one in told)
    name, unit = long_name or standard_name.replace("_", " "), symbol(units)
    return f"{name} ({unit})" if name and unit else name or unit


def convention_kind(node: NodeLike) -> tuple[str, str] | None:
    """The convention that a node follows, and what the node is, according to its own metadata."""
    from zarrcore.conventions import recognise  # late: for a fast start

    recognised = recognise(node)
    if recognised is None:
        return None
    convention, kind = recognised
    if convention.name == "nexus" and is_group(node):
        kind = str(node.attributes["NX_class"])  # users of NeXus know its classes
    return convention.title, kind


def is_plot(node: NodeLike) -> bool:
    """Whether a group names the signal that it plots; reads nothing."""
    return is_group(node) and convention_kind(node) == _PLOT


def type_name(array: ArrayLike) -> str:
    """The data type as text: for a simple type, the name from the specification."""
    dtype = array.dtype
    if dtype.names:
        return f"structure of {count(len(dtype.names), 'field')}"
    if dtype.kind in "Mm":
        word = "date and time" if dtype.kind == "M" else "time span"
        return f"{word} ({_time_unit(dtype)})"
    if dtype.kind in "TO":
        return "text" if dtype.kind == "T" else "bytes of any length"
    if is_small_number(dtype):
        return str(dtype.name)
    if dtype.kind == "U":
        return f"text, {count(dtype.itemsize // 4, 'character')}"
    if dtype.kind == "S":
        return f"text, {count(dtype.itemsize, 'byte')}"
    if dtype.kind == "V":
        return f"raw, {count(dtype.itemsize, 'byte')}"
    return str(dtype.name)


def short_type_name(array: ArrayLike) -> str:
    """The data type in one word, for a column of the tree."""
    dtype = array.dtype
    if dtype.names:
        return "structure"
    if is_small_number(dtype):
        return str(dtype.name)
    words = {
        "M": "datetime",
        "m": "time span",
        "T": "text",
        "O": "bytes",
        "U": "text",
        "S": "text",
        "V": "raw",
    }
    return words.get(dtype.kind, str(dtype.name))


def json_text(document: Any) -> str:
    """A document as indented JSON, short lists on one line; values that JSON cannot hold become text."""
    if isinstance(document, bytes | bytearray | memoryview):
        text = bytes(document).decode(errors="replace")
        try:
            return _json_lines(json.loads(text), "")
        except (ValueError, RecursionError):
            return text
    return _json_lines(document, "")


def _json_lines(value: Any, indent: str) -> str:
    deeper = indent + "  "
    if isinstance(value, Mapping) and value:
        parts = [f"{_json_line(str(name))}: {_json_lines(part, deeper)}" for name, part in value.items()]
        return "{\n" + ",\n".join(deeper + part for part in parts) + f"\n{indent}}}"
    if isinstance(value, list | tuple) and value:
        line = _json_line(value)
        if len(line) <= _LINE and not any(isinstance(part, Mapping | list | tuple) for part in value):
            return line
        parts = [_json_lines(part, deeper) for part in value]
        return "[\n" + ",\n".join(deeper + part for part in parts) + f"\n{indent}]"
    return _json_line(value)


def _json_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _axes_detail(array: ArrayLike) -> str:
    return "" if array.dimension_names is None or array.ndim == 0 else axes_text(array.dimension_names)


def axes_text(names: Sequence[str | None]) -> str:
    """The names of dimensions as one text."""
    return " × ".join(axis_names(len(names), names))


def _type_detail(array: ArrayLike) -> str:
    dtype = array.dtype
    per_element = "" if dtype.hasobject else f"{count(dtype.itemsize, 'byte')} per element"
    fields = dtype.fields
    if dtype.names and fields:
        told = ", ".join(
            f"{name}: {'text' if fields[name][0].kind == 'O' else fields[name][0]}" for name in dtype.names
        )
        return " · ".join(filter(None, (told, per_element)))
    return per_element


def _chunk_facts(array: ArrayLike) -> list[Fact]:
    chunks = math.prod(array.chunk_grid_shape)
    grid = f"{format_shape(array.chunk_grid_shape)}" if array.ndim > 1 else ""
    chunk_size = math.prod(array.chunk_shape)
    if tuple(array.inner_chunk_shape) == tuple(array.chunk_shape):
        return [
            Fact("Chunk shape", format_shape(array.chunk_shape), _decoded(array, chunk_size)),
            Fact("Chunks", f"{chunks:,}", grid),
        ]
    inner_size = math.prod(array.inner_chunk_shape)
    return [
        Fact("Shard shape", format_shape(array.chunk_shape), _decoded(array, chunk_size)),
        Fact("Shards", f"{chunks:,}", grid),
        Fact("Chunk shape", format_shape(array.inner_chunk_shape), _decoded(array, inner_size)),
    ]


def _decoded(array: ArrayLike, size: int) -> str:
    return "" if array.dtype.hasobject else f"{format_bytes(size * array.dtype.itemsize)} decoded"


def _fill_value(value: Any) -> str:
    if value is None:
        return "none"
    text = format_value(value)
    return text if text and text != "''" else "empty text"


def size_facts(array: ArrayLike) -> list[Fact]:
    if array.dtype.hasobject:  # the length of the elements is unknown until they are read
        return []
    return [Fact("Logical size", format_bytes(array.nbytes), exact_bytes(array.nbytes))]


def exact_bytes(nbytes: int) -> str:
    return "" if nbytes < 1024 else count(nbytes, "byte")


def _time_unit(dtype: Any) -> str:
    import numpy as np

    unit, step = np.datetime_data(dtype)
    return unit if step == 1 else f"{step} {unit}"


def _configured(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_configured(item) for item in value) + "]"
    if isinstance(value, Mapping):
        return str(value["name"]) if "name" in value else json.dumps(value, default=str)
    return str(value)
