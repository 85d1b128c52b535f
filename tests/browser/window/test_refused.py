"""A server that refuses after the source was opened: the window leads to the connection."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

import zarrcore
from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.servers.faults import FaultServer, fault_server
from zarrbrowser.dialogs.open_dialog import OpenDialog
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.widgets.buttons import AllowButton
from zarrbrowser.widgets.notice import SentencePane
from zarrbrowser.window.main_window import MainWindow


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FaultServer]:
    made = zarrcore.create(tmp_path / "a.zarr")
    for name, shape in (("line", (5,)), ("image", (600, 1200))):
        made.create_array(name, data=np.ones(shape), chunks=tuple(min(n, 600) for n in shape))
    with fault_server() as server:
        for file in tmp_path.rglob("*"):
            if file.is_file():
                server.values[file.relative_to(tmp_path).as_posix()] = file.read_bytes()
        yield server


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_chunk_leads_to_the_connection(
    status: int, server: FaultServer, window: MainWindow, qtbot: QtBot
) -> None:
    server.faults = {"a.zarr/line/c/0": status, "a.zarr/image/c/0/0": status}
    window.go(SourceRequest(f"{server.url}/a.zarr", "/line"))
    qtbot.waitUntil(lambda: any(one.isVisible() for one in window.findChildren(AllowButton)))
    (button,) = [one for one in window.findChildren(AllowButton) if one.isVisible()]
    assert button.text() == "Connection…"
    (told,) = [one.text for one in window.findChildren(SentencePane) if one.isVisible()]
    assert str(status) in told
    assert "--" not in told, "an option of the command line"
    button.click()
    (dialog,) = [one for one in window.findChildren(OpenDialog) if one.isVisible()]
    assert dialog.address.text() == f"{server.url}/a.zarr"
    dialog.reject()

    window.go(SourceRequest(f"{server.url}/a.zarr", "/image"))
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    qtbot.waitUntil(lambda: bool(pane.body.stack.notice.text))
    assert pane.body.stack.shows_data, "the rest of the picture"
    (button,) = [one for one in pane.body.stack.notice.findChildren(AllowButton) if one.isVisible()]
    assert button.text() == "Connection…"
    button.click()
    (dialog,) = [one for one in window.findChildren(OpenDialog) if one.isVisible()]
    assert dialog.address.text() == f"{server.url}/a.zarr"
    dialog.reject()

    window.node_pane.show_tab("Table")
    table = window.node_pane.pane("Table")
    assert isinstance(table, TablePane)
    qtbot.waitUntil(lambda: str(status) in table.reader.problem.text)
    (button,) = [one for one in table.reader.problem.findChildren(AllowButton) if one.isVisible()]
    button.click()
    (dialog,) = [one for one in window.findChildren(OpenDialog) if one.isVisible()]
    dialog.reject()
    window.node_pane.show_tab("Image")

    server.faults = {}
    pane.body.stack.notice.button.click()
    qtbot.waitUntil(lambda: pane.body.stack.notice.isHidden())


def test_a_path_that_does_not_exist_is_in_the_address_line(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(FakeGroup({"line": FakeArray(np.zeros(3))}), "/line")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Plot")
    source, row = window.session.source, window.tree.currentIndex()
    assert source is not None
    window.navigator.go_within("/nowhere")
    qtbot.waitUntil(lambda: window.view.shows_sentence)
    assert "/nowhere" in window.view.sentence.text
    assert window.view.top_bar.address.text() == f"{source.hierarchy.url}#/nowhere"
    assert window.tree.currentIndex() == row
    window.navigator.back()
    qtbot.waitUntil(lambda: not window.view.shows_sentence)
    assert window.view.top_bar.address.text() == f"{source.hierarchy.url}#/line"
