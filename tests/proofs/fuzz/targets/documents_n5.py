"""``attributes.json`` of N5: refused with MetadataError or UnsupportedError, or as JSON tells it, with axes reversed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from tests.proofs.fuzz.documents import document_of
from tests.proofs.fuzz.nodes import check_chunks, check_missing_chunks, opened_array, parsed
from zarrcore.formats import Format
from zarrcore.metadata import ArrayMetadata, GroupMetadata
from zarrcore.metadata.json_document import parse_json_object


def dataset(data_type: str, compression: Any, **members: Any) -> dict[str, Any]:
    """An ``attributes.json`` of a dataset."""
    return {
        "dimensions": [4, 6],
        "blockSize": [4, 2],
        "dataType": data_type,
        "compression": compression,
        **members,
    }


EXAMPLES: list[dict[str, Any]] = [
    dataset("uint8", {"type": "raw"}),
    dataset("float32", {"type": "gzip", "level": -1, "useZlib": False}, axes=["x", "y"]),
    dataset("int64", {"type": "lz4", "blockSize": 65536}, resolution=[1, 2]),
    dataset("uint16", {"type": "bzip2", "blockSize": 9}, n5="2.0.0"),
    dataset("int8", {"type": "xz", "preset": 6}, dimensions=[3], blockSize=[2]),
    dataset("float64", {"type": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}),
    dataset("uint64", {"type": "zstd", "level": 3}, _ARRAY_DIMENSIONS=["a", None]),
    {"dimensions": [4], "blockSize": [4], "dataType": "int16", "compressionType": "gzip"},
    {"n5": "4.0.0", "multiscales": [{"datasets": [{"path": "s0"}]}]},
    dataset("uint32", {"type": "lzma", "format": 1, "check": -1, "preset": None, "filters": None}),
    dataset("uint32", {"type": "zlib"}),
]
MAX_LENGTH = 80
WORDS = (
    *(
        "dimensions",
        "blockSize",
        "dataType",
        "compression",
        "compressionType",
        "type",
        "level",
        "useZlib",
        "n5",
        "axes",
    ),
    *(
        "int8",
        "uint64",
        "float32",
        "string",
        "object",
        "raw",
        "gzip",
        "bzip2",
        "xz",
        "lz4",
        "blosc",
        "zstd",
        "lzma",
        "zlib",
    ),
    *(
        "cname",
        "clevel",
        "shuffle",
        "blocksize",
        "preset",
        "filters",
        "format",
        "_ARRAY_DIMENSIONS",
        "jpeg",
        "4.0.0",
    ),
)


def check(data: bytes) -> None:
    """A document is refused, or has the shape, block shape and type that it tells, and its other members as attributes."""
    text = document_of(data, EXAMPLES, WORDS)
    metadata = parsed(Format.N5, (text,))
    if metadata is None:
        return
    told = parse_json_object(text)
    if isinstance(metadata, GroupMetadata):
        assert _json(metadata.attributes) == _json({name: told[name] for name in told if name != "n5"})
    elif isinstance(metadata, ArrayMetadata):
        assert list(metadata.shape) == told["dimensions"][::-1]
        assert list(metadata.chunk_grid.chunk_shape) == told["blockSize"][::-1]
        assert metadata.data_type.dtype == np.dtype(told["dataType"])
        assert set(metadata.attributes) <= set(told)
        found = opened_array({"attributes.json": text}, Format.N5)
        if found is not None:
            check_missing_chunks(found)
            if len(data) % 4 == 1:  # the examples, and some of the others, to try more inputs
                check_chunks({"attributes.json": text}, Format.N5)


def _json(document: Any) -> str:
    return json.dumps(dict(document))


def examples() -> Iterable[bytes]:
    """Each of `EXAMPLES`."""
    return [bytes([number]) for number in range(len(EXAMPLES))]
