"""Frames that scroll if the window is too small for them."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from zarrbrowser.widgets.scrolled import Scrolled

pytestmark = pytest.mark.usefixtures("application")


def frame(qtbot: QtBot, *, both_ways: bool = False) -> Scrolled:
    made = Scrolled("", both_ways=both_ways)
    qtbot.addWidget(made)
    content = QWidget()
    content.setMinimumSize(300, 200)
    column = QVBoxLayout(made.inside)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(content)
    made.show()
    return made


@pytest.mark.parametrize(("both_ways", "width"), [(False, 300), (True, 0)])
def test_it_may_be_lower_than_its_content_and_narrower_only_on_request(
    both_ways: bool, width: int, qtbot: QtBot
) -> None:
    made = frame(qtbot, both_ways=both_ways)
    border = 2 * made.frameWidth()
    assert (made.sizeHint().width(), made.sizeHint().height()) == (300 + border, 200 + border)
    least = width and width + border
    assert (made.minimumSizeHint().width(), made.minimumSizeHint().height()) == (least, 48)


def test_it_scrolls_what_does_not_fit(qtbot: QtBot) -> None:
    made = frame(qtbot, both_ways=True)
    made.resize(150, 100)
    qtbot.waitUntil(lambda: made.verticalScrollBar().maximum() > 0)
    assert made.horizontalScrollBar().maximum() > 0
    made.resize(400, 300)
    qtbot.waitUntil(lambda: made.verticalScrollBar().maximum() == 0)
    assert made.horizontalScrollBar().maximum() == 0
