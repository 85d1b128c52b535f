"""Numbers of ml_dtypes: their bits, and the values that their types lack."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from zarrcore.errors import MetadataError
from zarrcore.metadata.data_type import parse_data_type
from zarrcore.metadata.data_type.small_numbers import (
    SmallNumberFamily,
    clear_unused_bits,
    finite_range,
    has_unused_bits,
    is_complex,
    part_of_complex,
    significant_bits,
    small_number_name,
)

FAMILY = SmallNumberFamily()


def test_every_name_is_a_type_whose_zero_survives_its_spelling() -> None:
    for name in FAMILY.names:
        data_type = parse_data_type(name)
        spelled = FAMILY.spell(np.zeros((), data_type.dtype), data_type)
        assert FAMILY.parse(spelled, data_type).tobytes() == bytes(data_type.dtype.itemsize), name
        if not is_complex(data_type.dtype):
            assert small_number_name(data_type.dtype) == name


@pytest.mark.parametrize(
    ("name", "minimum", "maximum"), [("int2", -2, 1), ("int4", -8, 7), ("uint2", 0, 3), ("uint4", 0, 15)]
)
def test_integers_have_the_limits_of_their_bits(name: str, minimum: int, maximum: int) -> None:
    data_type = parse_data_type(name)
    for value in (minimum, maximum):
        assert FAMILY.spell(FAMILY.parse(value, data_type), data_type) == value
    for value in (minimum - 1, maximum + 1, 0.5, "0", True):
        with pytest.raises(MetadataError, match=f"of type {name}"):
            FAMILY.parse(value, data_type)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("float4_e2m1fn", "NaN"),
        ("float4_e2m1fn", "Infinity"),
        ("float8_e4m3fn", "-Infinity"),
        ("float8_e4m3fnuz", 1e9),
        ("float8_e8m0fnu", -1),
        ("float8_e8m0fnu", -0.5),
        ("float6_e2m3fn", "0x40"),
        ("complex_float8_e4m3fn", ["Infinity", 0]),
        ("complex_bfloat16", ["x", 0]),
    ],
)
def test_values_that_a_type_lacks_are_refused(name: str, value: Any) -> None:
    with pytest.raises(MetadataError, match="fill_value"):
        FAMILY.parse(value, parse_data_type(name))


def test_bits_in_use_are_those_of_the_name() -> None:
    bits = {
        name: significant_bits(parse_data_type(name).dtype) for name in ("int2", "uint4", "float6_e3m2fn")
    }
    assert bits == {"int2": 2, "uint4": 4, "float6_e3m2fn": 6}
    assert significant_bits(np.dtype(ml_dtypes.bfloat16)) == 16
    assert [significant_bits(np.dtype(code)) for code in ("?", "<i8", "<f2", "V3")] == [1, 64, 16, 24]


def test_unused_bits_are_cleared_wherever_they_are() -> None:
    dtype = np.dtype([("a", ml_dtypes.int4), ("b", "u1"), ("c", [("d", ml_dtypes.uint2, (2,))])])
    assert has_unused_bits(dtype)
    array = np.frombuffer(bytearray(b"\xff" * 8), dtype)
    clear_unused_bits(array)
    assert array.tobytes() == b"\x0f\xff\3\3" * 2
    assert not has_unused_bits(np.dtype([("a", ml_dtypes.bfloat16), ("b", "?")]))


def test_complex_numbers_have_parts_of_one_type() -> None:
    for name, part in (
        ("complex_bfloat16", ml_dtypes.bfloat16),
        ("complex_float16", "<f2"),
        ("complex_float8_e5m2", ml_dtypes.float8_e5m2),
        ("complex64", "<f4"),
    ):
        dtype = parse_data_type(name).dtype
        assert is_complex(dtype)
        assert part_of_complex(dtype) == np.dtype(part)
    pair = np.dtype([("real", "<f4"), ("imag", "<f4")])
    assert not any(map(is_complex, (pair, np.dtype("<f4"), np.dtype(ml_dtypes.bfloat16))))


def test_finite_ranges_are_those_of_the_types() -> None:
    assert finite_range(np.dtype(ml_dtypes.bfloat16)) == (7, float(ml_dtypes.finfo(ml_dtypes.bfloat16).max))
    assert finite_range(np.dtype(ml_dtypes.float4_e2m1fn)) == (1, 6.0)
    assert finite_range(np.dtype("<f8")) == (52, float(np.finfo("f8").max))
