"""Bookmarks in the window, by keys, menus and dialogs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMenu

import zarrcore as zc
from tests.browser.window.saved_views.windows import Windows
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.session.saved_views.links import view_of_link
from zarrbrowser.session.saved_views.view import SavedView
from zarrbrowser.session.saved_views.view_files import read_views
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.window.main_window import MainWindow


def menu_of(window: MainWindow, title: str) -> dict[str, QAction]:
    """The entries of a submenu of the main menu."""
    (menu,) = [one for one in window.view.top_bar.menu.findChildren(QMenu) if one.title() == title]
    menu.aboutToShow.emit()
    return {one.text(): one for one in menu.actions() if one.text()}


def add(window: MainWindow, title: str = "") -> None:
    """Bookmark the present view by keys."""
    window.activateWindow()
    assert QTest.qWaitForWindowActive(window)
    QTest.keySequence(window, "Ctrl+D")
    (dialog,) = [one for one in window.findChildren(QInputDialog) if one.isVisible()]
    if title:
        dialog.setTextValue(title)
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert not dialog.isVisible()


def test_a_view_is_bookmarked_and_shown_again(windows: Windows) -> None:
    window = windows.open()
    pane = windows.show(window)
    pane.body.sliders.step(3)
    pane.body.contrast.colour_map_chosen.emit("viridis")
    pane.canvas.show_range((5, 15), (10, 30))
    windows.settle(window)
    add(window)
    windows.qtbot.waitUntil(lambda: "Bookmarked as “volume, z = 7”" in window.view.status.message.text)
    add(window)
    windows.qtbot.waitUntil(lambda: "is a bookmark already" in window.view.status.message.text)
    pane.fit()
    pane.body.sliders.step(-7)
    pane.body.contrast.colour_map_chosen.emit("magma")
    windows.show(window, "/other")
    menu_of(window, "Bookmarks")["volume, z = 7"].trigger()
    pane = windows.image(window)
    assert pane.model.state.settings.axes.index[0] == 7
    assert pane.body.contrast.colour_map.currentText() == "Viridis", "not the one chosen last"
    assert not pane.canvas.is_fitted
    assert pane.canvas.visible().rows[0] == pytest.approx(5, abs=8)


def test_a_sorted_and_filtered_table_is_bookmarked_and_kept(windows: Windows) -> None:
    hierarchy = zc.open_hierarchy(windows.source, "r+")
    for name, values in (("table/age", [30, 10, 20, 40]), ("table/size", [1.5, 2.5, 3.5, 4.5])):
        array = np.array(values)
        hierarchy.create_array(name, shape=(4,), dtype=array.dtype)[...] = array

    def cells(window: MainWindow) -> list[Any]:
        pane = window.node_pane.pane("Table")
        assert isinstance(pane, TablePane)
        number = 0 if pane.grid is None else pane.grid.rows
        return [pane.model.value(row, 0)[1] for row in range(number)]

    def is_arranged(window: MainWindow) -> bool:
        return windows.is_at(window, "/table") and cells(window) == [40, 30, 20]

    window = windows.open()
    window.open_text(f"{windows.source}#/table")
    windows.qtbot.waitUntil(lambda: windows.is_at(window, "/table"))
    window.node_pane.show_tab("Table")
    windows.qtbot.waitUntil(lambda: cells(window) == [30, 10, 20, 40])
    pane = window.node_pane.pane("Table")
    assert isinstance(pane, TablePane)
    pane.arranger.filter("age != 10")
    pane.arranger.sort(0, is_descending=True)
    windows.qtbot.waitUntil(lambda: is_arranged(window))
    windows.settle(window)
    add(window, "the old")
    windows.show(window, "/other")
    menu_of(window, "Bookmarks")["the old"].trigger()
    windows.qtbot.waitUntil(lambda: is_arranged(window))
    assert pane.arranger.line.text() == "age != 10"
    window.close()
    later = windows.open()
    later.restore_session()
    windows.qtbot.waitUntil(lambda: is_arranged(later))
    later.navigator.go_within("/volume")
    windows.qtbot.waitUntil(lambda: windows.is_at(later, "/volume"))
    later.navigator.back()
    windows.qtbot.waitUntil(lambda: is_arranged(later))


def test_a_bookmark_of_the_present_node_restores_its_view(windows: Windows) -> None:
    window = windows.open()
    pane = windows.show(window)
    add(window, "before & after")
    pane.body.sliders.step(2)
    windows.settle(window)
    window.node_pane.show_tab("Metadata")
    menu_of(window, "Bookmarks")["before && after"].trigger()
    windows.qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    windows.qtbot.waitUntil(lambda: pane.model.state.settings.axes.index[0] == 4)


def test_bookmarks_are_in_other_windows_and_later_runs_and_in_the_palette(windows: Windows) -> None:
    first, second = windows.open(), windows.open()
    assert "No bookmarks" in menu_of(second, "Bookmarks")
    windows.show(first)
    add(first, "mine")
    assert "mine" in menu_of(second, "Bookmarks")
    palette = second.show_palette()
    QTest.keyClicks(palette.box, "bookmarks mine")
    assert palette.titles == ["mine"]
    QTest.keyClick(palette.box, Qt.Key.Key_Return)
    windows.image(second)
    first.close()
    assert "mine" in menu_of(windows.open(), "Bookmarks")


def test_a_fresh_window_saves_no_bookmarks(windows: Windows, own_settings: Path) -> None:
    window = windows.open(fresh=True)
    windows.show(window)
    add(window, "mine")
    assert "mine" in menu_of(window, "Bookmarks")
    assert [*own_settings.rglob("*views*")] == []


def test_without_a_node_nothing_is_bookmarked(windows: Windows) -> None:
    window = windows.open()
    assert window.saved_views.bookmarker.add() is None
    windows.qtbot.waitUntil(lambda: "choose a node" in window.view.status.message.text)


def test_a_damaged_file_is_reported_and_kept(windows: Windows, own_settings: Path) -> None:
    path = own_settings / "zarrscope" / "bookmarks.zarrscope-views.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine, by hand")
    window = windows.open()
    windows.show(window)
    add(window)
    windows.qtbot.waitUntil(lambda: "not bookmarked" in window.view.status.message.text)
    assert path.read_text() == "mine, by hand"
    dialog = window.saved_views.bookmarker.show()
    assert not dialog.problem.isHidden()
    dialog.reject()


def test_bookmarks_are_saved_for_others(windows: Windows, tmp_path: Path) -> None:
    window = windows.open()
    windows.show(window)
    add(window, "mine")
    window.saved_views.bookmarker.bookmarks.add([SavedView("private", SourceRequest("redis://host"))])
    window.saved_views.bookmarker.choose_file()
    chooser = next(one for one in window.findChildren(QFileDialog) if one.isVisible())
    path = tmp_path / "shared.zarrscope-views.json"
    chooser.fileSelected.emit(str(path))
    chooser.reject()
    windows.qtbot.waitUntil(lambda: "Bookmarks saved to" in window.view.status.message.text)
    windows.qtbot.waitUntil(lambda: "1 left out" in window.view.status.message.text)
    assert [one.title for one in read_views(path)] == ["mine"]
    window.saved_views.bookmarker.save(str(tmp_path / "none" / "x"))
    windows.qtbot.waitUntil(lambda: "x was not written" in window.view.status.message.text)


def test_the_link_of_the_view_is_copied(windows: Windows) -> None:
    window = windows.open()
    pane = windows.show(window)
    pane.body.sliders.step(1)
    windows.settle(window)
    menu = window.node_pane.header.copy_button.menu()
    menu.aboutToShow.emit()
    (action,) = [one for one in menu.actions() if one.text() == "Link to this view"]
    action.trigger()
    view = view_of_link(QGuiApplication.clipboard().text())
    assert (view.request.address, view.request.path) == (str(windows.source), "/volume")
    assert view.state["index"][0] == 5
    assert view.title == "volume, z = 5"


def test_a_view_that_is_still_being_loaded_can_be_bookmarked(
    windows: Windows, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = windows.open()
    pane = windows.show(first)
    pane.body.sliders.step(3)
    windows.settle(first)
    view = first.saved_views.present()
    assert view is not None
    second = windows.open()
    with monkeypatch.context() as patched:
        patched.setattr(second.node_pane.pictures, "load", lambda: None)
        second.saved_views.opener.go(view)
        windows.qtbot.waitUntil(lambda: second.session.node is not None)
        assert second.node_pane.panes.get("Image") is None, "the picture comes later"
        early = second.saved_views.present()
    assert early is not None
    assert early.state == view.state
    second.node_pane.pictures.load()
    pane = windows.image(second)
    windows.qtbot.waitUntil(lambda: pane.model.state.settings.axes.index[0] == 7)
    pane.body.sliders.step(-1)
    late = second.saved_views.present()
    assert late is not None
    assert late.state["index"][0] == 6


def test_a_slice_of_a_table_is_bookmarked(windows: Windows) -> None:
    window = windows.open()
    windows.show(window)
    window.node_pane.show_tab("Table")
    windows.settle(window)
    pane: Any = window.node_pane.current_pane
    pane.step(3)
    windows.settle(window)
    add(window)
    windows.qtbot.waitUntil(lambda: "volume, z = 7" in window.view.status.message.text)
    pane.step(-2)
    window.node_pane.show_tab("Image")
    menu_of(window, "Bookmarks")["volume, z = 7"].trigger()
    windows.qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Table")
    windows.qtbot.waitUntil(lambda: pane.grid is not None and pane.grid.axes.index[0] == 7)


def test_a_long_title_is_shortened_in_the_menu(windows: Windows) -> None:
    window = windows.open()
    window.saved_views.bookmarker.bookmarks.add([SavedView("x" * 150, SourceRequest("/data/<b>a</b>"))])
    (action,) = [one for text, one in menu_of(window, "Bookmarks").items() if text.startswith("xx")]
    assert len(action.text()) < 100
    assert action.toolTip().startswith("<span"), "the address as it is, not as markup"
