"""``scale_offset``: the arithmetic of each type, and nothing lost silently."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.codecs.array_to_array.real_numbers import real_type
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.data_type import parse_data_type
from zarrcore.metadata.fill_value import zero


def pipeline(
    data_type: str, configuration: dict[str, Any], *more: NamedConfiguration, fill: Any = None
) -> Pipeline:
    dtype = parse_data_type(data_type).dtype
    named = [
        NamedConfiguration("scale_offset", configuration),
        *more,
        NamedConfiguration("bytes", {"endian": "little"}),
    ]
    return Pipeline(named, ArraySpec((2,), dtype, zero(dtype) if fill is None else np.array(fill, dtype)))


INTEGERS = ("int2", "uint4", "int4", "int8", "uint8", "int16", "uint32", "int64", "uint64")


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_integers_are_those_of_python_or_an_error(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(INTEGERS))
    kind = real_type(parse_data_type(name).dtype)
    assert kind is not None
    low, high = int(kind.minimum), int(kind.maximum)
    any_number = st.integers(low, high) | st.integers(max(low, -5), min(high, 5))
    offset, scale = data.draw(any_number), data.draw(any_number.filter(bool))
    values = data.draw(st.lists(any_number, min_size=2, max_size=2))
    made = pipeline(name, {"offset": offset, "scale": scale}, fill=offset)
    array = np.array(values, object).astype(np.int64 if low else np.uint64).astype(kind.dtype)
    on_the_way = [value - offset for value in values] + [(value - offset) * scale for value in values]
    if not all(low <= number <= high for number in on_the_way):
        with pytest.raises(CodecError, match="leaves the range"):
            made.encode(array)
        return
    encoded = made.encode(array)
    stored = np.frombuffer(encoded, kind.dtype)
    assert [int(number) for number in stored] == [(value - offset) * scale for value in values]
    assert made.decode(encoded).tobytes() == array.tobytes()


@pytest.mark.parametrize(
    "name", ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]
)
def test_floats_are_those_of_the_type(name: str) -> None:
    dtype = parse_data_type(name).dtype
    made = pipeline(name, {"offset": 5, "scale": 0.5})
    values = np.array([7.0, -1.25]).astype(dtype)
    five, half = np.array(5.0).astype(dtype), np.array(0.5).astype(dtype)
    encoded = made.encode(values)
    assert bytes(encoded) == ((values - five) * half).tobytes()
    stored = np.frombuffer(encoded, dtype)
    assert made.decode(encoded).tobytes() == (stored / half + five).tobytes()
    with pytest.raises(CodecError, match="leaves the range"):
        pipeline(name, {"scale": 2}).encode(np.array([1, real_type(dtype).maximum]).astype(dtype))


def test_nan_and_infinity_stay() -> None:
    made = pipeline("float32", {"offset": 1, "scale": 3})
    special = np.array([np.nan, -np.inf], "<f4")
    assert made.decode(made.encode(special)).tobytes() == special.tobytes()


def test_the_registrys_example_keeps_nan() -> None:
    scalar_map = {"encode": [["NaN", 0]], "decode": [[0, "NaN"]]}
    cast = NamedConfiguration("cast_value", {"data_type": "uint8", "scalar_map": scalar_map})
    made = pipeline("float64", {"offset": -10, "scale": 0.1}, cast, fill=np.nan)
    assert bytes(made.encode(np.array([np.nan, 2540.0]))) == bytes([0, 255])
    assert made.decode(b"\x00\x01").tolist()[1] == 0.0


def test_an_integer_that_the_scale_does_not_divide() -> None:
    with pytest.raises(CodecError, match="does not divide"):
        pipeline("uint8", {"scale": 3}).decode(b"\x03\x04")


@pytest.mark.parametrize(
    ("name", "configuration", "words"),
    [
        ("float32", {"scale": 0}, "scale"),
        ("uint8", {"offset": 300}, "fill_value"),
        ("uint8", {"offset": 1}, "the fill value cannot be encoded"),
        ("complex64", {}, "real numbers"),
        ("float32", {"offset": None}, "offset"),
        ("float32", {"factor": 1}, "factor"),
    ],
)
def test_invalid_configurations_are_refused(name: str, configuration: dict[str, Any], words: str) -> None:
    with pytest.raises(MetadataError, match=words):
        pipeline(name, configuration)


def test_without_parameters_nothing_changes() -> None:
    assert bytes(pipeline("int16", {}).encode(np.array([1, -1], "<i2"))) == b"\1\0\xff\xff"
