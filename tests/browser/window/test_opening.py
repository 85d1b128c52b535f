"""Ways to open: folders, files, text, and what is dropped."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.window.opening import ask_for_source, dropped_texts, folder_of_recent
from zarrbrowser.workers import Workers


def test_dropped_paths_and_urls_are_opened() -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/data/a b.zarr"), QUrl("https://example.org/b.zarr")])
    assert dropped_texts(data) == ["file:///data/a b.zarr", "https://example.org/b.zarr"]
    data = QMimeData()
    data.setText("s3://one/a.zarr\n/data/b.zip")
    assert dropped_texts(data) == ["s3://one/a.zarr", "/data/b.zip"]


@pytest.mark.parametrize("name", ["a b", "100%", "a%20b", "a#b", "a?b=c", "è&é", "x;y", "細胞"])
def test_a_dropped_folder_of_any_name_leads_to_that_folder(name: str) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(f"/data/{name}.zarr")])
    (text,) = dropped_texts(data)
    request = SourceRequest.typed(text)
    assert (request.address, request.path) == (f"/data/{name}.zarr", "/")


def test_dropping_nothing_opens_nothing() -> None:
    assert dropped_texts(QMimeData()) == []


def test_the_dialog_does_not_block_and_gives_the_path(
    application: QApplication, qtbot: QtBot, workers: Workers, tmp_path: Path
) -> None:
    parent, chosen = QWidget(), []
    qtbot.addWidget(parent)
    ask_for_source(parent, chosen.append, workers, str(tmp_path))
    (dialog,) = parent.findChildren(QFileDialog)
    assert dialog.isVisible()
    dialog.accept()
    assert chosen == [str(tmp_path)]
    qtbot.waitUntil(lambda: not parent.findChildren(QFileDialog))


def test_the_dialog_starts_beside_the_latest_source(tmp_path: Path) -> None:
    requests = [
        SourceRequest("s3://b/a.zarr"),
        SourceRequest("/gone/a.zarr"),
        SourceRequest(f"{tmp_path}/a.h5"),
    ]
    assert folder_of_recent(requests) == str(tmp_path)
    assert folder_of_recent([]) == str(Path.home())
