"""The views of a file in a dialog."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from zarrbrowser.dialogs.views_dialog import FileDialog
from zarrbrowser.session.saved_views.view import SavedView
from zarrbrowser.session.sources import SourceRequest

VIEWS = [
    SavedView("a", SourceRequest("https://me:secret@host/a.zarr", "/raw"), "Image"),
    SavedView("<b>bold</b>", SourceRequest("/data/<b>.zarr"), "Table"),
]


def test_a_view_is_chosen_by_keys_and_by_a_double_click(application: QApplication, qtbot: QtBot) -> None:
    for number, way in ((1, "keys"), (0, "click")):
        dialog = FileDialog("x", VIEWS)
        qtbot.addWidget(dialog)
        dialog.open()
        assert dialog.windowTitle() == "Views in x"
        with qtbot.waitSignal(dialog.chosen) as heard:
            if way == "keys":
                QTest.keyClick(dialog.list, Qt.Key.Key_Down)
                QTest.keyClick(dialog.list, Qt.Key.Key_Return)
            else:
                dialog.list.itemDoubleClicked.emit(dialog.list.item(0))
        assert heard.args == [VIEWS[number]]
        assert not dialog.isVisible()


def test_names_of_others_are_shown_as_they_are_and_without_passwords(
    application: QApplication, qtbot: QtBot
) -> None:
    dialog = FileDialog("x", VIEWS)
    qtbot.addWidget(dialog)
    assert dialog.list.item(1).text() == "<b>bold</b>"
    assert dialog.list.item(1).toolTip().startswith("<span")
    assert dialog.place.text == "https://host/a.zarr#/raw   Image"
    dialog.list.setCurrentRow(1)
    assert dialog.place.text == "/data/<b>.zarr   Table"
    with qtbot.waitSignal(dialog.added) as heard:
        dialog.add_button.click()
    assert heard.args == [VIEWS]


def test_an_empty_list_leads_nowhere(application: QApplication, qtbot: QtBot) -> None:
    dialog = FileDialog("x", [])
    qtbot.addWidget(dialog)
    assert not dialog.go_button.isEnabled()
    with qtbot.assertNotEmitted(dialog.chosen):
        dialog.go()
