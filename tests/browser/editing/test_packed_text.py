"""Values of packed data: the stored number whose value is what the user typed, or none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrbrowser.editing.element_text import ElementTextError
from zarrbrowser.editing.packed_text import stored_number
from zarrcore.conventions.cf import Packing

SHORT = np.dtype("i2")


@given(
    st.integers(-32768, 32767),
    st.sampled_from([0.1, 0.01, 0.25, 1e-4, 3.7e-3, -0.5]),
    st.sampled_from([0.0, 273.15, -1e3]),
)
def test_every_value_that_is_shown_can_be_typed(stored: int, scale: float, offset: float) -> None:
    packing = Packing(scale, offset)
    shown = packing.unpacked(np.array([stored], SHORT))[0]
    assert stored_number(str(shown), SHORT, packing) == stored


def test_rounded_values_can_be_typed() -> None:
    assert stored_number("285.25", SHORT, Packing(0.01, 273.15)) == 1210


@pytest.mark.parametrize(
    ("text", "packing", "reason"),
    [
        ("1.234", Packing(0.1), "cannot be stored in steps of 0.1: the nearest values are 1.2 and 1.3"),
        ("4000", Packing(0.1), "values from -3276.8 to 3276.7 can be stored, not 4000"),
        ("inf", Packing(0.1), "not possible in packed integers"),
        ("nan", Packing(0.1), "no stored number marks a missing value"),
        ("-99.9", Packing(0.1, missing=(-999,)), "marks a missing value: type nan"),
        ("50", Packing(0.1, valid=(0, 100)), "50 is outside the valid range, 0 to 10"),
        ("1", Packing(0.0), "the scale of these numbers is 0"),
        ("x", Packing(0.1), "expected a number"),
    ],
)
def test_values_that_cannot_be_stored(text: str, packing: Packing, reason: str) -> None:
    with pytest.raises(ElementTextError) as caught:
        stored_number(text, SHORT, packing)
    assert reason in str(caught.value)


def test_missing_values() -> None:
    assert stored_number("nan", SHORT, Packing(0.1, missing=(1e9, -999))) == -999
    assert np.isnan(stored_number("NaN", np.dtype("f4"), Packing(missing=(-999.0,))))


def test_packed_floats_are_the_nearest_ones() -> None:
    found = stored_number("1.5", np.dtype("f4"), Packing(0.1, 1.0))
    assert found.dtype == np.float32
    assert abs(float(found) * 0.1 + 1.0 - 1.5) < 1e-6
    with pytest.raises(ElementTextError, match="too large"):
        stored_number("1e39", np.dtype("f4"), Packing(0.5))


def test_numbers_that_are_read_as_unsigned() -> None:
    packing = Packing(0.5, valid=(10, -6), kind="u")
    assert stored_number("100", np.dtype("i1"), packing) == np.int8(-56)
    for text, reason in (
        ("128", "values from 0 to 127.5 can be stored"),
        ("1", "outside the valid range, 5 to 125"),
    ):
        with pytest.raises(ElementTextError, match=reason):
            stored_number(text, np.dtype("i1"), packing)


@given(st.integers(0, 2**64 - 1))
def test_reinterpreted_integers_keep_all_their_digits(number: int) -> None:
    for text in (str(number), f"{number:,}"):
        found = stored_number(text, np.dtype("i8"), Packing(kind="u"))
        assert found.dtype == np.int64
        assert int(found) % 2**64 == number


def test_integers_that_need_no_scale_keep_all_their_digits() -> None:
    assert stored_number("9007199254740993", np.dtype("i8"), Packing(missing=(-1,))) == 2**53 + 1
    assert stored_number("1e3", np.dtype("i8"), Packing(missing=(-1,))) == 1000
    with pytest.raises(ElementTextError, match="from 0 to 18446744073709551615 can be stored, not -1"):
        stored_number("-1", np.dtype("i8"), Packing(kind="u"))
    with pytest.raises(ElementTextError, match="the nearest values are 1 and 2"):
        stored_number("1.5", np.dtype("i1"), Packing(kind="u"))
