"""The present view as one that can be saved."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray, FakeGroup, FakeHierarchy
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow
from zarrbrowser.window.saved_views.present_view import present_view

ADDRESS = "https://me:secret@example.org/a.zarr?sig=secret"


@pytest.fixture
def window(application: QApplication, qtbot: QtBot) -> MainWindow:
    """A window at an image whose address was typed with a password."""

    def opener(request: SourceRequest) -> Source:
        hierarchy = FakeHierarchy(FakeGroup({"scan": FakeArray(np.zeros((9, 14, 15)), ("z", "y", "x"))}))
        hierarchy.url = "https://example.org/a.zarr"
        return Source(request, hierarchy, hierarchy.root)

    made = MainWindow(Settings(fresh=True), opener)
    qtbot.addWidget(made)
    made.resize(1280, 800)
    made.show()
    made.navigator.go(SourceRequest(ADDRESS, "/scan", "v3", Connection(region="eu-west-1")))
    qtbot.waitUntil(lambda: made.node_pane.current_tab() == "Image")
    pane = pane_of(made)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    yield made
    made.close()
    assert made.workers.shut_down(30)


def pane_of(window: MainWindow) -> ImagePane:
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    return pane


def test_it_has_no_credentials_and_is_named_after_node_and_position(window: MainWindow) -> None:
    view = present_view(window.session, window.node_pane)
    assert view is not None
    connection = Connection(region="eu-west-1")
    assert view.request == SourceRequest("https://example.org/a.zarr", "/scan", "v3", connection)
    assert (view.title, view.tab, view.state["index"]) == ("scan, z = 4", "Image", [4, 7, 7])
    assert "secret" not in repr(view)


def test_a_comparison_with_an_address_that_may_hold_a_signature_is_left_out(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = {"comparison": {"address": "ftp://host/a?sig=secret#/b"}, "index": [1]}
    monkeypatch.setattr(pane_of(window), "view_state", lambda: state)
    view = present_view(window.session, window.node_pane)
    assert view is not None
    assert view.state["comparison"] is None
    state["comparison"] = {"address": "/b"}
    again = present_view(window.session, window.node_pane)
    assert again is not None
    assert again.state["comparison"] == {"address": "/b"}


def test_a_source_that_is_open_with_a_password_is_used_for_its_views(
    window: MainWindow, qtbot: QtBot
) -> None:
    view = present_view(window.session, window.node_pane)
    assert view is not None
    pane_of(window).body.sliders.step(3)
    window.navigator.go_within("/")
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/")
    window.saved_views.opener.go(view)
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    qtbot.waitUntil(lambda: pane_of(window).model.state.settings.axes.index[0] == 4)
    assert len(window.session.sources) == 1


def test_without_a_node_there_is_none(window: MainWindow) -> None:
    window.sources.close_current()
    assert present_view(window.session, window.node_pane) is None
    assert "Link to this view" not in [
        action.text() for action in window.node_pane.header.copy_button.menu().actions() if action.isEnabled()
    ]


def test_a_second_image_is_saved_without_credentials(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.beside.show_current()
    pane = pane_of(window)
    area = pane.beside.area
    assert area is not None
    qtbot.waitUntil(lambda: area.pane.view.is_complete)
    view = present_view(window.session, window.node_pane)
    assert view is not None
    assert view.state["beside"]["address"] == "https://example.org/a.zarr"
    assert "secret" not in repr(view)
    secret = {"comparison": {"address": "https://example.org/b.zarr?sig=secret#/scan"}}
    monkeypatch.setattr(pane, "lasting_view_state", lambda: {"beside": {"path": "/scan", "view": secret}})
    view = present_view(window.session, window.node_pane)
    assert view is not None
    assert view.state["beside"] == {"path": "/scan", "view": {"comparison": None}}
