"""Texts of tooltips: shown as they are, whatever they contain."""

from __future__ import annotations

import pytest
from PySide6.QtGui import Qt, QTextDocument
from pytestqt.qtbot import QtBot

from zarrbrowser.widgets.label import ElidedLabel
from zarrbrowser.widgets.tooltip import tooltip


def shown(tip: str) -> str:
    """What Qt shows for a tooltip."""
    if not Qt.mightBeRichText(tip):
        return tip
    document = QTextDocument()
    document.setHtml(tip)
    return document.toPlainText()


@pytest.mark.parametrize("text", ["DAPI", "GFP <488 nm>", "a & b", "1 < 2"])
def test_ordinary_texts_stay_as_they_are(text: str) -> None:
    assert tooltip(text) == text


@pytest.mark.parametrize(
    "text",
    ["<b>bold</b>", '<img src="file:///etc/hostname">', "line 1\n<i>line   2</i> &amp;", "<!DOCTYPE html>x"],
)
def test_markup_is_shown_and_not_interpreted(text: str) -> None:
    assert shown(tooltip(text)) == text


def test_the_tooltip_of_a_label_is_its_text(qtbot: QtBot) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.set_text("<b>name</b>")
    assert (label.text, shown(label.toolTip())) == ("<b>name</b>", "<b>name</b>")
