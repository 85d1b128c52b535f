"""A plot in a window."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from zarrbrowser.panes.plot_pane import PlotPane


def show(open_window: OpenWindow, qtbot: QtBot, array: FakeArray) -> PlotPane:
    window = open_window(FakeGroup({"array": array}), "/array")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Plot")
    pane = window.node_pane.pane("Plot")
    assert isinstance(pane, PlotPane)
    return pane
