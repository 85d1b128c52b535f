"""The facts about an array that follow from its metadata. Nothing is read."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from zarrcore.array import Array
from zarrcore.conventions.interface import plural
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.data_type import is_small_number
from zarrcore.metadata.named_configuration import parse_named_configuration
from zarrcore.sizes import format_bytes, format_shape


def array_facts(array: Array, names: Sequence[str | None] | None = None) -> list[tuple[str, str]]:
    """The facts that follow from an array's metadata; the last one is its codecs.

    Args:
        array: the array.
        names: those of its dimensions, if other nodes have them.
    """
    names = names or array.dimension_names
    rows = [
        ("shape", format_shape(array.shape)),
        ("dimensions", ", ".join(name or "–" for name in names) if names else "not named"),
        ("data type", array.data_type.name + _in_memory(array)),
        ("size", plural(array.size, "element") + _bytes(array, array.size, ", {}")),
        ("fill value", _fill_value(array)),
        (
            "chunk shape",
            format_shape(array.chunk_shape) + _bytes(array, math.prod(array.chunk_shape), "  ({})"),
        ),
    ]
    if array.inner_chunk_shape != array.chunk_shape:
        rows.append(("inner chunks", format_shape(array.inner_chunk_shape)))
    rows.append(
        ("chunks", f"{math.prod(array.chunk_grid_shape):,}  ({format_shape(array.chunk_grid_shape)})")
    )
    rows.append(("codecs", "\n".join(_codec_lines(array.codecs, ""))))
    return rows


def _in_memory(array: Array) -> str:
    if array.data_type.is_variable_length or is_small_number(array.dtype):
        return ""  # NumPy's own name adds nothing
    return f"  ({array.dtype.str if array.dtype.names is None else array.dtype})"


def _bytes(array: Array, size: int, words: str) -> str:
    """The bytes of a number of elements, if that is known without reading them."""
    known = not array.data_type.is_variable_length
    return words.format(format_bytes(size * array.itemsize)) if known else ""


def _fill_value(array: Array) -> str:
    if not array.data_type.is_variable_length:
        # A signalling NaN, or a datetime of unknown unit, which NumPy cannot print.
        with np.errstate(invalid="ignore"), contextlib.suppress(ValueError):
            return str(array.fill_value)
    return json.dumps(array.metadata.document()["fill_value"], ensure_ascii=False)


def _codec_lines(codecs: tuple[NamedConfiguration, ...], indent: str) -> list[str]:
    lines = []
    for codec in codecs:
        inner = codec.configuration.get("codecs")  # inner codecs of shards and of N5's blocks
        hidden = {"codecs", "index_codecs"} if inner else set()
        parameters = ", ".join(
            f"{name} {_short(value)}" for name, value in codec.configuration.items() if name not in hidden
        )
        lines.append(f"{indent}{codec.name}" + (f"  ({parameters})" if parameters else ""))
        if isinstance(inner, list):
            lines += _codec_lines(
                tuple(parse_named_configuration(item, "codecs") for item in inner), indent + "  "
            )
    return lines


def _short(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(item, int) for item in value):
        return format_shape(tuple(value))
    return value if isinstance(value, str) else json.dumps(value)
