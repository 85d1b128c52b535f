"""What one of two linked panes tells the other."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.image.pictures import VOLUME, pane_of
from zarrbrowser.panes.image.beside.linked_pane import LinkedPane
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.window.main_window import MainWindow


@pytest.fixture
def window(open_window: OpenWindow) -> MainWindow:
    levels = {"0": FakeArray(VOLUME[0]), "1": FakeArray(VOLUME[0, ::2, ::2])}
    scales = [{"type": "scale", "scale": [step, step]} for step in (0.5, 1.0)]
    datasets = [{"path": str(n), "coordinateTransformations": [scale]} for n, scale in enumerate(scales)]
    axes = [{"name": name, "type": "space", "unit": "micrometer"} for name in "yx"]
    told = {"multiscales": [{"version": "0.4", "axes": axes, "datasets": datasets}]}
    root = FakeGroup({"array": FakeArray(VOLUME, ("z", "y", "x")), "pyramid": FakeGroup(levels, told)})
    return open_window(root, "/array")


@pytest.fixture
def pane(window: MainWindow, qtbot: QtBot) -> ImagePane:
    found = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: found.view.is_complete)
    return found


def test_it_tells_each_kind_of_change(pane: ImagePane, qtbot: QtBot) -> None:
    linked = LinkedPane(pane, pane.workers, pane)
    with qtbot.waitSignal(linked.moved):
        pane.body.sliders.spins[0].setValue(1)
    with qtbot.waitSignal(linked.zoomed):
        pane.canvas.show_range((3, 9), (3, 9))
    with qtbot.waitSignal(linked.meant), qtbot.assertNotEmitted(linked.moved):
        pane.body.controls.axes.chosen.emit(pane.model.state.settings.axes.with_rows(0))  # type: ignore[union-attr]
    with qtbot.waitSignal(linked.led):
        QApplication.sendEvent(pane.canvas.viewport(), QEvent(QEvent.Type.Enter))
    with qtbot.waitSignals([linked.pointed, linked.told]):
        pane.canvas.pointed.emit((2.0, 3.0))
    linked.forget()
    with qtbot.assertNotEmitted(linked.moved):
        pane.body.sliders.step(1)


def test_the_scale_of_another_image_is_read_in_the_background(
    window: MainWindow, pane: ImagePane, qtbot: QtBot
) -> None:
    linked = LinkedPane(pane, pane.workers, pane)
    side = linked.side()
    assert side is not None
    assert side.scale is None
    with qtbot.waitSignal(linked.replaced):
        window.open_text("fake.zarr#/pyramid/1")
    qtbot.waitUntil(lambda: (one := linked.side()) is not None and one.scale is not None)
    side = linked.side()
    assert side is not None
    assert side.scale is not None
    assert side.scale.spacing == (1.0, 1.0)
    pane.clear()
    assert linked.side() is None
    assert linked.axes is None
