"""The bar above the second image."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from zarrbrowser.panes.image.beside.beside_bar import BesideBar


@pytest.fixture
def bar(qtbot: QtBot) -> BesideBar:
    found = BesideBar()
    qtbot.addWidget(found)
    return found


@pytest.mark.parametrize(
    ("basis", "outside", "text", "tip"),
    [
        ("physical size", "", "Linked by physical size", "correspond by physical size"),
        ("y by index, x by coordinates", "", "Linked y by index, x by coordinates", "correspond y by index"),
        ("index", "The second image has no z = 3.", "The second image has no z = 3.", "by index"),
        ("", "", "", "do not correspond"),
    ],
)
def test_it_says_by_what_places_correspond(
    bar: BesideBar, basis: str, outside: str, text: str, tip: str
) -> None:
    bar.show_link(basis, outside)
    assert bar.words.text == text
    assert tip in bar.words.toolTip()


def test_each_link_is_switched_by_itself(bar: BesideBar, qtbot: QtBot) -> None:
    with qtbot.waitSignal(bar.linked) as heard:
        bar.zoom.click()
    assert heard.args == [False, True]
    with qtbot.waitSignal(bar.linked) as heard:
        bar.sliders.click()
    assert heard.args == [False, False]
    bar.show_links(zooms=True, moves=False)
    assert (bar.zoom.isChecked(), bar.sliders.isChecked()) == (True, False)


def test_contrasts_are_taken_over_both_ways(bar: BesideBar, qtbot: QtBot) -> None:
    take, give = bar.contrast.menu().actions()
    with qtbot.waitSignal(bar.taken):
        take.trigger()
    with qtbot.waitSignal(bar.given):
        give.trigger()
