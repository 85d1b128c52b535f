"""Bars with one sentence."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from zarrbrowser.widgets.notice import Notice, SentencePane


def test_a_long_name_does_not_make_the_bar_wide(application: QApplication, qtbot: QtBot) -> None:
    notice = Notice("Close", lambda: None)
    qtbot.addWidget(notice)
    text = f"/{'n' * 300} was not moved."
    notice.say(text)
    assert notice.text == text
    assert notice.minimumSizeHint().width() < 500


@pytest.mark.parametrize("is_still", [False, True])
def test_the_icon_turns_while_something_is_read(
    is_still: bool, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zarrbrowser.widgets.notice.is_reduced", lambda: is_still)
    pane = SentencePane()
    qtbot.addWidget(pane)
    pane.say("Reading…", drawing="loading")
    assert not pane._turning.isActive(), "the pane is hidden"
    pane.show()
    assert pane._turning.isActive() is not is_still
    before = pane._picture.pixmap().toImage()
    if not is_still:
        qtbot.waitUntil(lambda: pane._picture.pixmap().toImage() != before)
    pane.say("It is broken.")
    assert not pane._turning.isActive()
    pane.say("Reading…", drawing="loading")
    pane.hide()
    assert not pane._turning.isActive()
