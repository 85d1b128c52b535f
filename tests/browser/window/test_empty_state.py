"""The start page of an empty window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QScrollArea
from pytestqt.qtbot import QtBot

from tests.browser.window.saved_views.test_view_cards import png, recent
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.settings import Settings
from zarrbrowser.window.empty_state import EmptyState
from zarrbrowser.window.main_window import MainWindow


def test_an_empty_window_shows_the_start_page(application: QApplication, qtbot: QtBot) -> None:
    window = MainWindow(Settings(fresh=True))
    qtbot.addWidget(window)
    window.show()
    assert window.view.empty.isVisible()
    assert window.view.empty.open_button.isVisible()
    assert "URL" in window.view.top_bar.address.placeholderText()


@pytest.fixture
def page(application: QApplication, qtbot: QtBot) -> EmptyState:
    made = EmptyState()
    qtbot.addWidget(made)
    return made


def links(page: EmptyState) -> list[QPushButton]:
    buttons = [one for one in page.findChildren(QPushButton) if one.property("role") == "link"]
    return [one for one in buttons if not one.isHidden()]


def test_the_latest_recent_sources_can_be_opened(page: EmptyState, qtbot: QtBot) -> None:
    page.show_recent([SourceRequest(f"/data/{number}.zarr") for number in range(9)])
    assert [link.text() for link in links(page)] == [f"/data/{number}.zarr" for number in range(5)]
    with qtbot.waitSignal(page.entered) as heard:
        links(page)[3].click()
    assert heard.args == ["/data/3.zarr"]
    page.show_recent([])
    assert links(page) == []


def test_a_long_address_is_shortened_and_opened_whole(page: EmptyState, qtbot: QtBot) -> None:
    address = "s3://bucket/" + "é" * 500 + ".zarr"
    page.show_recent([SourceRequest(address)])
    (link,) = links(page)
    assert len(link.text()) < 200
    assert link.toolTip() == address
    with qtbot.waitSignal(page.entered) as heard:
        link.click()
    assert heard.args == [address]


def test_an_ampersand_in_an_address_is_shown(page: EmptyState) -> None:
    page.show_recent([SourceRequest("/data/a&b.zarr")])
    assert links(page)[0].text() == "/data/a&&b.zarr", "a single one would underline the next letter"
    assert links(page)[0].shortcut().isEmpty()


def test_the_buttons_ask_for_a_file_a_location_and_an_example(page: EmptyState, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.open_pressed):
        page.open_button.click()
    with qtbot.waitSignal(page.location_pressed):
        page.location_button.click()
    with qtbot.waitSignal(page.example_pressed):
        page.example_button.click()


def texts(page: EmptyState) -> set[str]:
    return {one.text() for one in page.findChildren(QLabel) if one.isVisible()}


def test_recent_views_take_the_place_of_examples(page: EmptyState, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.appeared):
        page.show()
    assert "s3://bucket/scan.zarr" in texts(page)
    page.resize(1000, 700)
    page.show_views([recent(number, png("red")) for number in range(3)])
    qtbot.waitUntil(lambda: all(card.isVisible() for card in page.cards.cards))
    assert "Recent views" in texts(page)
    assert "s3://bucket/scan.zarr" not in texts(page)
    with qtbot.waitSignal(page.view_chosen) as heard:
        page.cards.cards[1].click()
    assert heard.args[0].title == "view 1"
    page.show_views([])
    assert "Recent views" not in texts(page)
    assert "s3://bucket/scan.zarr" in texts(page)


def test_the_page_scrolls_in_a_small_window(page: EmptyState, qtbot: QtBot) -> None:
    page.show()
    page.show_recent([SourceRequest(f"/data/{number}.zarr") for number in range(5)])
    page.show_views([recent(number, png("red")) for number in range(9)])
    assert page.minimumSizeHint().width() <= 500
    assert page.minimumSizeHint().height() <= 200
    page.resize(500, 250)
    area = page.findChild(QScrollArea)
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 100)
    qtbot.waitUntil(lambda: len(links(page)) == 5)
    area.ensureWidgetVisible(links(page)[4])
    assert area.verticalScrollBar().value() > 0


def test_tab_goes_through_the_page_from_top_to_bottom(page: EmptyState, qtbot: QtBot) -> None:
    page.resize(1200, 700)
    page.show()
    page.show_recent([SourceRequest("/data/a.zarr"), SourceRequest("/data/b.zarr")])
    page.show_views([recent(number, png("red")) for number in range(2)])
    page.activateWindow()
    assert QTest.qWaitForWindowActive(page)
    qtbot.waitUntil(lambda: len(links(page)) == 2)
    page.location_button.setFocus()
    passed = []
    for _ in range(4):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        passed.append(QApplication.focusWidget())
    assert passed == [*page.cards.cards, *links(page)]
