"""The row of cards: as many as fit."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from zarrbrowser.session.saved_views.recent_views import RecentView
from zarrbrowser.session.saved_views.view import SavedView
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.window.saved_views.view_cards import ViewCards


def png(colour: str, width: int = 160, height: int = 40) -> bytes:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(colour))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def recent(number: int, picture: bytes) -> RecentView:
    return RecentView(SavedView(f"view {number}", SourceRequest("/data/a.zarr", f"/{number}")), picture)


def test_as_many_cards_as_fit_are_shown(application: QApplication, qtbot: QtBot) -> None:
    page, cards = QWidget(), ViewCards()
    qtbot.addWidget(page)
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(cards)
    cards.show_views([recent(number, png("red")) for number in range(8)])
    page.resize(1000, 300)
    page.show()

    def shown() -> int:
        return sum(card.isVisible() for card in cards.cards)

    qtbot.waitUntil(lambda: shown() == 5)
    page.resize(400, 300)
    qtbot.waitUntil(lambda: shown() == 2)
    page.resize(cards.minimumSizeHint())
    qtbot.waitUntil(lambda: shown() == 1)
    page.resize(3000, 300)
    qtbot.waitUntil(lambda: shown() == 8)
    with qtbot.waitSignal(cards.chosen) as heard:
        cards.cards[6].click()
    assert heard.args[0].title == "view 6"
    cards.show_views([])
    assert cards.cards == []


def test_the_picture_is_drawn_and_a_damaged_one_is_left_out(application: QApplication, qtbot: QtBot) -> None:
    cards = ViewCards()
    qtbot.addWidget(cards)
    cards.show_views([recent(0, png("red")), recent(1, b"\x89PNG damaged")])
    cards.resize(600, 200)
    cards.show()
    pictures = [card.grab().toImage().pixelColor(88, 60) for card in cards.cards]
    assert pictures[0] == QColor("red")
    assert pictures[1] != QColor("red")
