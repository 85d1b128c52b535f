"""The session that is restored at the next start."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeHierarchy
from tests.browser.window.places import at, example
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.history import Visit
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.session.state import Session
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow
from zarrbrowser.window.saved_session import save_session, saved_requests, saved_session


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
        assert window.workers.shut_down(30)


def test_a_saved_session_is_read_back_without_a_window(own_settings: Path, application: QApplication) -> None:
    settings, session = Settings(), Session()
    assert saved_session(settings) == ([], None)
    hierarchy = FakeHierarchy(example())
    hierarchy.url = "s3://bucket/a.zarr"
    request = SourceRequest("s3://bucket/a.zarr/", "/image", "v2", Connection(region="eu-west-1"))
    source = Source(request, hierarchy, hierarchy.root)
    session.add(source)
    session.select(source, hierarchy.node("/scan/line"))
    save_session(settings, session, "Table", {"index": [1, 2]})
    requests, visit = saved_session(settings)
    assert requests == [SourceRequest("s3://bucket/a.zarr", "/", "v2", Connection(region="eu-west-1"))]
    assert visit == Visit("s3://bucket/a.zarr", "s3://bucket/a.zarr", "/scan/line", "Table")
    assert visit.view_state == {"index": [1, 2]}
    session.leave()
    save_session(settings, session, "", {})
    assert saved_session(settings) == (requests, None), "the sources without a current node"


def test_malformed_saved_requests_are_left_out(own_settings: Path, application: QApplication) -> None:
    settings = Settings()
    settings.keep("open", ["{", '{"address": "a.zarr"}', "null"])
    assert saved_requests(settings, "open") == [SourceRequest("a.zarr")]
