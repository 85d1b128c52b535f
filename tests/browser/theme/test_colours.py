"""Texts, icons and focus marks stand out from their backgrounds, for eyes of all kinds."""

from __future__ import annotations

import re
from dataclasses import asdict

import pytest
from PySide6.QtGui import QColor

from zarrbrowser.theme import DARK, LIGHT, Colours
from zarrbrowser.theme.stylesheet import stylesheet

TEXTS = ("text", "muted", "accent", "warning", "key", "string", "number")
GROUNDS = ("window", "surface", "canvas", "raised", "hover", "selection", "warning_ground")

FIELDS = (
    "QLineEdit",
    "QComboBox",
    "QAbstractSpinBox",
    'QPlainTextEdit[role="code"]',
    "QCheckBox::indicator",
    "QListView::indicator",
)


def luminance(colour: str) -> float:
    """The relative luminance of the Web Content Accessibility Guidelines 2.2."""
    parts = QColor(colour).getRgbF()[:3]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_of_known_colours() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_all_texts_can_be_read_on_all_backgrounds(colours: Colours) -> None:
    named = asdict(colours)
    pairs = [(text, ground) for text in TEXTS for ground in GROUNDS] + [("on_accent", "accent")]
    weak = {pair: contrast(*(named[one] for one in pair)) for pair in pairs}
    assert not {pair: ratio for pair, ratio in weak.items() if ratio < 4.5}


def borders(sheet: str) -> dict[str, list[str]]:
    """The colours of the borders of each selector of a stylesheet."""
    found: dict[str, list[str]] = {}
    for selectors, rule in re.findall(r"([^{}]+)\{([^}]*)\}", sheet):
        for selector in selectors.split(","):
            found.setdefault(selector.strip(), []).extend(
                re.findall(r"border[-a-z]*:[^;]*(#[0-9a-f]{6})", rule)
            )
    return found


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_borders_of_fields_and_of_the_focus_stand_out(colours: Colours) -> None:
    found = borders(stylesheet(colours))
    marks = {
        one: shown
        for one, shown in found.items()
        if one in FIELDS or (":focus" in one and "primary" not in one)
    }
    assert all(marks[one] for one in FIELDS)
    assert sum(map(bool, marks.values())) > 2 * len(FIELDS), "most controls have a border for the focus"
    named = asdict(colours)
    weak = {
        (one, border, ground): contrast(border, named[ground])
        for one, shown in marks.items()
        for border in shown
        for ground in ("window", "surface", "canvas", "raised")
    }
    assert not {place: ratio for place, ratio in weak.items() if ratio < 3}
    assert contrast(colours.on_accent, colours.accent) >= 3, "the primary button has its mark inside"


@pytest.mark.parametrize(
    "field", ["QLineEdit", "QComboBox", "QAbstractSpinBox", "QPushButton", "QToolButton"]
)
def test_the_focus_is_more_than_another_colour(field: str) -> None:
    """The outline and the accent are about as light: eyes that do not tell them apart see that the border is wider."""
    sheet = stylesheet(LIGHT)
    assert re.search(rf"{field}:focus[^{{]*\{{ border: 2px", sheet)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_marks_of_the_focus_and_outlines_of_boxes_stand_out(colours: Colours) -> None:
    for ground in (colours.window, colours.surface, colours.canvas, colours.raised):
        assert contrast(colours.accent, ground) >= 3
        assert contrast(colours.muted, ground) >= 3
