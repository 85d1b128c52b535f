"""Changes from the tree, the menus and the keys, as a user makes them."""

from __future__ import annotations

import os
from pathlib import Path

import h5py
import numpy as np
import pytest
import zarr
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

import zarrcore as zc
from tests.browser.editing.places import VALUES, write_example
from tests.browser.window.editing.windows import allow, go, idle, rows, shown
from tests.servers.s3 import S3Server
from zarrbrowser.dialogs.path_dialog import PathDialog
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.window.main_window import MainWindow


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_example(tmp_path / "a.zarr")
    return tmp_path / "a.zarr"


def test_changes_are_off_until_the_user_allows_them(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    window.open_text(f"{place}#/scan/raw")
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/scan/raw")
    assert window.node_pane.header.change_chip.isHidden()
    assert window.editor.ask_erase() is None
    assert "open for reading only: allow changes first (Ctrl+Shift+A)" in window.node_pane.notice.text
    window.node_pane.notice.button.click()
    assert window.node_pane.notice.isHidden()
    QTest.keySequence(window, "Ctrl+Shift+A")
    qtbot.waitUntil(lambda: window.session.source is not None and window.session.source.may_change)
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/scan/raw")
    assert window.node_pane.header.change_chip.isVisible()
    assert window.model.index(0, 1).data() == "changes on"
    window.node_pane.header.change_chip.stop_asked.emit()
    qtbot.waitUntil(lambda: window.session.source is not None and not window.session.source.may_change)
    qtbot.waitUntil(lambda: window.node_pane.header.change_chip.isHidden())
    assert window.model.index(0, 1).data() == ""


def test_a_folder_without_permission_says_so(
    window: MainWindow, place: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)  # root may write everything
    window.open_text(str(place))
    qtbot.waitUntil(lambda: window.session.source is not None)
    window.editor.toggle()
    qtbot.waitUntil(lambda: "no permission" in window.node_pane.notice.text)


def test_a_file_that_cannot_be_changed_says_so_in_one_sentence_and_does_not_advise_to_allow_it(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["volume"] = VALUES
    window.open_text(f"{tmp_path / 'a.h5'}#/volume")
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/volume")
    expected = f"{tmp_path / 'a.h5'} cannot be written: zarrscope only reads HDF5."
    notice = window.node_pane.notice
    assert window.editor.ask_erase() is None
    assert notice.text == expected
    notice.button.click()
    window.editor.toggle()
    qtbot.waitUntil(lambda: notice.text == expected)
    assert not window.session.sources[0].may_change


def test_a_collection_is_not_changed(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    write_example(place.parent / "b.zarr", "v2")
    window.open_text(str(place.parent))
    qtbot.waitUntil(lambda: window.session.source is not None)
    before = window.session.source
    window.editor.toggle()
    qtbot.waitUntil(lambda: "a collection of hierarchies, which is read-only" in window.node_pane.notice.text)
    assert window.session.source is before


def test_a_group_is_made_shown_and_undone(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place, "/scan")
    dialog = window.editor.ask_group()
    assert dialog is not None
    qtbot.waitUntil(lambda: not dialog.path.hasSelectedText())  # type: ignore[attr-defined]
    QTest.keyClicks(dialog.path, "new/inner")  # type: ignore[attr-defined]
    assert dialog.path.text() == "/scan/new/inner"  # type: ignore[attr-defined]
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.session.node is not None and shown(window).path == "/scan/new/inner")
    assert (
        zarr.open_group(place, mode="r", use_consolidated=False)["scan/new/inner"].name == "/scan/new/inner"
    )
    qtbot.waitUntil(lambda: rows(window, "/scan") == ["empty", "new", "raw"])
    qtbot.waitUntil(
        lambda: window.view.status.message.text == "/scan/new/inner was made, and /scan/new above it"
    )
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keySequence(window.tree, "Ctrl+Z")
    qtbot.waitUntil(lambda: rows(window, "/scan") == ["empty", "raw"])
    idle(window, qtbot)
    assert not (place / "scan/new").exists()
    assert shown(window).path == "/scan"


def test_a_node_is_renamed_with_f2(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place, "/scan/raw")
    window.tree.setFocus()
    QTest.keyClick(window.tree, Qt.Key.Key_F2)
    dialog = window.findChild(PathDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.path.selectedText() == "raw")
    QTest.keyClicks(dialog.path, "first")
    dialog.accept()
    qtbot.waitUntil(lambda: window.session.node is not None and shown(window).path == "/scan/first")
    qtbot.waitUntil(lambda: rows(window, "/scan") == ["empty", "first"])
    assert np.array_equal(zarr.open_array(place / "scan/first", mode="r")[...], VALUES)


def test_a_group_is_deleted_after_its_name_was_typed(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place, "/scan")
    dialog = window.editor.ask_erase()
    assert dialog is not None
    qtbot.waitUntil(lambda: "2 nodes in it, 9 keys" in dialog.counted.text())  # type: ignore[attr-defined]
    assert not dialog.erase_button.isEnabled()  # type: ignore[attr-defined]
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.isHidden(), "Enter cancels"
    assert (place / "scan/raw/zarr.json").exists()
    dialog = window.editor.ask_erase()
    QTest.keyClicks(dialog.name, "scan")  # type: ignore[union-attr]
    dialog.erase_button.click()  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: window.session.node is not None and shown(window).path == "/")
    qtbot.waitUntil(lambda: rows(window) == ["other"])
    assert not (place / "scan").exists()
    assert window.editor.undoable(window.session.source) == ""


def test_the_root_stays(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place)
    assert window.editor.ask_erase() is None
    assert "The root is the source itself" in window.node_pane.notice.text
    assert window.editor.ask_path() is None


def test_what_cannot_be_moved_says_why(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place, "/scan/raw")
    dialog = window.editor.ask_path()
    dialog.path.setText("/other")  # type: ignore[union-attr]
    dialog.accept()  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: "already exists, as a group" in window.node_pane.notice.text)
    assert shown(window).path == "/scan/raw"


