"""Exports and copies of a pyramid take the finest level by default, and the file name has the level."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
import zarr
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from zarrbrowser.dialogs.export_dialog import ExportDialog
from zarrbrowser.export.export import Export
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow

CELLS = np.random.default_rng(5).integers(0, 4000, (2, 1200, 1600)).astype(np.uint16)
PIXEL_UM = (0.65, 0.325)


@pytest.fixture
def window(application: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    axes = [{"name": "c", "type": "channel"}]
    axes += [{"name": name, "type": "space", "unit": "micrometer"} for name in ("y", "x")]
    datasets = []
    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=2)
    image = group.create_group("cells")
    for level in range(3):
        step = 2**level
        image.create_array(str(level), data=CELLS[:, ::step, ::step], chunks=(1, 256, 256))
        scale = [1.0, *(size * step for size in PIXEL_UM)]
        datasets.append(
            {"path": str(level), "coordinateTransformations": [{"type": "scale", "scale": scale}]}
        )
    image.attrs["multiscales"] = [{"version": "0.4", "axes": axes, "datasets": datasets}]
    image.attrs["omero"] = {"channels": [{"label": "DAPI", "color": "0000FF"}, {"label": "GFP"}]}
    made = MainWindow(Settings(fresh=True))
    qtbot.addWidget(made)
    made.resize(1000, 760)
    made.show()
    made.open_text(f"{tmp_path}/a.zarr#/cells")
    qtbot.waitUntil(lambda: made.node_pane.current_tab() == "Image")
    pane = made.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    qtbot.waitUntil(lambda: pane.displayed() is not None and pane.view.is_complete)
    shown = pane.displayed()
    assert shown is not None
    assert shown.level == 1, "enough for the screen"
    yield made
    made.close()
    assert made.workers.shut_down(30)


def dialog_of(window: MainWindow, suffix: str) -> ExportDialog:
    dialog = window.exports.data.show_dialog()
    assert dialog is not None
    dialog.suffix.setCurrentIndex(dialog.suffix.findData(suffix))
    return dialog


def exported(window: MainWindow, dialog: ExportDialog, qtbot: QtBot, folder: Path) -> Path:
    """The file that the dialog writes, under the suggested name."""
    dialog.accept()
    chooser = next(one for one in window.findChildren(QFileDialog) if one.isVisible())
    path = folder / Path(chooser.selectedFiles()[0]).name
    with qtbot.waitSignal(window.exports.data.reported) as said:
        chooser.fileSelected.emit(str(path))
    assert "Exported to" in said.args[0]
    chooser.reject()
    chooser.deleteLater()
    return path


def size_um(page: Any) -> tuple[float, float]:
    """The size of a pixel in a TIFF file."""
    assert page.resolutionunit == tifffile.RESUNIT.CENTIMETER
    right, down = page.get_resolution("micrometer")
    return 1 / down, 1 / right


def test_the_whole_plane_is_that_of_the_finest_level(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = exported(window, dialog_of(window, "tiff"), qtbot, tmp_path)
    assert path.name == "cells_level0.tiff"
    with tifffile.TiffFile(path) as file:
        assert np.array_equal(file.asarray(), CELLS), "all channels"
        assert size_um(file.pages[0]) == pytest.approx(PIXEL_UM, rel=1e-6)


def test_another_level_and_one_channel_can_be_exported(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = dialog_of(window, "tiff")
    levels = [dialog.level.itemText(row) for row in range(dialog.level.count())]
    assert levels == ["Level 0: 2 × 1,200 × 1,600", "Level 1: 2 × 600 × 800", "Level 2: 2 × 300 × 400"]
    dialog.level.setCurrentIndex(2)
    dialog.channels.setCurrentText("GFP")
    assert dialog.selection.text() == "1, :, :"
    path = exported(window, dialog, qtbot, tmp_path)
    assert path.name == "cells_level2_c1-GFP.tiff"
    with tifffile.TiffFile(path) as file:
        assert np.array_equal(file.asarray(), CELLS[1, ::4, ::4])
        assert size_um(file.pages[0]) == pytest.approx([4 * size for size in PIXEL_UM], rel=1e-6)


def test_a_selection_with_steps_has_larger_pixels(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    viewed = window.node_pane.viewed()
    assert viewed is not None
    path = tmp_path / "x.tiff"
    with qtbot.waitSignal(window.exports.data.reported):
        window.exports.data.write(Export(viewed, (0, slice(None, None, 3), slice(0, 9)), "tiff", str(path)))
    with tifffile.TiffFile(path) as file:
        assert size_um(file.pages[0]) == pytest.approx((3 * PIXEL_UM[0], PIXEL_UM[1]), rel=1e-6)


def test_the_picture_of_the_finest_level_has_the_visible_channels(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.contrast.channels.item(1).setCheckState(Qt.CheckState.Unchecked)
    path = exported(window, dialog_of(window, "png"), qtbot, tmp_path)
    assert path.name == "cells_level0_c0-DAPI.png"
    picture = QImage(str(path))
    assert (picture.width(), picture.height()) == (1600, 1200)
    assert picture.pixelColor(7, 9).red() == picture.pixelColor(7, 9).green() == 0
    dialog = dialog_of(window, "png")
    dialog.channels.setCurrentText("GFP")
    assert "switch this one on" in dialog.problem.text()
    dialog.channels.setCurrentText("DAPI")
    assert dialog.save_button.isEnabled()
    dialog.reject()


def test_the_picture_of_one_channel_can_be_exported(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    dialog = dialog_of(window, "png")
    dialog.channels.setCurrentText("DAPI")
    path = exported(window, dialog, qtbot, tmp_path)
    assert path.name == "cells_level0_c0-DAPI.png"
    picture = QImage(str(path))
    assert all(picture.pixelColor(x, 9).red() == picture.pixelColor(x, 9).green() == 0 for x in range(50))
    assert any(picture.pixelColor(x, 9).blue() > 100 for x in range(50))


def test_code_reads_the_finest_level_and_others_on_request(window: MainWindow) -> None:
    menu = window.node_pane.header.copy_button.menu()
    menu.aboutToShow.emit()
    actions = {action.text(): action for action in menu.actions()}
    actions["Python: zarrcore"].trigger()
    assert "'/cells/0'" in QGuiApplication.clipboard().text()
    assert "node[:, :, :]" in QGuiApplication.clipboard().text()
    coarse: Any = actions["Of level 2: 2 × 300 × 400"].menu()
    next(action for action in coarse.actions() if action.text() == "Command").trigger()
    assert " /cells/2 " in QGuiApplication.clipboard().text()
