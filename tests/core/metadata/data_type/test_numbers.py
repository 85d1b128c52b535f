"""The number types of NumPy: spellings of their elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from zarrcore.errors import MetadataError
from zarrcore.metadata.data_type import parse_data_type
from zarrcore.metadata.data_type.numbers import NumberFamily, parse_float, spell_float
from zarrcore.typing import AnyArray

FAMILY = NumberFamily()


def parse(name: str, value: Any) -> AnyArray:
    return FAMILY.parse(value, parse_data_type(name))


def test_integers_are_accepted_up_to_their_limits() -> None:
    for name in ("int8", "int64", "uint8", "uint64"):
        limits = np.iinfo(name)
        for value in (int(limits.min), int(limits.max), 1.0):
            element = parse(name, value)
            assert (element.item(), element.dtype, element.shape) == (value, np.dtype(name), ())
            assert FAMILY.spell(element, parse_data_type(name)) == value
        for value in (int(limits.min) - 1, int(limits.max) + 1, 1.5, math.inf, math.nan, True, "1", [1], {}):
            with pytest.raises(MetadataError, match=f"of type {name}"):
                parse(name, value)


def test_booleans_may_be_spelled_as_0_and_1() -> None:
    assert [parse("bool", value).item() for value in (True, False, 1, 0)] == [True, False, True, False]
    assert FAMILY.spell(np.array(True), parse_data_type("bool")) is True
    for value in (2, 1.0, "true", [True]):
        with pytest.raises(MetadataError, match="of type bool"):
            parse("bool", value)


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        ("NaN", 0x7E00),
        ("+Infinity", 0x7C00),
        ("-Infinity", 0xFC00),
        (65504, 0x7BFF),
        (1e5, 0x7C00),
        (-(10**400), 0xFC00),
        (10**400, 0x7C00),
        (-0.0, 0x8000),
        ("0x7e01", 0x7E01),
        ("0b1", 0x0001),
        ("0xffff", 0xFFFF),
    ],
)
def test_floats_are_numbers_words_or_bits(value: Any, bits: int) -> None:
    assert int(parse("float16", value).view("<u2")) == bits


@pytest.mark.parametrize("value", ["nan", "inf", "1.0", "0x", "0b2", "0x10000", "0x-1", True, [1.0], {}])
def test_other_spellings_of_floats_are_refused(value: Any) -> None:
    with pytest.raises(MetadataError, match="of type float16"):
        parse("float16", value)


def test_a_number_of_fewer_bits_than_its_bytes_uses_no_others() -> None:
    data_type, dtype = parse_data_type("uint8"), np.dtype("u1")
    assert parse_float("0x3f", data_type, dtype, 6).item() == 63
    with pytest.raises(MetadataError):
        parse_float("0x40", data_type, dtype, 6)


def test_complex_numbers_have_two_parts_or_only_the_real_one() -> None:
    assert parse("complex64", [1, -2.5]).item() == 1 - 2.5j
    assert parse("complex128", 3).item() == 3
    element = parse("complex_float32", ["NaN", "0x80000000"])
    assert element.tobytes() == b"\0\0\xc0\x7f\0\0\0\x80"
    assert FAMILY.spell(element, parse_data_type("complex64")) == ["NaN", -0.0]
    for value in ([1], [1, 2, 3], {}, [1, [2]], True):
        with pytest.raises(MetadataError, match="of type complex64"):
            parse("complex64", value)


def test_a_nan_with_a_payload_is_spelled_by_its_bits() -> None:
    payload = np.array(0x7FC00001, "<u4").view("<f4")
    assert spell_float(payload) == "0x7fc00001"
    assert spell_float(np.array(np.nan, "<f4")) == "NaN"
    assert [spell_float(np.array(value, "<f8")) for value in (1.5, np.inf, -np.inf)] == [
        1.5,
        "Infinity",
        "-Infinity",
    ]
