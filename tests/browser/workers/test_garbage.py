"""Garbage is collected by the thread of the window."""

from __future__ import annotations

import gc
import threading

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from zarrbrowser.workers.garbage import collect_in_this_thread


class Cycle:
    """Garbage that tells which thread destroyed it."""

    def __init__(self, destroyers: list[int]) -> None:
        self.itself = self
        self.destroyers = destroyers

    def __del__(self) -> None:
        self.destroyers.append(threading.get_ident())


def test_garbage_of_other_threads_is_destroyed_by_the_thread_of_the_window(qtbot: QtBot) -> None:
    gc.enable()
    destroyers: list[int] = []
    owner = QObject()
    collect_in_this_thread(owner)

    def litter() -> None:
        # Many, because each object that is freed meanwhile makes a collection less urgent.
        for _ in range(50 * gc.get_threshold()[0]):
            Cycle(destroyers)

    thread = threading.Thread(target=litter)
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: bool(destroyers))
    assert set(destroyers) == {threading.get_ident()}
