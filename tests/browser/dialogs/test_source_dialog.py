"""One dialog for files and folders, which says what each is."""

from __future__ import annotations

from pathlib import Path

import h5py
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QListView, QTreeView
from pytestqt.qtbot import QtBot

import zarrcore as zc
from zarrbrowser.dialogs.source_dialog import SourceDialog
from zarrbrowser.theme import current_colours
from zarrbrowser.theme.stylesheet import stylesheet
from zarrbrowser.workers import Workers


@pytest.fixture
def dialog(workers: Workers, qtbot: QtBot, tmp_path: Path) -> SourceDialog:
    zc.create(tmp_path / "a.zarr")
    (tmp_path / "b").mkdir()
    with h5py.File(tmp_path / "c.dat", "w") as file:
        file["x"] = [1]
    (tmp_path / "d.txt").write_text("plain")
    made = SourceDialog(workers, str(tmp_path))
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: _view(made).model().rowCount(_view(made).rootIndex()) == 4)
    return made


def _view(dialog: SourceDialog) -> QTreeView | QListView:
    listed, tree = dialog.findChild(QListView, "listView"), dialog.findChild(QTreeView, "treeView")
    assert listed is not None
    assert tree is not None
    return listed if listed.isVisible() else tree


def press(dialog: SourceDialog, row: int) -> None:
    view = _view(dialog)
    place = view.visualRect(view.model().index(row, 0, view.rootIndex())).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)


def test_its_suggestions_have_the_look_of_the_window(dialog: SourceDialog) -> None:
    completers = [line.completer() for line in dialog.findChildren(QLineEdit)]
    popups = [completer.popup() for completer in completers if completer is not None]
    assert popups
    assert {popup.styleSheet() for popup in popups} == {stylesheet(current_colours())}


def test_files_and_folders_are_named_and_opened(dialog: SourceDialog, qtbot: QtBot, tmp_path: Path) -> None:
    qtbot.waitUntil(lambda: dialog.what.text().endswith("as one tree"))
    for row, (name, what) in enumerate(
        (("a.zarr", "Zarr v3"), ("b", "a folder"), ("c.dat", "HDF5 file"), ("d.txt", "of no kind"))
    ):
        press(dialog, row)
        qtbot.waitUntil(lambda words=f"{name}: {what}": dialog.what.text().startswith(words))  # type: ignore[misc]
        assert dialog.chosen == str(tmp_path / name)
        assert dialog.open_button is not None
        assert dialog.open_button.isEnabled()
    press(dialog, 2)
    with qtbot.waitSignal(dialog.fileSelected) as heard:
        dialog.open_button.click()
    assert heard.args == [str(tmp_path / "c.dat")]
    assert not dialog.isVisible()


def test_a_path_that_is_not_there_stays_in_the_dialog(dialog: SourceDialog, tmp_path: Path) -> None:
    line = dialog.findChild(QLineEdit, "fileNameEdit")
    assert line is not None
    line.setText("e.h5")
    dialog.accept()
    assert dialog.isVisible()
    assert dialog.what.text() == f"There is no {tmp_path / 'e.h5'}"
