"""Texts that are too long for their place."""

from __future__ import annotations

import re

import pytest
from PySide6.QtGui import QFont, QFontMetrics

from zarrbrowser.drawing.elided import elided

WHOLE = "counts · 10 × 195 × 4,187 · uint32 · 3.62 MiB"


@pytest.mark.usefixtures("qtbot")
def test_every_number_of_an_elided_text_is_one_of_the_whole() -> None:
    metrics = QFontMetrics(QFont())
    numbers = re.compile(r"[0-9][0-9.,]*")
    known, seen = set(numbers.findall(WHOLE)), set()
    for width in range(metrics.horizontalAdvance(WHOLE)):
        short = elided(WHOLE, metrics, width)
        assert metrics.horizontalAdvance(short) <= width or len(short) <= 1
        assert set(numbers.findall(short)) <= known, short
        seen.add(short)
    assert len(seen) > 10, "the text was cut at many places"


@pytest.mark.usefixtures("qtbot")
def test_what_fits_and_what_has_no_numbers_is_as_qt_cuts_it() -> None:
    metrics = QFontMetrics(QFont())
    assert elided(WHOLE, metrics, metrics.horizontalAdvance(WHOLE) + 9) == WHOLE
    short = elided("abcdefghijklmnopq", metrics, metrics.horizontalAdvance("abcdefghijkl"))
    assert re.fullmatch("ab.*….*pq", short)
