"""The tabs remember the one that the user chose last."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.window.examples import example
from zarrbrowser.session.state import Session
from zarrbrowser.window.node_tabs import NodeTabs


def test_the_chosen_tab_stays_selected(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example(), "/image")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    window.node_pane.tabs.tabBarClicked.emit(2)
    window.node_pane.show_tab("Metadata")
    window.open_text("fake.zarr#/group/inner")
    qtbot.waitUntil(lambda: window.tree.currentIndex().data() == "inner")
    assert window.node_pane.current_tab() == "Metadata"


def test_the_first_tab_follows_the_last_one(qtbot: QtBot) -> None:
    session = Session()
    tabs = NodeTabs(session)
    qtbot.addWidget(tabs)
    tabs.turn(1)  # there is no tab yet
    tabs.show_names(("Image", "Table", "Metadata"))
    tabs.turn(-1)
    assert (tabs.current, session.tab) == ("Metadata", "Metadata")
    with qtbot.assertNotEmitted(tabs.currentChanged):
        tabs.show_names(("Overview", "Metadata"))
    assert tabs.current == "Metadata"
    tabs.turn(1)
    assert (tabs.current, session.tab) == ("Overview", "")
