"""Equality of elements, compared with NumPy's own functions."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from zarrcore.operations.compare.equality import Tolerance, are_comparable, differing, largest_difference

FLOATS = hnp.arrays("f8", 5, elements=st.floats(width=64) | st.sampled_from([0.0, -0.0, 1.0, 1.5, np.nan]))


@given(
    one=FLOATS,
    other=FLOATS,
    rtol=st.sampled_from([0.0, 0.1]),
    atol=st.sampled_from([0.0, 0.5]),
    nan=st.booleans(),
)
@settings(max_examples=200)
def test_numbers_differ_where_isclose_says_so(
    one: Any, other: Any, rtol: float, atol: float, nan: bool
) -> None:
    found = differing(one, other, Tolerance(rtol, atol, nan))
    with np.errstate(all="ignore"):
        assert found.tolist() == (~np.isclose(one, other, rtol, atol, equal_nan=nan)).tolist()


@given(one=hnp.arrays("i8", 4), other=hnp.arrays("u8", 4))
def test_integers_of_two_types_are_compared_without_rounding(one: Any, other: Any) -> None:
    expected = [a != b for a, b in zip(one.tolist(), other.tolist(), strict=True)]
    assert differing(one, other, Tolerance()).tolist() == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (np.array(["a", "bc"]), np.array(["a", "bd"]), [False, True]),
        (np.array(["a", "bc"]), np.array(["a", "bc"], np.dtypes.StringDType()), [False, False]),
        (np.array(["a", "bc"], np.dtypes.StringDType()), np.array(["x", "bc"]), [True, False]),
        (np.array([b"a", b"a\0"], object), np.array([b"a", b"a"], object), [False, True]),
        (np.array([1, "NaT"], "M8[s]"), np.array([1000, "NaT"], "M8[ms]"), [False, False]),
        (np.array([1 + 2j, np.nan]), np.array([1 + 3j, np.nan]), [True, False]),
        (np.array([b"ab", b"cd"], "V2"), np.array([b"ab", b"ce"], "V2"), [False, True]),
        (np.array([1, 2], ml_dtypes.bfloat16), np.array([1, 3], ml_dtypes.bfloat16), [False, True]),
        (np.array([np.nan, 2], ml_dtypes.float8_e4m3fn), np.array([np.nan, 2], "f4"), [False, False]),
    ],
)
def test_other_types(one: Any, other: Any, expected: list[bool]) -> None:
    assert are_comparable(one.dtype, other.dtype)
    assert differing(one, other, Tolerance()).tolist() == expected


def test_records_differ_if_a_member_does() -> None:
    dtype = np.dtype([("x", "f4"), ("y", "i2", (2,))])
    one = np.array([(np.nan, (1, 2)), (1.0, (3, 4)), (1.0, (5, 6))], dtype)
    other = np.array([(np.nan, (1, 2)), (1.0, (3, 5)), (2.0, (5, 6))], dtype)
    assert differing(one, other, Tolerance()).tolist() == [False, True, True]
    assert differing(one, other, Tolerance(equal_nan=False)).tolist() == [True, True, True]
    assert differing(one, other, Tolerance(atol=1.0)).tolist() == [False, False, False]


def test_lists_of_numbers_are_compared_by_their_content() -> None:
    one, other = np.empty(3, object), np.empty(3, object)
    one[:] = [np.arange(2), np.arange(3), np.array([np.nan])]
    other[:] = [np.arange(2), np.arange(2), np.array([np.nan])]
    assert differing(one, other, Tolerance()).tolist() == [False, True, False]


def test_text_and_numbers_are_not_comparable() -> None:
    assert not are_comparable(np.dtype("U2"), np.dtype("i4"))
    assert not are_comparable(np.dtype("M8[s]"), np.dtype("m8[s]"))
    assert not are_comparable(np.dtype([("x", "i4")]), np.dtype("i4"))


def test_the_largest_difference_is_a_finite_number() -> None:
    assert largest_difference(np.array([1, 5]), np.array([2, 9])) == 4
    assert largest_difference(np.array([1.0, np.inf, np.nan]), np.array([1.5, 0.0, 0.0])) == 0.5
    assert largest_difference(np.array([np.inf]), np.array([0.0])) is None
    assert largest_difference(np.array(["a"]), np.array(["b"])) is None
    assert largest_difference(np.array([3j]), np.array([4])) == 5
