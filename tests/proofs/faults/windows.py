"""The window, without a screen, over a store that fails."""

from __future__ import annotations

import gc
import os

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before Qt loads

import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
from PySide6.QtCore import QSettings, qInstallMessageHandler
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import zarrcore as zc
from tests.proofs.faults.faulty_store import Fault, FaultyStore
from zarrbrowser.panes.pane_set import load_pictures
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.settings import Settings
from zarrbrowser.theme import Appearance, apply_theme
from zarrbrowser.window.main_window import MainWindow
from zarrbrowser.workers.garbage import collect_in_this_thread
from zarrcore.stores import MemoryStore

OPERATIONS = 120
_ADDRESS = "faulty.zarr"
_PATHS = ("/", "/g", "/g/crc", "/g/cube", "/g/words", "/absent")
_PATIENCE_S = 60.0
_CRC = [{"name": "crc32c"}]
_LACKS = "This plugin does not support"


@contextmanager
def application() -> Iterator[list[str]]:
    """Qt's application, without settings of a user, and the list of what disturbs it."""
    application = QApplication.instance()
    if application is None:
        application = QApplication(["zarrscope"])
        collect_in_this_thread(application)
    assert isinstance(application, QApplication)
    load_pictures()
    apply_theme(application, Appearance.LIGHT)
    with tempfile.TemporaryDirectory() as home, _watched() as troubles:
        QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, home)
        try:
            yield troubles
        finally:
            application.processEvents()
            gc.collect()
        assert not troubles, "\n".join(troubles)


def trial(seed: int, actions: str = f"{OPERATIONS}") -> int:
    """Actions in one window."""
    operations = int(actions)
    with application() as troubles:
        campaign = Campaign(random.Random(seed))
        try:
            for _ in range(operations):
                campaign.step()
                assert not troubles, "\n".join(troubles)
            campaign.end()
        finally:
            campaign.close()
    return operations


