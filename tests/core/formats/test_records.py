"""Records, which version 3 calls ``struct`` and called ``structured``: between us, zarr-python and tensorstore."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pytest

import zarrcore as zc
from zarrcore.stores import MemoryStore

RECORD = np.dtype([("a", "<i2"), ("b", "<f4"), ("in", [("n", "S3"), ("d", "<M8[s]")])])
FILL = np.array((258, -2.5, (b"xy", "2026-11-22")), RECORD)
FIELDS = [
    ["a", "int16"],
    ["b", "float32"],
    [
        "in",
        {
            "name": "structured",
            "configuration": {
                "fields": [
                    ["n", {"name": "null_terminated_bytes", "configuration": {"length_bytes": 3}}],
                    ["d", {"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 1}}],
                ]
            },
        },
    ],
]
BIG = {"name": "bytes", "configuration": {"endian": "big"}}
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
SHARD = {
    "name": "sharding_indexed",
    "configuration": {"chunk_shape": [1], "codecs": [BIG], "index_codecs": [LITTLE]},
}


def document(codecs: list[Any], fill_value: Any, name: str = "structured") -> bytes:
    told = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [2],
        "data_type": {"name": name, "configuration": {"fields": FIELDS}},
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": fill_value,
        "codecs": codecs,
    }
    return json.dumps(told).encode()


def stored_fill(order: str) -> bytes:
    """Field by field, as the registry has it."""
    day = int(FILL["in"]["d"].view("<i8"))
    parts = (("i2", 258), ("f4", -2.5), ("S3", b"xy"), ("i8", day))
    return b"".join(np.array(value, order + code).tobytes() for code, value in parts)


@pytest.mark.parametrize("name", ["struct", "structured"])
@pytest.mark.parametrize(
    ("codecs", "order"),
    [([BIG], ">"), ([BIG, "crc32c"], ">"), ([SHARD], ">"), ([LITTLE], "<"), (["bytes"], "<"), ([], "<")],
)
def test_the_bytes_of_a_fill_value_are_in_the_order_of_the_chunks(
    codecs: list[Any], order: str, name: str
) -> None:
    for value in (base64.b64encode(stored_fill(order)).decode(), list(stored_fill(order))):
        array = zc.open(MemoryStore(values={"zarr.json": document(codecs, value, name)}))["/"]
        assert array.fill_value.tolist() == FILL.tolist()
        assert array[...].tolist() == [FILL.tolist()] * 2
    assert zc.open(MemoryStore(values={"zarr.json": document(codecs, 0, name)}))["/"][0].tobytes() == bytes(
        17
    )
