"""Export and copy in the window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest
import zarr
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

import zarrcore as zc
from zarrbrowser.dialogs.export_dialog import ExportDialog
from zarrbrowser.dialogs.node_export_dialog import NodeExportDialog
from zarrbrowser.export import export
from zarrbrowser.export.export import Export, why_not
from zarrbrowser.export.whole_nodes import HIERARCHIES, NodeExport
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow

VALUES = (np.arange(3 * 20 * 30).reshape(3, 20, 30) % 251).astype(np.uint8)


@pytest.fixture
def window(application: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    hierarchy = zc.create(tmp_path / "a.zarr")
    array = hierarchy.create_array("volume", shape=VALUES.shape, dtype="uint8", chunks=(1, 20, 30))
    array[...] = VALUES
    made = MainWindow(Settings(fresh=True))
    qtbot.addWidget(made)
    made.show()
    made.open_text(f"{tmp_path}/a.zarr#/volume")
    qtbot.waitUntil(lambda: made.node_pane.current_tab() == "Image")
    pane = made.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    qtbot.waitUntil(lambda: pane.displayed() is not None)
    yield made
    made.close()
    assert made.workers.shut_down(30)


def test_the_picture_is_written_as_shown(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    viewed = window.node_pane.viewed()
    assert viewed is not None
    assert viewed.selection == (1, slice(None), slice(None))
    path = tmp_path / "picture.png"
    with qtbot.waitSignal(window.exports.data.reported) as said:
        window.exports.data.write(Export(viewed, viewed.selection, "png", str(path)))
    assert str(path) in said.args[0]
    image = QImage(str(path))
    assert (image.width(), image.height()) == (30, 20)
    assert viewed.displayed is not None
    expected = viewed.displayed.rgba(viewed.displayed.read(viewed.selection))
    pixels = [[image.pixelColor(x, y).getRgb() for x in range(30)] for y in range(20)]
    assert np.array_equal(np.array(pixels), expected)


def test_the_dialog_writes_a_file(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    QTest.keySequence(window, "Ctrl+E")
    dialog = window.exports.data.show_dialog()
    assert isinstance(dialog, ExportDialog)
    dialog.suffix.setCurrentIndex(dialog.suffix.findData("npy"))
    dialog.what.setCurrentIndex(dialog.what.count() - 1)
    dialog.selection.setText("7, :, :")
    assert not dialog.save_button.isEnabled()
    assert "outside" in dialog.problem.text()
    dialog.selection.setText("2, ..., 4:9")
    assert dialog.save_button.isEnabled()
    assert dialog.note.text() == "20 × 5 · 100 elements · 100 bytes"
    dialog.accept()
    chooser = next(one for one in window.findChildren(QFileDialog) if one.isVisible())
    assert chooser.selectedFiles()[0].endswith("volume_axis02.npy")
    assert not chooser.testOption(QFileDialog.Option.DontConfirmOverwrite)
    chooser.fileSelected.emit(str(tmp_path / "chosen.npy"))
    qtbot.waitUntil(lambda: "Exported to" in window.view.status.message.text)
    assert np.array_equal(np.load(tmp_path / "chosen.npy"), VALUES[2, :, 4:9])
    chooser.reject()


def test_a_picture_that_is_too_large_is_refused(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    viewed = window.node_pane.viewed()
    assert viewed is not None
    assert why_not(viewed, viewed.selection, "png") == ""
    monkeypatch.setattr(export, "MOST_PIXELS", 599)
    assert "600 elements is too large" in why_not(viewed, viewed.selection, "png")
    assert "has the axes" in why_not(viewed, (slice(None), 0, slice(None)), "png")


def test_a_file_that_cannot_be_written_is_reported(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    viewed = window.node_pane.viewed()
    assert viewed is not None
    with qtbot.waitSignal(window.exports.data.reported) as said:
        window.exports.data.write(Export(viewed, viewed.selection, "npy", str(tmp_path / "none" / "x.npy")))
    assert said.args[0].startswith("x.npy was not written: ")
    assert "No such file" in said.args[0]


def test_code_is_copied_from_the_menu(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    menu = window.node_pane.header.copy_button.menu()
    menu.aboutToShow.emit()
    actions = {action.text(): action for action in menu.actions()}
    actions["Python: zarr"].trigger()
    assert "node[1, :, :]" in QGuiApplication.clipboard().text()
    actions["Address"].trigger()
    assert QGuiApplication.clipboard().text() == f"{tmp_path}/a.zarr#/volume"
    window.node_pane.show_tab("Table")
    qtbot.waitUntil(lambda: not window.workers.active)
    viewed = window.node_pane.viewed()
    assert viewed is not None
    assert (viewed.selection, viewed.displayed) == ((1, slice(None), slice(None)), None)
    window.open_text(f"{tmp_path}/a.zarr")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Overview")
    menu.aboutToShow.emit()
    enabled = [action.text() for action in menu.actions() if action.isEnabled()]
    copied = ["Python: zarrcore", "Python: zarr", "Python: xarray", "Command", "Address"]
    assert enabled == [*copied, "Link to this view"]


def choose_path(window: MainWindow, path: Path) -> QFileDialog:
    """Choose a path in the open file dialog."""
    chooser = next(one for one in window.findChildren(QFileDialog) if one.isVisible())
    chooser.fileSelected.emit(str(path))
    return chooser


def test_a_group_is_exported_as_a_hierarchy(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window.open_text(f"{tmp_path}/a.zarr")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Overview")
    dialog = window.exports.data.show_dialog()
    assert isinstance(dialog, NodeExportDialog)
    qtbot.waitUntil(lambda: dialog.note.text() == "1 array · 1.76 KiB decoded")
    titles = [dialog.kind.itemText(place) for place in range(dialog.kind.count())]
    assert titles[:3] == ["HDF5", "NetCDF-4", "Zarr v3, folder"]
    assert "_zarrscope_left_out" in dialog.hint.text()
    dialog.kind.setCurrentIndex(titles.index("Zarr v2, folder"))
    assert "read back" in dialog.hint.text()
    dialog.accept()
    chooser = choose_path(window, tmp_path / "copy.zarr")
    assert chooser.selectedFiles()[0].endswith("/a.zarr")
    qtbot.waitUntil(lambda: "Exported to" in window.view.status.message.text)
    chooser.reject()
    assert np.array_equal(zarr.open_group(tmp_path / "copy.zarr", zarr_format=2)["volume"][...], VALUES)


def test_an_array_is_exported_as_a_whole(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    dialog = window.exports.data.show_dialog()
    assert isinstance(dialog, ExportDialog)
    dialog.suffix.setCurrentIndex(dialog.suffix.findText("HDF5, with coordinates"))
    assert dialog.selection.text() == ":, :, :"
    assert not dialog.what.isEnabled()
    assert dialog.note.text() == "3 × 20 × 30 · 1,800 elements · 1.76 KiB"
    dialog.suffix.setCurrentIndex(dialog.suffix.findData("npy"))
    assert dialog.selection.text() == "1, :, :"
    dialog.suffix.setCurrentIndex(dialog.suffix.findText("HDF5, with coordinates"))
    dialog.accept()
    chooser = choose_path(window, tmp_path / "a.h5")
    assert chooser.selectedFiles()[0].endswith("/volume.h5")
    qtbot.waitUntil(lambda: "Exported to" in window.view.status.message.text)
    chooser.reject()
    with h5py.File(tmp_path / "a.h5") as file:
        assert np.array_equal(file["volume"][...], VALUES)


def test_an_export_that_fails_says_why(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    source = window.session.source
    assert source is not None
    node = source.hierarchy.node("/volume")
    (tmp_path / "there.zarr").mkdir()
    with qtbot.waitSignal(window.exports.data.reported) as said:
        path = str(tmp_path / "there.zarr")
        window.exports.data.write_node(NodeExport(source.hierarchy, node, HIERARCHIES["v3 folder"], path))
    assert said.args[0].endswith("exists: choose another name.")
