"""A bar of controls: in a narrow window some of them move into a menu."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QLabel, QMenu, QWidget
from pytestqt.qtbot import QtBot

from zarrbrowser.widgets.bar import Bar
from zarrbrowser.widgets.buttons import switch


@pytest.fixture
def bar(qtbot: QtBot) -> Iterator[Bar]:
    """A label, and three wide switches; the last always stays."""
    parent = QWidget()  # a window of its own could not be narrower than its controls
    qtbot.addWidget(parent)
    made = Bar(parent)
    words = QLabel("a label")
    buttons = [switch(f"button {number}", f"tip {number}") for number in range(3)]
    for widget in (words, *buttons):
        widget.setFixedWidth(100)
        made.row.addWidget(widget)
    made.row.addWidget(made.more)
    made.gives_way = (words, *buttons[:2])
    made.resize(800, 40)
    parent.show()
    yield made
    parent.close()


def visible(bar: Bar) -> list[bool]:
    return [not widget.isHidden() for widget in bar.gives_way]


def menu_of(bar: Bar) -> QMenu:
    menu = bar.more.menu()
    menu.aboutToShow.emit()
    return menu


def test_controls_give_way_in_order_and_come_back(bar: Bar) -> None:
    assert (visible(bar), bar.more.isHidden()) == ([True] * 3, True)
    seen = []
    for width in (400, 300, 10, 300, 800):
        bar.resize(width, 40)
        seen.append((visible(bar), not bar.more.isHidden()))
    assert seen == [
        ([False, True, True], False),  # a label is not in the menu
        ([False, False, True], True),
        ([False, False, False], True),
        ([False, False, True], True),
        ([True, True, True], False),
    ]


def test_the_menu_has_the_hidden_buttons_as_they_are(bar: Bar) -> None:
    first, second = bar.gives_way[1:]
    first.setChecked(True)  # type: ignore[attr-defined]
    second.setEnabled(False)
    bar.resize(10, 40)
    actions = menu_of(bar).actions()
    assert [(one.text(), one.isChecked(), one.isEnabled()) for one in actions] == [
        ("tip 0", True, True),
        ("tip 1", False, False),
    ]
    actions[0].trigger()
    assert not first.isChecked()  # type: ignore[attr-defined]
    actions = menu_of(bar).actions()
    assert [one.isChecked() for one in actions] == [False, False], "the menu is made anew"


def test_the_bar_may_be_as_narrow_as_it_says(bar: Bar) -> None:
    assert bar.minimumSizeHint().width() > 400
    bar.least_width = 120
    assert bar.minimumSizeHint().width() == 120


def test_a_control_that_appears_gets_room(bar: Bar) -> None:
    late = QLabel("late")
    late.setFixedWidth(100)
    late.hide()
    bar.row.insertWidget(0, late)
    bar.resize(460, 40)
    assert visible(bar) == [True] * 3
    late.show()
    bar.make_room()
    assert visible(bar) == [False, True, True]
    late.hide()
    bar.make_room()
    assert visible(bar) == [True] * 3
