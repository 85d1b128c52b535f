"""Packed numbers are unpacked, and shown alike in all tabs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.panes.plot_pane import PlotPane
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.window.main_window import MainWindow


@pytest.fixture(autouse=True, params=[2, 3])
def _written(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    kelvin = np.array([[250.5, np.nan, 250.25], [249.0, 251.0, 252.75]])
    data = xr.Dataset({"t": (("y", "x"), kelvin, {"units": "K"}), "line": (("x",), kelvin[0])})
    packed = {"dtype": "int16", "scale_factor": 0.25, "add_offset": 250.0, "_FillValue": -32767}
    encoding = {"t": packed, "line": packed}
    data.to_zarr(tmp_path / "a.zarr", zarr_format=request.param, consolidated=False, encoding=encoding)


def cell(pane: TablePane, row: int, column: int) -> str:
    return str(pane.model.index(row, column).data(Qt.ItemDataRole.DisplayRole))


def test_unpacking_applies_to_the_picture_the_pointer_and_the_table(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window.open_text(f"{tmp_path}/a.zarr#/t")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    picture = window.node_pane.pane("Image")
    assert isinstance(picture, ImagePane)
    qtbot.waitUntil(lambda: picture.view.is_complete)
    assert picture.body.missing.text == "1 of 6 elements marked as missing"
    said: list[str] = []
    picture.pointed.connect(said.append)

    def point(row: float, column: float) -> str:
        picture.canvas.pointed.emit((row, column))
        return said[-1].partition(":  ")[2]

    assert (point(0.0, 0.0), point(0.0, 1.0)) == ("250.5 K  (stored 2)", "no value  (stored -32,767)")
    assert picture.body.contrast.unit.text() == "K"
    picture.body.contrast.unpacking.click()
    assert (point(0.0, 0.0), point(0.0, 1.0)) == ("2", "-32,767  (fill value)")
    assert window.node_pane.show_tab("Table")
    table = window.node_pane.pane("Table")
    assert isinstance(table, TablePane)
    qtbot.waitUntil(lambda: cell(table, 0, 0) == "2")
    assert cell(table, 0, 1) == "-32,767"
    muted = table.model.index(0, 1).data(Qt.ItemDataRole.ForegroundRole)
    assert muted is not None
    table.controls.unpacking.click()
    qtbot.waitUntil(lambda: cell(table, 0, 0) == "250.5")
    assert cell(table, 0, 1) == "nan"
    viewed = window.node_pane.viewed()
    assert viewed is not None
    assert viewed.packing is not None
    assert window.node_pane.show_tab("Image")
    assert picture.body.contrast.unpacking.isChecked()


def test_unpacking_applies_to_the_plot_and_the_table(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window.open_text(f"{tmp_path}/a.zarr#/line")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Plot")
    plot = window.node_pane.pane("Plot")
    assert isinstance(plot, PlotPane)
    qtbot.waitUntil(lambda: np.array_equal(plot.curve.yData, [250.5, np.nan, 250.25], equal_nan=True))
    assert plot.plot.getAxis("left").labelText == "line"
    plot.controls.unpacking.click()
    qtbot.waitUntil(lambda: np.array_equal(plot.curve.yData, [2, np.nan, 1], equal_nan=True))
    plot.controls.unpacking.click()
    assert window.node_pane.show_tab("Table")
    table = window.node_pane.pane("Table")
    assert isinstance(table, TablePane)
    qtbot.waitUntil(lambda: [cell(table, row, 0) for row in range(3)] == ["250.5", "nan", "250.25"])
    table.controls.unpacking.click()
    qtbot.waitUntil(lambda: [cell(table, row, 0) for row in range(3)] == ["2", "-32,767", "1"])
    qtbot.waitUntil(lambda: np.array_equal(plot.curve.yData, [2, np.nan, 1], equal_nan=True))
    assert not plot.controls.unpacking.isChecked()
