"""Navigation: back and forward, and keys."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, FakeHierarchy
from tests.browser.window.places import at, example
from zarrbrowser.dialogs.keys_dialog import KeysDialog
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.settings import Settings
from zarrbrowser.widgets.label import ElidedLabel
from zarrbrowser.window.main_window import MainWindow
from zarrcore.errors import AccessDeniedError


def test_back_and_forward_lead_to_nodes_and_their_tabs(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example())
    qtbot.waitUntil(lambda: at(window, "/", "Overview"))
    window.open_text("fake.zarr#/image")
    qtbot.waitUntil(lambda: at(window, "/image", "Image"))
    window.node_pane.show_tab("Metadata")
    window.open_text("fake.zarr#/scan/line")
    qtbot.waitUntil(lambda: at(window, "/scan/line", "Plot"))
    assert not window.view.top_bar.forward_button.isEnabled()
    window.activateWindow()
    QTest.keySequence(window, "Alt+Left")
    qtbot.waitUntil(lambda: at(window, "/image", "Metadata"))
    window.view.top_bar.back_button.click()
    qtbot.waitUntil(lambda: at(window, "/image", "Image"))
    window.view.top_bar.back_button.click()
    qtbot.waitUntil(lambda: at(window, "/", "Overview"))
    assert not window.view.top_bar.back_button.isEnabled()
    for place in (("/image", "Image"), ("/image", "Metadata"), ("/scan/line", "Plot")):
        window.view.top_bar.forward_button.click()
        qtbot.waitUntil(lambda place=place: at(window, *place))
    QTest.keySequence(window, "Alt+Up")
    qtbot.waitUntil(lambda: at(window, "/scan", "Overview"))
    QTest.keySequence(window, "Ctrl+PgDown")
    assert window.node_pane.current_tab() == "Table"


def position_of(window: MainWindow) -> int:
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    return pane.body.sliders.sliders[0].value() if 0 in pane.body.sliders.sliders else -1


def stands_at(window: MainWindow, position: int) -> bool:
    """Whether the history has the plane."""
    return bool(window.session.history.visits[-1].view_state.get("index", [None])[0] == position)


def test_back_leads_to_the_same_plane(open_window: OpenWindow, qtbot: QtBot) -> None:
    root = FakeGroup({name: FakeArray(np.zeros((9, 14, 15)), ("z", "y", "x")) for name in ("one", "two")})
    window = open_window(root, "/one")
    qtbot.waitUntil(lambda: at(window, "/one", "Image") and position_of(window) == 4)
    for position in (7, 2):
        pane = window.node_pane.pane("Image")
        assert isinstance(pane, ImagePane)
        pane.body.sliders.sliders[0].setValue(position)
        qtbot.waitUntil(partial(stands_at, window, position))
        if position == 7:
            window.open_text("fake.zarr#/two")
            qtbot.waitUntil(lambda: at(window, "/two", "Image"))
    window.view.top_bar.back_button.click()
    qtbot.waitUntil(lambda: at(window, "/one", "Image") and position_of(window) == 7)
    window.view.top_bar.forward_button.click()
    qtbot.waitUntil(lambda: at(window, "/two", "Image") and position_of(window) == 2)


def test_reload_reads_the_current_node_again(open_window: OpenWindow, qtbot: QtBot) -> None:
    children = {"volume": FakeArray(np.zeros((9, 14, 15)))}
    root = FakeGroup({"scan": FakeGroup(children)})
    window = open_window(root, "/scan/volume")
    qtbot.waitUntil(lambda: at(window, "/scan/volume", "Image") and position_of(window) == 4)
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    pane.body.sliders.sliders[0].setValue(7)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    visits, before = [*window.session.history.visits], window.session.source
    children["volume"] = FakeArray(np.ones((9, 14, 15)))
    root.place("/")
    window.activateWindow()
    QTest.keySequence(window, "F5")
    qtbot.waitUntil(lambda: window.session.source is not before and at(window, "/scan/volume", "Image"))
    qtbot.waitUntil(lambda: pane.view.is_complete and position_of(window) == 7)
    assert (pane.view.mosaics[0].values == 1).all()
    assert window.session.history.visits == visits
    assert window.model.item(window.tree.currentIndex()).node is children["volume"]
    qtbot.waitUntil(lambda: window.tree.visualRect(window.tree.currentIndex()).isValid())
    assert window.exports.data.show_dialog() is not None


def test_a_failed_source_is_the_current_place(application: QApplication, qtbot: QtBot) -> None:
    def opener(request: SourceRequest) -> Source:
        if "good" not in request.address:
            raise AccessDeniedError("the store denies it", url=request.address)
        root = example()
        return Source(request, FakeHierarchy(root), root)

    window = MainWindow(Settings(fresh=True), opener)
    qtbot.addWidget(window)
    window.show()
    for place in (("/image", "Image"), ("/scan/line", "Plot")):
        window.open_text(f"good.zarr#{place[0]}")
        qtbot.waitUntil(lambda place=place: at(window, *place))
    qtbot.waitUntil(lambda: "chunk" in window.view.status.message.text)
    window.open_text("denied.zarr")
    qtbot.waitUntil(lambda: "denies" in window.view.sentence.text)
    assert window.windowTitle() == "denied.zarr – zarrscope"
    assert window.view.status.message.text == ""
    assert window.exports.data.show_dialog() is None
    window.exports.mounter.mount_and_open()
    assert not any("Mounting" in request.label for request in window.workers.active)
    window.view.top_bar.back_button.click()
    qtbot.waitUntil(lambda: at(window, "/scan/line", "Plot"))
    window.view.top_bar.back_button.click()
    qtbot.waitUntil(lambda: at(window, "/image", "Image"))
    window.close()
    assert window.workers.shut_down(30)


def test_keys_belong_to_the_window_after_an_address_was_entered(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(example())
    window.activateWindow()
    QTest.keySequence(window, "Ctrl+L")
    QTest.keyClicks(window.view.top_bar.address, "fake.zarr#/image")
    QTest.keyClick(window.view.top_bar.address, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: at(window, "/image", "Image"))
    assert window.tree.hasFocus()  # in a line of text Ctrl+E would mean its end


def test_all_keys_are_listed(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example())
    window.help.show_keys()
    dialog = next(one for one in window.findChildren(KeysDialog))
    texts = {one.text() for one in dialog.findChildren(QLabel)}
    assert {"Open", "Ctrl+O, Ctrl+Shift+Z", "Alt+Left, Back", "Parent", "F1", "Ctrl+F"} <= texts
    assert not any(isinstance(one, ElidedLabel) for one in dialog.findChildren(ElidedLabel))
    dialog.reject()


def two_sources(open_window: OpenWindow, qtbot: QtBot) -> MainWindow:
    """A window with two sources, the second at a nested node."""
    root = FakeGroup({"deep": FakeGroup({"inner": FakeArray(np.zeros((20, 30)))})})
    window = open_window(root)
    window.open_text("other.zarr#/deep/inner")
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/deep/inner")
    qtbot.waitUntil(lambda: len(window.session.sources) == 2)
    return window


@pytest.mark.parametrize("way", ["key", "menu", "first"])
def test_closing_a_source_while_its_nested_node_is_current(
    way: str, open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = two_sources(open_window, qtbot)
    rows = [window.model.index(row, 0) for row in range(2)]
    if way == "key":
        QTest.keySequence(window, "Ctrl+W")
    elif way == "menu":
        item = window.model.item(rows[1])
        assert item is not None
        next(one for one in window.tree.menu_for(rows[1], item).actions() if one.text() == "Close").trigger()
    else:
        window.model.close(rows[0])
        assert window.session.node is not None, "another source was closed"
        assert window.session.node.path == "/deep/inner"
        return
    assert len(window.session.sources) == 1
    assert window.tree.currentIndex() == window.model.index(0, 0)
    assert window.session.source is window.session.sources[0]
    assert window.session.node is not None
    assert window.session.node.path == "/"
    assert "inner" not in window.view.top_bar.typed()
    assert window.node_pane.current_tab() == "Overview"


def test_keys_of_the_picture_work_while_the_tree_has_focus(open_window: OpenWindow, qtbot: QtBot) -> None:
    children = {
        "field": FakeArray(np.zeros((90, 120))),
        "first": FakeArray(np.zeros((3, 4))),
        "1": FakeArray(np.zeros(4)),
    }
    window = open_window(FakeGroup(children), "/field")
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    window.tree.setFocus()
    QTest.keyClick(window.tree, Qt.Key.Key_1)
    assert not pane.canvas.is_fitted
    assert pane.canvas.visible().density(0) == pytest.approx(1, rel=1e-3)
    QTest.keyClick(window.tree, Qt.Key.Key_F)
    assert pane.canvas.is_fitted
    assert window.tree.currentIndex().data() == "field"
