"""Computed planes are those of NumPy for the decoded numbers; few elements are in memory at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.browser.fakes import FakeArray
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.calculations.comparison import (
    Comparison,
    Operation,
    comparison_of,
    document_of,
)
from zarrbrowser.image.calculations.derivation import DTYPE, Derivation, may_derive
from zarrbrowser.image.calculations.reduction import Reduction, Statistic
from zarrbrowser.image.levels import image_of_array, whole
from zarrbrowser.image.probe import cost_of_exact
from zarrbrowser.image.regions.shapes import Region, Shape
from zarrbrowser.image.regions.statistics import measure_region
from zarrbrowser.image.tiles.raster import Raster
from zarrbrowser.image.view_settings import initial_settings
from zarrbrowser.nodes.read_cost import Cancelled
from zarrbrowser.values.elements import Elements, elements_of
from zarrcore.errors import CodecError

VOLUME = np.random.default_rng(1).integers(0, 255, (7, 6, 40, 30)).astype(np.uint8)


def raster(array: Any, statistic: Statistic, axis: int, rows: int, columns: int, **changes: Any) -> Raster:
    elements = elements_of(array)
    axes = Axes.initial(array, ("t", "z", "y", "x"))
    derivation = Derivation(elements, Reduction(axis, statistic))
    axes = replace(axes, rows=rows, columns=columns, derivation=derivation).at(axis, 0)
    return replace(Raster.of(whole(array), axes), **changes)


@given(
    st.permutations(range(4)),
    st.sampled_from(Statistic),
    st.tuples(st.integers(1, 3), st.integers(1, 3)),
    st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 50), st.integers(1, 40)),
)
def test_any_axis_is_reduced_in_any_plane(
    order: list[int], statistic: Statistic, steps: tuple[int, int], chunks: tuple[int, ...]
) -> None:
    axis, rows, columns, other = order
    array = FakeArray(VOLUME, chunks=chunks)
    one = raster(array, statistic, axis, rows, columns, steps=steps)
    height, width = one.shape
    window = slice(0, height), slice(width // 2, width)
    function = {"standard deviation": np.std, "minimum": np.min, "maximum": np.max}.get(
        statistic.value, np.mean if statistic is Statistic.MEAN else np.sum
    )
    plane = function(VOLUME.astype(np.float64), axis=axis, keepdims=True)
    plane = plane.transpose(axis, other, rows, columns)[0, one.index[other]]
    found = one.read(window)
    assert found.dtype == DTYPE == one.dtype
    assert np.allclose(found, plane[:: steps[0], :: steps[1]][:, width // 2 :])


def test_numbers_are_decoded_first() -> None:
    array = FakeArray(np.array([[[1, 2]], [[-9, 4]], [[5, 250]]], np.int16), ("t", "y", "x"))
    array.attributes = {"scale_factor": 0.5, "add_offset": 10.0, "_FillValue": -9, "valid_max": 200}
    axes = replace(
        Axes.initial(array, ("t", "y", "x")),
        derivation=Derivation(elements_of(array), Reduction(0, Statistic.SUM)),
    )
    found = Raster.of(whole(array), axes).read((slice(0, 1), slice(0, 2)))
    assert found.tolist() == [[10.5 + 12.5, 11.0 + 12.0]]


def test_only_a_few_chunks_are_read_at_once() -> None:
    array = FakeArray(np.broadcast_to(np.float64(1), (40, 4, 600, 700)), chunks=(10, 1, 600, 700))
    one = raster(array, Statistic.MAXIMUM, 0, 2, 3)
    assert (one.read((slice(0, 600), slice(0, 700))) == 1).all()
    parts = [selection[0] for selection in array.selections]
    assert parts == [slice(n, n + 10) for n in (0, 10, 20, 30)], (
        "a whole chunk, as it cannot be decoded in part"
    )
    array.selections.clear()
    one.read((slice(0, 10), slice(0, 10)))
    assert [selection[0] for selection in array.selections] == [slice(0, 40)], "small ones together"


def test_the_progress_is_told_and_reading_can_be_cancelled() -> None:
    array = FakeArray(np.zeros((8, 1, 2048, 2048), np.uint8), chunks=(2, 1, 2048, 2048))
    one, told = raster(array, Statistic.MEAN, 0, 2, 3), list[float]()
    window = slice(0, 2048), slice(0, 2048)
    one.read(window, None, told.append)
    assert told == [0.5, 1.0]
    seen: list[float] = []
    with pytest.raises(Cancelled):
        one.read(window, lambda: bool(seen), seen.append)
    assert seen == [0.5]


def test_the_cost_counts_all_chunks_along_the_axis() -> None:
    array = FakeArray(VOLUME, chunks=(2, 6, 10, 10))
    one = raster(array, Statistic.MEAN, 0, 2, 3)
    tiles = one.tiles((slice(0, 40), slice(0, 30)))
    assert one.cost(tiles).chunks == 4 * one.plain().cost(tiles).chunks == 4 * 12
    assert one.cost(tiles).nbytes == 48 * 2 * 6 * 10 * 10


def test_a_chunk_that_does_not_decode_is_a_hole_in_all_that_is_computed_of_it() -> None:
    array = FakeArray(VOLUME, chunks=(1, 1, 20, 30))

    def fail(selection: Any) -> None:
        if selection[0].start <= 3 < selection[0].stop and selection[2].stop > 20:
            raise CodecError("the chunk c/3 is broken")

    array.before_read = fail
    one = raster(array, Statistic.MEAN, 0, 2, 3)
    values, holes, error = one.read_parts((slice(0, 40), slice(0, 30)))
    assert holes == ((slice(20, 40), slice(0, 30)),)
    assert isinstance(error, CodecError)
    assert np.allclose(values[:20], VOLUME[:, one.index[1]].mean(axis=0)[:20])


@pytest.mark.parametrize(
    ("dtype", "may"),
    [("u1", True), ("f2", True), ("c8", True), ("?", True), ("M8[D]", False), ("m8[s]", False)],
)
def test_dates_have_no_statistics(dtype: str, may: bool) -> None:
    assert may_derive(FakeArray(np.zeros((2, 2), dtype)), Elements()) is may


def test_fields_of_structures_have_statistics_if_they_are_numbers() -> None:
    array = FakeArray(np.zeros((2, 2), [("a", "M8[s]"), ("b", "f4")]))
    assert not may_derive(array, Elements("a"))
    assert may_derive(array, Elements("b"))


def test_a_region_has_the_statistics_of_the_computed_plane() -> None:
    array = FakeArray(VOLUME, ("t", "z", "y", "x"))
    image = image_of_array(array)
    settings = replace(initial_settings(image), reduction=Reduction(0, Statistic.MEAN))
    region = Region("a", Shape.RECTANGLE, ((-0.5, -0.5), (9.5, 4.5)))
    (facts,) = measure_region(image, settings, region).channels
    part = VOLUME[:, 3, :10, :5].mean(axis=0)
    assert (facts.minimum, facts.maximum, facts.mean) == pytest.approx((part.min(), part.max(), part.mean()))


@given(
    st.sampled_from(Operation),
    st.integers(-3, 9),
    st.sampled_from([None, Statistic.MEAN, Statistic.MAXIMUM]),
    st.sampled_from([None, Statistic.SUM]),
    st.tuples(st.integers(1, 3), st.integers(1, 3)),
    st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 50), st.integers(1, 40)),
)
def test_planes_of_one_array_are_compared(
    operation: Operation,
    position: int,
    other: Statistic | None,
    own: Statistic | None,
    steps: tuple[int, int],
    chunks: tuple[int, ...],
) -> None:
    mine = own if other is None else None  # there are no statistics along two axes
    array = FakeArray(VOLUME, ("t", "z", "y", "x"), chunks)
    image = image_of_array(array)
    settings = replace(
        initial_settings(image),
        reduction=None if mine is None else Reduction(1, mine),
        comparison=comparison_of(document_of(Comparison(operation, 0, position, other)), array.shape),
    )
    one = Raster.of(image.levels[0], settings.planes(image)[0], steps)
    height, width = one.shape
    values = VOLUME.astype(np.float64)
    volume = values[:, 3] if mine is None else values.sum(axis=1)
    at = min(max(position, 0), 6)
    b = (
        volume[at]
        if other is None
        else volume.mean(axis=0)
        if other is Statistic.MEAN
        else volume.max(axis=0)
    )
    a = volume[settings.axes.index[0]]
    with np.errstate(all="ignore"):
        masked = np.where(b == 0, a, np.nan)
        expected = {"difference": a - b, "ratio": a / b, "mask": masked}.get(operation.value, (a - b) / b)
    found = one.read((slice(0, height), slice(0, width)))
    assert np.allclose(found, expected[:: steps[0], :: steps[1]], equal_nan=True)


def test_the_cost_counts_both_planes() -> None:
    array = FakeArray(VOLUME, ("t", "z", "y", "x"), (1, 6, 10, 10))
    image = image_of_array(array)
    settings = replace(initial_settings(image), comparison=Comparison(axis=0, statistic=Statistic.MEAN))
    one = Raster.of(image.levels[0], settings.planes(image)[0])
    tiles = one.tiles((slice(0, 40), slice(0, 30)))
    assert one.cost(tiles).chunks == 12 + 7 * 12
    assert cost_of_exact(one).chunks == 1 + 7
