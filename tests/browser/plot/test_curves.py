"""Curves at the resolution of the screen, compared with all of their points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from zarrbrowser.plot.curves import MOST_SEGMENTS, Curve, View, coverage, dots, fitting_range

NUMBERS = st.floats(-1e6, 1e6) | st.just(np.nan)
POINTS = st.integers(0, 60).flatmap(
    lambda length: st.tuples(
        hnp.arrays(np.float64, length, elements=NUMBERS), hnp.arrays(np.float64, length, elements=NUMBERS)
    )
)
Points = tuple[np.ndarray, np.ndarray]
WIDE = View((-1e6, 1e6), (-1e6, 1e6), 50, 40)


def curve(x: np.ndarray, y: np.ndarray) -> Curve:
    return Curve.of("a", "#112233", x, y, np.arange(x.size))


def brute_coverage(x: np.ndarray, y: np.ndarray, view: View, radius: int) -> np.ndarray:
    """The discs of all points, one after the other."""
    found = np.zeros((view.height, view.width))
    down, right = np.mgrid[: view.height, : view.width]
    for one, other in zip(x, y, strict=True):
        if np.isfinite(one) and np.isfinite(other):
            column = np.floor((one - view.x[0]) * (view.width / (view.x[1] - view.x[0])))
            row = np.floor((other - view.y[0]) * (view.height / (view.y[1] - view.y[0])))
            found += (down - row) ** 2 + (right - column) ** 2 <= radius * radius + radius
    return found


@given(POINTS, st.sampled_from([1, 3, 5, 10]))
def test_pixels_count_the_points_that_cover_them(points: Points, diameter: int) -> None:
    x, y = points
    view = View((-5e5, 8e5), (-1e6, 1e5), 31, 23)
    assert np.array_equal(coverage(x, y, view, diameter), brute_coverage(x, y, view, diameter // 2))


@given(POINTS)
def test_a_curve_keeps_every_point_that_has_a_place_across(points: Points) -> None:
    x, y = points
    made = curve(x, y)
    drawn = np.isfinite(made.y)
    assert sorted(made.rows[drawn].tolist()) == np.flatnonzero(np.isfinite(x) & np.isfinite(y)).tolist()
    assert np.array_equal(made.x, x[made.rows])
    assert np.array_equal(made.y[drawn], y[made.rows[drawn]])
    assert set(made.rows.tolist()) == set(np.flatnonzero(np.isfinite(x)).tolist())
    steps = np.diff(made.x)
    assert made.is_ascending == bool((steps >= 0).all())


def test_a_point_without_a_number_across_breaks_the_line() -> None:
    for x in ([np.nan, 1.0, np.nan, 3.0], [np.nan, 3.0, np.inf, 1.0]):
        made = curve(np.array(x), np.array([7.0, 10.0, 20.0, 30.0]))
        line = made.line(View((0, 4), (0, 40), 100, 100))
        assert line is not None
        assert np.isnan(line.y).tolist() == [False, True, False]
        assert made.nearest((x[1], 0.0), View((0, 4), (0, 40), 100, 100), is_across=True) == (0.0, 1)


@given(POINTS, st.integers(1, 20))
def test_a_line_from_left_to_right_keeps_extremes_per_pixel(points: Points, width: int) -> None:
    x, y = np.sort(points[0]), points[1]
    made = curve(x, y)
    view = View((-1e6, 1e6), (-1e6, 1e6), width, 20)
    line = made.line(view)
    assert line is not None
    known = np.isfinite(made.y)
    if known.any():
        assert np.nanmin(line.y) == made.y[known].min()
        assert np.nanmax(line.y) == made.y[known].max()
    if made.x.size <= 4 * width:
        assert np.array_equal(line.y, made.y, equal_nan=True)
    else:
        assert line.per_pixel > 1
        assert line.x.size <= 4 * (width + 3)


def test_a_spike_among_many_points_is_drawn() -> None:
    y = np.zeros(1_000_000)
    y[123_456] = 500
    made = curve(np.arange(1e6), y)
    whole = made.line(View((0, 1e6), (0, 500), 800, 300))
    assert whole is not None
    assert whole.y.max() == 500
    assert whole.x.size < 1700
    part = made.line(View((123_400, 123_500), (0, 500), 800, 300))
    assert part is not None
    assert part.per_pixel == 1
    assert part.x[part.y == 500].tolist() == [123_456]
    assert part.x[0] < 123_400 < 123_500 < part.x[-1], "the line goes on beyond the view"


@given(POINTS, st.booleans())
def test_a_line_from_left_to_right_passes_the_same_pixels(points: Points, has_gaps: bool) -> None:
    x, y = np.sort(points[0]), points[1] if has_gaps else np.nan_to_num(points[1])
    made = curve(x, y)
    view = View((-4e5, 3e5), (-2e5, 9e5), 7, 30)
    line = made.line(view)
    assert line is not None
    whole, drawn = passed(made.x, made.y, view), passed(line.x, line.y, view)
    assert not (whole & ~widened(drawn)).any()
    if not has_gaps:  # minimum and maximum of a pixel are connected across the gaps within it
        assert not (drawn & ~widened(whole)).any()


def test_a_line_between_distant_points_starts_and_ends_at_them() -> None:
    """Not at the maximum of one pixel and the minimum of another one."""
    apart = np.append(np.linspace(0, 1, 500), np.linspace(99, 100, 500))
    heights = np.tile(np.sin(np.linspace(0, 20 * np.pi, 500)), 2)
    line = curve(apart, heights).line(View((0, 100), (-1, 1), 100, 100))
    assert line is not None
    assert line.per_pixel > 1
    start = int(np.argmax(np.diff(line.x)))
    assert (line.x[start], line.x[start + 1]) == (1, 99)
    assert np.abs(line.y[start : start + 2]).max() < 1e-9
    assert not line.marked.size, "lines show all points"
    heights[499] = np.nan
    line = curve(apart, heights).line(View((0, 100), (-1, 1), 100, 100))
    assert line is not None
    start = int(np.argmax(np.diff(line.x)))
    assert np.isnan(line.y[start]), "a gap"


def test_panning_does_not_move_the_buckets() -> None:
    made = curve(np.arange(1e5), np.sin(np.arange(1e5)))
    lines = [made.line(View((low, low + 50_000.0), (-1, 1), 100, 50)) for low in (0.0, 130.0)]
    first, second = (set(line.x.tolist()) for line in lines if line is not None)
    assert len(first & second) > 95


def test_points_between_gaps_are_marked() -> None:
    y = np.full(1000, np.nan)
    y[[10, 500, 501]] = 1
    made = curve(np.arange(1000.0), y)
    line = made.line(View((0, 1000), (0, 2), 400, 100))
    assert line is not None
    assert line.x[line.marked].tolist() == [10]
    coarse = made.line(View((0, 1000), (0, 2), 20, 100))
    assert coarse is not None
    assert {0.0, 500.0} <= set(coarse.x[coarse.marked].tolist()), "a pixel with a point between empty ones"
    few = curve(np.arange(5.0), np.array([1, 2, np.nan, 3, 4.0])).line(WIDE)
    assert few is not None
    assert few.marked.tolist() == [0, 1, 3, 4]


@given(POINTS)
def test_a_line_to_and_fro_passes_the_same_pixels(points: Points) -> None:
    x, y = points
    made = curve(x, y)
    view = View((-4e5, 3e5), (-2e5, 9e5), 40, 30)
    path = made._path(view)
    assert path is not None
    whole, drawn = passed(made.x, made.y, view), passed(path.x, path.y, view)
    assert not (whole & ~widened(drawn)).any()
    assert not (drawn & ~widened(whole)).any()


def passed(x: np.ndarray, y: np.ndarray, view: View) -> np.ndarray:
    """The pixels of a view that the line passes, by points along each of its segments, and those of the points."""
    known = np.flatnonzero(np.isfinite(y))
    starts = known[np.isin(known + 1, known)]
    steps = np.linspace(0, 1, 400)[:, None]
    across = np.append(x[known], (x[starts] + steps * (x[starts + 1] - x[starts])).ravel())
    up = np.append(y[known], (y[starts] + steps * (y[starts + 1] - y[starts])).ravel())
    found = np.zeros((view.height, view.width), bool)
    columns = (across - view.x[0]) / (view.x[1] - view.x[0]) * view.width
    rows = (up - view.y[0]) / (view.y[1] - view.y[0]) * view.height
    inside = (columns >= 0) & (columns < view.width) & (rows >= 0) & (rows < view.height)
    found[rows[inside].astype(int), columns[inside].astype(int)] = True
    return found


def widened(pixels: np.ndarray) -> np.ndarray:
    """Pixels, and those within two of them: a line may move by the size of a pixel."""
    padded = np.pad(pixels, 2)
    height, width = pixels.shape
    parts = [padded[down : down + height, right : right + width] for down in range(5) for right in range(5)]
    return np.logical_or.reduce(parts)


def test_a_line_that_would_cover_the_plot_is_not_drawn() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.random((2, 3 * MOST_SEGMENTS))
    made = curve(x, y)
    assert not made.is_ascending
    assert made.line(View((0, 1), (0, 1), 800, 400)) is None
    assert made.line(View((2, 3), (0, 1), 800, 400)) is not None, "nothing of it is in view"


@given(POINTS, st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)))
def test_the_nearest_point_is_found(points: Points, place: tuple[float, float]) -> None:
    x, y = points
    known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    found = curve(x, y).nearest(place, WIDE, is_across=False)
    if not known.size:
        assert found is None or found[0] == np.inf
        return
    assert found is not None
    across, up = (x[known] - place[0]) * 50 / 2e6, (y[known] - place[1]) * 40 / 2e6
    assert found[0] == pytest.approx(np.hypot(across, up).min())
    assert found[1] in known


def test_the_nearest_point_across_may_be_far_above() -> None:
    made = curve(np.array([0.0, 10.0]), np.array([0.0, 1e6]))
    assert made.nearest((8.0, 0.0), WIDE, is_across=True) == (pytest.approx(5e-5), 1)


def test_thinned_points_have_pixels_of_their_own() -> None:
    x = np.array([0.0, 1e-9, 5.0, 5.0, 20.0])
    y = np.array([0.0, 0.0, 5.0, np.nan, 5.0])
    kept = curve(x, y).thinned(View((0, 10), (0, 10), 10, 10))
    assert np.array_equal(kept, ([0.0, 5.0], [0.0, 5.0]))


def test_the_upper_curve_covers_the_lower_one() -> None:
    view = View((0, 9), (0, 9), 9, 9)
    here = np.array([4.5])
    below = dots([(here, here, "#ff0000")], view, 3)
    assert below[4, 4].tolist() == [255, 0, 0, 255]
    assert below[0, 0].tolist() == [0, 0, 0, 0]
    assert dots([(here, here, "#ff0000"), (here, here, "#0000ff")], view, 3)[4, 4].tolist() == [
        0,
        0,
        255,
        255,
    ]
    dense = dots([(np.array([4.5, 4.5, 1.5]), np.array([4.5, 4.5, 1.5]), "#ff0000")], view, 1)
    assert dense[1, 1, 3] < dense[4, 4, 3] == 255, "more points make a pixel more opaque"


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([], []),
        ([1.0], [np.nan]),
        ([1.0], [5.0]),
        ([np.inf, 1.0], [0.0, 2.0]),
        ([0.0, 1e308], [-1e308, 1e308]),
        ([0.0, 1e-300], [0, 1]),
    ],
)
def test_every_curve_has_a_range_that_shows_it(x: list[float], y: list[float]) -> None:
    made = curve(np.array(x, float), np.array(y, float))
    for low, high in fitting_range([made]):
        assert np.isfinite(low)
        assert np.isfinite(high)
        assert low < high
    ranges = fitting_range([made])
    known = np.isfinite(made.y)
    for ends, numbers in zip(ranges, (made.x[known], made.y[known]), strict=True):
        assert ((ends[0] <= numbers) & (numbers <= ends[1])).all()
