"""Attributes edited in the window: checked as typed, saved, undone; the user's text is never lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import zarr
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.browser.editing.places import write_example
from tests.browser.window.editing.windows import allow, go, idle
from zarrbrowser.editing.attributes import set_attributes
from zarrbrowser.panes.attribute_tree import AttributeTree
from zarrbrowser.panes.attributes_pane import AttributesPane
from zarrbrowser.panes.overview_pane import OverviewPane
from zarrbrowser.session.sources import Source
from zarrbrowser.window.main_window import MainWindow


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_example(tmp_path / "a.zarr")
    return tmp_path / "a.zarr"


def source_of(window: MainWindow) -> Source:
    assert window.session.source is not None
    return window.session.source


def tree_of(window: MainWindow) -> AttributeTree:
    assert window.node_pane.show_tab("Attributes")
    pane = window.node_pane.pane("Attributes")
    assert isinstance(pane, AttributesPane)
    return pane.attributes


def attributes(place: Path, path: str) -> dict[str, Any]:
    return dict(zarr.open(place / path, mode="r").attrs)


def test_attributes_of_an_array_are_saved_and_undone(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place, "/scan/raw")
    tree = tree_of(window)
    tree.edit_button.click()
    editor = tree.editor
    assert editor.text == '{\n  "unit": "mm"\n}'
    assert not editor.save_button.isEnabled(), "nothing is changed yet"
    editor.edit.setPlainText('{"unit": "mm",\n "unit": 2}')
    qtbot.waitUntil(lambda: "Line 2, column 2: the name" in editor.problem.text())
    assert not editor.save_button.isEnabled()
    editor.edit.setPlainText('{"unit": "µm", "n": [1, NaN]}')
    qtbot.waitUntil(editor.save_button.isEnabled)
    assert "stored as text" in editor.note.text()
    editor.save_button.click()
    qtbot.waitUntil(lambda: not tree.is_edited)
    idle(window, qtbot)
    assert attributes(place, "scan/raw") == {"unit": "µm", "n": [1, "NaN"]}
    assert window.node_pane.current_tab() == "Attributes"
    assert tree.tree.model().index(0, 1).data() == "µm"
    window.editor.undo()
    qtbot.waitUntil(lambda: tree.tree.model().index(0, 1).data() == "mm")
    assert attributes(place, "scan/raw") == {"unit": "mm"}


@pytest.mark.parametrize("way", ["save", "cancel"])
def test_the_focus_goes_from_the_text_to_the_button_that_edits(
    way: str, window: MainWindow, place: Path, qtbot: QtBot
) -> None:
    allow(window, qtbot, place, "/scan/raw")
    window.activateWindow()
    tree = tree_of(window)
    tree.edit_button.click()
    tree.editor.edit.setPlainText('{"unit": "µm"}')
    qtbot.waitUntil(tree.editor.save_button.isEnabled)
    button = tree.editor.save_button if way == "save" else tree.editor.cancel_button
    button.setFocus()
    button.click()
    qtbot.waitUntil(lambda: not tree.is_edited)
    idle(window, qtbot)
    assert window.focusWidget() is tree.edit_button


def test_attributes_of_a_group_are_saved(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place, "/scan")
    pane = window.node_pane.pane("Overview")
    assert isinstance(pane, OverviewPane)
    pane.attributes.edit_button.click()
    pane.attributes.editor.edit.setPlainText('{"title": "one"}')
    qtbot.waitUntil(pane.attributes.editor.save_button.isEnabled)
    pane.attributes.editor.save_button.click()
    qtbot.waitUntil(lambda: not pane.attributes.is_edited)
    assert attributes(place, "scan") == {"title": "one"}


def test_a_conflict_shows_both_and_keeps_the_text(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place, "/scan/raw")
    tree = tree_of(window)
    tree.edit_button.click()
    editor = tree.editor
    editor.edit.setPlainText('{"unit": "km"}')
    zarr.open(place / "scan/raw", mode="r+").attrs["unit"] = "ly"
    qtbot.waitUntil(editor.save_button.isEnabled)
    editor.save_button.click()
    qtbot.waitUntil(lambda: "another program" in window.node_pane.notice.text)
    idle(window, qtbot)
    assert tree.is_edited
    assert editor.text == '{"unit": "km"}'
    assert "ly" in editor.found.toPlainText()
    assert editor.found.isVisible()
    assert attributes(place, "scan/raw") == {"unit": "ly"}
    editor.save_button.click()
    qtbot.waitUntil(lambda: not tree.is_edited)
    assert attributes(place, "scan/raw") == {"unit": "km"}


def test_a_text_survives_a_visit_to_another_node(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place, "/scan/raw")
    tree = tree_of(window)
    tree.edit_button.click()
    tree.editor.edit.setPlainText('{"unit": ')
    go(window, qtbot, "/scan")
    go(window, qtbot, "/scan/raw")
    tree = tree_of(window)
    assert tree.is_edited
    assert tree.editor.text == '{"unit": '
    tree.editor.cancel_button.click()
    assert not tree.is_edited
    assert attributes(place, "scan/raw") == {"unit": "mm"}


def test_a_text_survives_a_stop_of_changes(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place, "/scan/raw")
    tree = tree_of(window)
    tree.edit_button.click()
    tree.editor.edit.setPlainText('{"unit": "µm"}')
    for may_change in (False, True):
        window.editor.toggle()
        qtbot.waitUntil(
            lambda may=may_change: (
                window.session.source is not None and window.session.source.may_change is may
            )  # type: ignore[misc]
        )
        qtbot.waitUntil(lambda may=may_change: tree.is_edited is may)  # type: ignore[misc]
        idle(window, qtbot)
    assert tree.editor.text == '{"unit": "µm"}'
    assert window.node_pane.panes.unsaved() == {"/scan/raw": '{"unit": "µm"}'}
    tree.editor.edit.setPlainText('{\n  "unit": "mm"\n}')
    assert window.node_pane.panes.unsaved() == {}, "it is that of the attributes again"


def test_a_text_that_is_not_saved_keeps_the_window_open_once(
    window: MainWindow, place: Path, qtbot: QtBot
) -> None:
    allow(window, qtbot, place, "/scan/raw")
    tree = tree_of(window)
    tree.edit_button.click()
    for text in ('{"unit": "µm"}', '{"unit": "nm"}'):
        tree.editor.edit.setPlainText(text)
        assert not window.close()
        assert "attributes of /scan/raw is not saved" in window.node_pane.notice.text
    assert window.isVisible()
    assert window.close()
    assert attributes(place, "scan/raw") == {"unit": "mm"}


def test_a_failure_keeps_the_text(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place, "/scan/raw")
    tree = tree_of(window)
    tree.edit_button.click()
    (place / "scan/raw/zarr.json").write_text("{")
    tree.editor.edit.setPlainText('{"unit": "km"}')
    qtbot.waitUntil(tree.editor.save_button.isEnabled)
    tree.editor.save_button.click()
    qtbot.waitUntil(lambda: "Saving the attributes of /scan/raw failed" in window.node_pane.notice.text)
    assert tree.is_edited
    assert tree.editor.save_button.isEnabled()


def test_undo_in_the_text_is_the_undo_of_the_text(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place, "/scan/raw")
    tree = tree_of(window)
    window.editor.run_here(
        set_attributes(source_of(window), "/scan/raw", "array", {"unit": "mm"}, {"unit": "km"})
    )
    qtbot.waitUntil(lambda: attributes(place, "scan/raw") == {"unit": "km"})
    idle(window, qtbot)
    tree.edit_button.click()
    before = tree.editor.text
    window.activateWindow()
    qtbot.waitUntil(tree.editor.edit.hasFocus)
    QTest.keyClicks(tree.editor.edit, "x")
    assert tree.editor.text != before
    QTest.keyClick(tree.editor.edit, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert tree.editor.text == before
    idle(window, qtbot)
    assert attributes(place, "scan/raw") == {"unit": "km"}


def test_reading_only_shows_no_button(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    window.open_text(f"{place}#/scan/raw")
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/scan/raw")
    assert tree_of(window).edit_button.isHidden()
