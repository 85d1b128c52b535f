"""The dialog for movies by itself: its frames, its limits."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.browser.drawing.figures import figure
from zarrbrowser.dialogs.movie_dialog import MovieDialog
from zarrbrowser.export.movies.movie import MovieOptions
from zarrbrowser.export.movies.playing import Direction

pytestmark = pytest.mark.usefixtures("application")


@pytest.fixture
def dialog(qtbot: QtBot) -> MovieDialog:
    made = MovieDialog(figure(), [(0, "time", 12), (1, "z", 5)], MovieOptions("png", 0, 0, 0))
    qtbot.addWidget(made)
    made.show()
    return made


def test_the_whole_axis_is_offered(dialog: MovieDialog, qtbot: QtBot) -> None:
    assert (dialog.first.value(), dialog.last.value()) == (0, 11)
    dialog.axis.setCurrentIndex(1)
    assert (dialog.options().axis, dialog.options().last) == (1, 4)
    qtbot.waitUntil(lambda: dialog.note.text() == "5 frames")


def test_the_options_are_those_of_the_controls(dialog: MovieDialog) -> None:
    dialog.first.setValue(2)
    dialog.step.setValue(3)
    dialog.rate.setValue(4)
    dialog.direction.setCurrentIndex(1)
    dialog.boxes["has_same_contrast"].setChecked(False)
    dialog.boxes["has_axes"].setChecked(False)
    chosen = dialog.options()
    assert chosen.positions == [11, 8, 5, 2]
    assert (chosen.direction, chosen.rate, chosen.has_same_contrast) == (Direction.BACKWARD, 4, False)
    assert not chosen.frame_options("t").has_axes
    assert not dialog.boxes["has_labels"].isVisible(), "the figure has none"


def test_only_what_applies_to_a_type_can_be_chosen(dialog: MovieDialog, qtbot: QtBot) -> None:
    assert not dialog.rate.isEnabled(), "images have no rate"
    dialog.kind.setCurrentIndex(dialog.kind.findData("gif"))
    qtbot.waitUntil(dialog.rate.isEnabled)
    assert dialog.boxes["loops"].isEnabled()


def test_enter_asks_for_the_movie(dialog: MovieDialog, qtbot: QtBot) -> None:
    with qtbot.waitSignal(dialog.asked) as asked:
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert asked.args[0].kind == "png"


def test_boxes_beside_each_other_do_not_touch(dialog: MovieDialog, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: dialog.height_.x() > dialog.width_.x())
    assert dialog.height_.x() - dialog.width_.geometry().right() >= 6
