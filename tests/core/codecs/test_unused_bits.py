"""Numbers of less than a byte: what stands in the rest of their bytes changes nothing, wherever they are read."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import zarrcore as zc
from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.data_type import parse_data_type
from zarrcore.metadata.fill_value import parse_fill_value, zero
from zarrcore.metadata.named_configuration import parse_named_configuration
from zarrcore.operations.copy import Layout, execute, plan_copy
from zarrcore.stores import MemoryStore
from zarrcore.typing import AnyArray

BITS = {
    **dict.fromkeys(("int2", "uint2"), 2),
    **dict.fromkeys(("int4", "uint4", "float4_e2m1fn", "complex_float4_e2m1fn"), 4),
    **dict.fromkeys(("float6_e2m3fn", "float6_e3m2fn", "complex_float6_e3m2fn"), 6),
}
STORED = np.arange(256, dtype=np.uint8)[::-1].copy()
CHAINS: dict[str, list[Any]] = {
    "plain": ["bytes"],
    "compressed": ["bytes", "zstd"],
    "transposed": [{"name": "transpose", "configuration": {"order": [1, 0]}}, "bytes"],
    "shards": [
        {
            "name": "sharding_indexed",
            "configuration": {
                "chunk_shape": [4, 4],
                "codecs": ["bytes"],
                "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
            },
        }
    ],
}


def stored(name: str, codecs: list[Any]) -> tuple[MemoryStore, AnyArray]:
    """An array of all bytes, written as the integers that they are; and what is to be read."""
    values = STORED.reshape(16, -1)
    parts = 2 if name.startswith("complex") else 1
    store = MemoryStore()
    zc.create(store).create_array(
        "/", shape=values.shape, dtype="uint8", chunks=(8, values.shape[1]), codecs=["bytes"]
    )[...] = values
    dtype = parse_data_type(name).dtype
    spec = ArraySpec((8, 16 // parts), dtype, zero(dtype))
    made = Pipeline([parse_named_configuration(codec, "") for codec in codecs], spec)
    for row in range(2):
        chunk = values[8 * row : 8 * row + 8].reshape(-1).view(dtype).reshape(spec.shape)
        store.set(f"c/{row}/0", bytes(made.encode(chunk)))
    document = json.loads(store.get("zarr.json") or b"")
    document |= {"shape": [16, 16 // parts], "data_type": name, "codecs": codecs, "fill_value": 1}
    document["chunk_grid"]["configuration"]["chunk_shape"] = list(spec.shape)
    store.set("zarr.json", json.dumps(document).encode())
    return store, (values & (1 << BITS[name]) - 1).reshape(-1).view(dtype).reshape(16, -1)


@pytest.mark.sampled(18)
@pytest.mark.parametrize("codecs", CHAINS.values(), ids=CHAINS)
@pytest.mark.parametrize("name", BITS)
def test_unused_bits_are_ignored(name: str, codecs: list[Any]) -> None:
    store, expected = stored(name, codecs)
    for options in ({}, {"chunk_cache": zc.ChunkCache(1 << 20)}):
        array = zc.open_hierarchy(store, **options)["/"]
        assert array[...].tobytes() == expected.tobytes()
        assert array[3:11, ::2].tobytes() == expected[3:11, ::2].tobytes()
        assert array[9, 1:2].tobytes() == expected[9, 1:2].tobytes(), "a part of a chunk"
        assert array[-1, -1].tobytes() == expected[-1, -1].tobytes()
    out = np.empty((16, 40), expected.dtype)
    zc.open_hierarchy(store)["/"].read(..., out=out[:, : expected.shape[1]])
    assert out[:, : expected.shape[1]].tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", BITS)
@pytest.mark.parametrize("codecs", [["packbits"], ["bytes", "zstd"]], ids=["packbits", "zstd"])
def test_copies_read_back(name: str, codecs: list[Any]) -> None:
    store, expected = stored(name, ["bytes"])
    source, copied = zc.open_hierarchy(store), MemoryStore()
    layout = Layout(codecs=tuple(map(NamedConfiguration, codecs)))
    execute(plan_copy(source, layout=layout), source, copied)
    assert zc.open_hierarchy(copied)["/"][...].tobytes() == expected.tobytes()


def test_a_small_float_is_the_number_that_its_bits_are() -> None:
    store, expected = stored("float4_e2m1fn", ["bytes"])
    assert float(zc.open_hierarchy(store)["/"][0, 13]) == 1.0, "0xf2"
    assert float(expected[0, 13]) == 1.0


def test_fields_and_codecs_on_elements() -> None:
    fields = [{"name": "a", "data_type": "int4"}, {"name": "b", "data_type": "int16"}]
    data_type = parse_data_type({"name": "struct", "configuration": {"fields": fields}})
    made = Pipeline([NamedConfiguration("bytes")], ArraySpec((2,), data_type.dtype, zero(data_type.dtype)))
    assert made.decode(b"\xff\xff\xff\xf1\2\0").tobytes() == b"\x0f\xff\xff\1\2\0"
    assert parse_fill_value([0xF7, 1, 0], data_type).tobytes() == b"\7\1\0"
    cast = NamedConfiguration("cast_value", {"data_type": "float4_e2m1fn", "rounding": "nearest-even"})
    made = Pipeline(
        [cast, NamedConfiguration("bytes")], ArraySpec((2,), np.dtype("<f4"), zero(np.dtype("<f4")))
    )
    assert made.decode(b"\xf2\x02").tolist() == [1.0, 1.0]
