"""Lines of a map over the picture of a figure: where they are, and that the picture shows them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from tests.browser.drawing.figures import picture
from zarrbrowser.drawing.canvas import FigureCanvas
from zarrbrowser.drawing.map_lines import draw_map, polylines_of
from zarrbrowser.image.contours import NOTHING as NO_CONTOURS
from zarrbrowser.image.contours import Contours
from zarrbrowser.maps.graticule import Graticule, Label
from zarrbrowser.maps.lines import PlaneLines, joined
from zarrbrowser.maps.sketch import Sketch

pytestmark = pytest.mark.usefixtures("application")
DATA = QRectF(100, 50, 400, 200)
PANEL = picture()
ROWS, COLUMNS = PANEL.rows, PANEL.columns


def at(x: float, y: float) -> tuple[float, float]:
    """Row and column of a place in the box, from 0 to 1."""
    return ROWS.low + y * (ROWS.high - ROWS.low), COLUMNS.low + x * (COLUMNS.high - COLUMNS.low)


def lines(*places: tuple[float, float], connected: tuple[bool, ...]) -> PlaneLines:
    rows, columns = zip(*(at(*place) for place in places), strict=True)
    return PlaneLines(np.array(rows), np.array(columns), np.array(connected))


def test_lines_end_where_points_are_not_connected() -> None:
    found = polylines_of(
        lines((0, 0), (0.5, 0), (1, 1), (0.5, 1), (0.25, 0.5), connected=(True, False, True, False, False)),
        PANEL,
        DATA,
    )
    places = [[(one.at(n).x(), one.at(n).y()) for n in range(one.size())] for one in found]
    assert np.allclose(places, [[(100, 50), (300, 50)], [(500, 250), (300, 250)]])
    assert polylines_of(joined(()), PANEL, DATA) == []


def test_long_lines_are_drawn_in_parts() -> None:
    places = [(number / 1200, 0.5) for number in range(1201)]
    found = polylines_of(lines(*places, connected=(*[True] * 1200, False)), PANEL, DATA)
    assert [one.size() for one in found] == [501, 501, 201]
    assert all(before.last() == after.first() for before, after in pairwise(found))


def test_lines_end_at_the_edges_of_the_picture() -> None:
    (found,) = polylines_of(lines((0, 0.5), (1e12, 0.5), connected=(True, False)), PANEL, DATA)
    assert np.allclose([(found.at(n).x(), found.at(n).y()) for n in range(2)], [(100, 150), (500, 150)])


def drawn(sketch: Sketch, contours: Contours = NO_CONTOURS) -> np.ndarray:
    """The brightness of a box that was red."""
    image = QImage(600, 300, QImage.Format.Format_RGB32)
    image.fill("red")
    painter = QPainter(image)
    draw_map(FigureCanvas(painter, 9.0), replace(PANEL, map_lines=sketch, contours=contours), DATA)
    painter.end()
    return np.frombuffer(image.constBits(), np.uint8).reshape(300, 600, 4)[..., 2].astype(int)


def test_coastlines_and_labels_are_drawn() -> None:
    nothing = Graticule(joined(()), ())
    assert (drawn(Sketch(joined(()), nothing)) == 255).all()
    coast = lines((0, 0.5), (1, 0.5), connected=(True, False))
    found = drawn(Sketch(coast, nothing))
    assert found[150, 110:490].max() < 100, "a dark line along the middle"
    assert (found[:120] == 255).all()
    row, column = at(0.5, 0.25)
    labels = tuple(Label(row, column, text, is_meridian=True) for text in ("60°E", "61°E"))
    one, both = (drawn(Sketch(joined(()), Graticule(joined(()), some))) for some in (labels[:1], labels))
    assert (one < 100).any()
    assert np.array_equal(one, both), "labels do not cover each other"


def test_contours_are_drawn_with_their_number_on_them() -> None:
    nothing = Sketch(joined(()), Graticule(joined(()), ()))
    line = lines((0.02, 0.5), (0.5, 0.5), (0.98, 0.5), connected=(True, True, False))
    found, unnamed = (drawn(nothing, Contours(((text, line),))) for text in ("120", ""))
    assert found[150, 110:180].max() < 100, "a dark line along the middle"
    assert (found[:100] == 255).all()
    differs = np.argwhere(found != unnamed)
    assert differs.size
    assert np.abs(differs.mean(axis=0) - (150, 300)).max() < 5, "the number is in the middle of the line"
    edge = lines((0.001, 0.5), (0.002, 0.5), connected=(True, False))
    assert np.array_equal(*(drawn(nothing, Contours(((text, edge),))) for text in ("120", "")))
