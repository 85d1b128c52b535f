"""``.zgroup``, ``.zarray``, ``.zattrs`` of Zarr v2: MetadataError or UnsupportedError, or what zarr-python reads."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from zarr.core.metadata.v2 import ArrayV2Metadata

from tests.proofs.fuzz.documents import document_of
from tests.proofs.fuzz.nodes import check_chunks, check_missing_chunks, opened_array, parsed, same_element
from zarrcore.errors import MetadataError
from zarrcore.formats import Format
from zarrcore.metadata import ArrayMetadata, GroupMetadata
from zarrcore.metadata.json_document import parse_json_object


def array(dtype: Any, fill_value: Any = 0, **members: Any) -> dict[str, Any]:
    """A ``.zarray``."""
    return {
        "zarr_format": 2,
        "shape": [6, 4],
        "chunks": [3, 2],
        "dtype": dtype,
        "compressor": None,
        "fill_value": fill_value,
        "order": "C",
        "filters": None,
        **members,
    }


_ZLIB = {"id": "zlib", "level": 1}
EXAMPLES: list[dict[str, Any]] = [
    {".zarray": array("<f4", "NaN", compressor=_ZLIB), ".zattrs": {"_ARRAY_DIMENSIONS": ["y", "x"]}},
    {".zgroup": {"zarr_format": 2}, ".zattrs": {"title": "x"}},
    {".zarray": array(">i2", -1, order="F", dimension_separator="/")},
    {
        ".zarray": array(
            "<u2",
            filters=[
                {"id": "delta", "dtype": "<u2"},
                {"id": "fixedscaleoffset", "scale": 10, "offset": 1, "dtype": "<u2", "astype": "<u1"},
            ],
            compressor={"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
        )
    },
    {".zarray": array("|O", "", filters=[{"id": "vlen-utf8"}], compressor={"id": "zstd", "level": 3})},
    {
        ".zarray": array(
            "|O", filters=[{"id": "categorize", "labels": ["a", "b"], "dtype": "|O", "astype": "|u1"}]
        )
    },
    {".zarray": array([["a", "<i4"], ["b", ">f8", [2]], ["c", [["d", "|S3"]]]], None, shape=[5], chunks=[5])},
    {".zarray": array("<M8[ns]", "NaT", filters=[{"id": "packbits"}])},
    {".zarray": array("|S5", "AAAAAAA=", shape=[], chunks=[])},
    {
        ".zarray": array(
            "<c8", ["NaN", "-Infinity"], filters=[{"id": "quantize", "digits": 2, "dtype": "<f4"}]
        )
    },
    {
        ".zarray": array(
            "<U3", "", compressor={"id": "lzma", "format": 1, "check": -1, "preset": None, "filters": None}
        )
    },
    {".zarray": array("|b1", True, filters=[{"id": "astype", "encode_dtype": "<f4", "decode_dtype": "|b1"}])},
    {".zarray": array("bfloat16", 1.5), ".zgroup": {"zarr_format": 2}},
    {
        ".zarray": array(
            "<m8[10us]",
            0,
            compressor={"id": "bz2", "level": 9},
            filters=[{"id": "shuffle", "elementsize": 4}],
        )
    },
    {".zarray": array("|V4", None, compressor={"id": "crc32", "location": "end"})},
]
MAX_LENGTH = 80
WORDS = (
    *(
        "|O",
        "<f8",
        ">f4",
        "|V0",
        "<M8",
        "<M8[s]",
        "<m8[2D]",
        "|S1",
        "<U1",
        "(2,)<i4",
        "<i4,<f4",
        "|b1",
        "int4",
        "float8_e5m2",
    ),
    *("C", "F", "zarr_format", "shape", "chunks", "dtype", "compressor", "fill_value", "order", "filters"),
    *(
        "dimension_separator",
        "id",
        "level",
        "zstd",
        "gzip",
        "lz4",
        "pcodec",
        "zfpy",
        "json2",
        "msgpack2",
        "pickle",
    ),
    *("vlen-bytes", "bitround", "keepbits", "_ARRAY_DIMENSIONS", "fletcher32", "adler32", "jenkins_lookup3"),
)


def check(data: bytes) -> None:
    """Documents are refused, or mean what zarr-python reads; arrays without chunks hold the fill value."""
    stored = _documents(data)
    documents = tuple(stored.get(name) for name in (".zarray", ".zgroup", ".zattrs"))
    metadata = parsed(Format.V2, documents)
    if isinstance(metadata, ArrayMetadata):
        assert stored[".zarray"] is not None
        found = opened_array(stored, Format.V2)
        if found is not None:
            check_missing_chunks(found)
            if len(data) % 4 == 1:  # the examples, and some of the others, to try more inputs
                check_chunks(stored, Format.V2)
        _compare(metadata, parse_json_object(stored[".zarray"]))
    elif isinstance(metadata, GroupMetadata):
        told = documents[2]
        assert dict(metadata.attributes) == ({} if told is None else parse_json_object(told)) or "NaN" in str(
            told
        )


def _documents(data: bytes) -> dict[str, bytes]:
    if data[:1] == b"{":
        return {".zarray": data}
    try:
        bundle = parse_json_object(document_of(data, EXAMPLES, WORDS))
    except MetadataError:
        return {}
    names = (".zarray", ".zgroup", ".zattrs")
    return {name: json.dumps(bundle[name]).encode() for name in names if name in bundle}


def _compare(metadata: ArrayMetadata, document: dict[str, Any]) -> None:
    """What zarr-python also reads has the same shape, chunks, type and fill value."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = ArrayV2Metadata.from_dict({"attributes": {}, **document})
            dtype = theirs.dtype.to_native_dtype()
            fill = theirs.fill_value
    except Exception:  # noqa: BLE001  # it raises all kinds for what it does not read
        return
    assert tuple(theirs.shape) == metadata.shape
    assert tuple(max(1, n) for n in theirs.chunks) == metadata.chunk_grid.chunk_shape
    if dtype.hasobject or dtype.kind == "T" or metadata.data_type.dtype.kind in "TO":
        return
    ours = metadata.data_type.dtype
    assert ours == dtype.newbyteorder("<") or ours.kind == "V", f"{ours} instead of {dtype}"
    if fill is not None and metadata.fill_value_is_told and dtype.kind in "biuM":
        assert same_element(np.asarray(fill).astype(ours), metadata.fill_value), (
            f"{metadata.fill_value!r} instead of {fill!r}"
        )


def examples() -> Iterable[bytes]:
    """Each of `EXAMPLES`."""
    return [bytes([number]) for number in range(len(EXAMPLES))]
