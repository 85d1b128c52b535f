"""The Overview tab."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.window.examples import example
from zarrbrowser.panes.overview_pane import OverviewPane


def test_a_group_is_described(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example())
    pane = window.node_pane.pane("Overview")
    assert isinstance(pane, OverviewPane)
    qtbot.waitUntil(lambda: pane.children_label is not None and pane.children_label.text() == "3 children")
    assert pane.attributes.tree.model().index(0, 1).data() == "an example"
    assert window.top_bar.address.text() == "fake.zarr"
