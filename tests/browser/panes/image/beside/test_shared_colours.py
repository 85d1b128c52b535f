"""One panel of colours for two images."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import zarr
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.browser.panes.image.beside.pictures import open_beside, write_v3
from tests.browser.panes.image.colours.coloured import choose
from zarrbrowser.panes.image.beside.beside_area import BesideArea
from zarrbrowser.panes.image.beside.shared_colours import SharedColours
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.window.main_window import MainWindow


@pytest.fixture
def beside(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> tuple[ImagePane, BesideArea]:
    write_v3(tmp_path / "a.zarr")
    group = zarr.open_group(str(tmp_path / "a.zarr"))
    coloured = np.zeros((64, 96, 3), np.uint8)
    group.create_array("coloured", data=coloured, dimension_names=("y", "x", "rgb"))
    return open_beside(window, qtbot, f"{tmp_path}/a.zarr#/fine", f"{tmp_path}/a.zarr#/half")


def colours_of(pane: ImagePane) -> SharedColours:
    assert pane.beside.colours is not None
    return pane.beside.colours


def shown(pane: ImagePane, area: BesideArea) -> tuple[bool, bool]:
    """Whether the panel of the first image is visible, and that of the second one."""
    return pane.body.contrast.isVisible(), area.pane.body.contrast.isVisible()


def test_the_panel_is_outside_the_pair_and_follows_the_keys(
    window: MainWindow, qtbot: QtBot, beside: tuple[ImagePane, BesideArea]
) -> None:
    pane, area = beside
    panel = colours_of(pane)
    assert shown(pane, area) == (True, False)
    qtbot.waitUntil(lambda: abs(pane.body.width() - area.width()) <= 4)
    left = panel.mapTo(window, panel.rect().topLeft()).x()
    assert left >= area.mapTo(window, area.rect().topRight()).x(), "the panel is right of both"
    qtbot.mouseClick(area.pane.canvas.viewport(), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: shown(pane, area) == (False, True))
    assert panel.buttons[1].isChecked()
    choose(area.pane.body.contrast.mode, "Full range")
    assert shown(pane, area) == (False, True), "the keys are in the panel"
    assert area.pane.body.contrast.high.text() != pane.body.contrast.high.text()
    qtbot.mouseClick(panel.buttons[0], Qt.MouseButton.LeftButton)
    assert shown(pane, area) == (True, False)


def test_the_other_image_can_be_chosen_while_the_keys_are_in_the_panel(
    window: MainWindow, qtbot: QtBot, beside: tuple[ImagePane, BesideArea]
) -> None:
    pane, area = beside
    panel = colours_of(pane)
    for number, body in ((0, pane.body), (1, area.pane.body), (0, pane.body)):
        panel.show_colours(number)
        qtbot.mouseClick(body.contrast.low, Qt.MouseButton.LeftButton)
        assert body.contrast.low.hasFocus()
        qtbot.mouseClick(panel.buttons[1 - number], Qt.MouseButton.LeftButton)
        assert shown(pane, area) == (number == 1, number == 0)
        assert panel.buttons[1 - number].isChecked()
    for number, body in ((1, area.pane.body), (0, pane.body)):
        panel.show_colours(number)
        qtbot.mouseClick(body.contrast.low, Qt.MouseButton.LeftButton)
        pane.toggle_colours()
        assert shown(pane, area) == (False, False)
        pane.toggle_colours()
        assert shown(pane, area) == (number == 0, number == 1), "the colours that were hidden"


def test_one_button_hides_it_and_closing_the_second_image_puts_it_back(
    window: MainWindow, qtbot: QtBot, beside: tuple[ImagePane, BesideArea]
) -> None:
    pane, area = beside
    panel = colours_of(pane)
    area.pane.body.controls.colours.click()
    assert (panel.isVisible(), shown(pane, area)) == (False, (False, False))
    assert not pane.body.controls.colours.isChecked()
    pane.toggle_colours()
    assert (panel.isVisible(), shown(pane, area)) == (True, (True, False))
    panel.show_colours(1)
    area.pane.body.contrast.mode.setFocus()
    pane.beside.close()
    assert pane.beside.colours is None
    assert pane.canvas.hasFocus()
    assert pane.body.contrast.isVisible()
    assert pane.body.isAncestorOf(pane.body.contrast)
    pane.toggle_colours()
    assert not pane.body.contrast.isVisible()
    pane.toggle_colours()


def test_beside_a_picture_with_colours_of_its_own_the_other_panel_is_shown(
    window: MainWindow, qtbot: QtBot, beside: tuple[ImagePane, BesideArea]
) -> None:
    pane, area = beside
    assert area.source is not None
    pane.beside.show(area.source, "/coloured")
    second = pane.beside.area
    assert second is not None
    qtbot.waitUntil(lambda: second.pane.view.is_complete)
    assert second.pane.model.state is not None
    assert second.pane.model.state.settings.axes.channel is not None, "the case that is tested"
    panel = colours_of(pane)
    panel.show_colours(1)
    assert shown(pane, second) == (True, False)
    assert not panel.buttons[1].isEnabled()
