"""Elements as numbers: parts of complex numbers, packed numbers, missing values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.browser.fakes import FakeArray
from zarrbrowser.values.elements import Elements, Part, elements_of, fill_of, largest, may_mask
from zarrcore.conventions.cf import Packing, packing_of


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (Part.AMPLITUDE, [5, 2]),
        (Part.PHASE, [np.arctan2(4, 3), np.pi]),
        (Part.REAL, [3, -2]),
        (Part.IMAGINARY, [4, 0]),
    ],
)
def test_parts_of_complex_numbers_are_those_of_numpy(part: Part, expected: list[float]) -> None:
    numbers, is_fill = Elements(part=part).numbers(np.array([3 + 4j, -2 + 0j], np.complex64))
    assert numbers == pytest.approx(expected)
    assert is_fill is None


def test_packed_numbers_are_unpacked_and_missing_ones_are_nan() -> None:
    array = FakeArray(np.array([[-999, 0, 10]], np.int16))
    array.attributes = {"_FillValue": -999, "missing_value": [-999], "scale_factor": 0.5, "add_offset": 273.0}
    packing = packing_of(array)
    assert packing == Packing(0.5, 273.0, (-999.0,))
    numbers, is_fill = Elements(packing=packing).numbers(array.values)
    assert numbers.tolist()[0][1:] == [273, 278]
    assert is_fill is not None
    assert is_fill.tolist() == [[True, False, False]]
    assert np.isnan(Elements(packing=packing).known(array.values)).tolist() == [[True, False, False]]
    plain, is_fill = Elements().numbers(array.values)
    assert plain is array.values
    assert is_fill is None


def test_the_fill_value_is_marked() -> None:
    values = np.array([0, 1, 2], np.uint8)
    assert Elements(fill=(0.0,)).numbers(values)[1].tolist() == [True, False, False]
    for absent in (7.0, 300.0, 0.5, -1.0, float("nan")):
        assert Elements(fill=(absent,)).numbers(values)[1] is None


@pytest.mark.parametrize(
    "attributes",
    [{}, {"_FillValue": "NaN"}, {"scale_factor": True}, {"add_offset": None}, {"scale_factor": 10**400}],
    ids=lambda attributes: str(attributes)[:30],
)
def test_attributes_without_packing_are_ignored(attributes: dict[str, Any]) -> None:
    array = FakeArray(np.zeros(3))
    array.attributes = attributes
    assert packing_of(array) is None


@pytest.mark.parametrize(("fill", "expected"), [(0, (0.0,)), (np.nan, ()), (None, ()), (np.True_, (1.0,))])
def test_only_finite_fill_values_count(fill: Any, expected: tuple[float, ...]) -> None:
    array = FakeArray(np.zeros(3))
    array.fill_value = fill
    assert fill_of(array) == expected


def test_a_field_of_a_structure_is_chosen() -> None:
    values = np.array([(1, 2.5), (3, 4.5)], [("a", "i4"), ("b", "f4")])
    assert Elements(field="b").numbers(values)[0].tolist() == [2.5, 4.5]


def test_integers_that_are_read_as_unsigned_stay_integers() -> None:
    array = FakeArray(np.array([[-56, 7, -1]], np.int8))
    array.attributes = {"_Unsigned": "true", "_FillValue": -1}
    elements = elements_of(array)
    numbers, is_fill = elements.numbers(array.values)
    assert (numbers.dtype, numbers.tolist()) == (np.uint8, [[200, 7, 255]])
    assert is_fill is not None
    assert is_fill.tolist() == [[False, False, True]]
    assert elements.known(array.values)[0, :2].tolist() == [200, 7]
    assert np.isnan(elements.known(array.values)[0, 2])
    assert elements_of(array, is_unpacked=False).numbers(array.values)[0].tolist() == [[-56, 7, -1]]


def test_the_largest_count_of_a_detector_is_masked() -> None:
    for dtype in ("u4", "u8", ">u4"):
        array = FakeArray(np.array([0, 7, np.iinfo(dtype).max], dtype))
        elements = elements_of(array, is_picture=True)
        assert elements.numbers(array.values)[1].tolist() == [False, False, True]
        assert [elements.why_marked(array.values[at:][:1]) for at in range(3)] == ["", "", "masked"]
        assert np.isnan(elements.known(array.values)).tolist() == [False, False, True]
        assert elements.mask(array.dtype) == f"{np.iinfo(dtype).max:,}"
        assert elements_of(array).mask(array.dtype) == "", "a curve has no detector's pixels"
    for dtype in ("u2", "u1", "i4"):
        array = FakeArray(np.array([0, 7, np.iinfo(dtype).max], dtype))
        assert elements_of(array, is_picture=True).numbers(array.values)[1] is None, (
            "it may be a saturated pixel"
        )
    assert [may_mask(np.dtype(one)) for one in ("u1", "u2", "i8", "f4")] == [False, True, False, False]
    assert (largest(np.dtype("u2")), largest(np.dtype("f4"))) == (65535, 0)
