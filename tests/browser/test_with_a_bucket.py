"""The window on a real S3 service that denies access, disconnects and recovers: it shows the error and retries."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import zarr
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from tests.servers.faults import fault_server
from tests.servers.s3 import S3Server
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.window.main_window import MainWindow

VALUES = np.arange(30 * 40, dtype=np.int32).reshape(30, 40)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bucket") / "a.zarr"
    zarr.open_group(path, mode="w").create_array("x", data=VALUES, chunks=(10, 10))
    return path


def table_of(window: MainWindow, qtbot: QtBot) -> TablePane:
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/x")
    assert window.node_pane.show_tab("Table")
    pane = window.node_pane.pane("Table")
    assert isinstance(pane, TablePane)
    return pane


def test_a_denied_bucket_shows_an_error_and_opens_after_retry(
    window: MainWindow, folder: Path, s3: S3Server, qtbot: QtBot
) -> None:
    s3.upload(folder, "bucket/window/a.zarr")
    request = SourceRequest(
        "s3://bucket/window/a.zarr", "/x", options=Connection(s3.endpoint_url, "us-east-1")
    )
    with s3.denying():
        window.navigator.go(request)
        qtbot.waitUntil(lambda: window.view.sentence.button.isVisible())
        assert "the service does not know the access key" in window.view.sentence.text
        assert "Connection…" in [
            one.text() for one in window.view.sentence.findChildren(QPushButton) if one.isVisible()
        ]
        assert "testing-secret" not in window.view.sentence.text
    window.view.sentence.button.click()
    pane = table_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.model.value(3, 4) == (True, VALUES[3, 4]))


def test_a_broken_connection_is_reported_where_it_occurs(
    window: MainWindow, folder: Path, qtbot: QtBot
) -> None:
    with fault_server() as server:
        server.values = {
            f"bucket/a.zarr/{file.relative_to(folder).as_posix()}": file.read_bytes()
            for file in folder.rglob("*")
            if file.is_file()
        }
        broken = "bucket/a.zarr/x/c/0/0"
        server.faults[broken] = 403
        connection = Connection(server.url, "us-east-1", anonymous=True)
        window.navigator.go(SourceRequest("s3://bucket/a.zarr", "/x", options=connection))
        pane = table_of(window, qtbot)
        qtbot.waitUntil(pane.reader.problem.isVisible)
        pane.go(25, 35)
        del server.faults[broken]
        pane.reader.problem.button.click()
        pane.go(0, 0)
        qtbot.waitUntil(lambda: pane.model.value(3, 4) == (True, VALUES[3, 4]))
        assert not pane.reader.problem.isVisible()
