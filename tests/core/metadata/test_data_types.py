"""Every data type: its document, its elements' spellings both ways, what stands in for it, and those of other packages."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.other_package import other_package
from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.data_type import (
    data_type_of,
    has_byte_order,
    parse_data_type,
    with_byte_order,
)
from zarrcore.metadata.data_type.numbers import NumberFamily
from zarrcore.metadata.data_type.small_numbers import SmallNumberFamily
from zarrcore.metadata.fill_value import fill_value_document, parse_fill_value, undefined, zero

RECORD = {
    "name": "struct",
    "configuration": {
        "fields": [
            {"name": "a", "data_type": "float32"},
            {"name": "b", "data_type": "bfloat16"},
            {
                "name": "c",
                "data_type": {"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 1}},
            },
            {"name": "d", "data_type": "complex_float8_e5m2"},
            {
                "name": "e",
                "data_type": {
                    "name": "struct",
                    "configuration": {"fields": [{"name": "x", "data_type": "r24"}]},
                },
            },
        ]
    },
}
FIXED: list[Any] = [
    *NumberFamily.names,
    *SmallNumberFamily.names,
    "r8",
    "r24",
    {"name": "raw_bytes", "configuration": {"length_bytes": 5}},
    {"name": "null_terminated_bytes", "configuration": {"length_bytes": 4}},
    {"name": "numpy.datetime64", "configuration": {"unit": "ns", "scale_factor": 10}},
    {"name": "numpy.timedelta64", "configuration": {"unit": "generic", "scale_factor": 1}},
    RECORD,
    {"name": "structured", "configuration": {"fields": [["a", "int16"], ["b", "float64"]]}},
]


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value, allow_nan=False))


@pytest.mark.parametrize("document", [*FIXED, "string", "bytes", "variable_length_bytes"], ids=str)
def test_documents_of_encodings_round_trip(document: Any) -> None:
    data_type = parse_data_type(document)
    again = parse_data_type(as_json(data_type.document()))
    assert (again, again.dtype) == (data_type, data_type.dtype)
    element = zero(data_type.dtype)
    assert parse_fill_value(None, data_type).tolist() == undefined(data_type.dtype).tolist()
    assert (
        parse_fill_value(as_json(fill_value_document(element, data_type)), data_type).tolist()
        == element.tolist()
    )


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


@pytest.mark.parametrize(
    ("document", "name"),
    [
        ({"name": "float128", "fallback": "r128"}, "r128"),
        (
            {"name": "float128", "fallback": ["float96", {"name": "float64", "configuration": {}}, "r8"]},
            "float64",
        ),
        ({"name": "float128", "fallback": {"name": "int256", "fallback": ["r256"]}}, "r256"),
        ({"name": "int8", "fallback": "unknown"}, "int8"),
    ],
)
def test_the_first_known_fallback_wins(document: Any, name: str) -> None:
    assert parse_data_type(document).name == name


@pytest.mark.parametrize("fallback", [None, [], "float96", ["float96", {"name": "float80", "fallback": []}]])
def test_without_a_known_fallback_the_error_names_the_type_itself(fallback: Any) -> None:
    with pytest.raises(UnsupportedError, match="'float128'"):
        parse_data_type({"name": "float128", "fallback": fallback})


def test_an_invalid_fallback_is_refused() -> None:
    with pytest.raises(MetadataError, match="fallback"):
        parse_data_type({"name": "float128", "fallback": [7]})


@pytest.mark.parametrize(
    ("document", "kind", "words"),
    [
        (
            {"name": "subarray", "configuration": {"data_type": "int8", "shape": [2]}},
            UnsupportedError,
            "field",
        ),
        (
            {"name": "struct", "configuration": {"fields": [["a", "string"]]}},
            UnsupportedError,
            "no fixed size",
        ),
        (
            {"name": "struct", "configuration": {"fields": [["a", "int8"], ["a", "int8"]]}},
            MetadataError,
            "fields",
        ),
        ({"name": "struct", "configuration": {"fields": [["a", "int3"]]}}, UnsupportedError, "int3"),
        ("r12", MetadataError, "multiple of 8"),
        ("r" + "9" * 30, UnsupportedError, "r999"),
        ("r9999999992", MetadataError, "256 MiB"),
        ("float8_e9m9", UnsupportedError, "float8_e9m9"),
    ],
)
def test_types_that_are_refused(document: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        parse_data_type(document)


@pytest.mark.parametrize("name", [*SmallNumberFamily.names, "string"])
def test_the_name_of_a_numpy_dtype(name: str) -> None:
    data_type = parse_data_type(name)
    if data_type.dtype.names is None:
        assert data_type_of(data_type.dtype).name == name


@pytest.mark.parametrize("dtype", [np.dtype(object), np.dtype(ml_dtypes.int1), np.dtype("g")])
def test_dtypes_without_a_name(dtype: np.dtype[Any]) -> None:
    with pytest.raises(UnsupportedError, match="data type"):
        data_type_of(dtype)


@pytest.mark.parametrize("endian", ["little", "big"])
@pytest.mark.parametrize("document", FIXED, ids=str)
def test_chunks_of_every_type_in_both_byte_orders(document: Any, endian: str) -> None:
    dtype = parse_data_type(document).dtype
    raw = np.random.default_rng(5).integers(0, 2, 6 * dtype.itemsize, np.uint8).tobytes()
    values = np.frombuffer(raw, dtype).reshape(2, 3)
    made = Pipeline([NamedConfiguration("bytes", {"endian": endian})], ArraySpec((2, 3), dtype, zero(dtype)))
    encoded = bytes(made.encode(values))
    if dtype.kind != "m":  # NumPy itself gives spans without a unit no other byte order
        assert encoded == values.astype(with_byte_order(dtype, ">" if endian == "big" else "<")).tobytes()
    assert encoded != raw or endian == "little" or not has_byte_order(dtype)
    assert made.decode(encoded).tobytes() == raw


def test_a_record_of_small_numbers_is_big_endian_in_every_field() -> None:
    dtype = np.dtype([("a", ml_dtypes.bfloat16), ("b", "<i4")])
    made = Pipeline([NamedConfiguration("bytes", {"endian": "big"})], ArraySpec((1,), dtype, zero(dtype)))
    assert bytes(made.encode(np.array([(1.0, 7)], dtype))) == bytes.fromhex("3f8000000007")


EXTENSION = '''
import math
import numpy as np
from zarrcore.errors import MetadataError
from zarrcore.metadata import DataTypeFamily

class AngleFamily(DataTypeFamily):
    """Angles, a turn in so many parts, which documents spell in degrees."""

    names = ("example.angle",)

    def dtype(self, name, configuration, member):
        if configuration.get("parts") != 256:
            raise MetadataError("expected 256", member=f"{member}.parts")
        return np.dtype("u1")

    def parse(self, value, data_type):
        if not isinstance(value, str) or not value.endswith("°"):
            raise MetadataError("expected degrees", member="fill_value")
        return np.array(round(float(value[:-1]) / 360 * 256) % 256, data_type.dtype)

    def spell(self, element, data_type):
        return f"{int(element) * 360 / 256}°"
'''


@pytest.fixture
def _installed(tmp_path: Path) -> Iterator[None]:
    names = "example.angle = angles:AngleFamily\nint8 = angles:AngleFamily\nexample.wrong = math:pi\n"
    with other_package(tmp_path, {"angles.py": EXTENSION}, "[zarrscope.data_types]\n" + names):
        yield


@pytest.mark.usefixtures("_installed")
def test_a_data_type_of_another_package(tmp_path: Path) -> None:
    path = tmp_path / "a.zarr"
    zarr.create_array(path, data=np.array([64, 128], "u1"), chunks=(1,), zarr_format=3)
    document = json.loads((path / "zarr.json").read_text())
    angle = {"name": "example.angle", "configuration": {"parts": 256}}
    (path / "zarr.json").write_text(json.dumps({**document, "data_type": angle, "fill_value": "180°"}))
    array = zarrcore.open(path)["/"]
    assert array[...].tolist() == [64, 128]
    assert array.fill_value == 128
    assert array.metadata.document()["fill_value"] == "180.0°"
    assert parse_data_type("int8").dtype == np.int8, "ours come first"
    with pytest.raises(UnsupportedError, match="not a data type class"):
        parse_data_type("example.wrong")
    with pytest.raises(MetadataError, match="expected 256"):
        parse_data_type({"name": "example.angle", "configuration": {"parts": 7}})


def test_floats_are_spelled_so_that_other_readers_know_them() -> None:
    assert fill_value_document(np.array(1.5, ml_dtypes.bfloat16)) == 1.5
    payload = np.frombuffer(struct.pack("<I", 0x7FC00001), "<f4").reshape(())
    assert fill_value_document(payload) == "0x7fc00001"
    assert math.copysign(1, fill_value_document(np.array(-0.0, ml_dtypes.float8_e5m2))) == -1
