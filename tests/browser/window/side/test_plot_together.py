"""Several arrays chosen in the tree are drawn in one plot."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.plot.columns import may_be_plotted_together
from zarrbrowser.window.main_window import MainWindow

TIME = np.arange(5) * 2.0


@pytest.fixture
def opened(open_window: OpenWindow, qtbot: QtBot) -> MainWindow:
    def along_time(values: np.ndarray) -> FakeArray:
        made = FakeArray(values)
        made.dimension_names = ("time",)
        return made

    scan = FakeGroup(
        {
            "time": along_time(TIME),
            "one": along_time(TIME**2),
            "two": along_time(-TIME),
            "longer": FakeArray(np.arange(9.0)),
            "name": FakeArray(np.array(["a"] * 5, "U1")),
            "picture": FakeArray(np.ones((5, 6))),
        }
    )
    window = open_window(FakeGroup({"scan": scan, "other": FakeArray(TIME)}), "/scan")
    index = window.model.index(0, 0)
    qtbot.waitUntil(lambda: window.model.child_named(index, "scan").isValid() and not window.workers.active)
    window.tree.expand(window.model.child_named(index, "scan"))
    qtbot.waitUntil(lambda: row(window, "two").isValid() and not window.workers.active)
    return window


def row(window: MainWindow, name: str) -> QModelIndex:
    return window.model.child_named(window.model.child_named(window.model.index(0, 0), "scan"), name)


def click(window: MainWindow, index: QModelIndex, *, ctrl: bool = True) -> None:
    held = Qt.KeyboardModifier.ControlModifier if ctrl else Qt.KeyboardModifier.NoModifier
    window.tree.scrollTo(index)
    place = window.tree.visualRect(index).center()
    QTest.mouseClick(window.tree.viewport(), Qt.MouseButton.LeftButton, held, place)


def menu(window: MainWindow, name: str) -> QMenu:
    index = row(window, name)
    item = window.model.item(index)
    assert item is not None
    return window.tree.menu_for(index, item)


def test_a_plot_of_chosen_siblings(opened: MainWindow, qtbot: QtBot) -> None:
    click(opened, row(opened, "one"), ctrl=False)
    qtbot.waitUntil(lambda: opened.session.node is not None and opened.session.node.path == "/scan/one")
    click(opened, row(opened, "two"))
    assert opened.session.node.path == "/scan/one", "choosing more of them shows none of these"  # type: ignore[union-attr]
    (entry,) = [one for one in menu(opened, "two").actions() if one.text().startswith("Plot together")]
    assert entry.isEnabled()
    entry.trigger()
    qtbot.waitUntil(lambda: opened.session.node is not None and opened.session.node.path == "/scan")
    assert opened.node_pane.current_tab() == "Table"
    chosen = [one.data() for one in opened.tree.selectionModel().selectedRows()]
    assert chosen == ["scan"], "also while Ctrl is held, as for a command"
    pane = opened.node_pane.pane("Table")
    assert isinstance(pane, TablePane)
    qtbot.waitUntil(lambda: pane.plot.made is not None and len(pane.plot.made.graph.curves) == 2)
    assert pane.grid is not None
    assert set(pane.grid.fields) == {"time", "one", "two"}, "with their coordinate"
    told = pane.view_state()
    assert told["plot"]["x"] == "time"
    assert told["plot"]["y"] == ["one", "two"]

    # The view is one of the history, and can be left for the whole group.
    click(opened, row(opened, "picture"), ctrl=False)
    qtbot.waitUntil(lambda: opened.session.node is not None and opened.session.node.path == "/scan/picture")
    opened.navigator.back()
    qtbot.waitUntil(lambda: pane.view_state().get("plot", {}).get("y") == ["one", "two"])
    pane.controls.whole.click()
    qtbot.waitUntil(lambda: "not a table" in pane.stack.sentence.text)


@pytest.mark.parametrize("names", [("one",), ("one", "longer"), ("one", "name"), ("one", "picture")])
def test_what_is_no_plot_is_not_offered(names: tuple[str, ...], opened: MainWindow) -> None:
    click(opened, row(opened, names[0]), ctrl=False)
    for name in names[1:]:
        click(opened, row(opened, name))
    (entry,) = [one for one in menu(opened, "one").actions() if one.text().startswith("Plot together")]
    assert not entry.isEnabled()
    assert "Ctrl" in entry.text() or "length" in entry.text()


def test_only_siblings_of_one_length() -> None:
    group = FakeGroup({"a": FakeArray(TIME), "b": FakeArray(TIME)})
    other = FakeGroup({"group": group, "c": FakeArray(TIME)})
    a, b = group.children()
    assert may_be_plotted_together([a, b])
    assert not may_be_plotted_together([a, next(one for one in other.children() if one.name == "c")])
