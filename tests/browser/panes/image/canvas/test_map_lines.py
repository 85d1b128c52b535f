"""Lines become paths of Qt, and labels do not overlap."""

from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot

from zarrbrowser.maps.graticule import Graticule, Label
from zarrbrowser.maps.lines import PlaneLines, joined
from zarrbrowser.maps.sketch import NOTHING, Sketch
from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.panes.image.canvas.map_lines import MapLines, path_of


def test_a_path_has_the_points_of_the_lines_and_gaps_between_them() -> None:
    lines = PlaneLines(
        np.array([0.0, 1, 5, 6]), np.array([2.0, 3, 7, 8]), np.array([True, False, True, False])
    )
    path = path_of(lines)
    points = [(path.elementAt(at).x, path.elementAt(at).y, path.elementAt(at).isMoveTo()) for at in range(4)]
    assert points == [(2, 0, True), (3, 1, False), (7, 5, True), (8, 6, False)]
    assert path_of(joined(())).isEmpty()


def test_labels_have_room(qtbot: QtBot) -> None:
    canvas, lines = Canvas(), MapLines()
    qtbot.addWidget(canvas)
    canvas.resize(400, 300)
    canvas.show_plane(100, 100)
    canvas.view.addItem(lines, ignoreBounds=True)
    canvas.show()
    labels = (
        Label(99.0, 10.0, "10°E", is_meridian=True),
        Label(99.0, 11.0, "11°E", is_meridian=True),
        Label(99.0, 90.0, "90°E", is_meridian=True),
        Label(50.0, 0.0, "0°", is_meridian=False),
    )
    lines.show_sketch(Sketch(NOTHING.coastlines, Graticule(joined(()), labels)), 100, 100)
    canvas.grab()
    assert lines.labels == ["10°E", "90°E", "0°"]
