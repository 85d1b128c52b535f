"""NumPy's own spelling of its types: what is accepted, and that nothing else reaches NumPy."""

from __future__ import annotations

import contextlib
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarrcore.errors import MetadataError
from zarrcore.metadata.data_type.numpy_spelling import numpy_dtype

CODES = ["|b1", "<i2", ">f8", "<c16", ">M8[us]", "<m8[10s]", "<M8[25μs]", "<U7", "|S3", "|V9"]


@pytest.mark.parametrize("code", CODES)
def test_a_dtype_keeps_its_byte_order(code: str) -> None:
    assert numpy_dtype(code, "dtype") == np.dtype(code)


def test_fields_nest_and_have_shapes() -> None:
    value = [["ä", ">i4"], ["b", [["c", "<f8", [2, 3]], ["d", "|S4"]]], ["e", "<i2", [2.0]]]
    expected = [("ä", ">i4"), ("b", [("c", "<f8", (2, 3)), ("d", "S4")]), ("e", "<i2", (2,))]
    assert numpy_dtype(value, "dtype") == np.dtype(expected)


@pytest.mark.parametrize(
    "value",
    [
        "M8[s/0]",
        "<M8[0s]",
        "<m8[00ns]",
        "<M8[s]//1",
        "<M8[]",
        "<M8[99999999999s]",
        "i4,f4",
        "(2,)f4",
        "<f4 ",
        "<f4\n",
        "",
        "|S99999999999",
        None,
        5,
        True,
        {"names": ["a"], "formats": ["i4"]},
        [["a", "<i4"], ["a", "<i4"]],
        [["a"]],
        [[0, "<i4"]],
        [["a", "<i4", [-1]]],
        [["a", "<i4", [1 << 40]]],
        [["a", "<M8[0s]"]],
        ["<i4"],
    ],
)
def test_anything_else_is_refused_with_its_place(value: Any) -> None:
    with pytest.raises(MetadataError, match=r"^filters\[0\].dtype: expected a NumPy dtype, found"):
        numpy_dtype(value, "filters[0].dtype")


@pytest.mark.parametrize("value", ["bfloat16", "int4", "complex32", [["a", "int4"]]], ids=str)
def test_names_of_ml_dtypes_are_refused_although_numpy_takes_them(value: Any) -> None:
    assert np.dtype("int4") == ml_dtypes.int4
    with pytest.raises(MetadataError, match="dtype: expected a NumPy dtype"):
        numpy_dtype(value, "dtype")


@given(
    st.recursive(
        st.none() | st.text() | st.integers(), lambda inner: st.lists(inner, max_size=3), max_leaves=8
    )
)
@settings(max_examples=30)
def test_any_value_gives_a_dtype_or_our_error(value: Any) -> None:
    with contextlib.suppress(MetadataError):
        assert isinstance(numpy_dtype(value, "dtype"), np.dtype)
