"""Bars with one sentence."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from zarrbrowser.widgets.notice import Notice


def test_a_long_name_does_not_make_the_bar_wide(application: QApplication, qtbot: QtBot) -> None:
    notice = Notice("Close", lambda: None)
    qtbot.addWidget(notice)
    text = f"/{'n' * 300} was not moved."
    notice.say(text)
    assert notice.text == text
    assert notice.minimumSizeHint().width() < 500
