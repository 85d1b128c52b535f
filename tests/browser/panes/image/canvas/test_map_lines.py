"""Lines are drawn into an image in their places, and labels do not overlap."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from zarrbrowser.image.contours import Contours
from zarrbrowser.image.tiles.frames import View
from zarrbrowser.maps.graticule import Graticule, Label
from zarrbrowser.maps.lines import PlaneLines, joined
from zarrbrowser.maps.sketch import NOTHING, Sketch
from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.panes.image.canvas.map_lines import (
    ContourLines,
    DrawnSketch,
    MapLines,
    draw_contours,
    draw_sketch,
    polylines_of,
)

VIEW = View((-0.5, 99.5), (-0.5, 99.5), 300.0, 600.0)
LINE = PlaneLines(np.array([50.0, 50.0]), np.array([10.0, 60.0]), np.array([True, False]))


@pytest.fixture
def shown(qtbot: QtBot) -> tuple[Canvas, MapLines]:
    """A canvas on the screen with a plane of 100 × 100 elements, and lines over it."""
    canvas, lines = Canvas(), MapLines()
    qtbot.addWidget(canvas)
    canvas.resize(400, 300)
    canvas.show_plane(100, 100)
    canvas.view.addItem(lines, ignoreBounds=True)
    canvas.show()
    return canvas, lines


def is_dark(drawn: DrawnSketch, row: float, column: float) -> bool:
    """Whether there is a line at a place."""
    rect, image = drawn.rect, drawn.image
    y = int((row - rect.top()) / rect.height() * image.height())
    x = int((column - rect.left()) / rect.width() * image.width())
    colour = image.pixelColor(x, y)
    return colour.alpha() > 100 and colour.lightness() < 100


def test_polylines_have_the_points_of_the_lines_and_gaps_between_them() -> None:
    lines = PlaneLines(
        np.array([0.0, 1, 5, 6, 9]), np.array([2.0, 3, 7, 8, 9]), np.array([True, False, True, False, False])
    )
    found = [
        [(point.x(), point.y()) for point in one.toList()] for one in polylines_of(lines, (1, 2), (10, 100))
    ]
    assert found == [[(0, -10), (100, 0)], [(500, 40), (600, 50)]]
    assert polylines_of(joined(()), (0, 0), (1, 1)) == []


def test_lines_are_drawn_in_their_places_within_the_plane() -> None:
    sketch = Sketch(LINE, NOTHING.graticule)
    drawn = draw_sketch(sketch, VIEW, (100, 100))
    assert (drawn.image.height(), drawn.image.width()) == (300, 600)
    assert [is_dark(drawn, 50.0, column) for column in (5.0, 30.0, 65.0)] == [False, True, False]
    closer = draw_sketch(sketch, View((40.0, 60.0), (20.0, 40.0), 300.0, 300.0), (100, 100))
    assert (closer.rect.top(), closer.rect.bottom()) == (35.0, 65.0), "with a margin"
    assert is_dark(closer, 50.0, 30.0)
    assert draw_sketch(NOTHING, VIEW, (100, 100)).image.isNull()
    assert draw_sketch(sketch, View((200.0, 300.0), (0.0, 9.0), 300.0, 300.0), (100, 100)).image.isNull()


def test_long_lines_are_drawn_in_parts() -> None:
    places = np.arange(1701.0)
    found = polylines_of(PlaneLines(places, places, places < 1700), (0, 0), (1, 1))
    points = [[point.x() for point in one.toList()] for one in found]
    assert [len(one) for one in points] == [501, 501, 501, 201]
    assert all(before[-1] == after[0] for before, after in pairwise(points))
    single = PlaneLines(places[:2], places[:2], np.zeros(2, bool))
    assert polylines_of(single, (0, 0), (1, 1)) == []


def test_the_window_only_copies_the_lines(shown: tuple[Canvas, MapLines]) -> None:
    canvas, lines = shown
    before = canvas.grab().toImage()
    lines.show_drawn(draw_sketch(Sketch(LINE, NOTHING.graticule), canvas.visible(), (100, 100)), 100, 100)
    assert canvas.grab().toImage() != before
    at = canvas.mapFromScene(canvas.view.mapViewToScene(QPointF(30.0, 50.0)))
    assert canvas.grab().toImage().pixelColor(at).lightness() < 100
    lines.clear()
    assert canvas.grab().toImage() == before


def test_labels_have_room(shown: tuple[Canvas, MapLines]) -> None:
    canvas, lines = shown
    labels = (
        Label(99.0, 10.0, "10°E", is_meridian=True),
        Label(99.0, 11.0, "11°E", is_meridian=True),
        Label(99.0, 90.0, "90°E", is_meridian=True),
        Label(50.0, 0.0, "0°", is_meridian=False),
    )
    sketch = Sketch(NOTHING.coastlines, Graticule(joined(()), labels))
    lines.show_drawn(draw_sketch(sketch, canvas.visible(), (100, 100)), 100, 100)
    canvas.grab()
    assert lines.labels == ["10°E", "90°E", "0°"]


def test_labels_of_contours_give_way_to_those_of_the_graticule(shown: tuple[Canvas, MapLines]) -> None:
    canvas, lines = shown
    contours = ContourLines()
    canvas.view.addItem(contours, ignoreBounds=True)
    rows = np.linspace(15.0, 85.0, 3)
    line = PlaneLines(rows, np.full(3, 10.0), np.array([True, True, False]))
    other = PlaneLines(rows, np.full(3, 60.0), np.array([True, True, False]))
    found = Contours((("270", line), ("280", other)))
    contours.show_drawn(draw_contours(found, canvas.visible(), (100, 100)), 100, 100)
    canvas.grab()
    assert contours.labels == ["270", "280"]
    labels = (Label(50.0, 0.0, "0°", is_meridian=False),)
    sketch = Sketch(NOTHING.coastlines, Graticule(joined(()), labels))
    lines.show_drawn(draw_sketch(sketch, canvas.visible(), (100, 100)), 100, 100)
    canvas.grab()
    assert (lines.labels, contours.labels) == (["0°"], ["280"])
    lines.clear()
    canvas.grab()
    assert contours.labels == ["270", "280"], "where the graticule has no label, the contour has"


def test_no_coastline_crosses_the_label_of_a_contour(shown: tuple[Canvas, MapLines]) -> None:
    canvas, lines = shown
    contours = ContourLines()
    canvas.view.addItem(contours, ignoreBounds=True)
    rows = np.linspace(15.0, 85.0, 3)
    line = PlaneLines(rows, np.full(3, 40.0), np.array([True, True, False]))
    contours.show_drawn(draw_contours(Contours((("270", line),)), canvas.visible(), (100, 100)), 100, 100)
    alone = canvas.grab().toImage()
    assert contours.labels == ["270"]
    lines.show_drawn(draw_sketch(Sketch(LINE, NOTHING.graticule), canvas.visible(), (100, 100)), 100, 100)
    crossed = canvas.grab().toImage()
    middle, beside = (
        canvas.mapFromScene(canvas.view.mapViewToScene(QPointF(column, 50.0))) for column in (40.0, 20.0)
    )
    around = range(-8, 9)
    assert all(
        crossed.pixelColor(middle.x() + x, middle.y()) == alone.pixelColor(middle.x() + x, middle.y())
        for x in around
    )
    assert crossed.pixelColor(beside) != alone.pixelColor(beside), "the coastline is there elsewhere"
