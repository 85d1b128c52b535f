"""The panel of requests."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

import zarrcore as zc
from zarrbrowser.models.request_model import MINUTE_S
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.window import requests_panel
from zarrbrowser.window.main_window import MainWindow
from zarrbrowser.window.requests_panel import RequestsPanel


def opened(window: MainWindow, folder: Path, name: str, qtbot: QtBot) -> Source:
    root = zc.create(folder / name, format="v3")
    root.create_array("raw", data=np.ones((4, 6), "u2"), chunks=(2, 2))
    number = len(window.session.sources)
    window.open(SourceRequest(str(folder / name)))
    qtbot.waitUntil(lambda: len(window.session.sources) > number and not window.workers.active)
    return window.session.sources[number]


def ask(source: Source, key: str) -> None:
    hierarchy: Any = source.hierarchy
    hierarchy.store.get(key)


def shown(window: MainWindow) -> RequestsPanel:
    QTest.keyClick(window, Qt.Key.Key_F12)
    assert window.requests is not None
    assert window.requests.isVisible()
    return window.requests


def keys(panel: RequestsPanel) -> list[str]:
    return [panel.chosen.index(row, 3).data() for row in range(panel.chosen.rowCount())]


def test_the_panel_shows_the_last_minute_also_before_it_was_open(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = opened(window, tmp_path, "a.zarr", qtbot)
    ask(source, "raw/c/0/0")
    panel = shown(window)
    assert keys(panel)[-1] == "raw/c/0/0"
    assert "zarr.json" in keys(panel), "opening asked for it"
    panel.model.clear()
    ask(source, "raw/c/0/1")
    qtbot.waitUntil(lambda: keys(panel) == ["raw/c/0/1"])
    assert panel.summary.text().startswith("1 request")
    panel.list.selectAll()
    panel.copy_button.click()
    assert QGuiApplication.clipboard().text() == f"{tmp_path}/a.zarr/raw/c/0/1"
    panel.close_button.click()
    ask(source, "raw/c/0/0")
    assert shown(window) is panel
    assert keys(panel) == ["raw/c/0/1", "raw/c/0/0"]
    QTest.keyClick(window, Qt.Key.Key_F12)
    assert panel.isHidden()
    ask(source, "raw/c/1/1")
    monkeypatch.setattr(requests_panel, "time", SimpleNamespace(time=lambda: time.time() + MINUTE_S))
    shown(window)
    assert keys(panel) == []


def test_requests_to_several_sources_are_in_the_order_of_time(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    first, second = (opened(window, tmp_path, name, qtbot) for name in ("a.zarr", "b.zarr"))
    for source in (second, first, second):
        ask(source, f"of/{source.title}")
    assert keys(shown(window))[-3:] == ["of/b.zarr", "of/a.zarr", "of/b.zarr"]


def test_one_source_is_chosen_and_a_closed_one_goes(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    first, panel = opened(window, tmp_path, "a.zarr", qtbot), shown(window)
    second = opened(window, tmp_path, "a.zarr.zarr", qtbot)  # whose address begins with the first one's
    panel.look()
    panel.model.clear()
    for source in (first, second):
        ask(source, f"of/{source.title}")
    panel.look()
    assert {"of/a.zarr", "of/a.zarr.zarr"} <= set(keys(panel))
    panel.source.setCurrentIndex(panel.source.findText("a.zarr"))
    assert keys(panel) == ["of/a.zarr"]
    assert panel.summary.text().startswith("1 request ")
    window.model.close(window.model.row_of(first))
    panel.look()
    assert panel.source.currentText() == "All sources"
    assert panel.source.findText("a.zarr") == -1
    ask(first, "later")
    panel.look()
    assert "later" not in keys(panel)
