"""Facts in two columns: any text is shown whole, and fits."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from zarrbrowser.nodes.describe import Fact
from zarrbrowser.widgets.facts import FactGrid
from zarrbrowser.widgets.label import ElidedLabel


def labels(grid: FactGrid) -> list[str]:
    return [one.text() for one in grid.findChildren(QLabel)]


def test_a_fact_has_its_label_text_and_detail(qtbot: QtBot) -> None:
    grid = FactGrid("Storage", [Fact("Size", "3 × 4", "rows × columns"), Fact("Type", "int8")])
    qtbot.addWidget(grid)
    assert labels(grid) == ["Storage", "Size", "3 × 4", "rows × columns", "Type", "int8"]
    assert grid.texts["Type"].text() == "int8"


def test_a_fact_that_is_added_can_change(qtbot: QtBot) -> None:
    grid = FactGrid(facts=[Fact("Size", "3")])
    qtbot.addWidget(grid)
    grid.add(Fact("Children", "counting…")).setText("12 children")
    assert labels(grid) == ["Size", "3", "Children", "12 children"]
    assert grid.texts["Children"].text() == "12 children"


@pytest.mark.parametrize("letter", ["a", "é", "細"])
def test_a_long_word_is_shortened_and_does_not_widen_the_window(letter: str, qtbot: QtBot) -> None:
    word = letter * 400
    grid = FactGrid("", [Fact("Path", f"/a {word}", word), Fact("Words", "of a few letters " * 40)])
    qtbot.addWidget(grid)
    shortened = grid.findChildren(ElidedLabel)
    assert [one.text for one in shortened] == [f"/a {word}", word]
    assert shortened[0].toolTip() == f"/a {word}"
    assert grid.minimumSizeHint().width() < 600


def test_markup_in_a_document_is_shown_as_it_is(qtbot: QtBot) -> None:
    grid = FactGrid("", [Fact("Title", "<b>x</b> &amp;")])
    qtbot.addWidget(grid)
    plain = FactGrid("", [Fact("Title", "(b)x(/b) *amp;")])
    qtbot.addWidget(plain)
    shown, expected = (one.texts["Title"].sizeHint().width() for one in (grid, plain))
    assert shown > 0.8 * expected, "no tag is interpreted"
