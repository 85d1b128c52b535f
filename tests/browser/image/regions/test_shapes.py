"""Which elements are inside a region, compared with independent ways to tell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from skimage.draw import polygon2mask

from zarrbrowser.image.regions.shapes import Region, Shape

WINDOW = slice(0, 30), slice(0, 40)
PLACE = st.tuples(st.floats(-3, 33), st.floats(-3, 43))


def mask(shape: Shape, *points: tuple[float, float]) -> np.ndarray:
    return Region("", shape, points).mask(WINDOW)


def test_a_rectangle_has_the_elements_whose_centres_are_inside() -> None:
    found = mask(Shape.RECTANGLE, (4.5, 2.5), (9.5, 12.4))
    expected = np.zeros((30, 40), bool)
    expected[5:10, 3:13] = True
    assert np.array_equal(found, expected)
    assert np.array_equal(mask(Shape.RECTANGLE, (9.5, 12.4), (4.5, 2.5)), found), "corners in any order"


@given(PLACE, PLACE)
def test_an_ellipse(one: tuple[float, float], other: tuple[float, float]) -> None:
    rows, columns = np.mgrid[WINDOW].astype(float)
    middle, half = np.add(one, other) / 2, np.abs(np.subtract(one, other)) / 2
    found = mask(Shape.ELLIPSE, one, other)
    if half.min() < 1e-3:
        assert found.sum() <= 40
        return
    distance = ((rows - middle[0]) / half[0]) ** 2 + ((columns - middle[1]) / half[1]) ** 2
    is_clear = np.abs(distance - 1) > 1e-9
    assert np.array_equal(found[is_clear], (distance < 1)[is_clear])


@given(st.lists(st.tuples(st.integers(0, 28), st.integers(0, 38)), min_size=3, max_size=9, unique=True))
def test_a_polygon_agrees_with_scikit_image(corners: list[tuple[int, int]]) -> None:
    points = [(y + 0.31, x + 0.27) for y, x in corners]  # no centre is on an edge of whole slope
    found = mask(Shape.POLYGON, *points)
    expected = polygon2mask((30, 40), np.array(points))
    differing = np.argwhere(found != expected)
    assert all(_distance(points, place) < 1e-6 for place in differing)


def _distance(points: list[tuple[float, float]], place: np.ndarray) -> float:
    """From a place to the outline."""
    found = []
    for start, end in zip(points, [*points[1:], points[0]], strict=True):
        one, other = np.array(start), np.array(end)
        along = np.clip(np.dot(place - one, other - one) / max(1e-12, np.dot(other - one, other - one)), 0, 1)
        found.append(float(np.linalg.norm(place - (one + along * (other - one)))))
    return min(found)


@pytest.mark.parametrize("shape", list(Shape))
def test_the_outline_covers_the_same_elements(shape: Shape) -> None:
    points = ((3.2, 4.1), (22.7, 4.3), (20.1, 31.9)) if shape is Shape.POLYGON else ((3.2, 4.1), (22.7, 31.9))
    region = Region("", shape, points)
    outline = Region("", Shape.POLYGON, region.outline)
    apart = (region.mask(WINDOW) != outline.mask(WINDOW)).sum()
    assert apart <= (10 if shape is Shape.ELLIPSE else 0)


@given(PLACE, PLACE)
def test_the_window_holds_all_elements_of_a_region(
    one: tuple[float, float], other: tuple[float, float]
) -> None:
    region = Region("", Shape.RECTANGLE, (one, other))
    window = region.window(30, 40)
    assert all(0 <= part.start <= part.stop <= length for part, length in zip(window, (30, 40), strict=True))
    assert region.mask(window).sum() == region.mask(WINDOW).sum()


def test_parts_of_a_mask_are_those_of_the_whole() -> None:
    region = Region("", Shape.POLYGON, ((2.0, 3.0), (25.0, 10.0), (14.0, 38.0), (9.0, 20.0)))
    whole = region.mask(WINDOW)
    assert np.array_equal(region.mask((slice(7, 19), slice(5, 33))), whole[7:19, 5:33])
