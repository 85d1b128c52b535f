"""Elements as napari shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import zarrcore
from tests.core.conventions.nexus.files import DATA, opened
from zarrcore.interop.napari.elements import conversion_of, is_shown
from zarrcore.interop.napari.lazy_array import LazyArray
from zarrcore.stores import MemoryStore


def array(values: Any, data_type: str | None = None, **attributes: Any) -> zarrcore.Array:
    values = np.asarray(values)
    made = zarrcore.create(MemoryStore()).create_array(
        "/x", shape=values.shape, dtype=data_type or values.dtype, attributes=attributes
    )
    made[...] = values
    return made


def read(made: zarrcore.Array, *, is_labels: bool = False) -> np.ndarray:
    lazy = LazyArray(made, conversion_of(made, is_labels=is_labels))
    found = np.asarray(lazy)
    assert found.dtype == lazy.dtype
    assert np.asarray(lazy[0, 0]).dtype == lazy.dtype, "of a single element, too"
    return found


@pytest.mark.parametrize("dtype", ["u1", "i2", "u4", "i8", "f2", "f4", "f8"])
def test_numbers_stay_as_they_are(dtype: str) -> None:
    values = np.arange(6).reshape(2, 3).astype(dtype)
    assert conversion_of(array(values)) is None


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.array([[True, False]]), np.array([[1, 0]], "u1")),
        (np.array([[3 + 4j, -1]], "c8"), np.array([[5, 1]], "f4")),
        (np.array([[3 + 4j, -1]], "c16"), np.array([[5, 1]], "f8")),
        (np.array([[1.5, -2]], ml_dtypes.bfloat16), np.array([[1.5, -2]], "f4")),
        (np.array([[1, -2]], ml_dtypes.int4), np.array([[1, -2]], "i1")),
    ],
)
def test_other_types_become_numbers_that_napari_shows(values: np.ndarray, expected: np.ndarray) -> None:
    found = read(array(values))
    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    ("data_type", "wide"), [("int16", "f4"), ("uint8", "f4"), ("int32", "f8"), ("float32", "f4")]
)
def test_packed_numbers_become_values_and_missing_ones_nan(data_type: str, wide: str) -> None:
    packed = array([[1, 2, 99]], data_type, scale_factor=0.5, add_offset=10.0, _FillValue=99)
    found = read(packed)
    assert found.dtype == np.dtype(wide)
    assert np.array_equal(found, [[10.5, 11.0, np.nan]], equal_nan=True)
    assert read(packed, is_labels=True).tolist() == [[1, 2, 99]]


def test_only_arrays_of_numbers_with_two_dimensions_are_shown() -> None:
    assert is_shown(array(np.zeros((2, 3), "i4")))
    assert is_shown(array(np.zeros((2, 3), ml_dtypes.float8_e5m2)))
    for values in (np.zeros(3), np.zeros((2, 0)), np.zeros((2, 3), "M8[s]"), np.zeros((2, 3), "S3")):
        assert not is_shown(array(values))
    record = array(np.zeros((2, 3), [("a", "i4"), ("b", "f8")]))
    assert not is_shown(record)


@pytest.mark.parametrize(("dtype", "wide"), [("i2", "float32"), ("i4", "float64"), ("f4", "float32")])
def test_a_signal_of_nexus_has_its_factor_and_its_offset(tmp_path: Path, dtype: str, wide: str) -> None:
    stored = np.arange(6).reshape(2, 3).astype(dtype)
    arrays = {"counts": stored, "counts_scaling_factor": 0.5, "counts_offset": 4.0, "other": stored}
    with opened(tmp_path / "a.nxs", {"signal": "counts"}, **arrays) as hierarchy:
        found = read(hierarchy[DATA]["counts"])
        assert found.dtype == wide
        np.testing.assert_array_equal(found, (stored + 4.0) * 0.5)
        assert conversion_of(hierarchy[DATA]["other"]) is None
