"""Records, which version 3 calls ``struct`` and called ``structured``: between us, zarr-python and tensorstore."""

from __future__ import annotations

import base64
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorstore
import zarr

import zarrcore as zc
from zarrcore.formats import format_named
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.stores import MemoryStore
from zarrcore.stores.local.store import LocalStore

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
        array = zc.open_hierarchy(MemoryStore(values={"zarr.json": document(codecs, value, name)}))["/"]
        assert array.fill_value.tolist() == FILL.tolist()
        assert array[...].tolist() == [FILL.tolist()] * 2
    assert zc.open_hierarchy(MemoryStore(values={"zarr.json": document(codecs, 0, name)}))["/"][
        0
    ].tobytes() == bytes(17)


def names_in(told: Any) -> set[str]:
    """The names of all data types."""
    if isinstance(told, str):
        return {told}
    fields = told.get("configuration", {}).get("fields", [])
    assert all(field.keys() == {"name", "data_type"} for field in fields)
    return {told["name"]}.union(*(names_in(field["data_type"]) for field in fields))


@pytest.mark.parametrize("codecs", [[LITTLE], [BIG]])
def test_copies_have_the_new_name(codecs: list[Any]) -> None:
    order = ">" if codecs == [BIG] else "<"
    value = base64.b64encode(stored_fill(order)).decode()
    source, copied = (
        zc.open_hierarchy(MemoryStore(values={"zarr.json": document(codecs, value)})),
        MemoryStore(),
    )
    execute(plan_copy(source), source, copied)
    told = json.loads(copied.get("zarr.json") or b"")
    assert names_in(told["data_type"]) >= {"struct", "int16", "null_terminated_bytes"}
    assert "structured" not in names_in(told["data_type"])
    assert told["fill_value"] == {
        "a": 258,
        "b": -2.5,
        "in": {"n": "eHkA", "d": int(FILL["in"]["d"].view("<i8"))},
    }
    assert told["codecs"][0] == codecs[0]
    assert zc.open_hierarchy(copied)["/"][...].tolist() == [FILL.tolist()] * 2


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_records_of_zarr_python_are_copied_for_tensorstore(tmp_path: Path, zarr_format: Any) -> None:
    dtype = np.dtype([("a", "<i2"), ("b", "<f4")])
    values = np.array([(1, 2.5), (3, -4.5), (0, 0)], dtype)
    fill = np.array((7, 0.5), dtype)[()]
    with warnings.catch_warnings(action="ignore"):  # about a data type without specification
        made = zarr.create_array(
            tmp_path / "x", shape=(3,), chunks=(2,), dtype=dtype, fill_value=fill, zarr_format=zarr_format
        )
    made[:2] = values[:2]
    values[2] = fill
    source = zc.open_hierarchy(tmp_path / "x")
    assert source["/"][...].tolist() == values.tolist()
    execute(plan_copy(source, to=format_named("v3")), source, LocalStore(tmp_path / "y", create=True))
    for name in dtype.names or ():
        kvstore = {"driver": "file", "path": f"{tmp_path}/y"}
        theirs = tensorstore.open({"driver": "zarr3", "kvstore": kvstore, "field": name}).result()
        assert theirs.read().result().tolist() == values[name].tolist()


def test_changing_attributes_leaves_the_old_name() -> None:
    store = MemoryStore(values={"zarr.json": document([LITTLE], base64.b64encode(stored_fill("<")).decode())})
    zc.open_hierarchy(store, "r+")["/"].attributes = {"new": 1}
    told = json.loads(store.get("zarr.json") or b"")
    assert (told["attributes"], told["data_type"]["name"]) == ({"new": 1}, "structured")
    assert zc.open_hierarchy(store)["/"][0].tolist() == FILL.tolist()


def test_new_arrays_have_the_new_name() -> None:
    store = MemoryStore()
    zc.create(store).create_array("/", shape=(2,), dtype=RECORD, fill_value=FILL)
    assert names_in(json.loads(store.get("zarr.json") or b"")["data_type"]) >= {"struct"}
    assert zc.open_hierarchy(store)["/"].fill_value.tobytes() == FILL.tobytes()
