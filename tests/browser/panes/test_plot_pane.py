"""Plots of lines, and scalars."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

import zarrcore as zc
from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Flaky
from tests.browser.panes.dragging import drag_to
from tests.browser.panes.plots import show
from zarrbrowser.export.figures.figure import Plot
from zarrbrowser.panes.plot_pane import PlotPane
from zarrbrowser.plot.series import other_numbers
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.window.main_window import MainWindow


def test_the_line_is_the_array(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.array([3.0, np.nan, 1.0, 2.0])
    pane = show(open_window, qtbot, FakeArray(values, ("time",)))
    qtbot.waitUntil(lambda: pane.curve.yData is not None and pane.curve.yData.size == 4)
    assert np.array_equal(pane.curve.yData, values, equal_nan=True)
    assert pane.controls.note.text() == "4 elements · without 1 missing value"
    assert pane.plot.getAxis("bottom").labelText == "time"


def test_a_long_array_keeps_its_spike(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.zeros(300_000, np.int16)
    values[123_456] = 500
    pane = show(open_window, qtbot, FakeArray(values))
    qtbot.waitUntil(lambda: pane.curve.yData is not None and pane.curve.yData.size > 0)
    qtbot.waitUntil(lambda: "per pixel" in pane.controls.note.text())
    assert pane.curve.yData.max() == 500
    assert pane.curve.yData.size < 10_000
    pane.plot.setXRange(123_400, 123_500)
    qtbot.waitUntil(lambda: pane.controls.note.text() == "300,000 elements")
    assert pane.curve.yData.max() == 500


def test_other_types_are_plotted(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = show(open_window, qtbot, FakeArray(np.zeros(9)))
    qtbot.waitUntil(lambda: pane.series is not None)
    for size, dtype in enumerate(("?", "c8", "M8[s]", "m8[D]", "u8", [("v", "f4"), ("name", "S2")]), 10):
        pane.show_array(FakeArray(np.zeros(size, dtype)))
        qtbot.waitUntil(lambda size=size: pane.curve.yData is not None and pane.curve.yData.size == size)


def test_arrays_that_cannot_be_plotted_show_a_message(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = show(open_window, qtbot, FakeArray(np.zeros(0)))
    qtbot.waitUntil(lambda: pane.stack.sentence.text.endswith("."))


def test_an_array_that_was_never_written_says_so(
    tmp_path: Path, open_window: OpenWindow, qtbot: QtBot
) -> None:
    pane = show(open_window, qtbot, FakeArray(np.zeros(4)))
    qtbot.waitUntil(lambda: pane.series is not None)
    hierarchy = zc.create(tmp_path / "a.zarr")
    empty, written = (hierarchy.create_array(name, shape=(9,), dtype="int16") for name in "ab")
    written[...] = np.zeros(9, np.int16) + 3
    pane.show_array(empty)
    qtbot.waitUntil(
        lambda: pane.stack.notice.text == "No chunk was written: every element is the fill value."
    )
    with qtbot.waitSignal(pane.series_shown):
        pane.show_array(written)
    qtbot.waitUntil(lambda: not pane._storage_lane.busy)
    assert pane.stack.notice.text == ""


def test_an_error_is_shown_and_retry_works(open_window: OpenWindow, qtbot: QtBot) -> None:
    array, flaky = FakeArray(np.arange(5.0)), Flaky()
    array.before_read = flaky
    pane = show(open_window, qtbot, array)
    qtbot.waitUntil(lambda: "does not answer" in pane.stack.sentence.text)
    flaky.mended = True
    with qtbot.waitSignal(pane.series_shown):
        pane.stack.sentence.button.click()


def test_dates_are_shown_on_the_axis(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.datetime64("2020-01-01", "10D") + np.arange(20)
    pane = show(open_window, qtbot, FakeArray(values))
    qtbot.waitUntil(lambda: pane.series is not None)
    axis = pane.plot.getAxis("left")
    first = int(values[0].astype(np.int64))
    ((_, places),) = axis.tickValues(first, first + 20, 500)
    texts = axis.tickStrings(places, 1.0, 3.0)
    assert len(texts) > 3
    assert texts[0] == "2020-01-01"
    days = [int(np.datetime64(text, "D").astype(np.int64)) for text in texts]
    assert np.array(places) * 10 == pytest.approx(days)


def test_every_line_has_a_range(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = show(open_window, qtbot, FakeArray(np.zeros(9)))
    for values in ([1.7e308, -1.7e308, np.inf], [1, np.nextafter(1, 0)], [np.nan]):
        before = pane.series
        pane.show_array(FakeArray(np.array(values)))
        qtbot.waitUntil(lambda before=before: pane.series is not None and pane.series is not before)
        (left, right), (low, high) = pane.plot.getViewBox().viewRange()
        assert left < right
        assert low < high
        assert pane.graph.grab().toImage().width() > 0


def test_elements_are_drawn_where_their_coordinates_are(open_window: OpenWindow, qtbot: QtBot) -> None:
    """The default plot of a scan in NeXus; over positions, an exponential curve of geometric energies is no longer one."""
    energy = np.geomspace(1e3, 1e5, 21)
    counts = 1e6 * np.exp(-energy / 2e4)
    energies = FakeArray(energy, ("energy",))
    energies.attributes = {"units": "eV"}
    group = FakeGroup({"counts": FakeArray(counts, ("energy",)), "energy": energies})
    window = open_window(group, "/counts")
    pane = window.node_pane.pane("Plot")
    assert isinstance(pane, PlotPane)
    places = (energy - 1e3) / (1e5 - 1e3) * 20
    qtbot.waitUntil(lambda: pane.curve.xData is not None and pane.curve.xData.size == 21)
    qtbot.waitUntil(lambda: pane.curve.xData == pytest.approx(places))
    assert pane.curve.yData == pytest.approx(counts)
    assert pane.plot.getAxis("bottom").labelText == "energy (eV)"
    ticks = pane.graph.across._ticks(0, 20, 900)
    assert len(ticks) > 2
    for place, text in ticks:
        assert place == pytest.approx((float(text.replace(",", "")) - 1e3) / (1e5 - 1e3) * 20)
    pane.plot.setXRange(places[15] + 0.01, places[18] - 0.01, padding=0)
    assert (displayed := pane.displayed()) is not None
    assert displayed.in_view == (slice(15, 19),)
    figure = pane.figure()
    assert figure is not None
    drawn = figure.as_shown().panels[0][2]
    assert isinstance(drawn, Plot)
    assert drawn.lines[0].x == pytest.approx(places[15:19])
    pane.controls.log_x.click()
    qtbot.waitUntil(lambda: pane.curve.xData == pytest.approx(np.log10(energy)))
    assert pane.plot.getAxis("bottom").labelText == "energy (eV)"
    assert "position 0" not in pane.controls.note.text()
    assert pane.graph.view.viewRange()[0][0] == pytest.approx(3, abs=0.3)


def test_the_only_coordinate_with_a_logarithm_is_in_view(open_window: OpenWindow, qtbot: QtBot) -> None:
    lengths = FakeArray(np.array([-5.0, -1, 0, 1e4]), ("length",))
    group = FakeGroup({"a": FakeArray(np.arange(4.0), ("length",)), "length": lengths})
    pane = open_window(group, "/a").node_pane.pane("Plot")
    assert isinstance(pane, PlotPane)
    qtbot.waitUntil(lambda: pane.coordinate_labels.is_known)
    pane.controls.log_x.click()
    qtbot.waitUntil(lambda: pane.curve.xData is not None and pane.curve.xData.tolist() == [4])
    left, right = pane.graph.view.viewRange()[0]
    assert left < 4 < right


def test_a_logarithmic_axis_without_numbers_has_no_unit_of_theirs(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    times = FakeArray(np.arange(4), ("time",))
    times.attributes = {"units": "days since 2001-01-01"}
    window = open_window(FakeGroup({"a": FakeArray(np.arange(4.0), ("time",)), "time": times}), "/a")
    pane = window.node_pane.pane("Plot")
    assert isinstance(pane, PlotPane)
    qtbot.waitUntil(lambda: pane.coordinate_labels.is_known)
    pane.controls.log_x.click()
    qtbot.waitUntil(lambda: "leaves out position 0" in pane.controls.note.text())
    assert pane.graph.across._coordinate is None


def test_the_axis_shows_coordinates(open_window: OpenWindow, qtbot: QtBot) -> None:
    time = FakeArray(np.arange(5))
    time.attributes = {"units": "days since 2000-01-01"}
    array = FakeArray(np.array([0, 10, -99, 30, 40], np.int16), ("time",))
    array.attributes = {"scale_factor": 0.1, "_FillValue": -99, "units": "kelvin"}
    window = open_window(FakeGroup({"array": array, "time": time}), "/array")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Plot")
    pane = window.node_pane.pane("Plot")
    assert isinstance(pane, PlotPane)
    qtbot.waitUntil(lambda: pane.curve.yData is not None and pane.curve.yData.size == 5)
    assert np.allclose(pane.curve.yData, [0, 1, np.nan, 3, 4], equal_nan=True)
    assert pane.plot.getAxis("left").labelText == "array (K)"
    qtbot.waitUntil(lambda: pane.coordinate_labels.is_known)
    ticks = pane.plot.getAxis("bottom").tickValues(-0.2, 4.2, 800)
    assert "2000-01-02" in pane.plot.getAxis("bottom").tickStrings(ticks[0][1], 1, 1)
    pane.controls.unpacking.click()
    qtbot.waitUntil(lambda: np.array_equal(pane.curve.yData, [0, 10, np.nan, 30, 40], equal_nan=True))
    assert pane.plot.getAxis("left").labelText == "array"
    shown = pane.displayed()
    assert shown is not None
    assert shown.selection == (slice(0, 5),)


def test_a_rectangle_that_is_dragged_is_zoomed_into(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = show(open_window, qtbot, FakeArray(np.arange(100.0)))
    qtbot.waitUntil(lambda: pane.curve.yData is not None and pane.curve.yData.size == 100)
    pane.controls.rectangle.click()
    view, screen = pane.plot.getViewBox(), pane.graph.viewport()

    def at(x: float, y: float) -> QPoint:
        return pane.graph.mapFromScene(view.mapViewToScene(QPointF(x, y)))

    start, end = at(20, 60), at(60, 30)
    QTest.mousePress(screen, Qt.MouseButton.LeftButton, pos=start)
    for place in (start + (end - start) / 2, end):
        drag_to(screen, place)
    QTest.mouseRelease(screen, Qt.MouseButton.LeftButton, pos=end)
    across, up = view.viewRange()
    assert across == pytest.approx([20, 60], abs=3)
    assert up == pytest.approx([30, 60], abs=3)
    pane.controls.rectangle.click()
    assert view.state["mouseMode"] == view.PanMode


def test_a_signal_of_nexus_has_error_bars(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    with h5py.File(tmp_path / "a.nxs", "w") as file:
        data = file.create_group("data")
        data.attrs.update({"NX_class": "NXdata", "signal": "counts"})
        data["counts"], data["counts_errors"] = [4.0, 9.0, 100.0, 5.0], [2.0, 3.0, 10.0, np.inf]
    window.open(SourceRequest(str(tmp_path / "a.nxs"), "/data/counts"))
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Plot")
    pane = window.node_pane.pane("Plot")
    assert isinstance(pane, PlotPane)
    qtbot.waitUntil(lambda: pane.bars.yData is not None and pane.bars.yData.size == 12)
    drawn = pane.bars.yData / pane._factor
    np.testing.assert_allclose(drawn, [2, 6, np.nan, 6, 12, np.nan, 90, 110, *[np.nan] * 4])
    shown = pane.figure()
    assert shown is not None
    plot = shown.as_shown().panels[0][2]
    assert isinstance(plot, Plot)
    np.testing.assert_allclose(plot.lines[1].y, pane.bars.yData / pane._factor)
    said: list[str] = []
    pane.pointed.connect(said.append)
    for place, value in (2, "100.0 ± 10"), (3, "5.0 ± inf"):
        pane._point(pane.graph.view.mapViewToScene(QPointF(place, 50 * pane._factor)))
        assert said[-1].endswith(f":  {value}")


@pytest.mark.parametrize("axis", ["x", "y"])
def test_no_line_of_another_scale_is_drawn(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, axis: str
) -> None:
    with h5py.File(tmp_path / "a.nxs", "w") as file:
        data = file.create_group("data")
        data.attrs.update({"NX_class": "NXdata", "signal": "counts"})
        data["counts"] = data["counts_errors"] = np.full(20, 100.0)
    window.open(SourceRequest(str(tmp_path / "a.nxs"), "/data/counts"))
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Plot")
    pane = window.node_pane.pane("Plot")
    assert isinstance(pane, PlotPane)
    qtbot.waitUntil(lambda: pane.series is not None and not pane._drawing.busy)
    drawn: list[float] = []
    pane.curve.sigPlotChanged.connect(
        lambda curve: drawn.append((curve.xData if axis == "x" else curve.yData).max())
    )
    pane._request_outline()
    if axis == "x":
        pane.controls.log_x.click()
    else:
        assert pane.series is not None
        pane.controls.log_y.blockSignals(True)
        pane.controls.log_y.setChecked(True)
        pane._show(other_numbers(pane.series, pane.series.request.elements, is_log=True))
    qtbot.waitUntil(lambda: bool(drawn) and not pane._drawing.busy and not pane._later.isActive())
    assert drawn == pytest.approx([np.log10(19) if axis == "x" else 2] * len(drawn))
