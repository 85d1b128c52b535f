"""The dialog of all colour maps."""

from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.panes.image.colours.coloured import choose
from tests.browser.panes.image.pictures import VOLUME, drawn, show
from zarrbrowser.image.colours.render import Style, rgba
from zarrbrowser.panes.image.colours.colour_map_dialog import ColourMapDialog


def test_all_colour_maps_can_be_searched(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    box = pane.contrast.colour_map
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
