"""A plot with axes: where its points are, and which keys and drags are its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.browser.panes.dragging import drag_to
from zarrbrowser.widgets.graph import Graph


class Holder(QWidget):
    """Notes the keys that its plot leaves to it."""

    def __init__(self) -> None:
        super().__init__()
        self.pressed: list[int] = []
        self.graph = Graph("plot", is_counted=True)
        QVBoxLayout(self).addWidget(self.graph)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.pressed.append(event.key())


@pytest.fixture
def holder(qtbot: QtBot) -> Iterator[Holder]:
    made = Holder()
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show()
    made.graph.view.setRange(xRange=(0, 20), yRange=(-1, 1), padding=0)
    made.graph.grab()
    yield made
    made.hide()


def test_a_place_is_in_the_numbers_of_the_axes(holder: Holder) -> None:
    graph = holder.graph
    middle = graph.place_of(graph.view.mapViewToScene(QPointF(10, 0.5)))
    assert middle is not None
    assert (middle.x(), middle.y()) == pytest.approx((10, 0.5))
    assert graph.place_of(QPointF(1, 1)) is None


def test_keys_that_are_not_the_plots_reach_what_holds_it(holder: Holder) -> None:
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Plus, Qt.Key.Key_A):
        QTest.keyClick(holder.graph, key)
    assert holder.pressed == [Qt.Key.Key_A]
    assert holder.graph.view.viewRange()[0] == pytest.approx((12.5 - 8, 12.5 + 8))


def test_dragging_zooms_into_a_rectangle_on_request(holder: Holder) -> None:
    graph = holder.graph

    def drag() -> tuple[float, float]:
        places = [
            graph.mapFromScene(graph.view.mapViewToScene(QPointF(*at))) for at in ((8, 0.5), (14, -0.5))
        ]
        screen, left = graph.viewport(), Qt.MouseButton.LeftButton
        QTest.mousePress(screen, left, pos=QPoint(places[0]))
        for place in ((places[0] + places[1]) / 2, places[1]):
            drag_to(screen, QPoint(place))
        QTest.mouseRelease(screen, left, pos=QPoint(places[1]))
        low, high = graph.view.viewRange()[0]
        return low, high

    graph.zoom_by_rectangle(True)
    low, high = drag()
    assert (low, high) == pytest.approx((8, 14), abs=0.5)
    graph.zoom_by_rectangle(False)
    left, right = drag()
    assert right - left == pytest.approx(high - low)
    assert left != pytest.approx(low, abs=0.5)
