"""The commands of the palette in a window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.image.pictures import VOLUME, pane_of
from tests.browser.window.places import at, example
from zarrbrowser.dialogs.palette_dialog import PaletteDialog
from zarrbrowser.image.calculations.reduction import Reduction, Statistic
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.theme import DARK, LIGHT, Appearance, current_colours
from zarrbrowser.window.commands import COMMANDS
from zarrbrowser.window.main_window import MainWindow


@pytest.fixture
def window(open_window: OpenWindow, qtbot: QtBot) -> MainWindow:
    made = open_window(example(), "/image")
    qtbot.waitUntil(lambda: at(made, "/image", "Image"))
    pane = made.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    made.activateWindow()
    return made


def run(window: MainWindow, query: str, qtbot: QtBot) -> None:
    dialog = window.show_palette()
    QTest.keyClicks(dialog.box, query)
    QTest.keyClick(dialog.box, Qt.Key.Key_Return)
    assert not dialog.isVisible()
    qtbot.wait(10)


def test_every_command_menu_and_button_is_there_once(window: MainWindow) -> None:
    dialog = window.show_palette()
    titles = dialog.titles
    commands = {
        one.label
        for group in COMMANDS
        for one in group.commands
        if one.run is not None and (not one.panes or "Image" in one.panes)
    }
    assert commands - {"Commands"} <= set(titles)
    assert "Commands" not in titles
    assert {"Unmount", "Dark", "Python: zarr", "Flip vertically"} <= set(titles)
    pairs = [(entry.title, entry.place) for entry in dialog._shown]
    assert len(set(pairs)) == len(pairs)
    dialog.reject()


def test_a_key_opens_the_palette(window: MainWindow) -> None:
    QTest.keySequence(window, "Ctrl+K")
    (dialog,) = [one for one in window.findChildren(PaletteDialog) if one.isVisible()]
    QTest.keyClick(dialog.box, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_a_command_a_menu_and_a_button_run(window: MainWindow, qtbot: QtBot) -> None:
    run(window, "next tab", qtbot)
    assert window.node_pane.current_tab() == "Table"
    run(window, "prev tab", qtbot)
    run(window, "flip vert", qtbot)
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    assert pane.body.controls.flip_rows.isChecked()
    run(window, "appearance dark", qtbot)
    assert current_colours() is DARK
    window.view.appearance.choose(Appearance.LIGHT)
    assert current_colours() is LIGHT


def test_the_menus_of_the_buttons_of_a_tab_are_there(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(FakeGroup({"array": FakeArray(VOLUME, ("z", "y", "x"))}), "/array")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    window.activateWindow()
    dialog = window.show_palette()
    assert {"Play along z (Space)", "Loop", "Mean", "Maximum projection"} <= set(dialog.titles)
    assert "More controls" not in dialog.titles
    dialog.reject()
    run(window, "maximum projection", qtbot)
    assert pane.model.state.settings.reduction == Reduction(0, Statistic.MAXIMUM)


def test_a_command_of_another_tab_is_not_there(window: MainWindow, qtbot: QtBot) -> None:
    window.node_pane.show_tab("Metadata")
    dialog = window.show_palette()
    assert "Flip vertically" not in dialog.titles
    assert "One element per pixel" not in dialog.titles
    dialog.reject()


def test_without_a_source_the_palette_opens(open_window: OpenWindow) -> None:
    window = open_window(example())
    window.sources.close_current()
    dialog = window.show_palette()
    assert "Open" in dialog.titles
    dialog.reject()


def test_a_command_that_is_in_a_menu_too_is_there_once_with_its_key(window: MainWindow) -> None:
    dialog = window.show_palette()
    (entry,) = [one for one in dialog._shown if one.title == "Bookmark this view"]
    assert (entry.place, entry.key) == ("Bookmarks", "Ctrl+D")
    dialog.reject()
