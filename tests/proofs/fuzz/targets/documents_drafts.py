"""Documents of the drafts of Zarr v3 and of Zarr v1: MetadataError or UnsupportedError, or an array of the shape they tell."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tests.proofs.fuzz.documents import document_of
from tests.proofs.fuzz.nodes import check_missing_chunks, parsed, same_element, small_array
from zarrcore.errors import HierarchyNotFoundError, MetadataError, UnsupportedError
from zarrcore.formats import Format
from zarrcore.hierarchy import open_hierarchy
from zarrcore.metadata import ArrayMetadata
from zarrcore.metadata.json_document import parse_json_object
from zarrcore.stores import MemoryStore

_CORE = "https://purl.org/zarr/spec/protocol/core/3.0"
_GZIP = {"codec": "https://purl.org/zarr/spec/codec/gzip/1.0", "configuration": {"level": 1}}
_ENTRY = {
    "zarr_format": _CORE,
    "metadata_encoding": _CORE,
    "metadata_key_suffix": ".json",
    "extensions": [],
}
_OLD = {
    "shape": [6, 4],
    "data_type": "<f4",
    "chunk_grid": {"type": "regular", "chunk_shape": [2, 4], "separator": "/"},
    "chunk_memory_layout": "C",
    "compressor": _GZIP,
    "fill_value": "NaN",
    "extensions": [],
    "attributes": {"a": 1},
}
_NEW = {
    "shape": [6, 4],
    "data_type": "int16",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 4], "separator": "/"}},
    "codecs": [
        {"name": "transpose", "configuration": {"order": [1, 0]}},
        {"name": "gzip", "configuration": {"level": 1}},
    ],
    "fill_value": "0xffff",
    "dimension_names": ["y", "x"],
}
EXAMPLES: list[dict[str, Any]] = [
    {"draft": 3, "entry": _ENTRY, "array": _OLD},
    {
        "draft": 3,
        "entry": _ENTRY,
        "array": {**_OLD, "chunk_memory_layout": "F", "data_type": ">i2", "fill_value": "0xffff"},
    },
    {
        "draft": 3,
        "entry": _ENTRY,
        "array": {
            **_OLD,
            "data_type": {
                "extension": "https://purl.org/zarr/spec/protocol/extensions/datetime-dtypes/1.0",
                "type": "<M8[ns]",
                "fallback": None,
            },
            "fill_value": None,
            "extensions": [
                {
                    "extension": "https://purl.org/zarr/spec/protocol/extensions/filters/1.0",
                    "must_understand": True,
                    "configuration": {"filters": [{"codec": "delta", "configuration": {"dtype": "<i8"}}]},
                }
            ],
            "storage_transformers": [
                {
                    "extension": "https://purl.org/zarr/spec/storage_transformers/sharding/1.0",
                    "type": "indexed",
                    "configuration": {"chunks_per_shard": [3, 1]},
                }
            ],
        },
    },
    {"draft": 3, "entry": _ENTRY, "group": {"attributes": {"a": 1}, "extensions": []}},
    {
        "draft": 2,
        "entry": {"zarr_format": _CORE, "metadata_encoding": _CORE},
        "array": {**_OLD, "chunk_codecs": [_GZIP]},
    },
    {
        "draft": 1,
        "entry": {"zarr_format": _CORE, "metadata_encoding": "application/json"},
        "array": {
            **_OLD,
            "data_type": {"extension": "complex", "type": "<c8", "fallback": "<f4"},
            "fill_value": [0.5, "NaN"],
        },
    },
    {"draft": 0, "array": {"zarr_format": _CORE, **_OLD, "compressor": None, "dimension_separator": "."}},
    {"draft": 4, "entry": {"zarr_format": _CORE, "metadata_encoding": {"type": "json"}}, "array": _NEW},
    {
        "draft": 5,
        "array": {
            "zarr_format": 3,
            "node_type": "array",
            "attributes": {},
            "storage_transformers": [],
            **_NEW,
        },
    },
    {
        "draft": 5,
        "array": {
            "zarr_format": 3,
            "node_type": "array",
            **_NEW,
            "chunk_memory_layout": "F",
            "fill_value": 1,
        },
    },
    {
        "draft": 6,
        "array": {
            "zarr_format": 1,
            "shape": [6, 4],
            "chunks": [3, 4],
            "dtype": "|S3",
            "compression": "blosc",
            "compression_opts": {"cname": "lz4", "clevel": 1, "shuffle": 1},
            "fill_value": "ab",
            "order": "C",
        },
        "group": {"title": "x"},
    },
    {"draft": 3, "entry": _ENTRY, "array": {**_OLD, "data_type": "r16", "fill_value": "0b1010"}},
    {
        "draft": 4,
        "entry": {"zarr_format": _CORE, "metadata_encoding": {"type": "json", "metadata_key_suffix": ".x"}},
        "array": {
            **_NEW,
            "data_type": {"name": "datetime", "configuration": {"unit": "s"}, "fallback": ["int64"]},
            "fill_value": 0,
        },
    },
]
DRAFTS = (
    Format.DRAFT_2019_05,
    Format.DRAFT_2019_06,
    Format.DRAFT_2020_09,
    Format.DRAFT_2020_10,
    Format.DRAFT_2022_12,
    Format.DRAFT_2023_02,
    Format.V1,
)
MAX_LENGTH = 80
WORDS = (
    *(
        "shape",
        "data_type",
        "chunk_grid",
        "chunk_shape",
        "separator",
        "compressor",
        "fill_value",
        "extensions",
        "attributes",
    ),
    *(
        "extension",
        "type",
        "fallback",
        "codec",
        "codecs",
        "configuration",
        "must_understand",
        "filters",
        "id",
        "blosc",
        "zlib",
    ),
    *(
        "chunk_memory_layout",
        "chunk_codecs",
        "storage_transformers",
        "chunks_per_shard",
        "sharding",
        "indexed",
        "regular",
    ),
    *(
        "struct",
        "string",
        "object",
        "unicode",
        "datetime",
        "timedelta",
        "<f8",
        "|O",
        "<U2",
        "endian",
        "r16",
        "C",
        "F",
    ),
    *(
        "dimension_separator",
        "metadata_encoding",
        "metadata_key_suffix",
        "zarr_format",
        _CORE,
        "vlen-utf8",
        "transpose",
    ),
)


def check(data: bytes) -> None:
    """Documents are refused, or the array has the shape they tell; without chunks it holds the fill value."""
    try:
        bundle = parse_json_object(document_of(data, EXAMPLES, WORDS))
    except MetadataError:
        return
    number = bundle.get("draft")
    form = DRAFTS[number % len(DRAFTS)] if type(number) is int else DRAFTS[0]
    array, group, entry = (
        json.dumps(bundle[name]).encode() if name in bundle else None for name in ("array", "group", "entry")
    )
    values = {} if entry is None else {"zarr.json": entry}
    try:
        form = form.configure(values.get, values.__contains__)
    except (MetadataError, UnsupportedError):
        return
    keys = form.document_keys("/")
    told = (array,) if len(keys) == 1 else (array, group, entry)[: len(keys)]
    values |= {key: document for key, document in zip(keys, told, strict=True) if document is not None}
    metadata = parsed(form, told)
    if metadata is not None:
        form.ignored(told)
    if isinstance(metadata, ArrayMetadata):
        shape = parse_json_object(array or b"{}")["shape"]
        assert list(metadata.shape) == shape
        _check_opened(form, values, metadata)


def _check_opened(form: Format, values: dict[str, bytes], metadata: ArrayMetadata) -> None:
    """The hierarchy opens as the same array."""
    try:
        node = open_hierarchy(MemoryStore("", dict(values)), format=form).node("/")
    except (HierarchyNotFoundError, MetadataError, UnsupportedError):
        return
    array = small_array(node)
    if array is not None:
        assert array.metadata.shape == metadata.shape
        assert same_element(array.metadata.fill_value, metadata.fill_value)
        check_missing_chunks(array)


def examples() -> Iterable[bytes]:
    """Each of `EXAMPLES`."""
    return [bytes([number]) for number in range(len(EXAMPLES))]
