"""Attributes may hold anything."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.conventions.values import is_count, items, mapping, number, numbers, objects, text

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from([10**400, b"ab"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(ANYTHING)
def test_the_type_is_as_promised_whatever_the_value(value: Any) -> None:
    assert isinstance(text(value), str)
    assert isinstance(mapping(value), dict)
    assert all(isinstance(item, dict) for item in objects(value))
    assert isinstance(items(value), list | tuple)
    found = numbers(value)
    assert found is None or all(isinstance(item, float) and math.isfinite(item) for item in found)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3.0),
        (-0.5, -0.5),
        (True, None),
        ("3", None),
        (math.nan, None),
        (math.inf, None),
        (10**400, None),
        (None, None),
    ],
)
def test_number(value: Any, expected: float | None) -> None:
    assert number(value) == expected


@pytest.mark.parametrize(
    ("value", "length", "expected"),
    [
        ([1, 2], None, (1, 2)),
        ([1, 2], 2, (1, 2)),
        ([1, 2], 3, None),
        ([], None, ()),
        ([1, "2"], None, None),
        ("12", None, None),
        (7, None, None),
    ],
)
def test_numbers(value: Any, length: int | None, expected: tuple[float, ...] | None) -> None:
    assert numbers(value, length) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [(0, True), (7, True), (-1, False), (True, False), (1.0, False), ("1", False)]
)
def test_counts(value: Any, expected: bool) -> None:
    assert is_count(value) is expected