@contextmanager
def _watched() -> Iterator[list[str]]:
    """What would end or disturb the program: exceptions that nothing handles, and warnings of Qt."""
    troubles: list[str] = []

    def note(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        sys.__excepthook__(kind, error, trace)
        troubles.append(f"{kind.__name__}: {error}")

    def say(kind: Any, _context: Any, text: str | None) -> None:
        if kind.name in ("QtWarningMsg", "QtCriticalMsg") and not (text or "").startswith(_LACKS):
            troubles.append(f"Qt: {text}")

    before = qInstallMessageHandler(say)
    with (
        patch.object(sys, "excepthook", note),
        patch.object(sys, "unraisablehook", lambda told: troubles.append(f"unraisable: {told.exc_value!r}")),
        patch.object(
            threading, "excepthook", lambda told: note(told.exc_type, told.exc_value, told.exc_traceback)
        ),
    ):
        try:
            yield troubles
        finally:
            qInstallMessageHandler(before)


def shown_in_table(address: str, opened: Callable[[], Any], path: str, elements: np.ndarray) -> None:
    """A window shows elements of an array in its table, without a click.

    Args:
        address: what the window calls the source.
        opened: opens its store.
        path: of the array.
        elements: what it holds.
    """

    def source(request: SourceRequest) -> Source:
        hierarchy = zc.open_hierarchy(opened())
        return Source(request, hierarchy, hierarchy.node("/"))

    window = MainWindow(Settings(fresh=True), source)
    try:
        window.resize(1280, 800)
        window.show()
        window.open(SourceRequest(address, path))
        last = tuple(length - 1 for length in elements.shape)
        until_s, told = time.monotonic() + 2 * _PATIENCE_S, False
        while not told:
            assert time.monotonic() < until_s, "the table does not show its elements"
            QTest.qWait(50)
            node, pane = window.session.node, window.node_pane.current_pane
            if node is None or node.path != path:
                continue
            if not isinstance(pane, TablePane):
                window.node_pane.show_tab("Table")
            elif pane.model.rowCount() == elements.shape[0]:
                pane.go(*last)
                loaded, value = pane.model.value(*last)
                told = loaded
                assert not loaded or value == elements[last]
    finally:
        window.close()
        assert window.workers.shut_down(30), "a thread is still working"
        window.deleteLater()


class Campaign:
    """A window, and what it should show."""

    def __init__(self, choice: random.Random) -> None:
        self._choice = choice
        store = MemoryStore()
        group = zc.create(store)
        group.create_group("g", attributes={"title": "a group"})
        self._numbers = np.arange(40 * 30, dtype="f4").reshape(40, 30)
        for path, data in (
            ("g/crc", self._numbers),
            ("g/cube", np.arange(6 * 50 * 40, dtype="u2").reshape(6, 50, 40)),
            ("g/words", np.array([f"word {number}" for number in range(30)])),
        ):
            kind: Any = str if data.dtype.kind == "U" else data.dtype
            chunks = tuple(min(length, 10) for length in data.shape)
            made = group.create_array(path, shape=data.shape, dtype=kind, chunks=chunks, codecs=_CRC)
            made[...] = data
        self._faulty = FaultyStore(store, choice.getrandbits(32), lambda key: "/c/" in key)
        self._faulty.is_remote = choice.random() < 0.5
        self._faulty.rate = choice.choice([0.03, 0.15, 0.4])
        self._faulty.kinds = frozenset(Fault) - {Fault.STALE}
        self._window = MainWindow(Settings(fresh=True), self._opened)
        self._window.resize(1280, 800)
        self._window.show()
        self._window.open(SourceRequest(_ADDRESS))
        window, navigator, pane = self._window, self._window.navigator, self._window.node_pane
        self._steps: list[Callable[[], object]] = [
            *4 * [self._go],
            *4 * [self._show_tab],
            *3 * [self._look],
            *2 * [self._retry],
            *(
                self._scroll,
                window.sources.reload_current,
                navigator.back,
                navigator.forward,
                navigator.go_up,
            ),
            lambda: pane.current_pane.fit(),
            lambda: pane.current_pane.actual_size(),
            *(lambda: pane.tabs.turn(1), lambda: pane.step(1)),
        ]

    def _opened(self, request: SourceRequest) -> Source:
        hierarchy = zc.open_hierarchy(self._faulty, chunk_cache=zc.ChunkCache(1 << 16))
        return Source(request, hierarchy, hierarchy.node("/"))

    def step(self) -> None:
        """One action, and a moment for the window."""
        self._choice.choice(self._steps)()
        QTest.qWait(self._choice.choice([0, 0, 2, 10]))

    def end(self) -> None:
        """Without faults the window shows what is stored."""
        self._faulty.rate = 0.0
        self._window.sources.reload_current()
        until_s = time.monotonic() + _PATIENCE_S
        while not self._shows_elements():
            assert time.monotonic() < until_s, "the table does not show its elements"
            node = self._window.session.node
            if node is None or node.path != "/g/crc":
                self._window.navigator.go(SourceRequest(_ADDRESS, "/g/crc"))
            else:
                self._window.node_pane.show_tab("Table")
                self._retry()  # what failed before is shown with a button
            QTest.qWait(200)

    def _shows_elements(self) -> bool:
        pane = self._table()
        return pane is not None and pane.model.value(3, 4) == (True, self._numbers[3, 4])

    def close(self) -> None:
        """End the window and its threads."""
        self._faulty.rate = 0.0
        self._window.close()
        assert self._window.workers.shut_down(30), "a thread is still working"
        self._window.deleteLater()

    def _go(self) -> None:
        self._window.navigator.go(SourceRequest(_ADDRESS, self._choice.choice(_PATHS)))

    def _show_tab(self) -> None:
        self._window.node_pane.show_tab(
            self._choice.choice(["Overview", "Metadata", "Image", "Table", "Plot", "Storage"])
        )

    def _retry(self) -> None:
        pane = self._window.node_pane.current_pane
        for notice in (self._window.view.sentence, getattr(pane, "problem", None)):
            if notice is not None and notice.button.isVisible():
                notice.button.click()

    def _table(self) -> TablePane | None:
        pane = self._window.node_pane.current_pane
        node = self._window.session.node
        is_it = isinstance(pane, TablePane) and node is not None and node.path == "/g/crc"
        return pane if is_it else None

    def _scroll(self) -> None:
        if (pane := self._table()) is not None:
            pane.go(self._choice.randrange(40), self._choice.randrange(30))

    def _look(self) -> None:
        """Elements that a table shows are right."""
        if (pane := self._table()) is None or pane.model.rowCount() != 40 or pane.model.columnCount() != 30:
            return
        for _ in range(50):
            row, column = self._choice.randrange(40), self._choice.randrange(30)
            loaded, value = pane.model.value(row, column)
            assert not loaded or value == self._numbers[row, column]
