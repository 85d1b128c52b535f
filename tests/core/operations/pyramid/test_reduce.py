"""Reducing arrays, compared with a loop over blocks."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from zarrcore.errors import UnsupportedError
from zarrcore.operations.pyramid.reduce import check_method, reduce, reduced_shape

TYPES = ["i1", "u1", "i2", "u4", "i8", "u8", "f4", "f8", "?"]


def exact(block: list[Any], method: str) -> Any:
    """One element of the result, by Python's own numbers."""
    if method == "nearest":
        return block[0]
    if method == "mode":
        return max(sorted(set(block)), key=block.count)
    return round(sum(map(Fraction, block)) / len(block))  # half to even, as Python rounds


@given(data=st.data())
@settings(max_examples=150)
def test_each_element_stands_for_its_block(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 7), min_size=1, max_size=3), "shape"))
    factors = tuple(data.draw(st.integers(1, 3), "factor") for _ in shape)
    method = data.draw(st.sampled_from(["mean", "mode", "nearest"]), "method")
    dtype = np.dtype(data.draw(st.sampled_from(["i1", "u1", "i2", "u4", "i8", "u8"]), "type"))
    values = data.draw(hnp.arrays(dtype, shape), "values")
    found = reduce(values, factors, method)
    assert (found.dtype, found.shape) == (dtype, reduced_shape(shape, factors))
    for index in product(*map(range, found.shape)):
        inside = tuple(slice(i * f, (i + 1) * f) for i, f in zip(index, factors, strict=True))
        assert found[index] == exact(values[inside].ravel().tolist(), method)


def test_means_of_real_numbers_are_those_of_numpy() -> None:
    values = np.random.default_rng(0).normal(size=(6, 9, 4)).astype("f4")
    expected = values.reshape(3, 2, 3, 3, 4).astype("f8").mean(axis=(1, 3)).astype("f4")
    assert np.array_equal(reduce(values, (2, 3, 1), "mean"), expected)
    values[0, 0] = np.nan
    assert np.isnan(reduce(values, (2, 3, 1), "mean")[0, 0]).all()
    waves = np.exp(1j * np.arange(8.0))
    assert np.allclose(reduce(waves, (2,), "mean"), waves.reshape(4, 2).mean(axis=1))
    small = np.array([1, 2, 3, 5], ml_dtypes.bfloat16)
    assert reduce(small, (2,), "mean").tolist() == [1.5, 4.0]


def test_labels_keep_their_values() -> None:
    values = np.array([[5, 5, 7], [9, 5, 7], [9, 9, 8]], "u8") + np.uint64(2**63)
    assert (reduce(values, (2, 2), "mode") - np.uint64(2**63)).tolist() == [[5, 7], [9, 8]]
    assert reduce(np.array([True, False, False]), (3,), "mode").tolist() == [False]


@pytest.mark.parametrize(
    ("method", "dtype"), [("mean", "?"), ("mean", "U3"), ("mode", "f4"), ("mode", "U3"), ("median", "i2")]
)
def test_methods_that_a_type_does_not_have_are_refused(method: str, dtype: str) -> None:
    with pytest.raises(UnsupportedError):
        check_method(method, np.dtype(dtype))


@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "c8", "bfloat16", "U3", "M8[s]"])
@pytest.mark.parametrize("method", ["mean", "mode"])
def test_only_methods_that_are_possible_are_suggested(method: str, dtype: str) -> None:
    try:
        check_method(method, np.dtype(dtype))
    except UnsupportedError as error:
        for other in str(error).partition("choose ")[2].split(" or "):
            check_method(other, np.dtype(dtype))


@pytest.mark.parametrize(("method", "dtype"), [("mean", "c8"), ("mode", "?"), ("nearest", "U3")])
def test_others_are_possible(method: str, dtype: str) -> None:
    check_method(method, np.dtype(dtype))
    assert math.prod(reduced_shape((5, 0), (2, 2))) == 0
