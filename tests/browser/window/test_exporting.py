"""Export and copy in the window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

import zarrcore as zc
from zarrbrowser.export import export
from zarrbrowser.export.export import Export, why_not
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow

VALUES = (np.arange(3 * 20 * 30).reshape(3, 20, 30) % 251).astype(np.uint8)


@pytest.fixture
def window(application: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    hierarchy = zc.create(tmp_path / "a.zarr")
    array = hierarchy.create_array("volume", shape=VALUES.shape, data_type="uint8", chunk_shape=(1, 20, 30))
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
    with qtbot.waitSignal(window.exporter.reported) as said:
        window.exporter.write(Export(viewed, viewed.selection, "png", str(path)))
    assert str(path) in said.args[0]
    image = QImage(str(path))
    assert (image.width(), image.height()) == (30, 20)
    assert viewed.displayed is not None
    expected = viewed.displayed.rgba(viewed.displayed.read(viewed.selection))
    pixels = [[image.pixelColor(x, y).getRgb() for x in range(30)] for y in range(20)]
    assert np.array_equal(np.array(pixels), expected)


def test_the_dialog_writes_a_file(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    QTest.keySequence(window, "Ctrl+E")
    dialog = window.exporter.ask()
    assert dialog is not None
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
    qtbot.waitUntil(lambda: "Exported to" in window.status.message.text)
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
    with qtbot.waitSignal(window.exporter.reported) as said:
        window.exporter.write(Export(viewed, viewed.selection, "npy", str(tmp_path / "none" / "x.npy")))
    assert said.args[0].startswith("x.npy was not written: ")
    assert "No such file" in said.args[0]


def test_code_is_copied_from_the_menu(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    menu = window.node_pane.copy_button.menu()
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
    assert window.exporter.ask() is None
    menu.aboutToShow.emit()
    enabled = [action.text() for action in menu.actions() if action.isEnabled()]
    assert enabled == ["Python: zarrcore", "Python: zarr", "Python: xarray", "Command", "Address"]
