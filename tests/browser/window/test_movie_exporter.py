"""Movies from the window: the dialog, the frames, cancelling, and what goes wrong."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Gate
from tests.browser.panes.image.pictures import pane_of
from zarrbrowser.dialogs.movie_dialog import MovieDialog
from zarrbrowser.export.movies.movie import MovieOptions
from zarrbrowser.export.movies.playing import Direction
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.window.main_window import MainWindow
from zarrbrowser.window.movie_exporter import NOTHING, axes_of

# Brighter from time to time; the same in all depths.
VALUES = np.broadcast_to(
    (np.arange(5.0)[:, None, None, None] + np.linspace(0, 1, 30)), (5, 3, 20, 30)
).astype(np.float32)
OPTIONS = MovieOptions("png", 0, 0, 4, width=120, height=90)


@pytest.fixture
def array() -> FakeArray:
    return FakeArray(VALUES, ("time", "z", "y", "x"))


@pytest.fixture
def window(array: FakeArray, open_window: OpenWindow, qtbot: QtBot) -> MainWindow:
    made = open_window(FakeGroup({"array": array}), "/array")
    pane = pane_of(made, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    return made


def bright(path: Path) -> float:
    """The brightness of a frame in its middle."""
    with Image.open(path) as found:
        return float(np.asarray(found.convert("L"))[40:50, 55:65].mean())


def written(window: MainWindow, qtbot: QtBot, options: MovieOptions, path: Path) -> str:
    with qtbot.waitSignal(window.exports.movies.reported) as said:
        window.exports.movies.write(window.node_pane.current_pane.figure(), options, str(path))
    return str(said.args[0])


def test_the_dialog_writes_a_movie(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window.activateWindow()
    QTest.keySequence(window, "Ctrl+Shift+M")
    (dialog,) = [one for one in window.findChildren(MovieDialog) if one.isVisible()]
    assert [dialog.axis.itemText(row) for row in range(dialog.axis.count())] == ["time", "z"]
    dialog.kind.setCurrentIndex(dialog.kind.findData("png"))
    dialog.width_.setValue(120)
    dialog.height_.setValue(90)
    dialog.first.setValue(1)
    dialog.direction.setCurrentIndex(2)
    qtbot.waitUntil(lambda: dialog.note.text() == "6 frames")
    dialog.accept()
    chooser = next(one for one in window.findChildren(QFileDialog) if one.isVisible())
    chooser.fileSelected.emit(str(tmp_path / "movie"))
    qtbot.waitUntil(lambda: "Exported to" in window.view.status.message.text)
    assert len(os.listdir(tmp_path / "movie")) == 6
    chooser.reject()
    again = window.exports.movies.show_dialog()
    assert again is not None
    assert (again.kind.currentData(), again.width_.value()) == ("png", 120)
    again.axis.setCurrentIndex(1)
    assert again.last.value() == 2
    again.reject()


@pytest.mark.parametrize(("is_same", "rises"), [(True, True), (False, False)])
def test_colours_mean_the_same_in_all_frames_unless_they_need_not(
    is_same: bool, rises: bool, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    look = replace(OPTIONS.look, has_axes=False, has_colour_bar=False)
    options = replace(OPTIONS, has_same_contrast=is_same, has_title=False, look=look)
    assert written(window, qtbot, options, tmp_path / "m").endswith("(5 frames)")
    first, second = (bright(tmp_path / "m" / f"m_0000{number}.png") for number in (0, 1))
    assert (second > first + 50) == rises


def test_frames_follow_the_direction(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, array: FakeArray
) -> None:
    array.selections.clear()
    written(window, qtbot, replace(OPTIONS, direction=Direction.BACKWARD, step=2), tmp_path / "m")
    assert [one[0] for one in array.selections] == [4, 2, 0]


def test_cancelling_leaves_nothing(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, array: FakeArray
) -> None:
    gate = Gate()
    array.before_read = gate.wait
    heard: list[str] = []
    window.exports.movies.reported.connect(heard.append)
    window.exports.movies.write(
        window.node_pane.current_pane.figure(), replace(OPTIONS, kind="gif"), str(tmp_path / "m.gif")
    )
    qtbot.waitUntil(lambda: bool(window.workers.active))
    window.workers.stop()
    gate.open()
    assert heard == ["m.gif was not written: This was cancelled."]
    assert window.workers.wait(30)
    assert os.listdir(tmp_path) == []


def test_a_chunk_that_cannot_be_read_is_told(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, array: FakeArray
) -> None:
    def fail(_selection: object) -> None:
        raise OSError("the server does not answer")

    array.before_read = fail
    text = written(window, qtbot, OPTIONS, tmp_path / "m")
    assert text == "m was not written: The server does not answer."
    assert os.listdir(tmp_path) == []


def test_a_frame_that_costs_too_much_is_not_read(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zarrbrowser.image.tiles.frames.ASK_ABOVE_BYTES", 10)
    text = written(window, qtbot, OPTIONS, tmp_path / "m")
    assert text.startswith("m was not written: A frame cannot be read: a finer one must decode")


def test_without_a_slider_there_is_no_movie(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(FakeGroup({"array": FakeArray(np.zeros((20, 30)))}), "/array")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    with qtbot.waitSignal(window.exports.movies.reported) as said:
        assert window.exports.movies.show_dialog() is None
    assert said.args[0] == NOTHING


def test_a_missing_package_is_told_in_the_dialog(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zarrbrowser.export.movies.writers.find_spec", lambda _name: None)
    dialog = window.exports.movies.show_dialog()
    assert dialog is not None
    dialog.kind.setCurrentIndex(dialog.kind.findData("mp4"))
    assert dialog.kind.currentText() == "MP4 video (needs imageio-ffmpeg)"
    qtbot.waitUntil(lambda: "pip install" in dialog.problem.text())
    dialog.accept()
    assert dialog.isVisible()
    dialog.kind.setCurrentIndex(dialog.kind.findData("png"))
    qtbot.waitUntil(dialog.save_button.isEnabled)
    dialog.reject()


def test_times_come_before_other_axes(window: MainWindow) -> None:
    pane = window.node_pane.current_pane
    assert isinstance(pane, ImagePane)
    source = pane.figure()
    assert source is not None
    assert axes_of(source) == [(0, "time", 5), (1, "z", 3)]
