"""The window, without a screen, in which random things are done.

    python -m tests.proofs.soak.window SEED MILLISECONDS SOURCE#/PATH...

It does one thing each time these milliseconds have passed. It ends with the standard input, and with status 1 after an exception.
It tells how many things it has done: each hundred, and at the end.
"""

from __future__ import annotations

import os

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before Qt loads

import gc
import random
import sys
import threading
import traceback
from collections.abc import Sequence
from types import TracebackType

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QWidget

from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.settings import Settings
from zarrbrowser.theme import Appearance, apply_theme
from zarrbrowser.window.main_window import MainWindow
from zarrbrowser.workers.garbage import collect_in_this_thread

KEYS = (
    *(Qt.Key.Key_PageDown, Qt.Key.Key_PageUp, Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_Left),
    *(Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_F, Qt.Key.Key_1, Qt.Key.Key_Space),
)
_ASK_MS = 100
_TELL_EACH = 100


class Person:
    """Does one thing after the other."""

    def __init__(self, window: MainWindow, places: Sequence[SourceRequest], seed: int) -> None:
        self.window, self.places = window, places
        self.random = random.Random(seed)
        self.count = 0

    def act(self) -> None:
        actions = (self.open, self.open, self.turn, self.turn, self.step, self.press, self.press, self.point, self.click,
                   self.click, self.roll, self.travel, self.reload, self.resize, self.stop)  # fmt: skip
        self.random.choice(actions)()
        self.count += 1
        if self.count % _TELL_EACH == 0:
            print(self.count, flush=True)

    def open(self) -> None:
        self.window.navigator.go(self.random.choice(self.places))

    def turn(self) -> None:
        self.window.node_pane.tabs.turn(self.random.choice([-1, 1]))

    def step(self) -> None:
        self.window.node_pane.step(self.random.choice([-1, 1]))

    def focused(self) -> QWidget:
        return QApplication.focusWidget() or self.window

    def press(self) -> None:
        QTest.keyClick(self.focused(), self.random.choice(KEYS))

    def somewhere(self) -> tuple[QWidget, QPoint]:
        """A widget of the node's pane, and a point in it."""
        pane = self.window.node_pane
        place = QPoint(
            self.random.randrange(max(1, pane.width())), self.random.randrange(max(1, pane.height()))
        )
        inner = pane.childAt(place) or pane
        return inner, inner.mapFrom(pane, place)

    def point(self) -> None:
        inner, place = self.somewhere()
        QTest.mouseMove(inner, place)

    def click(self) -> None:
        inner, place = self.somewhere()
        if not isinstance(inner, QAbstractButton | QComboBox):  # some open dialogs, which wait for an answer
            QTest.mouseClick(inner, Qt.MouseButton.LeftButton, pos=place)

    def roll(self) -> None:
        inner, place = self.somewhere()
        where, turned = inner.mapToGlobal(place), self.random.choice([-120, 120])
        wheel = QWheelEvent(
            place, where, QPoint(), QPoint(0, turned), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(inner, wheel)

    def travel(self) -> None:
        navigator = self.window.navigator
        self.random.choice([navigator.back, navigator.forward, navigator.go_up])()

    def reload(self) -> None:
        if self.random.random() < 0.2:
            self.window.sources.reload_current()

    def resize(self) -> None:
        self.window.resize(self.random.randint(600, 1300), self.random.randint(500, 900))

    def stop(self) -> None:
        self.window.workers.stop()


def main(seed: int, each_ms: int, sources: Sequence[str]) -> int:
    """Open the window and act until the standard input ends."""
    places = [SourceRequest.typed(source) for source in sources]
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
    window.navigator.go(places[0])
    person = Person(window, places, seed)
    acting, asking = QTimer(), QTimer()
    acting.timeout.connect(person.act)
    acting.start(each_ms)
    ended = threading.Event()

    def close() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=close, daemon=True).start()
    asking.timeout.connect(lambda: application.exit(0) if ended.is_set() else None)
    asking.start(_ASK_MS)
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
    status = main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
    sys.stderr.flush()
    os._exit(status)  # without destroying the widgets one by one
