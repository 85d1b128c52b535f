"""Documents of arrays with a chain of codecs, translated to accepted Zarr v3.

Drafts of November 2022 to February 2023, "Array metadata". They differ from the accepted text in the names of codecs, data
types and grids, in the place of the separator of chunk keys, and in having no array → bytes codec.
"""

from __future__ import annotations

import re
from typing import Any

from zarrcore.errors import MetadataError
from zarrcore.formats.drafts.terms import accepted_codec_name, fill_value, numpy_type
from zarrcore.formats.v2.parse import parse_dtype
from zarrcore.metadata import JsonObject
from zarrcore.metadata.data_type import data_type_of, parse_data_type
from zarrcore.metadata.json_document import describe

_OLD_TYPE = re.compile(r"[<>|]?[iufc][0-9]+")
_TIMES = {"datetime": "numpy.datetime64", "timedelta": "numpy.timedelta64"}
_SAME = ("shape", "fill_value", "attributes", "dimension_names")


def is_of_february_2023(document: JsonObject) -> bool:
    """Whether a node's ``zarr.json`` with ``"zarr_format": 3`` is an array of a draft: its grid contains the separator.

    Draft of 21 February 2023. Since 1 March, the key encoding has its own member.
    """
    grid = document.get("chunk_grid")
    configuration = grid.get("configuration") if isinstance(grid, dict) else None
    return (
        document.get("zarr_format") == 3
        and isinstance(configuration, dict)
        and "separator" in configuration
        and "chunk_key_encoding" not in document
    )


def in_accepted_terms(document: JsonObject, separator: Any = "/") -> JsonObject:
    """The array's document in accepted Zarr v3, except for its storage transformers and unknown members.

    Args:
        document: a document of a draft.
        separator: separator of chunk keys, if the document has none.

    Raises:
        MetadataError: a member is broken.
        UnsupportedError: an unknown data type or codec.
    """
    accepted = {name: document[name] for name in _SAME if name in document}
    data_type, is_big = _data_type(document.get("data_type"))
    codecs = [*_memory_layout(document), *_codecs(document.get("codecs", []))]
    if is_big and not any(codec["name"] in ("endian", "bytes") for codec in codecs):
        first = next((i for i, codec in enumerate(codecs) if codec["name"] != "transpose"), len(codecs))
        codecs.insert(first, {"name": "bytes", "configuration": {"endian": "big"}})
    value = document.get("fill_value")
    if isinstance(value, str) and value[:2] in ("0x", "0b"):
        accepted["fill_value"] = fill_value(value, parse_data_type(data_type).dtype)
    grid, separator = _grid(document.get("chunk_grid"), separator)
    key_encoding = {"name": "default", "configuration": {"separator": separator}}
    return {
        "zarr_format": 3,
        "node_type": "array",
        "data_type": data_type,
        "chunk_grid": grid,
        "chunk_key_encoding": key_encoding,
        "codecs": codecs,
        **accepted,
    }


def _grid(grid: Any, separator: Any) -> tuple[Any, Any]:
    """The grid as accepted, and the separator that it contains."""
    if not isinstance(grid, dict):
        raise MetadataError(f"expected an object, found {describe(grid)}", member="chunk_grid")
    name = grid.get("extension") or grid.get("name") or grid.get("type")
    configuration = grid.get("configuration", {key: grid[key] for key in grid if key != "type"})
    if isinstance(configuration, dict):
        separator = configuration.get("separator", separator)
        configuration = {key: value for key, value in configuration.items() if key != "separator"}
    return {"name": name, "configuration": configuration}, separator


def _memory_layout(document: JsonObject) -> list[JsonObject]:
    """The transpose for a member that existed until January 2023 beside the chain of codecs, and applied before it."""
    layout, shape = document.get("chunk_memory_layout", "C"), document.get("shape")
    if layout not in ("C", "F"):
        raise MetadataError(f"expected 'C' or 'F', found {describe(layout)}", member="chunk_memory_layout")
    if layout == "C" or not isinstance(shape, list) or len(shape) < 2:
        return []
    return [{"name": "transpose", "configuration": {"order": list(range(len(shape)))[::-1]}}]


def _codecs(codecs: Any) -> list[JsonObject]:
    if not isinstance(codecs, list):
        raise MetadataError(f"expected an array, found {describe(codecs)}", member="codecs")
    return [_codec(codec, f"codecs[{position}]") for position, codec in enumerate(codecs)]


def _codec(codec: Any, member: str) -> JsonObject:
    if isinstance(codec, str):
        codec = {"name": codec}
    if not isinstance(codec, dict):
        raise MetadataError(f"expected an object, found {describe(codec)}", member=member)
    name = next((key for key in ("type", "name", "codec") if key in codec), "type")
    accepted = {key: value for key, value in codec.items() if key != name}
    return {"name": accepted_codec_name(codec.get(name), f"{member}.{name}"), **accepted}


def _data_type(value: Any) -> tuple[Any, bool]:
    """The data type as accepted, and whether its elements are big-endian if no codec says otherwise."""
    if isinstance(value, dict) and "extension" not in value:
        return _named_type(value), False
    if isinstance(value, str) and not _OLD_TYPE.fullmatch(value):
        return value, False
    try:
        dtype = parse_dtype(numpy_type(value))
    except MetadataError as error:
        raise MetadataError(error.reason, member="data_type") from error
    return data_type_of(dtype).document(), dtype.byteorder == ">"


def _named_type(value: JsonObject) -> JsonObject:
    named = dict(value)
    configuration = named.get("configuration", {})
    for name, accepted in _TIMES.items():
        if named.get("name") == name and isinstance(configuration, dict):
            named |= {"name": accepted, "configuration": {"scale_factor": 1, **configuration}}
    fallback = named.get("fallback")
    if fallback is not None:
        alternatives = fallback if isinstance(fallback, list) else [fallback]
        named["fallback"] = [_data_type(alternative)[0] for alternative in alternatives]
    return named
