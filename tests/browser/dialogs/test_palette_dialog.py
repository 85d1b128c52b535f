"""The command palette by itself: typing, moving, running."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from zarrbrowser.dialogs.palette_dialog import Entry, PaletteDialog

pytestmark = pytest.mark.usefixtures("application")


@pytest.fixture
def ran() -> list[str]:
    return []


@pytest.fixture
def dialog(ran: list[str], qtbot: QtBot) -> PaletteDialog:
    entries = [
        Entry("Unmount", lambda: ran.append("unmount"), "Mount", is_enabled=False),
        Entry("Export figure", lambda: ran.append("figure"), "Data", "Ctrl+Shift+E"),
        Entry("Export movie", lambda: ran.append("movie"), "Data"),
        Entry("Dark", lambda: ran.append("dark"), "Appearance"),
    ]
    made = PaletteDialog(entries)
    qtbot.addWidget(made)
    made.show()
    return made


def test_the_keyboard_finds_and_runs_a_command(dialog: PaletteDialog, ran: list[str], qtbot: QtBot) -> None:
    QTest.keyClicks(dialog.box, "exp")
    assert dialog.titles == ["Export movie", "Export figure"]
    QTest.keyClick(dialog.box, Qt.Key.Key_Down)
    QTest.keyClick(dialog.box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: ran == ["figure"])
    assert not dialog.isVisible()


def test_a_place_is_found_too(dialog: PaletteDialog) -> None:
    dialog.box.setText("appear")
    assert dialog.titles == ["Dark"]


def test_a_command_that_is_impossible_now_does_not_run(
    dialog: PaletteDialog, ran: list[str], qtbot: QtBot
) -> None:
    dialog.box.setText("unm")
    assert dialog.titles == ["Unmount"]
    QTest.keyClick(dialog.box, Qt.Key.Key_Return)
    qtbot.wait(20)
    assert dialog.isVisible()
    assert ran == []


def test_nothing_that_fits_is_said(dialog: PaletteDialog, ran: list[str]) -> None:
    dialog.box.setText("zzz")
    assert dialog.titles == []
    assert dialog.nothing.isVisible()
    QTest.keyClick(dialog.box, Qt.Key.Key_Return)
    assert dialog.isVisible()
    QTest.keyClick(dialog.box, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_a_click_runs_a_command(dialog: PaletteDialog, ran: list[str], qtbot: QtBot) -> None:
    place = dialog.list.visualRect(dialog.model.index(3, 0)).center()
    QTest.mouseClick(dialog.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: ran == ["dark"])


def test_a_long_title_does_not_push_the_keys_out_of_view(qtbot: QtBot) -> None:
    dialog = PaletteDialog(
        [Entry("Copy", lambda: None, "Data", "Ctrl+C"), Entry("long " * 40, lambda: None, "Image")]
    )
    qtbot.addWidget(dialog)
    dialog.show()
    for row in range(2):
        assert dialog.list.visualRect(dialog.model.index(row, 0)).right() <= dialog.list.viewport().width()
    assert dialog.list.horizontalScrollBar().maximum() == 0
