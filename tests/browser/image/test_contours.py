"""Contours: round numbers as levels, and the lines that scikit-image finds."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from skimage.measure import find_contours

from tests.browser.export.figures.test_planes import planes_of
from tests.browser.fakes import FakeArray
from zarrbrowser.image import contours
from zarrbrowser.image.colours.norm import Norm
from zarrbrowser.image.colours.painting import style_of
from zarrbrowser.image.contours import Contours, contour_levels, contour_lines, contours_of, may_contour
from zarrbrowser.image.levels import image_of_array
from zarrbrowser.image.tiles.frames import Mosaic, View
from zarrbrowser.image.tiles.raster import Raster
from zarrbrowser.image.view_settings import initial_settings
from zarrbrowser.maps.geography import PlaneMap, SeparateGrid
from zarrbrowser.maps.lines import PlaneLines
from zarrbrowser.maps.projection import Projection
from zarrbrowser.maps.projections import projected
from zarrcore.typing import AnyArray

Y, X = np.mgrid[:60, :80].astype(np.float64)
WAVES = np.sin(X / 7 + 0.1) * np.cos(Y / 5 + 0.2) + X / 90
NOISE = np.random.default_rng(4).normal(size=(60, 80))


def strokes(lines: PlaneLines) -> set[tuple[tuple[float, float], ...]]:
    """The straight parts, whatever their direction."""
    points = np.stack([lines.rows, lines.columns], axis=-1).round(9).tolist()
    at = np.flatnonzero(lines.connected)
    return {tuple(sorted((tuple(points[one]), tuple(points[one + 1])))) for one in at.tolist()}


def expected(numbers: AnyArray, level: float) -> set[tuple[tuple[float, float], ...]]:
    found: set[tuple[tuple[float, float], ...]] = set()
    for line in find_contours(numbers, level):
        points = [tuple(point) for point in line.round(9).tolist()]
        found |= {tuple(sorted(pair)) for pair in pairwise(points)}
    return found


@pytest.mark.parametrize("level", [-0.7, 0.05, 0.8])
def test_the_lines_are_those_of_scikit_image(level: float) -> None:
    (lines,) = contour_lines(WAVES, [level])
    assert len(strokes(lines)) > 50
    assert strokes(lines) == expected(WAVES, level)


def test_no_line_touches_a_missing_sample() -> None:
    holed = WAVES.copy()
    holed[20:30, 10:40] = np.nan
    holed[40, 50] = np.inf
    (lines,), (whole,) = contour_lines(holed, [0.05]), contour_lines(WAVES, [0.05])
    holed[40, 50] = np.nan
    assert strokes(lines) == expected(holed, 0.05)
    assert strokes(lines) < strokes(whole)


def test_lines_go_on_from_square_to_square_even_through_noise() -> None:
    (lines,) = contour_lines(NOISE, [0.1])
    ours = np.unique(np.stack([lines.rows, lines.columns], axis=-1).round(9), axis=0)
    theirs = np.unique(np.concatenate(find_contours(NOISE, 0.1)).round(9), axis=0)
    assert np.array_equal(ours, theirs), "each crossing of a side is on a line"
    starts, ends = np.append(0, np.flatnonzero(~lines.connected)[:-1] + 1), np.flatnonzero(~lines.connected)
    is_ring = (lines.rows[starts] == lines.rows[ends]) & (lines.columns[starts] == lines.columns[ends])
    edge = (lines.rows % 59 == 0) | (lines.columns % 79 == 0)
    assert is_ring.sum() > 50
    assert (is_ring | (edge[starts] & edge[ends])).all(), "a line ends only at the edge of the picture"


@pytest.mark.parametrize(("high", "joined"), [(3.0, 0), (0.5, 1)])
def test_the_mean_of_four_samples_decides_which_corners_are_joined(high: float, joined: int) -> None:
    (lines,) = contour_lines(np.array([[high, 0.0], [0.0, high]]), [0.4])
    below = np.hypot(
        lines.rows - 0, lines.columns - 1
    )  # the distance from the upper right corner, which is low
    ends = np.flatnonzero(lines.connected)
    cuts_off_low = any(below[one] < 1 and below[one + 1] < 1 for one in ends.tolist())
    assert (ends.size, cuts_off_low) == (2, not joined)


def test_lines_that_would_hide_the_picture_are_those_of_means(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contours, "_MOST_SEGMENTS", 300)
    noisy = X + NOISE
    (lines,) = contour_lines(noisy[:, :79], [40.0])
    assert 0 < np.count_nonzero(lines.connected) <= 300
    monkeypatch.setattr(contours, "_MOST_SEGMENTS", 40)
    (smooth,) = contour_lines(noisy[:, :79], [40.0])
    assert np.count_nonzero(smooth.connected) <= 40
    assert smooth.columns == pytest.approx(40.0, abs=2.0), "the places are those of the samples"


@pytest.mark.parametrize(
    ("norm", "low", "high", "texts"),
    [
        (Norm.LINEAR, 0.0, 1.0, ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"]),
        (Norm.LINEAR, -21, 19, ["-20", "-15", "-10", "-5", "0", "5", "10", "15"]),
        (Norm.SQRT, 0, 2000, ["250", "500", "750", "1,000", "1,250", "1,500", "1,750"]),
        (Norm.LOG, 0.002, 30, ["0.01", "0.1", "1", "10"]),
        (Norm.LOG, -3, 200, ["0.001", "0.01", "0.1", "1", "10", "100"]),
        (Norm.SYMLOG, -5, 5, ["-1", "-0.1", "-0.01", "-0.001", "0", "0.001", "0.01", "0.1", "1"]),
        (Norm.LINEAR, 3.0, 3.0, []),
        (Norm.LINEAR, -1e308, 1.7e308, []),
    ],
)
def test_levels_are_round_numbers_in_the_range_of_colours(
    norm: Norm, low: float, high: float, texts: list[str]
) -> None:
    assert [text for _, text in contour_levels(norm, low, high)] == texts


def test_the_lines_are_at_the_place_of_the_picture() -> None:
    values = np.add.outer(np.zeros(40), np.arange(64.0)).astype(np.float32)
    shown = planes_of(FakeArray(values, ("y", "x")), View((-0.5, 39.5), (-0.5, 63.5), 10, 16)).main
    assert shown.mosaics[0].raster.steps == (4, 4)
    settings, style = shown.state.settings, style_of(shown.state, shown.measured)
    found = contours_of(settings, shown.mosaics[0], style)
    assert [text for text, _ in found.levels] == ["10", "20", "30", "40", "50"]
    # A sample stands for four columns, and is drawn in their middle.
    assert found.levels[1][1].columns == pytest.approx(20 + 1.5)
    assert found.levels[1][1].rows.min() == 1.5


def test_lines_end_at_what_is_missing_or_not_loaded() -> None:
    array = FakeArray(np.add.outer(np.zeros(8), np.arange(9)).astype(np.int16), ("y", "x"))
    array.attributes = {"missing_value": 4}
    image = image_of_array(array)
    settings = initial_settings(image)
    raster = Raster.of(image.levels[0], settings.axes)
    values, is_there = array.values.copy(), np.ones((8, 9), bool)
    values[:3, 4], is_there[6:] = 4, False
    shown = planes_of(array).main
    style = style_of(shown.state, shown.measured)
    mosaic = Mosaic(raster, (slice(0, 8), slice(0, 9)), values, is_there)
    levels = dict(contours_of(settings, mosaic, style).levels)
    assert (levels["2"].rows.min(), levels["2"].rows.max()) == (0, 5)
    assert levels["4"].rows.size == 0


@pytest.mark.parametrize("turned", [False, True])
def test_around_the_earth_lines_go_on_from_the_last_column_to_the_first(turned: bool) -> None:
    east = np.arange(0.0, 360, 10)
    values = np.broadcast_to(np.linspace(0, 10, 19)[:, None], (19, 36)).astype(np.float32)
    grid = SeparateGrid(np.linspace(90, -90, 19), east)
    plane = PlaneMap(*((36, 19) if turned else (19, 36)), grid, turned, far=(-5.0, 355.0))
    shown = planes_of(FakeArray(values.T if turned else values, ("a", "b"))).main
    settings, style = shown.state.settings, style_of(shown.state, shown.measured)
    ends = []
    for far in ((-5.0, 355.0), (-5.0, 345.0)):
        found = contours_of(settings, shown.mosaics[0], style, replace(plane, far=far))
        lines = dict(found.levels)["5"]
        around = lines.rows if turned else lines.columns
        ends.append((around.min(), around.max()))
        assert (lines.columns if turned else lines.rows) == pytest.approx(9.0)
    assert ends == [(-1, 36), (0, 35)]


def test_long_lines_have_labels_in_the_part_in_view() -> None:
    rows = np.arange(0.0, 50.0)
    long = PlaneLines(rows, np.full(50, 7.0), rows < 49)
    short = PlaneLines(np.array([20.0, 21.0]), np.array([1.0, 1.0]), np.array([True, False]))
    found = Contours((("1", long), ("2", short)))
    (label,) = found.labels((-0.5, -0.5, 49.5, 49.5))
    assert (label.text, label.column) == ("1", 7.0)
    assert 20 < label.row < 30
    (label,) = found.labels((30.0, 0.0, 40.0, 20.0))
    assert 33 < label.row < 37
    assert {one.text for one in found.labels((19.0, 0.0, 22.0, 20.0))} == {"1", "2"}
    assert found.labels((0.0, 10.0, 49.0, 20.0)) == ()


@pytest.mark.parametrize("projection", [Projection.MOLLWEIDE, Projection.NORTH, Projection.ORTHOGRAPHIC])
def test_on_a_map_contours_of_the_latitude_are_parallels(projection: Projection) -> None:
    north, east = np.linspace(-88, 88, 89), np.linspace(-180, 180, 91)
    plane = PlaneMap(89, 91, SeparateGrid(north, east), far=(-182.0, 182.0))
    chart = projected(projection, plane, 10.0, 40.0)
    lines = contour_lines(np.broadcast_to(north[:, None], (89, 91)), [50.0])[0]
    ((text, found),) = Contours((("50", lines),)).on_map(plane, chart).levels
    at = np.flatnonzero(found.connected)
    assert (text, at.size > 40) == ("50", True)
    for points in (at, at + 1):
        _east, latitudes = chart.to_earth(found.rows[points], found.columns[points])
        assert latitudes == pytest.approx(50.0, abs=0.01)
    jumps = np.hypot(*(np.diff(one)[at] for one in (found.rows, found.columns)))
    assert jumps.max() < 0.1 * chart.width, "no line crosses the map from edge to edge"


def test_colours_without_an_order_have_no_contours() -> None:
    state = planes_of(FakeArray(np.zeros((4, 20, 30)))).main.state
    assert may_contour(state)
    assert not may_contour(replace(state, colour_map="labels"))
    flags = FakeArray(np.arange(12).reshape(3, 4))
    flags.attributes = {"flag_values": [0, 1], "flag_meanings": "sea land"}
    assert not may_contour(planes_of(flags).main.state), "flags have no values between them"
    assert not may_contour(replace(state, settings=replace(state.settings, is_blended=True)))
    colours = planes_of(FakeArray(np.zeros((20, 30, 3), np.uint8))).main.state
    assert not may_contour(colours)
