"""The window, without a screen, in which random things are done.

    python -m tests.proofs.soak.window SOURCE SEED

It ends with the standard input, and with status 1 after an exception.
"""

from __future__ import annotations

import os

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before Qt loads

import gc
import random
import sys
import threading
import traceback
from types import TracebackType

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.settings import Settings
from zarrbrowser.theme import Appearance, apply_theme
from zarrbrowser.window.main_window import MainWindow
from zarrbrowser.workers.garbage import collect_in_this_thread

PATHS = ("/", "/a", "/group", "/group/b")
KEYS = (
    *(Qt.Key.Key_PageDown, Qt.Key.Key_PageUp, Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_Left),
    *(Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_F, Qt.Key.Key_1, Qt.Key.Key_Space),
)
_EACH_MS = 100


class Person:
    """Does one thing after the other."""

    def __init__(self, window: MainWindow, source: str, seed: int) -> None:
        self.window, self.source = window, source
        self.random = random.Random(seed)
        self.count = 0

    def act(self) -> None:
        actions = (self.open, self.open, self.turn, self.turn, self.step, self.press, self.press, self.point,
                   self.travel, self.reload, self.resize, self.stop)  # fmt: skip
        self.random.choice(actions)()
        self.count += 1

    def open(self) -> None:
        self.window.navigator.go(SourceRequest(self.source, self.random.choice(PATHS)))

    def turn(self) -> None:
        self.window.node_pane.turn(self.random.choice([-1, 1]))

    def step(self) -> None:
        self.window.node_pane.step(self.random.choice([-1, 1]))

    def focused(self) -> QWidget:
        return QApplication.focusWidget() or self.window

    def press(self) -> None:
        QTest.keyClick(self.focused(), self.random.choice(KEYS))

    def point(self) -> None:
        pane = self.window.node_pane
        place = QPoint(
            self.random.randrange(max(1, pane.width())), self.random.randrange(max(1, pane.height()))
        )
        inner = pane.childAt(place) or pane
        QTest.mouseMove(inner, inner.mapFrom(pane, place))

    def travel(self) -> None:
        navigator = self.window.navigator
        self.random.choice([navigator.back, navigator.forward, navigator.go_up])()

    def reload(self) -> None:
        if self.random.random() < 0.2:
            self.window.reload()

    def resize(self) -> None:
        self.window.resize(self.random.randint(600, 1300), self.random.randint(500, 900))

    def stop(self) -> None:
        self.window.workers.stop()


def main(source: str, seed: int) -> int:
    """Open the window and act until the standard input ends."""
    application = QApplication([])
    apply_theme(application, Appearance.LIGHT)
    failures: list[str] = []

    def failed(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        failures.append("".join(traceback.format_exception(kind, error, where)))
        application.exit(1)

    sys.excepthook = failed
    window = MainWindow(Settings(fresh=True))
    window.resize(1280, 800)
    window.show()
    gc.freeze()  # as the program does
    collect_in_this_thread(application)
    window.open(SourceRequest(source, "/a"))
    person = Person(window, source, seed)
    acting, asking = QTimer(), QTimer()
    acting.timeout.connect(person.act)
    acting.start(_EACH_MS)
    ended = threading.Event()

    def close() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=close, daemon=True).start()
    asking.timeout.connect(lambda: application.exit(0) if ended.is_set() else None)
    asking.start(_EACH_MS)
    application.exec()
    acting.stop()
    window.close()
    if not window.workers.shut_down(30):
        failures.append("a thread is still working")
    print(person.count, flush=True)
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    status = main(sys.argv[1], int(sys.argv[2]))
    sys.stderr.flush()
    os._exit(status)  # without destroying the widgets one by one
