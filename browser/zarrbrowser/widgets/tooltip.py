"""Texts of tooltips."""

from __future__ import annotations

from html import escape

from PySide6.QtGui import Qt


def tooltip(text: str) -> str:
    """``text`` as a tooltip shows it character by character.

    Qt interprets a text that looks like HTML. Names and attributes from a store are not trusted, and may look like that.
    """
    if not Qt.mightBeRichText(text):
        return text
    return f'<span style="white-space: pre-wrap">{escape(text)}</span>'
