"""The list of blended channels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QColorDialog
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeGroup, Gate
from tests.browser.panes.image.colours.coloured import channels_group, choose
from tests.browser.panes.image.pictures import VOLUME, drawn, pane_of
from zarrbrowser.image.colours.render import Style, blend
from zarrbrowser.image.levels import Channel
from zarrbrowser.image.view_settings import ChannelSettings
from zarrbrowser.panes.image.colours.channel_list import ChannelList
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.values.elements import Elements


def blended(pane: ImagePane, positions: list[int]) -> Any:
    colours = [(255, 0, 0), (0, 255, 0), (0, 255, 255)]
    planes = [np.abs(VOLUME[position]) for position in positions]
    levels = [(float(np.percentile(plane, 1)), float(np.percentile(plane, 99))) for plane in planes]
    return blend(planes, Elements(), levels, [colours[position] for position in positions], Style())


def test_channels_are_blended(open_window: OpenWindow, qtbot: QtBot) -> None:
    group, _array = channels_group()
    pane = pane_of(open_window(FakeGroup({"image": group}), "/image"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert np.abs(drawn(pane).astype(int) - blended(pane, [0, 1, 2])).max() <= 1
    assert pane.body.sliders.sliders == {}
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.contrast.channels.item(1).setCheckState(Qt.CheckState.Unchecked)
    assert np.abs(drawn(pane).astype(int) - blended(pane, [0, 2])).max() <= 1
    with qtbot.waitSignal(pane.pointed) as heard:
        pane.canvas.pointed.emit((0.0, 0.0))
    assert "one " in heard.args[0]
    assert "two " not in heard.args[0]
    shown = pane.displayed()
    assert shown is not None
    assert np.array_equal(shown.rgba(shown.read(shown.selection)), drawn(pane))
    pane.body.contrast.channels.setCurrentRow(2)
    pane.body.contrast.bounds.typed.emit(0.0, 10.0)
    assert pane.model.state.settings.channels[2].contrast.high == 10
    assert pane.model.state.settings.channels[0].contrast.high != 10
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.contrast.blend.toggle()
    assert list(pane.body.sliders.sliders) == [0]


def test_channels_may_be_switched_faster_than_they_load(open_window: OpenWindow, qtbot: QtBot) -> None:
    group, array = channels_group()
    pane = pane_of(open_window(FakeGroup({"image": group}), "/image"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    gate = Gate()
    for position in (1, 2):
        pane.body.contrast.channels.item(position).setCheckState(Qt.CheckState.Unchecked)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    pane.body.contrast.blend.click()  # the same plane, but gray
    assert (drawn(pane)[..., 0] == drawn(pane)[..., 1]).all()
    pane.cache.clear()
    array.before_read = gate.wait
    pane.body.contrast.blend.click()
    for position in (2, 1):
        pane.body.contrast.channels.item(position).setCheckState(Qt.CheckState.Checked)
    choose(
        pane.body.contrast.norm, "Square root"
    )  # paints the loaded mosaics, which belong to other channels
    assert pane.displayed() is None
    pane.model.set(and_measure=True)
    with qtbot.waitSignal(pane.plane_shown):
        gate.open()
    assert len(pane.view.mosaics) == 3
    assert pane.displayed() is not None


@pytest.fixture
def channels(application: QApplication, qtbot: QtBot) -> ChannelList:
    made = ChannelList()
    qtbot.addWidget(made)
    return made


def settings_of(*names: str) -> list[ChannelSettings]:
    return [ChannelSettings(Channel(name, (255, 0, 0)), name != "off", (255, 0, 0)) for name in names]


def test_channels_are_shown_without_announcing_a_change(channels: ChannelList, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(channels.toggled), qtbot.assertNotEmitted(channels.channel_chosen):
        channels.show_channels(settings_of("DAPI", "off"), 1)
    assert [channels.item(row).checkState() for row in range(2)] == [
        Qt.CheckState.Checked,
        Qt.CheckState.Unchecked,
    ]
    assert channels.currentRow() == 1
    with qtbot.waitSignal(channels.toggled) as heard:
        channels.item(1).setCheckState(Qt.CheckState.Checked)
    assert heard.args == [1, True]
    with qtbot.waitSignal(channels.channel_chosen) as heard:
        channels.setCurrentRow(0)
    assert heard.args == [0]


def test_rows_stay_while_only_their_settings_change(channels: ChannelList) -> None:
    channels.show_channels(settings_of("a", "b"), 0)
    before = channels.item(1)
    channels.show_channels(settings_of("a", "b"), 1)
    assert channels.item(1) is before, "the user may be clicking on it"
    channels.show_channels(settings_of("a", "c", "é"), 0)
    assert [channels.item(row).text() for row in range(channels.count())] == ["a", "c", "é"]


def test_a_colour_is_chosen_in_a_dialog(channels: ChannelList, qtbot: QtBot) -> None:
    first, second = settings_of("a", "b")
    channels.show_channels([first, replace(second, colour=(10, 200, 30))], 0)
    channels.itemDoubleClicked.emit(channels.item(1))
    (dialog,) = channels.findChildren(QColorDialog)
    assert dialog.currentColor() == QColor(10, 200, 30)
    with qtbot.waitSignal(channels.coloured) as heard:
        dialog.colorSelected.emit(QColor(1, 2, 3))
    assert heard.args == [1, (1, 2, 3)]
    dialog.reject()


def test_many_channels_scroll(channels: ChannelList) -> None:
    heights = []
    for number in (1, 3, 6, 16):
        channels.show_channels(settings_of(*map(str, range(number))), 0)
        heights.append(channels.height())
    assert heights[0] < heights[1] < heights[2] == heights[3]
