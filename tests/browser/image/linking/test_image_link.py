"""Places of one image as places of another."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.image.axes import Axes, axis_names
from zarrbrowser.image.linking.image_link import Side, link_images
from zarrbrowser.image.linking.rulers import Scale


def axes(shape: tuple[int, ...], names: str = "", index: tuple[int, ...] = ()) -> Axes:
    """A plane whose rows and columns are the last two axes."""
    ndim = len(shape)
    told = axis_names(ndim, names.split() or None)
    return Axes(shape, told, ndim - 2, ndim - 1, None, index or (0,) * ndim)


@given(st.integers(2, 300), st.integers(2, 300), st.integers(2, 300), st.integers(2, 300), st.data())
def test_without_any_metadata_the_same_index_is_the_same_place(
    height: int, width: int, other_height: int, other_width: int, data: st.DataObject
) -> None:
    one, other = axes((height, width)), axes((other_height, other_width))
    link = link_images(Side(one), Side(other))
    row, column = data.draw(st.integers(0, height - 1)), data.draw(st.integers(0, width - 1))
    found = link.place(one, (row, column), other)
    if link.basis(one) == "index":
        inside = row < other_height and column < other_width
        assert found == ((row, column) if inside else None)
    else:
        assert link.basis(one) == "the whole extent"
        # One factor makes both lengths of the smaller picture, up to a rounding.
        large, small = (height, width), (other_height, other_width)
        if sum(large) < sum(small):
            large, small = small, large
        factors = [(long / (short + 1), long / (short - 1)) for long, short in zip(large, small, strict=True)]
        assert max(low for low, _ in factors) <= min(high for _, high in factors)
        assert found == pytest.approx(
            ((row + 0.5) * other_height / height - 0.5, (column + 0.5) * other_width / width - 0.5)
        )


@pytest.mark.parametrize(
    ("one", "other", "basis"),
    [
        ((100, 200), (50, 100), "the whole extent"),
        ((101, 201), (51, 101), "the whole extent"),
        ((101, 201), (50, 100), "the whole extent"),
        ((50, 100), (100, 200), "the whole extent"),
        ((100, 200), (100, 200), "index"),
        ((100, 200), (100, 100), "index"),
        ((100, 200), (50, 200), "index"),
        ((100, 200), (200, 100), "index"),
        ((100, 200), (90, 120), "index"),
        ((1, 200), (2, 400), "index"),
    ],
)
def test_pictures_of_similar_shapes_correspond_as_a_whole(
    one: tuple[int, int], other: tuple[int, int], basis: str
) -> None:
    assert link_images(Side(axes(one)), Side(axes(other))).basis(axes(one)) == basis


@given(st.floats(0.1, 10), st.floats(0.1, 10), st.integers(0, 99), st.integers(0, 99))
def test_by_size_places_in_micrometres_are_equal(fine: float, coarse: float, row: int, column: int) -> None:
    one, other = axes((100, 100), "y x"), axes((50, 40), "y x")
    micrometres = Scale((fine, fine), (0.0, 5.0), ("micrometer",) * 2)
    nanometres = Scale((coarse * 1e3, coarse * 1e3), (0.0, 0.0), ("nanometer",) * 2)
    link = link_images(Side(one, scale=micrometres), Side(other, scale=nanometres))
    expected = row * fine / coarse, (5.0 + column * fine) / coarse
    found = link.place(one, (row, column), other)
    assert link.basis(one) == "physical size"
    if found is None:
        assert expected[0] > 49.49 or expected[1] > 39.49
    else:
        assert found == pytest.approx(expected, abs=1e-6)


def test_coordinates_that_fall_turn_a_picture_around() -> None:
    one, other = axes((3, 4), "lat lon"), axes((5, 4), "latitude longitude")
    degrees = np.array([40.0, 50.0, 60.0])
    mine = {0: Coordinate("lat", "°N", degrees), 1: Coordinate("lon", "°E", np.arange(4.0))}
    theirs = {
        0: Coordinate("latitude", "°N", np.array([60.0, 55.0, 50.0, 45.0, 40.0])),
        1: Coordinate("longitude", "°E", np.arange(4.0)),
    }
    link = link_images(Side(one, mine), Side(other, theirs))
    assert link.basis(one) == "coordinates"
    assert link.place(one, (0, 3), other) == (4.0, 3.0)
    assert link.ranges(one, ((0.0, 1.0), (1.0, 2.0)), other) == ((2.0, 4.0), (1.0, 2.0))


def test_sliders_move_by_coordinates_and_say_what_is_outside() -> None:
    months = np.array(["2020-01", "2020-02", "2020-03"], "datetime64[M]")
    one = axes((3, 4, 4), "time y x", (1, 0, 0))
    other = axes((2, 4, 4), "time y x", (0, 0, 0))
    link = link_images(
        Side(one, {0: Coordinate("time", "", months)}), Side(other, {0: Coordinate("time", "", months[1:])})
    )
    assert link.move(one, other)[0].index[0] == 0
    assert link.move(one.at(0, 2), other)[0].index[0] == 1
    assert link.move(one.at(0, 0), other) == (other, [0])


def test_axes_pair_by_name_then_by_place() -> None:
    one = axes((5, 6, 7, 8), "t z y x", (4, 5, 0, 0))
    plain = axes((6, 7, 8), "", (0, 0, 0))
    assert link_images(Side(one), Side(plain)).move(one, plain)[0].index == (5, 0, 0)
    swapped = axes((6, 5, 7, 8), "z t y x")
    assert link_images(Side(one), Side(swapped)).move(one, swapped)[0].index == (5, 4, 0, 0)
    unlike = axes((6, 7, 8), "channel y x", (2, 0, 0))
    assert link_images(Side(one), Side(unlike)).move(one, unlike) == (unlike, [])
    named = axes((7, 8), "row col")
    assert link_images(Side(one), Side(named)).place(one, (3, 4), named) == (3, 4)


def test_a_picture_of_other_axes_shows_the_slider_s_position() -> None:
    one = axes((6, 7, 8), "z y x", (4, 0, 0))
    other = Axes((6, 7, 8), ("z", "y", "x"), 0, 2, None, (0, 3, 0))
    link = link_images(Side(one), Side(other))
    assert link.place(one, (2, 5), other) == (4, 5)
    assert link.ranges(one, ((1.0, 2.0), (3.0, 4.0)), other) == (None, (3.0, 4.0))
    turned = Axes((6, 7, 8), ("z", "y", "x"), 2, 1, None, (0, 0, 0))
    assert link.place(one, (2, 5), turned) == (5, 2)


def test_labels_pair_names() -> None:
    one, other = axes((2, 3, 3), "model y x", (0, 0, 0)), axes((3, 3, 3), "model y x", (0, 0, 0))
    mine = {0: Coordinate("model", "", np.array(["b", "z"]))}
    theirs = {0: Coordinate("model", "", np.array(["a", "b", "c"]))}
    link = link_images(Side(one, mine), Side(other, theirs))
    assert link.move(one, other)[0].index[0] == 1
    assert link.move(one.at(0, 1), other) == (other, [0])


def test_the_basis_of_each_axis_is_told_if_they_differ() -> None:
    one = axes((3, 4), "y x")
    known = {0: Coordinate("y", "m", np.arange(3.0))}
    assert link_images(Side(one, known), Side(one, known)).basis(one) == "y by coordinates, x by index"
