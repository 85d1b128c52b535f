"""Fill values: every spelling of every type, both ways."""

import json
import math
import struct
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.metadata.data_types import FIXED, RECORD, as_json
from zarrcore.errors import MetadataError
from zarrcore.metadata.data_type import data_type_of, parse_data_type
from zarrcore.metadata.fill_value import fill_value_document, parse_fill_value


@pytest.mark.parametrize(
    ("name", "value", "bits"),
    [
        ("float32", "NaN", 0x7FC00000),
        ("float32", "0x7fc0dead", 0x7FC0DEAD),
        ("float32", "0xff800001", 0xFF800001),
        ("float32", "+Infinity", 0x7F800000),
        ("float32", "-Infinity", 0xFF800000),
        ("float32", -0.0, 0x80000000),
        ("float32", 1e300, 0x7F800000),
        ("float32", 16777217, 0x4B800000),
        ("float32", "0b01111111110000000000000000000001", 0x7FC00001),
        ("int32", -1, 0xFFFFFFFF),
        ("uint32", 4294967295, 0xFFFFFFFF),
        ("float32", None, 0),
    ],
)
def test_fill_values_keep_their_bits(name: str, value: object, bits: int) -> None:
    assert int(parse_fill_value(value, parse_data_type(name)).view("<u4")) == bits


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("int8", 128),
        ("uint8", -1),
        ("int32", 1.5),
        ("bool", 2),
        ("bool", "x"),
        ("float32", "0x7fc000001"),
        ("r16", [1, 2, 3]),
        ("r16", [1]),
        ("r16", {}),
        ("r16", 3),
        ("int32", True),
        ("float32", True),
        ({"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}, "abc"),
    ],
)
def test_fill_values_out_of_range(name: object, value: object) -> None:
    with pytest.raises(MetadataError, match="fill_value"):
        parse_fill_value(value, parse_data_type(name))


@given(
    st.sampled_from(["<f2", "<f4", "<f8", "<c8", "<c16", "<i8", "<u8", "|b1", "<M8[ns]", "<m8[3s]", "|V5"]),
    st.binary(min_size=16, max_size=16),
)
def test_fill_values_survive_their_spelling(code: str, raw: bytes) -> None:
    data_type = data_type_of(np.dtype(code))
    raw = bytes([raw[0] & 1]) if code == "|b1" else raw[: data_type.dtype.itemsize]
    element = np.frombuffer(raw, data_type.dtype).reshape(())
    spelled = json.loads(json.dumps(fill_value_document(element), allow_nan=False))
    assert parse_fill_value(spelled, data_type).tobytes() == raw


@settings(max_examples=400)
@given(st.sampled_from(FIXED), st.binary(min_size=32, max_size=32))
def test_elements_of_any_bits_survive_their_spelling(document: Any, raw: bytes) -> None:
    data_type = parse_data_type(document)
    dtype, name = data_type.dtype, data_type.name
    raw = raw[: dtype.itemsize]
    if name == "bool" or name.startswith(("int2", "int4", "uint2", "uint4", "float4", "float6")):
        bits = (
            1
            if name == "bool"
            else int(name.removeprefix("uint").removeprefix("int").removeprefix("float")[0])
        )
        raw = bytes([raw[0] % 2**bits]) if len(raw) == 1 else raw
    if name.startswith(("complex_float4", "complex_float6")):
        raw = bytes(byte % 2 ** int(name[len("complex_float")]) for byte in raw)
    element = np.frombuffer(raw, dtype).reshape(())
    spelled = as_json(fill_value_document(element, data_type))
    assert parse_fill_value(spelled, data_type).tobytes() == raw


@given(st.text(st.characters(codec="utf-8")), st.binary())
def test_strings_and_bytes_survive_their_spelling(text: str, raw: bytes) -> None:
    for name, value in (("string", text), ("bytes", raw)):
        data_type = parse_data_type(name)
        element = parse_fill_value(as_json(text) if name == "string" else list(raw), data_type)
        assert element.item() == value
        assert not element.flags.writeable
        assert parse_fill_value(as_json(fill_value_document(element, data_type)), data_type).item() == value


@pytest.mark.parametrize(
    ("name", "value", "raw"),
    [
        ("bfloat16", "NaN", "c07f"),
        ("bfloat16", "0x7fc1", "c17f"),
        ("bfloat16", "-Infinity", "80ff"),
        ("bfloat16", "0b0011111110000000", "803f"),
        ("bfloat16", -0.0, "0080"),
        ("float8_e3m4", "NaN", "78"),
        ("float8_e4m3b11fnuz", "NaN", "80"),
        ("float8_e8m0fnu", "NaN", "ff"),
        ("float8_e8m0fnu", 1, "7f"),
        ("float8_e8m0fnu", 0, "00"),
        ("float4_e2m1fn", "0xf", "0f"),
        ("float4_e2m1fn", -6, "0f"),
        ("int4", -8, "08"),
        ("int2", 1.0, "01"),
        ("uint4", 15, "0f"),
        ("complex64", ["NaN", "0x00000001"], "0000c07f01000000"),
        ("complex_float32", 1, "0000803f00000000"),
        ("complex_bfloat16", [1, "Infinity"], "803f807f"),
        ("complex_float16", ["-0x0", 0], None),
        ("r16", [1, 255], "01ff"),
        ("r16", "Af8=", "01ff"),
        (RECORD, {"a": "NaN", "e": {"x": [1, 2, 3]}}, "0000c07f" + "00" * 12 + "010203"),
    ],
)
def test_spellings_of_the_registry(name: Any, value: Any, raw: str | None) -> None:
    data_type = parse_data_type(name)
    if raw is None:
        with pytest.raises(MetadataError, match="fill_value"):
            parse_fill_value(value, data_type)
    else:
        assert parse_fill_value(value, data_type).tobytes().hex() == raw


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("float4_e2m1fn", "NaN"),
        ("float4_e2m1fn", "Infinity"),
        ("float4_e2m1fn", "0x10"),
        ("float6_e2m3fn", "0b1000000"),
        ("float8_e4m3fn", "Infinity"),
        ("float8_e4m3fn", 1e9),
        ("float8_e8m0fnu", -1),
        ("float8_e5m2", "0x100"),
        ("bfloat16", True),
        ("int4", 8),
        ("int2", -3),
        ("uint4", -1),
        ("uint2", 0.5),
        ("complex_float4_e2m1fn", ["NaN", 0]),
        ("complex_bfloat16", [1, 2, 3]),
        ("string", ["a"]),
        ("string", 5),
        ("string", "\ud800"),
        ("bytes", "not base64!"),
        ("bytes", [256]),
        ("bytes", [True]),
        ("bytes", [0.5]),
        ("bytes", {"a": 1}),
        (RECORD, {"z": 1}),
        (RECORD, {"a": "x"}),
        (RECORD, "AAAA"),
    ],
)
def test_invalid_elements_are_refused(name: Any, value: Any) -> None:
    with pytest.raises(MetadataError, match="fill_value"):
        parse_fill_value(value, parse_data_type(name))


def test_floats_are_spelled_so_that_other_readers_know_them() -> None:
    assert fill_value_document(np.array(1.5, ml_dtypes.bfloat16)) == 1.5
    payload = np.frombuffer(struct.pack("<I", 0x7FC00001), "<f4").reshape(())
    assert fill_value_document(payload) == "0x7fc00001"
    assert math.copysign(1, fill_value_document(np.array(-0.0, ml_dtypes.float8_e5m2))) == -1
