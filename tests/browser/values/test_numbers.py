"""Every data type can be drawn or has an explanation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from zarrbrowser.values.numbers import drawable_fields, meaning_of, numbers_of, why_no_picture


@pytest.mark.parametrize(
    "code", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
)
def test_numbers_are_converted_to_drawable_numbers(code: str) -> None:
    values = np.array([[0, 1], [1, 0]]).astype(code)
    drawn = numbers_of(values)
    assert why_no_picture(values.dtype) == ""
    assert drawn.dtype.kind in "iuf"
    assert drawn.dtype.itemsize <= 8
    assert np.array_equal(drawn, np.abs(values).astype(float))


def test_dates_are_counted_and_missing_ones_are_nan() -> None:
    values = np.array(["1970-01-02", "NaT"], "M8[D]")
    drawn = numbers_of(values)
    assert drawn[0] == 1
    assert np.isnan(drawn[1])
    assert meaning_of(values.dtype) == ""
    assert meaning_of(np.dtype("m8[10s]")) == "× 10 seconds"
    assert meaning_of(np.dtype("m8[ms]")) == "milliseconds"
    assert meaning_of(np.dtype("c8")) == "amplitude"


@pytest.mark.parametrize(
    "dtype", ["U4", "S4", "O", "V8", np.dtypes.StringDType(), [("name", "S3")], [("v", "f4", (2,))]]
)
def test_types_that_cannot_be_drawn_have_an_explanation(dtype: Any) -> None:
    sentence = why_no_picture(np.dtype(dtype))
    assert sentence.endswith(".")
    assert sentence[0].isupper()


def test_drawable_fields_are_listed() -> None:
    dtype = np.dtype([("a", "f4"), ("b", "S2"), ("c", "i2", (3,)), ("d", "?")])
    assert drawable_fields(dtype) == ("a", "d")
    assert why_no_picture(dtype) == ""
