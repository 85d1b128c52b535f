"""A Volume tab with a fake renderer: tests run without OpenGL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeGroup
from zarrbrowser.nodes.read_cost import Cancelled
from zarrbrowser.panes.volume.renderer import Drawn, NotDrawnError, View
from zarrbrowser.panes.volume.volume_pane import VolumePane
from zarrbrowser.volume.textures import Texture
from zarrbrowser.window.main_window import MainWindow


class FakeRenderer(QObject):
    """Answers at once, with an empty picture.

    Attributes:
        textures: those to draw.
        views: those that were wanted.
    """

    ready = Signal(int, str)
    failed = Signal(str)
    drawn = Signal(object)
    most_side = 2048

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.textures: tuple[Texture, ...] = ()
        self.views: list[View] = []

    def start(self) -> None:
        self.ready.emit(self.most_side, "a fake (of tests)")

    def show(self, textures: Sequence[Texture]) -> None:
        self.textures = tuple(textures)

    def still(
        self, view: View, textures: Sequence[Texture], cancelled: Callable[[], bool] = lambda: False
    ) -> QImage:
        if cancelled():
            raise Cancelled
        if tuple(textures) != self.textures:
            raise NotDrawnError("Another volume is shown by now.")
        width, height = (round(side * view.ratio) for side in (view.projection.width, view.projection.height))
        image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(QColor(0, 200, 0))
        return image

    def look(self, view: View) -> None:
        self.views.append(view)
        if self.textures:
            image = QImage(4, 3, QImage.Format.Format_ARGB32_Premultiplied)
            image.fill(QColor(0, 200, 0))
            self.drawn.emit(Drawn(image, view, True, 0.01))


def pane_of(window: MainWindow, qtbot: QtBot) -> VolumePane:
    qtbot.waitUntil(lambda: window.node_pane.tabs.count() > 0)
    assert window.node_pane.show_tab("Volume")
    qtbot.waitUntil(lambda: window.node_pane.panes.get("Volume") is not None)
    pane = window.node_pane.pane("Volume")
    assert isinstance(pane, VolumePane)
    return pane


def drawn(pane: VolumePane) -> Any:
    """The textures on the screen."""
    assert isinstance(pane.renderer, FakeRenderer)
    return pane.renderer.textures


def show(open_window: OpenWindow, qtbot: QtBot, root: FakeGroup, path: str = "/") -> VolumePane:
    pane = pane_of(open_window(root, path), qtbot)
    wait_for(pane, qtbot)
    return pane


def wait_for(pane: VolumePane, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: bool(drawn(pane)) and not pane.reader.busy and pane.view.drawn is not None)
