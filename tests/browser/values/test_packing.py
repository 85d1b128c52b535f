"""Factors and offsets of NXdata groups apply in all tabs, as scale and offset of CF do."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.panes.plot_pane import PlotPane
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.panes.value_pane import ValuePane
from zarrbrowser.window.main_window import MainWindow

COUNTS = np.arange(6, dtype="u4").reshape(2, 3)
COUNTS[1, 2] = 2**32 - 1


@pytest.fixture(autouse=True)
def _written(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.nxs", "w") as file:
        for name, data in (("image", COUNTS), ("line", COUNTS[0]), ("one", COUNTS[0, 2])):
            group = file.create_group(name)
            group.attrs.update(NX_class="NXdata", signal="counts")
            group["counts"], group["counts_scaling_factor"], group["counts_offset"] = data, 0.5, 10
            group["counts"].attrs["units"] = "V"
        broken = file.create_group("broken")
        broken.attrs.update(NX_class="NXdata", signal="counts")
        broken["counts"], broken["counts_offset"] = COUNTS, h5py.SoftLink("/nowhere")


@pytest.mark.parametrize("path", ["/image", "/image/counts"])
def test_scaling_applies_to_the_picture_the_pointer_and_the_table(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, path: str
) -> None:
    window.open_text(f"{tmp_path}/a.nxs#{path}")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    picture = window.node_pane.pane("Image")
    assert isinstance(picture, ImagePane)
    qtbot.waitUntil(lambda: picture.view.is_complete)
    said: list[str] = []
    picture.pointed.connect(said.append)

    def point(row: float, column: float) -> str:
        picture.canvas.pointed.emit((row, column))
        return said[-1].partition(":  ")[2]

    assert point(0.0, 1.0) == "5.5 V  (stored 1)"
    contrast = picture.body.contrast
    assert contrast.unpacking.toolTip() == "stored × 0.5 + 5, from its NXdata group"
    assert float(contrast.high.text()) < 7, "the largest number is a mask"
    assert not contrast.masked.isHidden()
    contrast.unpacking.click()
    assert point(0.0, 1.0) == "1"
    assert contrast.unit.text() == ""
    contrast.unpacking.click()
    if path == "/image":
        return
    assert window.node_pane.show_tab("Table")
    table = window.node_pane.pane("Table")
    assert isinstance(table, TablePane)
    cell = table.model.index(0, 1)
    qtbot.waitUntil(lambda: cell.data(Qt.ItemDataRole.DisplayRole) == "5.5")


def test_scaling_applies_to_plots_values_and_what_is_read_again(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window.open_text(f"{tmp_path}/a.nxs#/line/counts")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Plot")
    plot = window.node_pane.pane("Plot")
    assert isinstance(plot, PlotPane)
    qtbot.waitUntil(lambda: np.array_equal(plot.curve.yData, [5, 5.5, 6]))
    plot.controls.unpacking.click()
    qtbot.waitUntil(lambda: np.array_equal(plot.curve.yData, [0, 1, 2]))
    window.navigator.go_within("/one/counts")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Value")
    value = window.node_pane.pane("Value")
    assert isinstance(value, ValuePane)
    qtbot.waitUntil(lambda: value.value.text() != "")
    assert value.value.text() == "6.0 V  (stored 2)"


def test_a_factor_that_cannot_be_read_is_said(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window.open_text(f"{tmp_path}/a.nxs#/broken/counts")
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    sentence = pane.body.stack.sentence
    qtbot.waitUntil(lambda: sentence.isVisible() and "/nowhere" in sentence.text)
