"""The session that is restored at the next start."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeHierarchy
from tests.browser.window.places import at, example
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow


def window_of(qtbot: QtBot, *, fresh: bool = False) -> MainWindow:
    def opener(request: SourceRequest) -> Source:
        hierarchy = FakeHierarchy(example())
        hierarchy.url = request.address
        return Source(request, hierarchy, hierarchy.root)

    window = MainWindow(Settings(fresh=fresh), opener)
    qtbot.addWidget(window)
    window.show()
    return window


def test_a_session_is_restored_but_not_when_fresh(
    own_settings: Path, application: QApplication, qtbot: QtBot
) -> None:
    first = window_of(qtbot)
    first.navigator.go(SourceRequest("one.zarr", options=Connection(anonymous=True)))
    first.open_text("two.zarr#/scan/line")
    qtbot.waitUntil(lambda: at(first, "/scan/line", "Plot") and len(first.session.sources) == 2)
    first.node_pane.tabs.tabBarClicked.emit(2)
    first.node_pane.show_tab("Metadata")
    first.close()
    again = window_of(qtbot)
    again.restore_session()
    qtbot.waitUntil(lambda: at(again, "/scan/line", "Metadata"))
    qtbot.waitUntil(lambda: len(again.session.sources) == 2)
    assert again.session.sources[0].request.options == Connection(anonymous=True) or (
        again.session.sources[1].request.options == Connection(anonymous=True)
    )
    again.close()
    fresh = window_of(qtbot, fresh=True)
    fresh.restore_session()
    assert fresh.model.rowCount() == 0
    assert fresh.session.recent.requests == []
    fresh.close()
    for window in (first, again, fresh):
        assert window.workers.shut_down(5)
