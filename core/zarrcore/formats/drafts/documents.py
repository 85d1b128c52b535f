"""Documents of arrays and groups in the drafts, translated to Zarr v2 or accepted Zarr v3.

Drafts of 2019-05 to 2023-02, "Array metadata", "Group metadata". Until November 2022 an array is described as in Zarr v2, with
other names. Later there is a chain of codecs, as in accepted Zarr v3. A name that differs between drafts never has two
meanings, so one reader serves all drafts and mixtures of them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.formats.attributes import document_attributes
from zarrcore.formats.drafts.accepted_terms import in_accepted_terms
from zarrcore.formats.drafts.entry_point import extensions_of, ignored_extensions
from zarrcore.formats.drafts.terms import codec_name, fill_value, numpy_type, sharded
from zarrcore.formats.v2.parse import parse_array as parse_v2_array
from zarrcore.formats.v2.parse import parse_dtype
from zarrcore.formats.v3.format import parse_array
from zarrcore.metadata import ArrayMetadata, ChunkKeyEncoding, GroupMetadata, JsonObject
from zarrcore.metadata.json_document import describe

_ARRAY_MEMBERS = {
    *(
        "zarr_format",
        "shape",
        "data_type",
        "chunk_grid",
        "chunk_memory_layout",
        "fill_value",
        "extensions",
        "attributes",
    ),
    *(
        "compressor",
        "chunk_codecs",
        "codecs",
        "storage_transformers",
        "dimension_names",
        "dimension_separator",
    ),
}
_GROUP_MEMBERS = {"zarr_format", "attributes", "extensions"}
_FILTERS = "/extensions/filters"
KNOWN_EXTENSIONS = (_FILTERS,)
"""Known extensions of arrays, without their version."""
_OF_VERSION_2 = {
    "chunks": "chunk_grid.chunk_shape",
    "dtype": "data_type",
    "order": "chunk_memory_layout",
    "dimension_separator": "chunk_grid.separator",
}


def parse_draft_group(document: JsonObject, *, strict: bool) -> GroupMetadata:
    """The group that a document describes.

    Raises:
        MetadataError: a member is broken.
        UnsupportedError: an unknown member or extension that must be understood.
    """
    _refuse_unknown(document, _GROUP_MEMBERS, strict)
    ignored_extensions(document)
    return GroupMetadata(document_attributes(document))


def parse_draft_array(document: JsonObject, keys: ChunkKeyEncoding, *, strict: bool) -> ArrayMetadata:
    """The array that a document describes.

    Args:
        document: the document.
        keys: the chunk key encoding if the document has no separator.
        strict: whether unknown members are refused; the drafts until November 2022 let a reader ignore them.

    Raises:
        MetadataError: a member is missing or broken.
        UnsupportedError: an unknown data type, codec or extension.
    """
    _refuse_unknown(document, _ARRAY_MEMBERS, strict)
    ignored_extensions(document, KNOWN_EXTENSIONS)
    separator = document.get("dimension_separator", keys.separator)
    array = (_parse_new if "codecs" in document else _parse_old)(document, separator)
    array = replace(array, chunk_key_encoding=replace(keys, separator=array.chunk_key_encoding.separator))
    return sharded(array, document.get("storage_transformers"))


def _parse_new(document: JsonObject, separator: Any) -> ArrayMetadata:
    """An array with a chain of codecs, through accepted Zarr v3."""
    if document.get("compressor") is not None:
        raise MetadataError("there is a chain of codecs beside it", member="compressor")
    told = in_accepted_terms(document, separator)
    try:
        return parse_array(told)
    except MetadataError as error:
        member = error.member.replace("chunk_key_encoding.configuration", "chunk_grid")
        raise MetadataError(error.reason, member=member) from error


def _parse_old(document: JsonObject, separator: Any) -> ArrayMetadata:
    """An array with a memory layout and a compressor, through Zarr v2."""
    told, attributes = _in_words_of_version_2(document, separator)
    try:
        return parse_v2_array(told, attributes)
    except MetadataError as error:
        name = re.split(r"[.[]", error.member)[0]
        member = _OF_VERSION_2.get(name, name) + error.member[len(name) :]
        raise MetadataError(error.reason, member=member) from error


def _in_words_of_version_2(document: JsonObject, separator: Any) -> tuple[JsonObject, JsonObject]:
    """The ``.zarray`` of the array, and its attributes."""
    grid = document.get("chunk_grid")
    if not isinstance(grid, dict):
        raise MetadataError(f"expected an object, found {describe(grid)}", member="chunk_grid")
    if grid.get("type") != "regular" or "extension" in grid:
        raise UnsupportedError("chunk grid", str(grid.get("extension", grid.get("type"))))
    attributes = document_attributes(document)
    for member in ("shape", "data_type"):
        if member not in document:
            raise MetadataError("the member is missing", member=member)
    spelling = numpy_type(document["data_type"])
    filters, attributes = _filters(document, attributes)
    layout = document.get("chunk_memory_layout", "C")
    if isinstance(layout, dict):
        raise UnsupportedError("chunk memory layout", str(layout.get("extension", layout.get("type"))))
    value = document.get("fill_value")
    if spelling not in ("|O", "O"):
        value = fill_value(value, parse_dtype(spelling))
    return {
        "shape": document["shape"],
        "chunks": grid.get("chunk_shape"),
        "dtype": spelling,
        "order": layout,
        "fill_value": value,
        "filters": filters,
        "compressor": _compressor(document),
        "dimension_separator": grid.get("separator", separator),
    }, attributes


def _compressor(document: JsonObject) -> JsonObject | None:
    compressor = document.get("compressor")
    return None if compressor is None else _codec(compressor, "compressor")


def _codec(value: Any, member: str) -> JsonObject:
    """A codec in the form of Zarr v2: its name is its ``id``, with its parameters beside it."""
    if isinstance(value, dict) and isinstance(value.get("id"), str):
        return value  # the form of numcodecs
    if not isinstance(value, dict) or "codec" not in value:
        raise MetadataError(f"expected an object with a codec, found {describe(value)}", member=member)
    parameters = {name: value[name] for name in value if name not in ("codec", "configuration")}
    configuration = value.get("configuration", {})
    if not isinstance(configuration, dict):
        raise MetadataError(
            f"expected an object, found {describe(configuration)}", member=f"{member}.configuration"
        )
    return {**parameters, **configuration, "id": codec_name(value["codec"], f"{member}.codec")}


def _filters(document: JsonObject, attributes: JsonObject) -> tuple[list[JsonObject], JsonObject]:
    """The filters before the compressor, and the user's attributes.

    The text of 2019 has one list for all codecs; later texts have an extension. zarr-python put filters into the attributes.
    """
    found = [("chunk_codecs", document.get("chunk_codecs", []))]
    for position, extension in enumerate(extensions_of(document)):
        if _FILTERS in str(extension.get("extension")):
            configuration = extension.get("configuration")
            filters = configuration.get("filters") if isinstance(configuration, dict) else None
            found.append((f"extensions[{position}].configuration.filters", filters))
    hidden = attributes.get("filters")
    if isinstance(hidden, list) and all(isinstance(item, dict) and "id" in item for item in hidden):
        found.append(("attributes.filters", hidden))
        attributes = {name: value for name, value in attributes.items() if name != "filters"}
    codecs = []
    for member, filters in found:
        if not isinstance(filters, list):
            raise MetadataError(f"expected an array, found {describe(filters)}", member=member)
        codecs += [_codec(item, f"{member}[{position}]") for position, item in enumerate(filters)]
    return codecs, attributes


def _refuse_unknown(document: JsonObject, known: set[str], strict: bool) -> None:
    for name in sorted(document.keys() - known):
        value = document[name]
        if strict and not (isinstance(value, dict) and value.get("must_understand") is False):
            raise UnsupportedError("member", name, "is unknown and may not be ignored")
