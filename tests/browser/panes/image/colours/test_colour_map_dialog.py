"""The dialog of all colour maps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.panes.image.colours.coloured import choose
from tests.browser.panes.image.pictures import VOLUME, drawn, show
from zarrbrowser.image.colours.render import Style, rgba
from zarrbrowser.panes.image.colours.colour_map_dialog import ColourMapDialog


def test_all_colour_maps_can_be_searched(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    box = pane.body.contrast.colour_map
    choose(box, "More…")
    dialog = box.findChild(ColourMapDialog)
    assert dialog is not None
    assert dialog.list.model().rowCount() > 600
    dialog.search.setText("plasma")
    dialog.search.returnPressed.emit()
    assert box.currentData() == "plasma"
    expected = rgba(VOLUME[4], Style("plasma", levels=pane.view.picture_style().levels))
    assert np.array_equal(drawn(pane), expected)
    assert pane.model.state.colour_map == "plasma"


@pytest.fixture
def dialog(application: QApplication, qtbot: QtBot) -> Iterator[ColourMapDialog]:
    parent = QWidget()  # the dialog is deleted when it is closed
    qtbot.addWidget(parent)
    yield ColourMapDialog("plasma", parent)
    parent.close()


def rows(dialog: ColourMapDialog) -> list[str]:
    model = dialog.list.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def test_the_present_map_is_selected(dialog: ColourMapDialog) -> None:
    assert dialog.list.currentIndex().data() == "plasma   ·   sequential"


def test_maps_are_found_by_name_or_category_in_any_case(dialog: ColourMapDialog) -> None:
    dialog.search.setText(" PLASMA ")
    assert "plasma   ·   sequential" in rows(dialog)
    assert len(rows(dialog)) < 20
    dialog.search.setText("diverging")
    assert all(row.endswith("diverging") for row in rows(dialog))
    dialog.search.setText("")
    assert len(rows(dialog)) > 600


def test_a_clicked_map_is_tried_and_an_entered_one_chosen(dialog: ColourMapDialog, qtbot: QtBot) -> None:
    dialog.show()
    dialog.search.setText("viridis")
    with qtbot.waitSignal(dialog.picked) as heard:
        dialog.list.clicked.emit(dialog.list.currentIndex())
    assert heard.args == ["viridis"]
    assert dialog.isVisible()
    with qtbot.waitSignal(dialog.accepted), qtbot.waitSignal(dialog.picked):
        dialog.search.returnPressed.emit()


def test_nothing_is_chosen_if_nothing_is_found(dialog: ColourMapDialog, qtbot: QtBot) -> None:
    dialog.search.setText("no such map [")
    assert rows(dialog) == []
    with qtbot.assertNotEmitted(dialog.picked):
        dialog.search.returnPressed.emit()
