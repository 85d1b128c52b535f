"""Ranges of real types, and the nearest numbers of other types."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarrcore.codecs.array_to_array.real_numbers import (
    ROUNDINGS,
    as_float64,
    exact,
    real_type,
    rounded_to_floats,
    rounded_to_integers,
    wrapped,
)
from zarrcore.metadata.data_type import parse_data_type


@pytest.mark.parametrize(
    "name", ["int8", "uint8", "int16", "int64", "uint64", "float16", "float32", "float64"]
)
def test_the_range_of_a_type_is_that_of_numpy(name: str) -> None:
    dtype = np.dtype(name)
    found, limits = real_type(dtype), np.iinfo(dtype) if dtype.kind in "iu" else np.finfo(dtype)
    assert found is not None
    assert (found.minimum, found.maximum) == (limits.min, limits.max)
    assert found.is_integer == (dtype.kind != "f")
    assert found.has_infinity == found.has_nan == (dtype.kind == "f")
    assert found.bits == 8 * dtype.itemsize


@pytest.mark.parametrize(
    ("name", "minimum", "maximum", "has_infinity", "has_nan", "bits"),
    [
        ("int2", -2, 1, False, False, 2),
        ("uint4", 0, 15, False, False, 4),
        ("float4_e2m1fn", -6, 6, False, False, 4),
        ("float8_e4m3fn", -448, 448, False, True, 8),
        ("float8_e5m2", -57344, 57344, True, True, 8),
        ("float8_e8m0fnu", 2.0**-127, 2.0**127, False, True, 8),
    ],
)
def test_the_range_of_a_small_type_is_that_of_its_name(
    name: str, minimum: float, maximum: float, has_infinity: bool, has_nan: bool, bits: int
) -> None:
    found = real_type(parse_data_type(name).dtype)
    assert found is not None
    assert (found.minimum, found.maximum) == (minimum, maximum)
    assert (found.has_infinity, found.has_nan, found.bits) == (has_infinity, has_nan, bits)


@pytest.mark.parametrize("dtype", ["c8", "b1", "S3", "U3", "V3", "M8[ns]", "m8[s]", np.longdouble])
def test_other_types_have_no_range(dtype: object) -> None:
    assert real_type(np.dtype(dtype)) is None


def test_integers_are_held_exactly_in_64_bits() -> None:
    for values in (np.array([2**64 - 1], "u8"), np.array([-(2**63)], ">i8"), np.array([-2], "i1")):
        assert exact(values).tolist() == values.tolist()
        assert exact(values).dtype.itemsize == 8
    assert exact(np.array([1.5], "f2")).dtype == np.float64


WHOLE = {
    "nearest-even": round,
    "towards-zero": math.trunc,
    "towards-positive": math.ceil,
    "towards-negative": math.floor,
    "nearest-away": lambda value: int(
        math.copysign(math.floor(abs(Fraction(value)) + Fraction(1, 2)), value)
    ),
}


@settings(max_examples=30)
@given(st.lists(st.floats(-1e9, 1e9) | st.integers(-99, 99).map(lambda half: half / 2), min_size=1))
def test_fractions_are_rounded_as_python_rounds_them(values: list[float]) -> None:
    assert set(WHOLE) == set(ROUNDINGS)
    for rounding, expected in WHOLE.items():
        found = rounded_to_integers(np.array(values), rounding)
        assert found.tolist() == [expected(value) for value in values]


def test_numbers_beyond_the_range_are_marked_unless_they_are_rounded_into_it() -> None:
    kind = real_type(parse_data_type("float8_e4m3fn").dtype)
    assert kind is not None
    # 464 is half a step beyond, 480 a whole step.
    values = np.array([448.0, 460.0, 464.0, 465.0, 479.0, -479.0, 480.0, -500.0])
    beyond = {
        "nearest-even": [False, False, False, True, True, True, True, True],
        "nearest-away": [False, False, True, True, True, True, True, True],
        "towards-zero": [False, False, False, False, False, False, True, True],
        "towards-positive": [False, True, True, True, True, False, True, True],
        "towards-negative": [False, False, False, False, False, True, True, True],
    }
    for rounding, expected in beyond.items():
        rounded, outside = rounded_to_floats(values, kind, rounding)
        assert outside.tolist() == expected
        assert rounded.astype(float)[~outside].tolist() == [
            math.copysign(448.0, value) for value, out in zip(values, expected, strict=True) if not out
        ]


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_a_type_without_a_sign_holds_no_number_below_its_smallest(rounding: str) -> None:
    kind = real_type(parse_data_type("float8_e8m0fnu").dtype)
    assert kind is not None
    values = np.array([0.0, -1.0, 2.0**127, 2.0**127 * 1.4, 2.0**128])
    up = rounding == "towards-positive"
    assert rounded_to_floats(values, kind, rounding)[1].tolist() == [True, True, False, up, True]


@pytest.mark.parametrize("name", ["int2", "uint4", "int8", "uint16", "int64", "uint64"])
def test_whole_numbers_wrap_as_in_twos_complement(name: str) -> None:
    kind = real_type(parse_data_type(name).dtype)
    assert kind is not None
    span = kind.maximum - kind.minimum + 1
    for values in (
        np.array([-(2**63), -1, 0, 1, 2**63 - 1]),
        np.array([-300.0, -(2.0**70), 2.0**65 + 2.0**14, 5.0]),
    ):
        for value, found in zip(values.tolist(), wrapped(values, kind).tolist(), strict=True):
            assert int(found) == (int(value) - kind.minimum) % span + kind.minimum


@pytest.mark.parametrize("sign", [1, -1])
def test_large_integers_are_rounded_to_float64_in_the_requested_way(sign: int) -> None:
    tie = sign * (2**53 + 1)  # between two numbers of float64
    inner, outer = float(sign * 2**53), float(sign * (2**53 + 2))
    expected = {
        "nearest-even": inner,
        "nearest-away": outer,
        "towards-zero": inner,
        "towards-positive": max(inner, outer),
        "towards-negative": min(inner, outer),
    }
    for rounding, value in expected.items():
        assert as_float64(np.array([tie, 7]), rounding, True).tolist() == [value, 7.0]
    # Before another rounding, the last bit records that something was lost.
    for integer in (2**60 + 1, 2**60 + 255):
        (kept,) = as_float64(np.array([sign * integer]), "nearest-even", False).tolist()
        assert abs(kept) == 2.0**60 + 256
