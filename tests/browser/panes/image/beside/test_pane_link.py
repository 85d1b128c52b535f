"""Two images of several writers at the same place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.browser.panes.image.beside.pictures import (
    FINE,
    MONTHS,
    open_beside,
    show_beside,
    write_model,
    write_n5,
    write_pyramid,
    write_v3,
)
from zarrbrowser.maps.projection import Projection
from zarrbrowser.panes.image.beside.linked_pane import LinkedPane
from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.window.main_window import MainWindow

COARSE = np.arange(-80.0, 81.0, 10.0)[::-1]
LATITUDES, LONGITUDES = np.arange(-80.0, 81.0, 5.0), np.arange(0.0, 360.0, 5.0)


def cross(canvas: Canvas) -> tuple[float, float] | None:
    row, column = canvas.cross
    return (row.value(), column.value()) if row.isVisible() else None


def element(pane: ImagePane) -> float:
    """The element of the second image at the cross."""
    place = cross(pane.canvas)
    assert place is not None
    return float(pane.view.mosaics[0].values[round(place[0]), round(place[1])])


def wheel(canvas: Canvas) -> None:
    """Zoom in about the middle of a picture."""
    at = QPointF(canvas.viewport().rect().center())
    where = QPointF(canvas.viewport().mapToGlobal(at.toPoint()))
    buttons, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
    keys = Qt.KeyboardModifier.NoModifier
    event = QWheelEvent(at, where, QPoint(0, 0), QPoint(0, 600), buttons, keys, phase, False)
    QApplication.sendEvent(canvas.viewport(), event)


def middle_on_earth(linked: LinkedPane) -> list[float]:
    """The longitude and the latitude in the middle of what is shown."""
    sheet, view = linked.sheet(), linked.surface.visible()
    assert sheet is not None
    east, north = sheet.surface.to_earth(*([sum(ends) / 2] for ends in (view.rows, view.columns)))
    return [(float(east[0]) + 180) % 360 - 180, float(north[0])]


def in_view(canvas: Canvas) -> np.ndarray:
    """The middle of the part in view."""
    view = canvas.visible()
    return np.array([sum(view.rows) / 2, sum(view.columns) / 2])


def test_models_correspond_by_coordinates(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    write_model(tmp_path / "a.zarr", LATITUDES, LONGITUDES, MONTHS[:4])
    write_model(tmp_path / "b.nc", COARSE, LONGITUDES[::2], MONTHS[2:])
    pane, area = open_beside(window, qtbot, f"{tmp_path}/a.zarr#/tas", f"{tmp_path}/b.nc#/tas")
    qtbot.waitUntil(lambda: area.link.basis == "coordinates")
    # January is not in the second one, which begins in March.
    qtbot.waitUntil(lambda: area.bar.words.text == "The second image has no time = 2020-01-01.")
    pane.body.sliders.spins[0].setValue(3)
    qtbot.waitUntil(lambda: area.bar.words.text == "Linked by coordinates")
    axes = area.link.second.axes
    assert axes is not None
    assert axes.index[0] == 1  # April in both
    qtbot.waitUntil(lambda: pane.view.is_complete and area.pane.view.is_complete)
    with qtbot.waitSignal(window.node_pane.panes.pointed):
        pane.canvas.pointed.emit((28.0, 20.0))  # 60 °N, 100 °E
    assert element(area.pane) == 40000 + 100 * 60 + 100
    text = area.link.text()
    assert text.startswith("lat = 28 (60 °N), lon = 20 (100 °E):  46100.0 K   |   beside: lat = 2 (60 °N)")
    assert text.endswith("46100.0 K")
    # The other way around.
    area.pane.canvas.pointed.emit((16.0, 0.0))  # 80 °S
    assert cross(pane.canvas) == (0.0, 0.0)
    area.pane.canvas.pointed.emit(None)
    assert cross(pane.canvas) is None
    assert area.link.text() == ""
    area.pane.body.sliders.spins[0].setValue(0)
    assert pane.body.sliders.spins[0].value() == 2
    area.pane.body.sliders.spins[0].setValue(3)
    assert area.bar.words.text == "The first image has no time = 2020-06-01."


def test_pyramids_correspond_by_their_size(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    write_pyramid(tmp_path / "a.zarr")
    write_pyramid(tmp_path / "b.zarr", nanometres=True)
    pane, area = open_beside(window, qtbot, f"{tmp_path}/a.zarr", f"{tmp_path}/b.zarr#/1")
    qtbot.waitUntil(lambda: area.link.basis == "physical size")
    pane.canvas.pointed.emit((20.0, 30.0))
    # Without a translation, an element of a coarser level is the middle of the elements that it covers.
    assert cross(area.pane.canvas) == pytest.approx((9.75, 14.75))
    assert element(area.pane) == FINE[20, 30]
    area.turn(zooms=True, moves=True)
    wheel(pane.canvas)
    qtbot.waitUntil(lambda: np.allclose(in_view(area.pane.canvas) * 2 + 0.5, in_view(pane.canvas), atol=0.2))
    assert not area.pane.canvas.is_fitted


def test_the_pane_with_the_pointer_leads(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    write_v3(tmp_path / "a.zarr")
    write_n5(tmp_path / "b.n5")
    pane, area = open_beside(window, qtbot, f"{tmp_path}/a.zarr#/fine", f"{tmp_path}/b.n5#/raw")
    assert area.link.basis == "index"
    for one, other in ((area.pane.canvas, pane.canvas), (pane.canvas, area.pane.canvas)):
        before = in_view(one), one.view.viewRect().width()
        wheel(one)
        one.view.translateBy(x=4, y=-3)
        assert one.view.viewRect().width() < before[1]
        qtbot.waitUntil(lambda one=one, other=other: np.allclose(in_view(one), in_view(other), atol=0.2))
    wanted = in_view(pane.canvas)
    area.turn(zooms=False, moves=False)
    pane.canvas.show_range((5, 9), (5, 9))
    qtbot.waitUntil(lambda: not np.allclose(in_view(pane.canvas), wanted))
    QApplication.processEvents()
    assert np.allclose(in_view(area.pane.canvas), wanted, atol=0.2)
    area.turn(zooms=True, moves=False)
    qtbot.waitUntil(lambda: np.allclose(in_view(area.pane.canvas), [7, 7], atol=0.2))


def test_a_command_for_the_first_image_is_followed(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    write_v3(tmp_path / "a.zarr")
    pane, area = open_beside(window, qtbot, f"{tmp_path}/a.zarr#/fine", f"{tmp_path}/a.zarr#/fine")
    whole = in_view(pane.canvas)
    area.link.lead(area.link.second)  # the user zooms there, and then presses F in the tree
    area.pane.canvas.show_range((2.0, 6.0), (2.0, 6.0))
    qtbot.waitUntil(lambda: in_view(pane.canvas) == pytest.approx([4.0, 4.0]))
    pane.fit()
    qtbot.waitUntil(lambda: in_view(area.pane.canvas) == pytest.approx(whole))
    assert in_view(pane.canvas) == pytest.approx(whole)
    assert area.pane.canvas.is_fitted, "also in a window of another size"


def test_unlike_sizes_correspond_by_index_or_as_a_whole(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    write_v3(tmp_path / "a.zarr")
    pane, area = open_beside(window, qtbot, f"{tmp_path}/a.zarr#/fine", f"{tmp_path}/a.zarr#/crop")
    assert area.link.basis == "index"
    pane.canvas.pointed.emit((10.0, 25.0))
    assert cross(area.pane.canvas) == (10.0, 25.0)
    assert area.link.text().endswith(":  985   |   beside: 985"), "the same place is named once"
    pane.canvas.pointed.emit((40.0, 25.0))
    assert cross(area.pane.canvas) is None
    assert area.link.text().endswith("|   beside: outside")
    area = show_beside(window, qtbot, f"{tmp_path}/a.zarr#/half")
    assert area.link.basis == "the whole extent"
    pane.canvas.pointed.emit((40.5, 24.5))
    assert cross(area.pane.canvas) == (20.0, 12.0)


def test_a_new_first_image_comes_to_the_place_of_the_second(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    write_v3(tmp_path / "a.zarr")
    pane, area = open_beside(window, qtbot, f"{tmp_path}/a.zarr#/stack", f"{tmp_path}/a.zarr#/fine")
    wheel(area.pane.canvas)
    qtbot.waitUntil(lambda: np.allclose(in_view(area.pane.canvas), in_view(pane.canvas), atol=0.2))
    place = in_view(area.pane.canvas)
    window.open_text(f"{tmp_path}/a.zarr#/half")
    qtbot.waitUntil(lambda: area.link.basis == "the whole extent")
    qtbot.waitUntil(lambda: np.allclose(in_view(pane.canvas) * 2 + 0.5, place, atol=0.3))
    assert np.allclose(in_view(area.pane.canvas), place, atol=0.2)


def test_an_orthogonal_view_keeps_its_cross(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    write_v3(tmp_path / "a.zarr")
    pane, area = open_beside(window, qtbot, f"{tmp_path}/a.zarr#/stack", f"{tmp_path}/a.zarr#/fine")
    pane.body.controls.layouts["orthogonal"].click()
    before = cross(pane.canvas)
    assert before is not None
    area.pane.canvas.pointed.emit((1.0, 2.0))
    assert cross(pane.canvas) == before
    pane.body.grid.others[1].canvas.pointed.emit(
        (1.0, 5.0)
    )  # rows are the first axis, which the second image does not have
    assert cross(area.pane.canvas) == (before[0], 5.0)


def test_maps_correspond_by_longitude_and_latitude(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    write_model(tmp_path / "a.zarr", LATITUDES, LONGITUDES, MONTHS[:1])
    write_model(tmp_path / "b.zarr", COARSE, np.arange(-180.0, 180.0, 10.0), MONTHS[:1])
    pane, area = open_beside(window, qtbot, f"{tmp_path}/a.zarr#/tas", f"{tmp_path}/b.zarr#/tas")
    link = area.link
    qtbot.waitUntil(lambda: link.basis == "coordinates")
    # Only the first one is drawn on a map.
    pane.model.set(projection=Projection.ROBINSON)
    qtbot.waitUntil(lambda: link.basis == "longitude and latitude" and bool(link._sheets))
    assert link.first.surface is not pane.canvas
    sheets = [one.sheet() for one in (link.first, link.second)]
    assert sheets[0] is not None
    assert sheets[0].chart is not None

    def point(east: float, north: float) -> None:
        """Move the pointer to a place on the map."""
        row, column = sheets[0].chart.to_plane([east], [north])  # type: ignore[union-attr]
        link.first.surface.pointed.emit((float(row[0]), float(column[0])))

    point(-60.0, 50.0)
    assert element(area.pane) == 10000 + 5000 - 60
    assert "15300" in link.text()  # 300 °E
    assert "14940" in link.text()
    row, column = sheets[0].chart.to_plane([-60.0], [50.0])
    link.first.surface.show_range(
        (float(row[0]) - 60, float(row[0]) + 60), (float(column[0]) - 60, float(column[0]) + 60)
    )
    # The map is tall, and its lines of longitude are curved: the box of its part has another middle.
    qtbot.waitUntil(lambda: middle_on_earth(link.second) == pytest.approx([-60.0, 50.0], abs=10))
    # Both are, in different projections; the user works in the second one.
    area.pane.model.set(projection=Projection.SOUTH)
    qtbot.waitUntil(lambda: link.second.surface is not area.pane.canvas and bool(link._sheets))
    south = link.second.surface
    point(-60.0, -60.0)
    assert cross(south) is not None
    point(-60.0, 50.0)  # north of what that map shows
    assert cross(south) is None
    assert "14940" in link.text()  # its value is known all the same
    link.lead(link.second)
    sheet = link.second.sheet()
    assert sheet is not None
    assert sheet.chart is not None
    row, column = sheet.chart.to_plane([100.0], [-70.0])
    south.show_range((float(row[0]) - 60, float(row[0]) + 60), (float(column[0]) - 60, float(column[0]) + 60))
    qtbot.waitUntil(lambda: middle_on_earth(link.first) == pytest.approx([100.0, -70.0], abs=12))
    # The wheel over a map makes it the leader.
    wheel(link.first.surface)
    qtbot.waitUntil(lambda: link._leader is link.first)
    for one in (pane, area.pane):
        one.model.set(projection=Projection.NONE)
    qtbot.waitUntil(lambda: link.basis == "coordinates")
    pane.canvas.pointed.emit((20.0, 30.0))
    assert cross(area.pane.canvas) is not None


def test_an_image_without_places_in_common_is_shown_whole(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    write_v3(tmp_path / "a.zarr")
    pane, area = open_beside(window, qtbot, f"{tmp_path}/a.zarr#/fine", f"{tmp_path}/a.zarr#/fine")
    area.pane.canvas.show_range((2.0, 6.0), (2.0, 6.0))
    area.link.lead(area.link.second)
    window.open_text(f"{tmp_path}/a.zarr#/crop")
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.model.state.image.path == "/crop")
    QApplication.processEvents()
    assert in_view(pane.canvas) == pytest.approx([9.5, 24.5])
    window.open_text(f"{tmp_path}/a.zarr#/fine")
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.model.state.image.path == "/fine")
    qtbot.waitUntil(lambda: np.allclose(in_view(pane.canvas), [4, 4], atol=0.2))
