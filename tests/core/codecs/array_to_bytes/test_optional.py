"""``zarrs.optional``, with chunks that zarrs keeps as samples."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest

import zarrcore as zc
from tests.core.codecs.zarrs_pipelines import LITTLE, pipeline
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.data_type import parse_data_type
from zarrcore.metadata.fill_value import fill_value_document, parse_fill_value
from zarrcore.operations.copy import Layout, execute, plan_copy
from zarrcore.stores import MemoryStore


def optional(inner: Any, name: str = "zarrs.optional") -> dict[str, Any]:
    return {
        "name": name,
        "configuration": {"name": inner, "configuration": {}} if isinstance(inner, str) else inner,
    }


PLAIN = {"mask_codecs": [{"name": "packbits"}], "data_codecs": [LITTLE]}


NESTED = {
    "mask_codecs": [{"name": "packbits"}],
    "data_codecs": [{"name": "optional", "configuration": PLAIN}],
}


HEAD = struct.Struct("<QQ")


def hierarchy(
    data_type: Any, codec: str, configuration: Any, fill_value: Any, chunks: dict[str, bytes]
) -> MemoryStore:
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4, 4],
        "data_type": data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 2]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": fill_value,
        "codecs": [{"name": codec, "configuration": configuration}],
    }
    return MemoryStore(values={"zarr.json": json.dumps(document).encode(), **chunks})


SAMPLE = {
    "c/0/0": HEAD.pack(1, 2) + b"\x09\x00\x05",
    "c/0/1": HEAD.pack(1, 3) + b"\x0b\x02\x03\x07",
}
"""As zarrs keeps them, with the table that stands beside them: 0 N 2 3 / N 5 N 7 / … N N N N."""


@pytest.mark.parametrize("name", ["optional", "zarrs.optional"])
def test_optional_values_of_zarrs(name: str) -> None:
    store = hierarchy(optional("uint8", name), name, PLAIN, None, SAMPLE)
    array = zc.open_hierarchy(store)["/"]
    shown = [[row["value"].item() if row["is_valid"] else None for row in line] for line in array[...]]
    assert shown == [[0, None, 2, 3], [None, 5, None, 7], [None] * 4, [None] * 4]
    copied = MemoryStore()
    source = zc.open_hierarchy(store)
    execute(plan_copy(source), source, copied)
    assert {key: copied.get(key) for key in SAMPLE} == SAMPLE
    told = json.loads(copied.get("zarr.json") or b"")
    assert (told["data_type"]["name"], told["codecs"][0]["name"]) == ("zarrs.optional",) * 2
    assert told["fill_value"] is None
    assert zc.open_hierarchy(copied)["/"][...].tolist() == array[...].tolist()


def test_values_that_are_optional_twice() -> None:
    chunks = {
        "c/0/0": HEAD.pack(1, 18) + b"\x0a" + HEAD.pack(1, 1) + b"\x02\x05",
        "c/1/1": HEAD.pack(1, 0) + b"\x00",
    }
    data_type = optional(optional("uint8", "optional"), "optional")
    array = zc.open_hierarchy(hierarchy(data_type, "optional", NESTED, [None], chunks))["/"]
    missing, none = ((0, False), False), ((0, False), True)
    assert array[:2, :2].tolist() == [[missing, none], [missing, ((5, True), True)]]
    assert array[2:, 2:].tolist() == [[missing] * 2] * 2
    assert array[:2, 2:].tolist() == [[none] * 2] * 2, "the fill value is something that is missing"


@pytest.mark.parametrize(
    ("document", "value", "element"),
    [
        (optional("uint8"), None, (0, False)),
        (optional("uint8"), [42], (42, True)),
        (optional(optional("uint8")), None, ((0, False), False)),
        (optional(optional("uint8")), [None], ((0, False), True)),
        (optional(optional("uint8")), [[42]], ((42, True), True)),
        (optional("float32"), ["-Infinity"], (-np.inf, True)),
    ],
)
def test_fill_values_of_optional_types(document: Any, value: Any, element: Any) -> None:
    data_type = parse_data_type(document)
    found = parse_fill_value(value, data_type)
    assert found.tolist() == element
    assert fill_value_document(found, data_type) == value


def test_optional_values_are_written_and_copied_to_other_formats() -> None:
    store = MemoryStore()
    codecs = [
        {
            "name": "zarrs.optional",
            "configuration": {"mask_codecs": ["bytes"], "data_codecs": ["bytes", "zstd"]},
        }
    ]
    options: dict[str, Any] = {"shape": (5, 6), "chunks": (2, 3), "codecs": codecs, "fill_value": [-1]}
    array = zc.create(store).create_array("x", dtype=optional("int16"), **options)
    values = np.zeros((5, 6), array.dtype)
    values["value"] = np.arange(30).reshape(5, 6)
    values["is_valid"] = np.arange(30).reshape(5, 6) % 3 > 0
    values["value"][~values["is_valid"]] = 0
    array[:3] = values[:3]
    values[3] = values[4] = (-1, True)
    array[3, 4:] = values[3, 4:]
    assert zc.open_hierarchy(store)["x"][...].tolist() == values.tolist()
    source = zc.open_hierarchy(store)
    for to in ("v2", "v3"):
        copied = MemoryStore()
        execute(plan_copy(source, to=zc.formats.format_named(to)), source, copied)
        assert zc.open_hierarchy(copied)["x"][...].tolist() == values.tolist()
    with pytest.raises(
        UnsupportedError, match=r"'bytes' cannot store elements that may be missing: use zarrs.optional"
    ):
        plan_copy(source, layout=Layout(codecs=(NamedConfiguration("gzip"),)))
    with pytest.raises(UnsupportedError, match="'bytes' cannot store elements that may be missing"):
        zc.create(MemoryStore()).create_array("x", shape=(2,), dtype=optional("int16"))


@pytest.mark.parametrize(
    "stored",
    [b"", HEAD.pack(1, 0), HEAD.pack(1, 2) + b"\1\1", HEAD.pack(1, 1) + b"\0\1", HEAD.pack(2**63, 2**63)],
)
def test_broken_optional(stored: bytes) -> None:
    made = pipeline([("zarrs.optional", PLAIN)], parse_data_type(optional("uint8")).dtype, (2,))
    assert made.decode(HEAD.pack(1, 1) + b"\1\7").tolist() == [(7, True), (0, False)]
    with pytest.raises(CodecError):
        made.decode(stored)


def test_arrays_that_do_not_fit_are_refused() -> None:
    number = np.dtype("<i4")
    for codec in (
        ("zarrs.optional", PLAIN),
        ("zarrs.vlen", {"index_data_type": "uint32", "index_codecs": [LITTLE], "data_codecs": ["bytes"]}),
    ):
        with pytest.raises(MetadataError, match="expected elements"):
            pipeline([codec], number, (3,))
    for configuration in ({}, {"mask_codecs": ["packbits"]}, {**PLAIN, "more": 1}):
        with pytest.raises(MetadataError):
            pipeline([("zarrs.optional", configuration)], number, (3,))
    with pytest.raises(UnsupportedError, match="of string is not supported"):
        parse_data_type(optional("string"))