def test_a_source_that_may_be_changed_is_reloaded_as_such(
    window: MainWindow, place: Path, qtbot: QtBot
) -> None:
    allow(window, qtbot, place, "/scan/raw")
    window.node_pane.show_tab("Table")
    zarr.open_group(place, mode="r+", use_consolidated=False).create_group("theirs")
    QTest.keySequence(window, "F5")
    qtbot.waitUntil(lambda: rows(window) == ["other", "scan", "theirs"])
    idle(window, qtbot)
    assert window.session.source is not None
    assert window.session.source.may_change
    assert shown(window).path == "/scan/raw"
    assert window.node_pane.current_tab() == "Table"


def test_a_zip_file_is_complete_when_changes_are_stopped(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    write_example(tmp_path / "a.zip")
    allow(window, qtbot, tmp_path / "a.zip", "/scan")
    dialog = window.editor.ask_group()
    dialog.path.setText("/scan/new")  # type: ignore[union-attr]
    dialog.accept()  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: window.session.node is not None and shown(window).path == "/scan/new")
    idle(window, qtbot)
    window.editor.toggle()
    qtbot.waitUntil(lambda: window.session.source is not None and not window.session.source.may_change)
    idle(window, qtbot)
    store = zarr.storage.ZipStore(tmp_path / "a.zip", mode="r")
    assert "new" in zarr.open_group(store, mode="r")["scan"]
    store.close()


def test_a_bucket_is_changed(window: MainWindow, place: Path, s3: S3Server, qtbot: QtBot) -> None:
    s3.upload(place, "bucket/edited/a.zarr")
    connection = Connection(s3.endpoint_url, "us-east-1")
    window.navigator.go(SourceRequest("s3://bucket/edited/a.zarr", options=connection))
    qtbot.waitUntil(lambda: window.session.source is not None)
    window.editor.toggle()
    qtbot.waitUntil(lambda: window.session.source is not None and window.session.source.may_change)
    qtbot.waitUntil(lambda: window.session.node is not None)
    go(window, qtbot, "/scan/raw")
    dialog = window.editor.ask_path()
    dialog.path.setText("/first")  # type: ignore[union-attr]
    dialog.accept()  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: window.session.node is not None and shown(window).path == "/first")
    found = zc.open_hierarchy("s3://bucket/edited/a.zarr", **s3.options)
    assert np.array_equal(found["/first"][...], VALUES)
    go(window, qtbot, "/scan")
    with s3.denying():
        dialog = window.editor.ask_group()
        dialog.path.setText("/scan/new")  # type: ignore[union-attr]
        dialog.accept()  # type: ignore[union-attr]
        qtbot.waitUntil(lambda: "Making /scan/new failed" in window.node_pane.notice.text)
    idle(window, qtbot)
    assert "/scan/new" not in zc.open_hierarchy("s3://bucket/edited/a.zarr", **s3.options)
