"""The address bar and its buttons."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from zarrbrowser.session.connection import Connection
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow
from zarrbrowser.window.top_bar import TopBar
from zarrbrowser.workers import Workers


def test_a_path_is_completed_while_it_is_typed(
    application: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "scan_1.zarr").mkdir()
    window = MainWindow(Settings(fresh=True))
    qtbot.addWidget(window)
    window.show()
    QTest.keyClicks(window.view.top_bar.address, f"{tmp_path}/sca")
    completer = window.view.top_bar.address.completer()
    qtbot.waitUntil(lambda: completer.completionCount() == 1)
    assert completer.currentCompletion() == f"{tmp_path}/scan_1.zarr"
    completer.popup().hide()
    window.close()
    assert window.workers.shut_down(30)


@pytest.fixture
def bar(workers: Workers, qtbot: QtBot) -> TopBar:
    made = TopBar(workers)
    qtbot.addWidget(made)
    return made


def test_an_address_is_entered_without_spaces_around_it(bar: TopBar, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(bar.entered):
        QTest.keyClicks(bar.address, "   ")
        QTest.keyClick(bar.address, Qt.Key.Key_Return)
    bar.address.clear()
    QTest.keyClicks(bar.address, "  /data/a.zarr ")
    assert bar.typed() == "/data/a.zarr"
    with qtbot.waitSignal(bar.entered) as heard:
        QTest.keyClick(bar.address, Qt.Key.Key_Return)
    assert heard.args == ["/data/a.zarr"]
    assert bar.typed() == "", "it was entered"


def test_the_present_address_does_not_replace_what_is_being_typed(bar: TopBar, qtbot: QtBot) -> None:
    bar.show()
    bar.activateWindow()
    bar.address.setFocus()
    qtbot.waitUntil(bar.address.hasFocus)
    QTest.keyClicks(bar.address, "/da")
    bar.show_address("s3://bucket/a.zarr")
    assert bar.address.text() == "/da"
    bar.address.clearFocus()
    bar.show_address("s3://bucket/a.zarr")
    assert (bar.address.text(), bar.typed()) == ("s3://bucket/a.zarr", "")


def test_recent_sources_are_in_the_menu_with_their_options(bar: TopBar, qtbot: QtBot) -> None:
    assert [one.text() for one in bar.recent_menu.actions() if not one.isEnabled()][-1] == "No recent sources"
    options = Connection(anonymous=True)
    bar.show_recent([SourceRequest("/data/a&b.zarr"), SourceRequest("s3://bucket/a.zarr", options=options)])
    first, second = bar.recent_menu.actions()[-2:]
    assert (first.text(), second.text()) == ("/data/a&&b.zarr", "s3://bucket/a.zarr    anonymous")
    with qtbot.waitSignal(bar.entered) as heard:
        first.trigger()
    assert heard.args == ["/data/a&b.zarr"]


def test_completions_of_an_outdated_text_are_dropped(bar: TopBar) -> None:
    bar.show_recent([SourceRequest("/data/old.zarr"), SourceRequest("/data/a.zarr")])
    bar.address.setText("/data/a")
    model = bar.address.completer().model()

    def offered() -> list[str]:
        return [model.index(row, 0).data() for row in range(model.rowCount())]

    bar.offer("/data/", ["/data/x.zarr"])
    assert offered() == ["/data/old.zarr", "/data/a.zarr"]
    bar.offer("/data/a", ["/data/a.zarr", "/data/ab.zarr"])
    assert offered() == ["/data/a.zarr", "/data/ab.zarr", "/data/old.zarr"], "each once"


def test_back_and_forward_are_enabled_apart(bar: TopBar) -> None:
    assert not bar.back_button.isEnabled()
    bar.show_ways(back=False, forward=True)
    assert (bar.back_button.isEnabled(), bar.forward_button.isEnabled()) == (False, True)
