"""Texts that are too long for their place."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QFontMetricsF

_OF_NUMBERS: Final = "0123456789.,"


def elided(text: str, metrics: QFontMetrics | QFontMetricsF, width: float) -> str:
    """``text`` as it fits into ``width`` pixels, elided in its middle. A number is left whole or left out.

    "…4 bytes" for "404 bytes" would be another number.
    """
    short = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, width)  # type: ignore[arg-type]
    head, mark, tail = short.partition("…")
    if not mark or short == text:
        return short
    if _is_in_number(text, len(head)):
        head = head.rstrip(_OF_NUMBERS)
    if _is_in_number(text, len(text) - len(tail)):
        tail = tail.lstrip(_OF_NUMBERS)
    return head + mark + tail


def _is_in_number(text: str, place: int) -> bool:
    """Whether a number has characters on both sides of ``place``."""
    around = text[max(0, place - 1) : place + 1]
    return len(around) == 2 and set(around) <= set(_OF_NUMBERS)
