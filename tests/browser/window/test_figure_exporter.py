"""Figures from the window: files, the clipboard, paper, and what goes wrong."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow
from PySide6.QtGui import QGuiApplication
from PySide6.QtPrintSupport import QPrinter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

import zarrcore as zc
from zarrbrowser.dialogs.figure_dialog import FigureDialog
from zarrbrowser.export.figures.choices import FigureChoices
from zarrbrowser.export.figures.figure import FigureOptions
from zarrbrowser.settings import Settings
from zarrbrowser.window.figure_exporter import NOTHING
from zarrbrowser.window.main_window import MainWindow

VALUES = (np.arange(3 * 20 * 30).reshape(3, 20, 30) % 251).astype(np.uint8)
SMALL = FigureChoices(FigureOptions(40.0, 30.0, 100))


@pytest.fixture
def window(application: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    hierarchy = zc.create(tmp_path / "a.zarr")
    array = hierarchy.create_array("volume", shape=VALUES.shape, dtype="uint8", chunks=(1, 20, 30))
    array[...] = VALUES
    line = hierarchy.create_array("line", shape=(50,), dtype="uint8", chunks=(50,))
    line[...] = VALUES[0, 1, :1].repeat(50)
    made = MainWindow(Settings(fresh=True))
    qtbot.addWidget(made)
    made.show()
    made.open_text(f"{tmp_path}/a.zarr#/volume")
    qtbot.waitUntil(
        lambda: made.node_pane.current_tab() == "Image" and made.node_pane.current_pane.figure() is not None
    )
    yield made
    made.close()
    assert made.workers.shut_down(30)


def test_the_dialog_writes_a_figure(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    QTest.keySequence(window, "Ctrl+Shift+E")
    (dialog,) = [one for one in window.findChildren(FigureDialog) if one.isVisible()]
    dialog.dpi.setValue(72)
    dialog.accept()
    chooser = next(one for one in window.findChildren(QFileDialog) if one.isVisible())
    assert chooser.selectedFiles()[0].endswith("volume,_axis_0_=_1.png")
    chooser.fileSelected.emit(str(tmp_path / "figure.png"))
    qtbot.waitUntil(lambda: "Exported to" in window.view.status.message.text)
    with Pillow.open(tmp_path / "figure.png") as written:
        assert written.size == (454, 340)
    chooser.reject()
    again = window.exports.figures.show_dialog()
    assert again is not None
    assert again.dpi.value() == 72, "the choices are kept"
    again.reject()


def test_a_folder_that_cannot_be_written_gives_one_sentence(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    source = window.node_pane.current_pane.figure()
    assert source is not None
    with qtbot.waitSignal(window.exports.figures.reported) as said:
        window.exports.figures.write(source, SMALL, str(tmp_path / "nowhere" / "figure.png"))
    assert said.args[0].startswith("figure.png was not written: ")
    assert said.args[0].count("\n") == 0
    assert not (tmp_path / "nowhere").exists()


def test_a_full_disk_leaves_the_old_file(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, path = window.node_pane.current_pane.figure(), tmp_path / "figure.png"
    assert source is not None
    path.write_bytes(b"old")
    before = set(os.listdir(tmp_path))

    def full(*_arguments: object) -> bytes:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("zarrcore.filetypes.whole_file.os.fdopen", full)
    with qtbot.waitSignal(window.exports.figures.reported) as said:
        window.exports.figures.write(source, SMALL, str(path))
    assert said.args[0] == "figure.png was not written: The disk is full."
    assert path.read_bytes() == b"old"
    assert set(os.listdir(tmp_path)) == before


def test_the_figure_is_copied_as_an_image_and_as_a_drawing(window: MainWindow, qtbot: QtBot) -> None:
    window.activateWindow()
    with qtbot.waitSignal(window.exports.figures.reported) as said:
        QTest.keySequence(window, "Ctrl+Shift+I")
    assert said.args[0].startswith("Figure copied: ")
    data = QGuiApplication.clipboard().mimeData()
    assert data.hasImage()
    assert bytes(data.data("image/svg+xml").data()).startswith(b"<?xml")


def test_a_plot_is_a_figure_too(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window.open_text(f"{tmp_path}/a.zarr#/line")
    qtbot.waitUntil(
        lambda: (
            window.node_pane.current_tab() == "Plot" and window.node_pane.current_pane.figure() is not None
        )
    )
    source = window.node_pane.current_pane.figure()
    assert source is not None
    with qtbot.waitSignal(window.exports.figures.reported):
        window.exports.figures.write(source, SMALL, str(tmp_path / "plot.png"))
    with Pillow.open(tmp_path / "plot.png") as written:
        colours = np.asarray(written.convert("RGB")).reshape(-1, 3)
    assert (colours == (11, 110, 128)).all(axis=1).sum() > 50, "the line"


def test_other_tabs_are_no_figures(window: MainWindow, qtbot: QtBot) -> None:
    window.node_pane.show_tab("Metadata")
    for act in (
        window.exports.figures.show_dialog,
        window.exports.figures.copy,
        window.exports.figures.print,
    ):
        with qtbot.waitSignal(window.exports.figures.reported) as said:
            act()
        assert said.args[0] == NOTHING


def test_a_figure_is_printed(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    printer = QPrinter()
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "page.pdf"))
    source = window.node_pane.current_pane.figure()
    assert source is not None
    with qtbot.waitSignal(window.exports.figures.reported) as said:
        window.exports.figures.print_on(printer, source, SMALL)
    assert said.args[0] == "The figure was sent to the printer"
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    printer.setOutputFileName(str(tmp_path / "nowhere" / "page.pdf"))
    dialog = window.exports.figures.print()
    assert dialog is not None
    dialog.reject()
