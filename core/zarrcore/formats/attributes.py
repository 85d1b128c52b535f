"""Attributes as a document may hold them.

Accepted specification, "attributes": a JSON object. NumPy values become the corresponding JSON. A value without a
JSON form is refused by name, before anything is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from zarrcore.errors import MetadataError
from zarrcore.metadata.json_document import MAX_DEPTH, JsonObject, describe, format_json, parse_json_object

_MAX_DEPTH = MAX_DEPTH - 4  # consolidated metadata wraps documents in objects of its own


def document_attributes(document: JsonObject) -> JsonObject:
    """The attributes in a document of Zarr v3 or a draft of it.

    Raises:
        MetadataError: they are not an object.
    """
    attributes = document.get("attributes")
    if attributes is None:
        return {}
    if not isinstance(attributes, dict):
        raise MetadataError(f"expected an object, found {describe(attributes)}", member="attributes")
    return attributes


def json_attributes(attributes: Mapping[str, Any], member: str = "attributes") -> JsonObject:
    """``attributes`` as a JSON object: NumPy scalars and arrays, tuples and mappings become their JSON counterparts.

    Args:
        attributes: the object.
        member: what errors call it.

    Numbers that are not finite stay; the document spells them as the words of the specification.

    Raises:
        MetadataError: a name that is not a string, a value that is not JSON, or too deep a nesting; the error says where.

    >>> json_attributes({"scale": np.float32(0.5), "axes": ("y", "x")})
    {'scale': 0.5, 'axes': ['y', 'x']}
    """
    return _object(attributes, member, 0)


def _object(value: Mapping[str, Any], member: str, depth: int) -> JsonObject:
    result: JsonObject = {}
    for name, item in value.items():
        if not isinstance(name, str):
            raise MetadataError(
                f"expected a string as name, found {name!r} ({type(name).__name__})", member=member
            )
        result[str.__str__(name)] = _json(item, f"{member}.{name}", depth + 1)
    return result


def _json(value: Any, member: str, depth: int) -> Any:
    if depth > _MAX_DEPTH:
        raise MetadataError(f"objects and arrays nested deeper than {_MAX_DEPTH}", member=member[:100])
    match value:
        case None | bool():
            return value
        case np.generic() | np.ndarray() if value.dtype.kind in "biufU":
            return value.tolist()
        case str():
            return str.__str__(value)  # the value of an enumeration's member
        case int():
            return int(value)
        case float():
            return float(value)
        case Mapping():
            return _object(value, member, depth)
        case list() | tuple():
            return [_json(item, f"{member}[{position}]", depth + 1) for position, item in enumerate(value)]
    raise MetadataError(f"a value of type {type(value).__name__} has no JSON form", member=member)


def document_bytes(document: JsonObject) -> bytes:
    """A document as text to store.

    Raises:
        MetadataError: reading would refuse it: too large, too deep, or a number with too many digits.
    """
    try:
        data = format_json(document)
    except (ValueError, RecursionError) as error:
        raise MetadataError(f"cannot be written as JSON: {error}") from error
    parse_json_object(data)
    return data
