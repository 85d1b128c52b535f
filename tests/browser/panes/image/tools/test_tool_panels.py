"""The panels below the picture, in small and large windows."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.panes.image.pictures import VOLUME, show


def test_the_panels_of_the_tools_scroll_and_leave_the_window_its_size(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    window, controls, tools = pane.window(), pane.body.controls, pane.body.tools
    window.resize(900, 600)
    for button in (*controls.tools.values(), controls.series):
        button.click()
    controls.compare.click()
    qtbot.waitUntil(lambda: not pane.workers.active)
    panels = (tools.measurements, tools.regions, tools.series, tools.comparison)
    qtbot.waitUntil(lambda: all(not panel.isHidden() for panel in panels))
    qtbot.waitUntil(lambda: window.minimumSizeHint().width() <= 700)
    qtbot.waitUntil(lambda: window.minimumSizeHint().height() <= 450)
    assert (window.width(), window.height()) == (900, 600)
    assert pane.body.stack.height() >= 96
    window.resize(1500, 1400)
    qtbot.waitUntil(lambda: tools.measurements.height() >= 150)
    least = [panel.minimumSizeHint().height() for panel in panels]
    qtbot.waitUntil(lambda: all(panel.height() >= one for panel, one in zip(panels, least, strict=True)))


def test_the_panels_take_no_room_while_they_are_hidden(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    area = pane.body.stack.parentWidget()
    qtbot.waitUntil(lambda: pane.body.stack.height() == area.height())
    pane.body.controls.tools["profile"].click()
    qtbot.waitUntil(lambda: pane.body.stack.height() + pane.body.tools.measurements.height() == area.height())
    pane.body.controls.tools["profile"].click()
    qtbot.waitUntil(lambda: pane.body.stack.height() == area.height())
