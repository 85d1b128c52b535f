"""A gallery in a window."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeGroup
from zarrbrowser.panes.gallery.gallery_pane import GalleryPane


def show(open_window: OpenWindow, qtbot: QtBot, root: FakeGroup, path: str = "/") -> GalleryPane:
    """The pane, once the images are known."""
    window = open_window(root, path)
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Thumbnails")
    pane = window.node_pane.pane("Thumbnails")
    assert isinstance(pane, GalleryPane)
    qtbot.waitUntil(lambda: pane.model.gallery is not None)
    return pane


def wait_for_all(pane: GalleryPane, qtbot: QtBot) -> None:
    """Wait until all cells in view have a thumbnail, or a reason why not."""
    qtbot.waitUntil(
        lambda: (
            bool(pane.view.cells_in_view())
            and all(
                pane.loader.thumbnail(cell.path) or pane.loader.problem(cell.path)
                for cell in pane.view.cells_in_view()
            )
        )
    )
