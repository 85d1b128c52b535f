"""``cast_value`` against exact arithmetic: every rounding, every pair of types, every way out of range."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.codecs.array_to_array.cast_value import CastValueCodec
from zarrcore.codecs.array_to_array.real_numbers import ROUNDINGS, real_type
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.data_type import parse_data_type
from zarrcore.metadata.fill_value import zero

INTEGERS = ("int2", "uint4", "int4", "int8", "uint8", "int16", "int32", "uint32", "int64", "uint64")
FLOATS = (
    *("float4_e2m1fn", "float6_e3m2fn", "float8_e5m2", "float8_e4m3fn", "float8_e4m3b11fnuz", "float8_e3m4"),
    *("bfloat16", "float16", "float32", "float64"),
)


def codec(**configuration: object) -> CastValueCodec:
    return CastValueCodec.from_configuration(configuration)


def cast(value: object, source: str, **configuration: object) -> np.ndarray:
    dtype = parse_data_type(source).dtype
    values = np.array([value]).astype(dtype)
    return codec(**configuration).encode(values, ArraySpec((1,), dtype, zero(dtype)))


def numbers_of(name: str) -> list[float]:
    """All finite numbers of a type of few bits, in their order."""
    dtype = parse_data_type(name).dtype
    patterns = np.arange(1 << min(16, 8 * dtype.itemsize), dtype=f"u{dtype.itemsize}").view(dtype)
    with np.errstate(all="ignore"):
        return sorted({float(number) for number in patterns.astype(np.float64) if math.isfinite(number)})


def expected_float(value: Fraction, numbers: list[float], rounding: str) -> float | None:
    """The number that ``value`` is rounded to as if there were no end of the exponents; None beyond the last one."""
    step = numbers[-1] - numbers[-2]
    if abs(value) >= numbers[-1] + step:
        return None
    numbers = [numbers[0] - step, *numbers, numbers[-1] + step]
    down = numbers[bisect_right(numbers, value) - 1]
    up = numbers[bisect_left(numbers, value)]
    if down == up:
        chosen = down
    elif rounding == "towards-zero":
        chosen = down if value > 0 else up
    elif rounding.startswith("towards"):
        chosen = up if rounding == "towards-positive" else down
    else:
        below, above = value - Fraction(down), Fraction(up) - value
        ties = (up if value > 0 else down) if rounding == "nearest-away" else None
        if ties is None:
            index = bisect_left(numbers, down) - bisect_left(numbers, 0.0)
            ties = down if index % 2 == 0 else up
        chosen = down if below < above else up if above < below else ties
    return None if chosen in (numbers[0], numbers[-1]) else chosen


SMALL = {name: numbers_of(name) for name in FLOATS if parse_data_type(name).dtype.itemsize <= 2}


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_floats_are_rounded_as_asked(data: st.DataObject) -> None:
    target = data.draw(st.sampled_from(sorted(SMALL)))
    rounding = data.draw(st.sampled_from(ROUNDINGS))
    numbers = SMALL[target]
    near = st.integers(0, len(numbers) - 2).flatmap(
        lambda i: st.sampled_from(
            [
                (numbers[i] + numbers[i + 1]) / 2,
                math.nextafter((numbers[i] + numbers[i + 1]) / 2, math.inf),
                math.nextafter((numbers[i] + numbers[i + 1]) / 2, -math.inf),
                numbers[i],
            ]
        )
    )
    value = data.draw(near | st.floats(1.2 * numbers[0], 1.2 * numbers[-1]))
    expected = expected_float(Fraction(value), numbers, rounding)
    if expected is None:
        with pytest.raises(CodecError, match="is not a number of"):
            cast(value, "float64", data_type=target, rounding=rounding)
        clamped = float(cast(value, "float64", data_type=target, rounding=rounding, out_of_range="clamp")[0])
        kind = real_type(parse_data_type(target).dtype)
        assert kind is not None
        assert clamped == math.copysign(math.inf if kind.has_infinity else kind.maximum, value)
    else:
        assert float(cast(value, "float64", data_type=target, rounding=rounding)[0]) == expected


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("value", [65536.0, -70000.0, 1e30])
def test_floats_far_beyond_the_range_are_not_rounded_into_it(rounding: str, value: float) -> None:
    with pytest.raises(CodecError, match="is not a number of"):
        cast(value, "float64", data_type="float16", rounding=rounding)
    clamped = cast(value, "float64", data_type="float16", rounding=rounding, out_of_range="clamp")
    assert float(clamped[0]) == math.copysign(math.inf, value)


def rounded(value: Fraction, rounding: str) -> int:
    down, up = math.floor(value), math.ceil(value)
    if down == up:
        return down
    away = up if value > 0 else down
    match rounding:
        case "nearest-even":
            return round(value)
        case "nearest-away":
            return away if abs(value - down) == Fraction(1, 2) else round(value)
        case "towards-zero":
            return down if value > 0 else up
        case _:
            return up if rounding == "towards-positive" else down


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(
        st.tuples(st.just("float64"), st.floats(allow_nan=False, allow_infinity=False)),
        st.tuples(st.just("float64"), st.integers(-300, 300).map(lambda n: n / 2)),
        st.tuples(st.just("float64"), st.integers(-20, 20).map(lambda n: n * 2.0**62)),
        st.tuples(st.just("int64"), st.integers(-(2**63), 2**63 - 1)),
        st.tuples(st.just("uint64"), st.integers(0, 2**64 - 1)),
    ),
    st.sampled_from(INTEGERS),
    st.sampled_from(ROUNDINGS),
)
def test_whole_numbers_fit_or_are_clamped_or_wrapped(
    given_value: tuple[str, float], target: str, rounding: str
) -> None:
    source, value = given_value
    kind = real_type(parse_data_type(target).dtype)
    assert kind is not None
    whole = rounded(Fraction(value), rounding)
    if kind.minimum <= whole <= kind.maximum:
        assert int(cast(value, source, data_type=target, rounding=rounding)[0]) == whole
    else:
        with pytest.raises(CodecError, match="is not a number of"):
            cast(value, source, data_type=target, rounding=rounding)
    clamped = cast(value, source, data_type=target, rounding=rounding, out_of_range="clamp")
    assert int(clamped[0]) == min(max(whole, kind.minimum), kind.maximum)
    wrapped = int(cast(value, source, data_type=target, rounding=rounding, out_of_range="wrap")[0])
    assert kind.minimum <= wrapped <= kind.maximum
    assert (wrapped - whole) % 2**kind.bits == 0


@settings(max_examples=100, deadline=None)
@given(
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from(["float32", "float64", "bfloat16"]),
    st.sampled_from(ROUNDINGS),
)
def test_large_integers_are_rounded_once(value: int, target: str, rounding: str) -> None:
    found = Fraction(float(cast(value, "int64", data_type=target, rounding=rounding)[0]))
    bits = {"float32": 24, "float64": 53, "bfloat16": 8}[target]
    quantum = 1 << max(0, abs(value).bit_length() - bits)
    assert found == rounded(Fraction(value, quantum), rounding) * quantum


@pytest.mark.sampled(30)
@pytest.mark.parametrize("source", [*INTEGERS, *FLOATS])
@pytest.mark.parametrize("target", ["float64", "int64", "bfloat16", "uint8"])
def test_values_in_range_round_trip(source: str, target: str) -> None:
    dtype = parse_data_type(source).dtype
    values = np.array([[0, 1], [1, 0]], np.int8).astype(dtype)
    named = [
        NamedConfiguration("cast_value", {"data_type": target}),
        NamedConfiguration("bytes", {"endian": "big"}),
    ]
    pipeline = Pipeline(named, ArraySpec(values.shape, dtype, zero(dtype)))
    assert pipeline.decode(pipeline.encode(values)).tobytes() == values.tobytes()


def test_nan_infinity_and_signed_zero() -> None:
    special = np.array([np.nan, np.inf, -np.inf, -0.0])
    spec = ArraySpec((4,), special.dtype, zero(special.dtype))
    assert codec(data_type="float16").encode(special, spec).tobytes() == special.astype("<f2").tobytes()
    for target, value in (
        ("float4_e2m1fn", np.nan),
        ("float8_e4m3fn", np.inf),
        ("int8", np.nan),
        ("int8", np.inf),
    ):
        with pytest.raises(CodecError, match="is not a number of"):
            cast(value, "float64", data_type=target, out_of_range="clamp")


def test_mapped_numbers_need_not_be_in_range() -> None:
    scalar_map = {"encode": [["NaN", 0], ["NaN", 1], ["+Infinity", 255]], "decode": [[0, "NaN"]]}
    named = [
        NamedConfiguration("cast_value", {"data_type": "uint8", "scalar_map": scalar_map}),
        NamedConfiguration("bytes"),
    ]
    fill = np.array(np.nan)
    pipeline = Pipeline(named, ArraySpec((3,), fill.dtype, fill))
    assert bytes(pipeline.encode(np.array([np.nan, np.inf, 7.0]))) == bytes([0, 255, 7])
    assert pipeline.decode(b"\0\5\7").tolist()[1:] == [5.0, 7.0]
    assert np.isnan(pipeline.decode(b"\0\5\7")[0])


@pytest.mark.parametrize(
    ("configuration", "words"),
    [
        ({}, "data_type"),
        ({"data_type": "complex64"}, "real numbers"),
        ({"data_type": "string"}, "real numbers"),
        ({"data_type": "uint8", "rounding": "up"}, "rounding"),
        ({"data_type": "uint8", "out_of_range": None}, "out_of_range"),
        ({"data_type": "float32", "out_of_range": "wrap"}, "wrap around"),
        ({"data_type": "uint8", "scalar_map": {"encode": [[1]]}}, r"scalar_map.encode\[0\]"),
        ({"data_type": "uint8", "scalar_map": [1]}, "scalar_map"),
        ({"data_type": "uint8", "more": 1}, "more"),
    ],
)
def test_invalid_configurations_are_refused(configuration: dict, words: str) -> None:
    with pytest.raises(MetadataError, match=words):
        codec(**configuration)


@pytest.mark.parametrize("fill", [0.5, -1.0, np.nan])
def test_a_fill_value_must_round_trip(fill: float) -> None:
    named = [NamedConfiguration("cast_value", {"data_type": "uint8"}), NamedConfiguration("bytes")]
    with pytest.raises(MetadataError, match="fill value"):
        Pipeline(named, ArraySpec((3,), np.dtype(float), np.array(fill)))


def test_the_only_numbers_without_zero() -> None:
    assert cast(1e-30, "float64", data_type="float8_e8m0fnu", rounding="towards-positive")[0] == 2.0**-99
    assert cast(3.0, "float64", data_type="float8_e8m0fnu", rounding="nearest-away")[0] == 4.0
    for value in (0.0, -1.0):
        with pytest.raises(CodecError, match="is not a number of"):
            cast(value, "float64", data_type="float8_e8m0fnu")
