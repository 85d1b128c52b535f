"""``zarr.json`` of accepted Zarr v3: refused with MetadataError or UnsupportedError, or as zarr-python reads it."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from zarr.core.metadata.v3 import ArrayV3Metadata

from tests.proofs.fuzz.documents import document_of
from tests.proofs.fuzz.nodes import check_chunks, check_missing_chunks, opened_array, parsed, same_element
from tests.proofs.fuzz.seen import has_passed, passed
from zarrcore.formats import Format
from zarrcore.metadata import ArrayMetadata, GroupMetadata, RegularChunkGrid
from zarrcore.metadata.json_document import parse_json_object

BYTES = {"name": "bytes", "configuration": {"endian": "little"}}


def array(data_type: Any, fill_value: Any = 0, codecs: Any = (BYTES,), **members: Any) -> dict[str, Any]:
    """A ``zarr.json`` of an array."""
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [6, 4],
        "data_type": data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 4]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": fill_value,
        "codecs": list(codecs),
        "attributes": {},
        **members,
    }


EXAMPLES: list[dict[str, Any]] = [
    array("float32", "NaN", [BYTES, {"name": "zstd", "configuration": {"level": 0, "checksum": False}}]),
    {"zarr_format": 3, "node_type": "group", "attributes": {"title": "x"}},
    array("int16", -1, dimension_names=["y", None], storage_transformers=[]),
    array(
        "uint8",
        codecs=[
            {
                "name": "sharding_indexed",
                "configuration": {
                    "chunk_shape": [1, 2],
                    "codecs": [BYTES, {"name": "gzip", "configuration": {"level": 1}}],
                    "index_codecs": [BYTES, {"name": "crc32c"}],
                    "index_location": "start",
                },
            }
        ],
    ),
    array("string", "é", ["vlen-utf8", "crc32c"], chunk_key_encoding={"name": "v2"}),
    array("bytes", "AAE=", ["vlen-bytes"]),
    array({"name": "numpy.datetime64", "configuration": {"unit": "ns", "scale_factor": 10}}, "NaT"),
    array(
        {"name": "struct", "configuration": {"fields": [{"name": "a", "data_type": "int32"}, ["b", "r16"]]}},
        {"a": 1, "b": [1, 2]},
    ),
    array(
        "complex64", [1.5, "-Infinity"], [{"name": "transpose", "configuration": {"order": [1, 0]}}, BYTES]
    ),
    array("int4", -8, [{"name": "packbits", "configuration": {"padding_encoding": "first_byte"}}]),
    array(
        "r24",
        [1, 2, 3],
        ["bytes"],
        shape=[],
        chunk_grid={"name": "regular", "configuration": {"chunk_shape": []}},
    ),
    array(
        "float64",
        "0x7ff8000000000001",
        [
            BYTES,
            {
                "name": "blosc",
                "configuration": {
                    "cname": "zstd",
                    "clevel": 5,
                    "shuffle": "shuffle",
                    "typesize": 8,
                    "blocksize": 0,
                },
            },
        ],
        chunk_grid={
            "name": "rectilinear",
            "configuration": {"kind": "inline", "chunk_shapes": [[2, [1, 4]], 3]},
        },
    ),
    array(
        {"name": "zarrs.optional", "configuration": {"name": "int8", "configuration": {}}},
        [None],
        ["zarrs.optional"],
    ),
    array("bool", True, [{"name": "reshape", "configuration": {"shape": [[0, 1]]}}, "bytes"]),
    array(
        {"name": "float8_e4m3", "fallback": ["uint8"]}, 1.5, [BYTES, {"name": "x", "must_understand": False}]
    ),
    array("fixed_length_utf32", "a"),
    array({"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}, "ab"),
    array("float32", 0.5, [{"name": "cast_value", "configuration": {"data_type": "uint8"}}, "bytes"]),
    array("float32", 0.5, [{"name": "scale_offset", "configuration": {"scale": 2, "offset": 1}}, BYTES]),
    array("float32", 0.5, [{"name": "zfp", "configuration": {"mode": "reversible"}}]),
    array(
        "int32",
        1,
        chunk_grid={"name": "regular", "configuration": {"chunk_shape": [2, 4], "separator": "/"}},
    ),
]
del EXAMPLES[-1]["chunk_key_encoding"]
MAX_LENGTH = 80
WORDS = (
    *(
        "array",
        "group",
        "regular",
        "rectilinear",
        "default",
        "v2",
        ".",
        "/",
        "name",
        "configuration",
        "must_understand",
    ),
    *(
        "zarr_format",
        "node_type",
        "shape",
        "data_type",
        "chunk_grid",
        "chunk_shape",
        "chunk_key_encoding",
        "fill_value",
    ),
    *(
        "codecs",
        "attributes",
        "storage_transformers",
        "dimension_names",
        "separator",
        "endian",
        "big",
        "consolidated_metadata",
    ),
    *(
        "int8",
        "uint64",
        "float16",
        "bfloat16",
        "complex128",
        "complex_float8_e5m2",
        "r8",
        "r0",
        "raw_bytes",
        "length_bytes",
    ),
    *(
        "numpy.timedelta64",
        "generic",
        "null_terminated_bytes",
        "structured",
        "subarray",
        "optional",
        "variable_length_bytes",
    ),
    *(
        "bitround",
        "keepbits",
        "squeeze",
        "numcodecs.delta",
        "numcodecs.zlib",
        "conditional",
        "zarrs.vlen",
        "numcodecs.pcodec",
    ),
    *(
        "index_location",
        "end",
        "inline",
        "fallback",
        "fields",
        "unit",
        "scale_factor",
        "float32",
        "uint2",
        "numcodecs.zfpy",
    ),
)


def check(data: bytes) -> None:
    """A document is refused, or means what zarr-python reads; an array without chunks holds the fill value."""
    text = document_of(data, EXAMPLES, WORDS)
    with_chunks = len(data) % 4 == 1  # the examples, and some of the others, to try more inputs
    if not has_passed(whole := f"{with_chunks} {text!r}"):
        _check_document(text, with_chunks)
        passed(whole)


def _check_document(text: bytes, with_chunks: bool) -> None:
    metadata = parsed(Format.V3, (text,))
    if isinstance(metadata, ArrayMetadata):
        found = opened_array({"zarr.json": text}, Format.V3)
        if found is not None:
            check_missing_chunks(found)
            if with_chunks:
                check_chunks({"zarr.json": text}, Format.V3)
        _compare(metadata, parse_json_object(text))
    elif isinstance(metadata, GroupMetadata):
        told = parse_json_object(text).get("attributes")
        assert json.dumps(dict(metadata.attributes)) == json.dumps(told or {})


def _compare(metadata: ArrayMetadata, document: dict[str, Any]) -> None:
    """What zarr-python also reads has the same shape, chunks, type, names and fill value."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = ArrayV3Metadata.from_dict(document)
            dtype = theirs.data_type.to_native_dtype()
            fill = theirs.fill_value
    except Exception:  # noqa: BLE001  # it raises all kinds for what it does not read
        return
    assert tuple(theirs.shape) == metadata.shape
    assert theirs.dimension_names == metadata.dimension_names
    shape = getattr(theirs.chunk_grid, "chunk_shape", None)
    if shape is not None and isinstance(metadata.chunk_grid, RegularChunkGrid):
        assert tuple(max(1, n) for n in shape) == metadata.chunk_grid.chunk_shape
    ours = metadata.data_type.dtype
    if not dtype.hasobject and dtype.kind != "T":
        assert ours == dtype.newbyteorder("<") or ours.kind == "V", f"{ours} instead of {dtype}"
    if dtype.kind in "biufcMm":
        assert same_element(np.asarray(fill, dtype).astype(ours), metadata.fill_value) or (
            dtype.kind in "fc" and bool(np.isnan(fill))  # numbers, as NumPy's scalars, may lose a NaN's bits
        ), f"{metadata.fill_value!r} instead of {fill!r}"


def examples() -> Iterable[bytes]:
    """Each of `EXAMPLES`."""
    return [bytes([number]) for number in range(len(EXAMPLES))]
