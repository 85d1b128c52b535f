"""``bitround``: the registry's sample data, numcodecs' rounding, and the nearest of the numbers that remain."""

from __future__ import annotations

import ml_dtypes
import numcodecs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.errors import MetadataError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.data_type import parse_data_type
from zarrcore.metadata.fill_value import zero

LITTLE = NamedConfiguration("bytes", {"endian": "little"})


def rounded(values: np.ndarray, keepbits: int) -> np.ndarray:
    spec = ArraySpec(values.shape, values.dtype, zero(values.dtype))
    made = Pipeline([NamedConfiguration("bitround", {"keepbits": keepbits}), LITTLE], spec)
    return made.decode(made.encode(values))


def test_the_registrys_samples() -> None:
    floats = np.array([0.0, 0.1, 1.2, 12.3, 123.4, 1234.5, np.nan, np.inf, -np.inf], "<f4")
    expected = [0.0, 0.1015625, 1.25, 12.0, 120.0, 1280.0, np.nan, np.inf, -np.inf]
    assert rounded(floats, 3).tobytes() == np.array(expected, "<f4").tobytes()
    integers = np.array([0, 1, 10, 11, 100, 123, 200, 208, 209, 255], "u1")
    assert rounded(integers, 3).tolist() == [0, 1, 10, 12, 96, 128, 192, 192, 224, 224]


@given(
    st.sampled_from(["<f2", "<f4", "<f8"]),
    st.lists(st.floats(-1000, 1000, width=16), min_size=1, max_size=9),
    st.integers(1, 9),
)
def test_floats_are_rounded_as_numcodecs_does(code: str, numbers: list[float], keepbits: int) -> None:
    values = np.array(numbers, code)
    expected = numcodecs.BitRound(keepbits).encode(values.copy()).view(code)
    assert rounded(values, keepbits).tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    "name",
    ["bfloat16", "float16", "float8_e5m2", "float8_e4m3fn", "float8_e3m4", "float6_e2m3fn", "float4_e2m1fn"],
)
def test_every_float_stays_finite_near_and_of_its_sign(name: str) -> None:
    dtype = parse_data_type(name).dtype
    size = 1 << (16 if dtype.itemsize == 2 else {"float4_e2m1fn": 4, "float6_e2m3fn": 6}.get(name, 8))
    values = np.arange(size).astype(f"u{dtype.itemsize}").view(dtype)
    found = rounded(values, 1)
    with np.errstate(all="ignore"):
        before, after = values.astype(np.float64), found.astype(np.float64)
    finite = np.isfinite(before)
    assert np.array_equal(np.isfinite(after), finite)
    assert found[~finite].tobytes() == values[~finite].tobytes()
    before, after = before[finite], after[finite]
    assert np.array_equal(np.signbit(after), np.signbit(before))
    subnormal = np.abs(before) < float(ml_dtypes.finfo(dtype).smallest_normal)
    assert (subnormal | (np.abs(after - before) <= np.abs(before) / 2)).all()


@given(st.sampled_from(["i1", "u1", "<i4", "<u4", "<i8", "<u8", "<M8[s]"]), st.integers(1, 8), st.data())
def test_integers_keep_their_highest_bits(code: str, keepbits: int, data: st.DataObject) -> None:
    dtype = np.dtype(code)
    limits = np.iinfo("i8" if dtype.kind == "M" else dtype)
    value = data.draw(st.integers(int(limits.min), int(limits.max)))
    values = np.array([value], "i8" if dtype.kind == "M" else dtype).view(dtype)
    found = int(rounded(values, keepbits).view("i8" if dtype.kind == "M" else dtype)[0])
    drop = max(0, abs(value).bit_length() - keepbits)
    quantum = 1 << drop
    nearest = round(abs(value) / quantum) * quantum if abs(value) < 2**53 else None
    assert found % quantum == 0
    assert abs(found - value) < quantum
    if nearest is not None and nearest <= limits.max:
        assert abs(found) == nearest


def test_types_that_are_not_numbers_are_refused() -> None:
    with pytest.raises(MetadataError, match="numbers"):
        rounded(np.array(["a"]), 3)
    with pytest.raises(MetadataError, match="keepbits"):
        rounded(np.array([1.0]), 0)


def test_keeping_more_bits_than_exist_keeps_everything() -> None:
    values = np.arange(-3, 4, dtype="<i2")
    assert rounded(values, 10**30).tolist() == values.tolist()
