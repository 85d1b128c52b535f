"""Bookmarks in a dialog: renamed, removed and moved by keys and buttons."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from zarrbrowser.dialogs.bookmarks_dialog import BookmarksDialog
from zarrbrowser.session.saved_views.bookmarks import Bookmarks
from zarrbrowser.session.saved_views.view import SavedView
from zarrbrowser.session.sources import SourceRequest


@pytest.fixture
def bookmarks(tmp_path: Path) -> Bookmarks:
    made = Bookmarks(tmp_path / "b")
    made.add([SavedView(name, SourceRequest(f"/data/{name}.zarr"), "Image") for name in "abc"])
    return made


@pytest.fixture
def dialog(bookmarks: Bookmarks, application: QApplication, qtbot: QtBot) -> BookmarksDialog:
    made = BookmarksDialog(bookmarks)
    qtbot.addWidget(made)
    made.open()
    made.activateWindow()
    assert QTest.qWaitForWindowActive(made)
    return made


def titles(dialog: BookmarksDialog) -> list[str]:
    return [dialog.list.item(row).text() for row in range(dialog.list.count())]


def test_a_bookmark_is_renamed_in_the_list(
    dialog: BookmarksDialog, bookmarks: Bookmarks, qtbot: QtBot
) -> None:
    dialog.list.setCurrentRow(1)
    for name, shown in (("new", "new"), ("c", "c (2)"), ("", "c (2)")):
        QTest.keyClick(dialog.list, Qt.Key.Key_F2)
        (editor,) = dialog.list.findChildren(QLineEdit)
        editor.setText(name)
        QTest.keyClick(editor, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda shown=shown: titles(dialog) == ["a", shown, "c"])
        qtbot.waitUntil(lambda: dialog.list.findChildren(QLineEdit) == [])
    assert [one.title for one in bookmarks.views] == ["a", "c (2)", "c"]
    assert dialog.list.currentRow() == 1
    assert dialog.isVisible(), "Enter ended the name, not the dialog"


def test_a_click_on_another_bookmark_ends_the_name_of_the_first(
    dialog: BookmarksDialog, bookmarks: Bookmarks, qtbot: QtBot
) -> None:
    dialog.list.setCurrentRow(0)
    QTest.keyClick(dialog.list, Qt.Key.Key_F2)
    (editor,) = dialog.list.findChildren(QLineEdit)
    editor.setText("new")
    place = dialog.list.visualItemRect(dialog.list.item(2)).center()
    QTest.mouseClick(dialog.list.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    qtbot.waitUntil(lambda: [one.title for one in bookmarks.views] == ["new", "b", "c"])
    qtbot.waitUntil(lambda: titles(dialog) == ["new", "b", "c"])
    assert dialog.list.currentRow() == 2


def test_bookmarks_are_moved_and_removed(dialog: BookmarksDialog, bookmarks: Bookmarks) -> None:
    assert not dialog.changing["Move up"].isEnabled()
    QTest.keyClick(dialog.list, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    dialog.changing["Move down"].click()
    assert titles(dialog) == ["b", "c", "a"]
    assert dialog.list.currentRow() == 2
    assert not dialog.changing["Move down"].isEnabled()
    QTest.keyClick(dialog.list, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    QTest.keyClick(dialog.list, Qt.Key.Key_Delete)
    assert titles(dialog) == ["b", "c"] == [one.title for one in bookmarks.views]
    for _ in range(2):
        dialog.changing["Remove"].click()
    assert titles(dialog) == []
    assert not any(button.isEnabled() for button in (*dialog.changing.values(), dialog.save_button))
    dialog.rename()
    dialog.remove()


def test_a_file_that_cannot_be_written_says_so(dialog: BookmarksDialog, tmp_path: Path) -> None:
    (tmp_path / "b").write_text("by hand")
    dialog.changing["Remove"].click()
    assert dialog.problem.isVisible()
    assert "cannot be read" in dialog.problem.text()
    assert (tmp_path / "b").read_text() == "by hand"


def test_files_are_asked_for_after_the_dialog(dialog: BookmarksDialog, qtbot: QtBot) -> None:
    with qtbot.waitSignal(dialog.saving):
        dialog.save_button.click()
    assert not dialog.isVisible()
    with qtbot.waitSignal(dialog.opening):
        dialog.open_button.click()


def test_a_long_name_is_elided(dialog: BookmarksDialog, bookmarks: Bookmarks) -> None:
    bookmarks.add([SavedView("long " * 30, SourceRequest("/data/d.zarr"), "Image")])
    other = BookmarksDialog(bookmarks, dialog)
    other.show()
    assert other.list.horizontalScrollBar().maximum() == 0
    other.close()
