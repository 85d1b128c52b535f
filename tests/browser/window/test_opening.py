"""Ways to open: folders, files, text, and what is dropped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.window.opening import ask_for_folder, ask_for_zip, dropped_texts
from zarrcore.stores import ZIP_SUFFIXES


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


@pytest.mark.parametrize("ask", [ask_for_folder, ask_for_zip])
def test_a_file_dialog_does_not_block_and_gives_the_path(
    ask: Callable[..., None], application: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    parent, chosen = QWidget(), []
    qtbot.addWidget(parent)
    ask(parent, chosen.append)
    (dialog,) = parent.findChildren(QFileDialog)
    assert dialog.isVisible()
    dialog.fileSelected.emit(str(tmp_path))
    assert chosen == [str(tmp_path)]
    dialog.reject()
    qtbot.waitUntil(lambda: not parent.findChildren(QFileDialog))


def test_zip_files_are_found_by_all_of_their_suffixes(application: QApplication, qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    ask_for_zip(parent, print)
    (dialog,) = parent.findChildren(QFileDialog)
    assert all(f"*{suffix}" in dialog.nameFilters()[0] for suffix in ZIP_SUFFIXES)
    assert "All files (*)" in dialog.nameFilters()
    dialog.reject()
