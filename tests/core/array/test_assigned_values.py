"""Assigned values are converted to elements of the array's type, or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from zarrcore.array.assigned_values import as_elements
from zarrcore.errors import ElementError


def test_arrays_are_converted_as_numpy_assigns_and_broadcast() -> None:
    assert as_elements(np.array([1.9, -1.2]), np.dtype("i2"), (3, 2)).tolist() == [[1, -1]] * 3
    assert as_elements(np.ones((1, 1, 2)), np.dtype("f4"), (2,)).shape == (2,)
    assert as_elements("ab", np.dtype("S3"), ()).tolist() == b"ab"


@pytest.mark.parametrize(
    ("value", "dtype", "shape", "why"),
    [
        (300, "u1", (), "expected elements of uint8"),
        ("x", "f4", (), "expected elements of float32"),
        ([1, 2], "i4", (3,), r"expected values of shape \(3,\), found \(2,\)"),
        (["text"], "O", (1,), "expected only bytes"),
    ],
)
def test_values_that_do_not_fit_are_refused(value: Any, dtype: str, shape: tuple[int, ...], why: str) -> None:
    with pytest.raises(ElementError, match=why):
        as_elements(value, np.dtype(dtype), shape)


@pytest.mark.parametrize("unit", ["", "[s]"])
@pytest.mark.parametrize("kind", ["M8", "m8"])
def test_times_of_the_other_byte_order_keep_their_counts(kind: str, unit: str) -> None:
    values = np.array([1, 2], ">i8").view(f">{kind}{unit}")
    elements = as_elements(values, np.dtype(f"<{kind}{unit}"), (2,))
    assert elements.tobytes() == np.array([1, 2], "<i8").tobytes()
