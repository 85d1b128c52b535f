"""Typed text becomes an element exactly, or is refused with a reason."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrbrowser.editing.element_text import ElementTextError, element_of, why_not_typed
from zarrbrowser.table.grid import cell_text, plain_text


@pytest.mark.parametrize(
    ("text", "dtype", "wanted"),
    [
        ("TRUE", "?", True),
        ("0", "?", False),
        (" -128 ", "i1", -128),
        ("0xff", "u1", 255),
        ("18,446,744,073,709,551,615", "u8", 2**64 - 1),
        ("1.5", "f2", 1.5),
        ("-inf", "f4", -np.inf),
        ("1,234.5", "f8", 1234.5),
        ("1,234.5e-2", "f8", 12.345),
        ("1+2i", "c8", 1 + 2j),
        ("( 1 - 2j )", "c16", 1 - 2j),
        ("(1-2j)", "c16", 1 - 2j),
        ("2026-11-26", "M8[D]", np.datetime64("2026-11-26")),
        ("2026-11-26T12:30", "M8[ns]", np.datetime64("2026-11-26T12:30")),
        ("5 days", "m8[D]", np.timedelta64(5, "D")),
        ("-5", "m8[s]", np.timedelta64(-5, "s")),
        ("20", "m8[10s]", np.timedelta64(20, "s")),
        ("grüße", "U5", "grüße"),
        ("grüße", "T", "grüße"),
        ("grüße", "S7", "grüße".encode()),
        ("0x0aff", "V2", np.void(b"\x0a\xff")),
    ],
)
def test_texts_that_are_elements(text: str, dtype: str, wanted: Any) -> None:
    found = element_of(text, np.dtype(dtype))
    assert found == wanted
    assert np.asarray(found, dtype).dtype == np.dtype(dtype)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "M8[s]", "m8[s]"])
def test_nothing_is_a_value_too(dtype: str) -> None:
    text = "NaT" if dtype[0] in "Mm" else "nan"
    element = element_of(text, np.dtype(dtype))
    assert np.isnat(element) if dtype[0] in "Mm" else np.isnan(element)


@pytest.mark.parametrize(
    ("text", "dtype", "reason"),
    [
        ("yes", "?", "expected true or false"),
        ("128", "i1", "expected an integer from -128 to 127 (int8), found 128"),
        ("-1", "u1", "from 0 to 255"),
        ("1.0", "i4", "expected an integer"),
        ("1,23", "i4", "expected an integer"),
        ("", "i4", "expected an integer"),
        ("1e5", "f2", "too large for float16"),
        ("1e39", "f4", "too large for float32"),
        ("1,5", "f8", "expected a number"),
        ("1_000", "f8", "expected a number"),
        ("1e39+1j", "c8", "too large"),
        ("one", "c8", "expected a complex number"),
        ("1 2", "c8", "expected a complex number"),
        ("1_0", "c8", "expected a complex number"),
        ("0,125", "f8", "expected a number"),
        ("0,125", "i4", "expected an integer"),
        ("1,234.5,6", "f8", "expected a number"),
        ("", "M8[s]", "expected a date"),
        ("2026-11-26T12:30", "M8[D]", "counted in D"),
        ("3000-01-01", "M8[ns]", "cannot hold"),
        ("soon", "M8[D]", "expected a date"),
        ("5 hours", "m8[D]", "expected a number of D"),
        ("15", "m8[10s]", "counted in 10 s"),
        ("toolong", "U5", "at most 5 characters, not 7"),
        ("grüße", "S5", "at most 5 bytes, not 7"),
        ("0x0a", "V2", "expected 4 hexadecimal digits"),
        ("xx", "O", "cannot be typed"),
    ],
)
def test_texts_that_are_none(text: str, dtype: str, reason: str) -> None:
    with pytest.raises(ElementTextError) as caught:
        element_of(text, np.dtype(dtype))
    assert reason in str(caught.value)


def test_types_that_numpy_does_not_know() -> None:
    assert float(element_of("1.5", np.dtype(ml_dtypes.bfloat16))) == 1.5
    assert int(element_of("-8", np.dtype(ml_dtypes.int4))) == -8
    for text, kind in (("8", ml_dtypes.int4), ("1e6", ml_dtypes.float8_e4m3fn), ("x", ml_dtypes.bfloat16)):
        with pytest.raises(ElementTextError):
            element_of(text, np.dtype(kind))


def test_structures_are_typed_by_field() -> None:
    dtype = np.dtype([("a", "i4"), ("b", "f8")])
    assert "structured" in why_not_typed(dtype)
    assert why_not_typed(dtype["b"]) == ""
    with pytest.raises(ElementTextError):
        element_of("1", dtype)


@given(st.integers(-(2**63), 2**63 - 1))
def test_integers_as_shown_are_read_back(number: int) -> None:
    element = np.int64(number)
    for text in (cell_text(element), plain_text(element)):
        assert element_of(text, element.dtype) == element


@given(st.floats(width=32))
def test_floats_as_copied_are_read_back(number: float) -> None:
    element = np.float32(number)
    found = element_of(plain_text(element), element.dtype)
    assert found == element or (np.isnan(found) and np.isnan(element))
