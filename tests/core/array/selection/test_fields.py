"""Names among the indices of ``array[…]`` select fields, with NumPy as the truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zarrcore as zc
from zarrcore.errors import SelectionError
from zarrcore.stores import MemoryStore
from zarrcore.typing import AnyArray

DTYPE = np.dtype([("a", "<i4"), ("b", "<f8"), ("place", [("x", "<i2"), ("y", "<i2")])])
ELEMENTS = np.array([[(10 * i + j, i / 3, (i, j)) for j in range(5)] for i in range(7)], DTYPE)


def opened(elements: AnyArray = ELEMENTS) -> Any:
    hierarchy = zc.create(MemoryStore(), "v2")
    array = hierarchy.create_array("/a", shape=elements.shape, dtype=elements.dtype, chunks=(3, 2))
    array[...] = elements
    return array


ARRAY = opened()
FIELDS = st.sampled_from(["a", "b", "place", ["a"], ["b", "a"], ["place", "b"]])
INDICES = st.sampled_from([(), (...,), (2,), (slice(1, 6, 2),), (3, slice(None)), (..., 1), (2, 4)])


@given(field=FIELDS, indices=INDICES, position=st.integers(0, 2))
def test_a_field_reads_as_numpy_selects_it(field: Any, indices: tuple[Any, ...], position: int) -> None:
    selection = [*indices]
    selection.insert(position, field)
    found = ARRAY[tuple(selection) if indices else field]
    expected = ELEMENTS[field][indices or ...]
    assert found.dtype.names == expected.dtype.names
    assert np.array_equal(found, expected)
    assert np.ndim(found) == np.ndim(expected)
    if isinstance(found, np.ndarray):
        assert found.nbytes == found.size * found.dtype.itemsize
        assert found.base is None or found.base.nbytes <= found.nbytes, "other fields take no memory"


@given(field=st.sampled_from(["a", "b", ["b", "a"]]), indices=INDICES)
def test_a_written_field_leaves_the_others_alone(field: Any, indices: tuple[Any, ...]) -> None:
    array, expected = opened(), ELEMENTS.copy()
    value: Any = (1.5, 7) if isinstance(field, list) else 9
    array[(field, *indices)] = value
    expected[field][indices or ...] = np.array(value, expected[field].dtype)
    assert np.array_equal(array[...], expected)


@pytest.mark.parametrize(
    ("selection", "sentence"),
    [
        ("z", "there is no field 'z'; the fields are a, b, place"),
        ((["a", "z"], 0), "there is no field 'z'"),
        (("a", "b"), "put the names of several fields into one list"),
        (["a", "a"], "a field is selected twice"),
        (("a", 9), r"dimension 0: indices must be in \[0, 7\), found 9"),
    ],
)
def test_other_names_are_refused(selection: Any, sentence: str) -> None:
    with pytest.raises(SelectionError, match=sentence):
        ARRAY[selection]
    with pytest.raises(SelectionError, match=sentence):
        opened()[selection] = 0


def test_elements_without_fields() -> None:
    array = zc.create(MemoryStore(), "v3").create_array("/a", shape=(3,), dtype="int16")
    with pytest.raises(SelectionError, match="'x' names a field, but elements of int16 have none"):
        array["x"]
