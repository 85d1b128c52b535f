"""A JSON document as text: coloured if it is short, shown in part if it is very long, copied whole."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from zarrbrowser.theme import current_colours
from zarrbrowser.widgets.json_text import COLOURED_CHARACTERS, SHOWN_CHARACTERS, JsonText


@pytest.fixture
def shown(qtbot: QtBot) -> JsonText:
    made = JsonText("zarr.json")
    qtbot.addWidget(made)
    return made


def colours(shown: JsonText) -> dict[str, str]:
    """The coloured parts of the first line."""
    block = shown.edit.document().firstBlock()
    text, found = block.text(), {}
    for part in block.layout().formats():
        found[text[part.start : part.start + part.length]] = part.format.foreground().color().name()
    return found


def test_names_strings_and_numbers_have_their_colours(shown: JsonText) -> None:
    shown.show_text('{"a \\" b": "x: 1, true", "n": -1.5e+3, "t": [true, null], "é": "細"}')
    theme = current_colours()
    assert colours(shown) == {
        '"a \\" b"': theme.key,
        '"n"': theme.key,
        '"t"': theme.key,
        '"é"': theme.key,
        '"x: 1, true"': theme.string,
        '"細"': theme.string,
        "-1.5e+3": theme.number,
        "true": theme.number,
        "null": theme.number,
    }


def test_a_long_document_is_not_coloured(shown: JsonText, qtbot: QtBot) -> None:
    shown.show_text('{"a": 1}\n' + " " * COLOURED_CHARACTERS)
    assert colours(shown) == {}
    shown.show_text('{"a": 1}')
    qtbot.waitUntil(lambda: set(colours(shown)) == {'"a"', "1"})


def test_a_very_long_document_is_shown_in_part_and_copied_whole(shown: JsonText) -> None:
    text = "é" * (SHOWN_CHARACTERS + 1)
    shown.show_text(text)
    assert len(shown.edit.toPlainText()) == SHOWN_CHARACTERS
    assert "the first 500,000 of 500,001 characters" in [one.text() for one in shown.findChildren(QLabel)]
    shown.copy_button.click()
    assert QGuiApplication.clipboard().text() == text == shown.text
    shown.show_text("{}")
    assert not any("characters" in one.text() for one in shown.findChildren(QLabel))


def test_an_empty_document_and_one_of_a_lone_surrogate_are_shown(shown: JsonText) -> None:
    shown.show_text("")
    assert (shown.text, shown.edit.toPlainText()) == ("", "")
    shown.show_text('"a\ud800b"')
    assert shown.text == '"a\ud800b"'
    assert shown.edit.toPlainText().startswith('"a')
