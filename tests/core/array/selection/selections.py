"""Selections at random, and what NumPy and zarr-python make of them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst


@cache  # Hypothesis checks each new strategy, which takes longer than to draw from it
def integers(length: int, beyond: int = 0) -> st.SearchStrategy[int]:
    """Indices of a dimension, negative ones too, some of them out of range by up to ``beyond``."""
    low, high = -length - beyond, length - 1 + beyond
    return st.integers(low, high) if low <= high else st.nothing()


@cache
def slices() -> st.SearchStrategy[slice]:
    bounds, steps = st.none() | st.integers(-12, 12), st.none() | st.integers(-3, 4).filter(bool)
    return st.builds(slice, bounds, bounds, steps)


def index_arrays(length: int, beyond: int = 0) -> st.SearchStrategy[Any]:
    """Lists and arrays of indices of a dimension, in any order, some twice, and of several types."""
    ascending = st.sets(st.integers(0, max(0, length - 1)), max_size=length).map(sorted)
    plain = st.lists(integers(length, beyond), max_size=8) | ascending.filter(lambda _: length > 0)
    types = st.sampled_from([list, np.array, lambda indices: np.array(indices, "i2")])
    return st.builds(lambda kind, indices: kind(indices or np.zeros(0, int)), types, plain)


def masks(length: int) -> st.SearchStrategy[Any]:
    return npst.arrays(bool, length) | npst.arrays(bool, length).map(np.ndarray.tolist)


@cache
def items(length: int, beyond: int) -> st.SearchStrategy[Any]:
    return st.one_of(integers(length, beyond), slices(), index_arrays(length, beyond), masks(length))


@cache
@st.composite
def outer(draw: st.DrawFn, shape: tuple[int, ...], beyond: int = 0) -> Any:
    """An outer selection."""
    count = draw(st.integers(0, len(shape)))
    dots = draw(st.none() | st.integers(0, count))
    lengths = shape[:count] if dots is None else (*shape[:dots], *shape[len(shape) - count + dots :])
    found = [draw(items(length, beyond)) for length in lengths]
    if dots is not None:
        found.insert(dots, ...)
    return found[0] if len(found) == 1 and draw(st.booleans()) else tuple(found)


@cache
@st.composite
def points(draw: st.DrawFn, shape: tuple[int, ...], beyond: int = 0) -> Any:
    """Indices for all dimensions, which broadcast; or a mask."""
    if draw(st.integers(0, 3)) == 0:
        return draw(npst.arrays(bool, shape))
    arrays = [
        draw(_indices(one, length, beyond))
        for one, length in zip(draw(_shapes(len(shape))).input_shapes, shape, strict=True)
    ]
    return tuple(array.tolist() if array.ndim == 1 and draw(st.booleans()) else array for array in arrays)


@cache
def _shapes(count: int) -> st.SearchStrategy[Any]:
    return npst.mutually_broadcastable_shapes(num_shapes=count, max_dims=2, max_side=4, min_dims=1)


@cache
def _indices(shape: tuple[int, ...], length: int, beyond: int) -> st.SearchStrategy[Any]:
    return npst.arrays("i8", shape, elements=integers(length, beyond))


@cache
def any_selection(shape: tuple[int, ...], beyond: int = 0) -> st.SearchStrategy[Any]:
    return outer(shape, beyond) | points(shape, beyond) if shape else outer(shape)


def numpy_outer(selection: Any, shape: tuple[int, ...]) -> tuple[Any, tuple[int, ...]]:
    """The open mesh of an outer selection, and the shape of its result.

    Raises:
        IndexError: an index out of range, or a mask of another length.
    """
    items = list(selection) if isinstance(selection, tuple) else [selection]
    for at in [position for position, item in enumerate(items) if item is Ellipsis]:
        items[at : at + 1] = [slice(None)] * (len(shape) - len(items) + 1)
    items += [slice(None)] * (len(shape) - len(items))
    taken = [np.arange(length)[_index(item)] for item, length in zip(items, shape, strict=True)]
    result = tuple(len(part) for part in taken if part.ndim)
    return np.ix_(*map(np.atleast_1d, taken)), result


def _index(item: Any) -> Any:
    return np.zeros(0, int) if isinstance(item, list) and not item else item


def outcome(read: Any, *errors: type[Exception]) -> Any:
    """The elements that a call returns, or IndexError for that and for other errors.

    NumPy 2.0 only warns of an index that is out of bounds if no elements are selected.
    """
    try:
        return np.asarray(read())
    except (IndexError, DeprecationWarning, *errors):
        return IndexError


def same(found: Any, expected: Any) -> bool:
    if found is IndexError or expected is IndexError:
        return found is expected
    return found.dtype == expected.dtype and found.shape == expected.shape and np.array_equal(found, expected)
