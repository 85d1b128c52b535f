"""Qt's types in Python: created before threads use them, and counted right."""

from __future__ import annotations

import pytest
import shiboken6
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from zarrbrowser.workers import qt_types
from zarrbrowser.workers.qt_types import make_qt_types


def test_qt_calls_keep_the_reference_count_of_none(application: object) -> None:
    """PySide6 6.12.0 lost a reference to None at every call on Python 3.11, until the process aborted."""
    import sys

    from PySide6.QtCore import QObject

    thing = QObject()
    before = sys.getrefcount(None)
    for _ in range(1000):
        thing.setObjectName("x")
    assert sys.getrefcount(None) - before > -500


@pytest.fixture
def _small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the event loop turn after each type: in tests most types exist already, and all would fit into one slice."""
    monkeypatch.setattr(qt_types, "_SLICE_S", -1.0)
    monkeypatch.setattr(qt_types, "_MODULES", ("QtSvg", "QtMissing", "QtTest"))


@pytest.mark.usefixtures("_small_slices")
def test_types_are_made_between_other_events_and_announced_once(
    application: QApplication, qtbot: QtBot
) -> None:
    owner, ends, turns = QObject(), [], []
    ticker = QTimer(interval=0)
    ticker.timeout.connect(lambda: turns.append(len(ends)))
    ticker.start()
    make_qt_types(owner, lambda: ends.append("made"))
    qtbot.waitUntil(lambda: bool(ends))
    assert turns.count(0) >= 2, "other events came first"
    application.processEvents()
    assert ends == ["made"]


@pytest.mark.usefixtures("_small_slices", "application")
def test_nothing_is_announced_to_a_deleted_owner(qtbot: QtBot) -> None:
    owner, ends = QObject(), []
    make_qt_types(owner, lambda: ends.append("owner"))
    shiboken6.delete(owner)
    other = QObject()
    make_qt_types(other, lambda: ends.append("other"))
    qtbot.waitUntil(lambda: "other" in ends)
    assert ends == ["other"]
