"""Quantities as text: numbers, time spans, elements of every kind, and bounds of the contrast."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarrbrowser.values.quantities import count, format_duration, format_level, format_value


def test_zero_and_many_are_plural() -> None:
    assert count(0, "chunk") == "0 chunks"
    assert count(1_234_567, "child", "children") == "1,234,567 children"
    assert count(1, "child", "children") == "1 child"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "under 1 ms"),
        (0.001, "1 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1.0 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min 0 s"),
        (60, "1 min 0 s"),
        (119.6, "2 min 0 s"),
        (7265, "121 min 5 s"),
    ],
)
def test_a_time_span_is_rounded_to_the_next_unit(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


NESTED = np.dtype([("at", [("x", "i2"), ("y", "i2")]), ("name", "S4")])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.array(((1, -2), b"ab"), NESTED)[()], "(at = (x = 1, y = -2), name = ab)"),
        (np.arange(9, dtype=np.uint8), "(0, 1, 2, 3, 4, 5, 6, 7, …)"),
        (np.arange(4).reshape(2, 2), "((0, 1), (2, 3))"),
        (np.array([]), "()"),
        (np.void(b"\x01\xff"), "0x01ff"),
        (np.datetime64("2020-02-29T12"), "2020-02-29T12"),
        (np.datetime64("NaT", "s"), "NaT"),
        (np.timedelta64(12_000, "D"), "12000 days"),
        (np.float64("nan"), "nan"),
        (np.uint64(2**64 - 1), "18,446,744,073,709,551,615"),
        (False, "false"),
        (np.str_("naïve\t細"), "naïve\t細"),
        (np.complex64(1 - 2j), "(1-2j)"),
    ],
)
def test_an_element_of_any_kind_has_a_text(value: Any, text: str) -> None:
    assert format_value(value) == text


@settings(max_examples=30)
@given(st.floats(1, 1e12), st.integers(0, 11), st.sampled_from([-1, 1]))
def test_two_bounds_that_differ_have_different_texts(size: float, digits: int, sign: int) -> None:
    low, span = sign * size, size * 10.0**-digits
    assert format_level(low, span) != format_level(low + span, span)
    assert float(format_level(low, span)) == pytest.approx(low, abs=span / 100)


def test_a_bound_without_a_span_has_six_digits() -> None:
    assert format_level(123_456_789.0) == "1.23457e+08"
    assert format_level(2.0, 0.0) == "2"
    assert format_level(0.0, 5.0) == "0"
