"""The dialog before a deletion: what is deleted, and no way to confirm by accident."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.browser.editing.places import example
from tests.browser.fakes import Gate
from zarrbrowser.dialogs.erase_dialog import EraseDialog
from zarrbrowser.workers import Workers


def dialog_of(folder: Path, path: str, workers: Workers, qtbot: QtBot) -> EraseDialog:
    source = example(folder)
    dialog = EraseDialog(source, source.hierarchy.node(path), workers)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def test_an_array_is_deleted_with_one_click_but_not_with_enter(
    tmp_path: Path, workers: Workers, qtbot: QtBot
) -> None:
    dialog = dialog_of(tmp_path, "/scan/raw", workers, qtbot)
    assert dialog.what.text() == f"Delete the array /scan/raw of {tmp_path / 'a.zarr'}?"
    qtbot.waitUntil(lambda: dialog.counted.text().startswith("7 keys, "))
    assert dialog.name.isHidden()
    with qtbot.assertNotEmitted(dialog.confirmed):
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert not dialog.isVisible()
    dialog = dialog_of(tmp_path / "b", "/scan/raw", workers, qtbot)
    qtbot.waitUntil(lambda: dialog.counted.text().startswith("7 keys, "))
    with qtbot.waitSignal(dialog.confirmed) as heard:
        dialog.erase_button.click()
    assert heard.args == [7]


def test_a_group_with_nodes_wants_its_name(tmp_path: Path, workers: Workers, qtbot: QtBot) -> None:
    dialog = dialog_of(tmp_path, "/scan", workers, qtbot)
    assert not dialog.erase_button.isEnabled()
    qtbot.waitUntil(lambda: dialog.counted.text().startswith("2 nodes in it, 9 keys, "))
    for text, is_right in (("sca", False), ("Scan", False), ("scan", True)):
        dialog.name.setText(text)
        assert dialog.erase_button.isEnabled() is is_right
    with qtbot.waitSignal(dialog.confirmed) as heard:
        QTest.keyClick(dialog.name, Qt.Key.Key_Return)
    assert heard.args == [9]


def test_enter_after_a_wrong_name_deletes_nothing(tmp_path: Path, workers: Workers, qtbot: QtBot) -> None:
    dialog = dialog_of(tmp_path, "/scan", workers, qtbot)
    qtbot.waitUntil(lambda: dialog.counted.text().startswith("2 nodes in it, 9 keys, "))
    dialog.name.setText("scan")
    dialog.name.setText("scan2")
    with qtbot.assertNotEmitted(dialog.confirmed):
        QTest.keyClick(dialog.name, Qt.Key.Key_Return)
    assert not dialog.isVisible()


def test_an_empty_group_wants_no_name(tmp_path: Path, workers: Workers, qtbot: QtBot) -> None:
    dialog = dialog_of(tmp_path, "/other", workers, qtbot)
    qtbot.waitUntil(dialog.erase_button.isEnabled)
    assert dialog.name.isHidden()


def test_the_button_that_deletes_has_no_focus_if_counting_ends_first(
    tmp_path: Path, workers: Workers, qtbot: QtBot
) -> None:
    source = example(tmp_path)
    dialog = EraseDialog(source, source.hierarchy.node("/other"), workers)
    qtbot.addWidget(dialog)
    qtbot.waitUntil(dialog.erase_button.isEnabled)
    dialog.show()
    qtbot.waitUntil(lambda: dialog.focusWidget() is not None)
    assert dialog.focusWidget() is dialog.cancel_button


def test_counting_stops_with_the_dialog(tmp_path: Path, workers: Workers, qtbot: QtBot) -> None:
    source, gate = example(tmp_path), Gate()
    walk = source.hierarchy.walk

    def slowly(path: str = "/") -> Iterator[Any]:
        gate.wait()
        return walk(path)

    source.hierarchy.walk = slowly  # type: ignore[method-assign]
    dialog = EraseDialog(source, source.hierarchy.node("/scan"), workers)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.reject()
    assert not workers.active
    gate.open()


def test_a_count_that_fails_says_so(tmp_path: Path, workers: Workers, qtbot: QtBot) -> None:
    source = example(tmp_path)
    node = source.hierarchy.node("/scan")
    source.hierarchy.store.erase_prefix("")  # type: ignore[attr-defined]
    source.hierarchy.forget("/")
    dialog = EraseDialog(source, node, workers)
    qtbot.addWidget(dialog)
    qtbot.waitUntil(lambda: "could not be counted" in dialog.counted.text())
    dialog.name.setText("scan")
    assert dialog.erase_button.isEnabled()
