"""A stack of data and messages: the common base of all panes that read."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from zarrbrowser.nodes.read_cost import ASK_ABOVE_BYTES, ReadCost
from zarrbrowser.session.error_text import remedy, sentence
from zarrbrowser.values.quantities import count, format_bytes
from zarrbrowser.widgets.buttons import AllowButton
from zarrbrowser.widgets.notice import Notice, SentencePane

ANNOUNCED_AFTER_MS = 250
"""Shorter waits are not announced: a message that flashes by only distracts."""


class DataStack(QWidget):
    """Shows the data widget or a message, below a bar that asks before a large read.

    Signals:
        data_shown: whether the data widget is visible now.
        settled: the final data or message is visible.
        allow_asked: a folder or URL that data name, and that the user allows.
    """

    data_shown = Signal(bool)
    settled = Signal()
    allow_asked = Signal(str)

    def __init__(self, data: QWidget, retry: Callable[[], object], load_anyway: Callable[[], object]) -> None:
        super().__init__()
        self.data = data
        self.notice = Notice("Load anyway", load_anyway)
        self.sentence = SentencePane(retry)
        self.allow_button = AllowButton(self.allow_asked.emit)
        self.sentence.add_button(self.allow_button)
        self.mend_button = AllowButton(self.allow_asked.emit)
        self.notice.add_button(self.mend_button)
        self._stack = QStackedWidget()
        self._stack.addWidget(data)
        self._stack.addWidget(self.sentence)
        self._wait = QTimer(self, singleShot=True, interval=ANNOUNCED_AFTER_MS)
        self._wait.timeout.connect(self._announce)
        self._waiting_for = ""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        around = QVBoxLayout()
        around.setContentsMargins(12, 0, 12, 0)
        around.addWidget(self.notice)
        column.addLayout(around)
        column.addWidget(self._stack, 1)

    @property
    def shows_data(self) -> bool:
        """Whether the data widget is visible."""
        return self._stack.currentWidget() is self.data

    def show_data(self, notice: str = "", button: str = "", remedy: str = "") -> None:
        """Show the data widget with its data, and an optional message above it.

        Args:
            notice: the message.
            button: the title of its button.
            remedy: what another button does about it: see `remedy`.
        """
        self._wait.stop()
        if button:
            self.notice.say(notice, button)
        else:
            self.notice.show_text(notice)
        self.mend_button.offer(remedy)
        self._stack.setCurrentWidget(self.data)
        self.data_shown.emit(True)
        self.settled.emit()

    def make_room(self) -> None:
        """Show the data widget before its data has arrived, since it can show partial data."""
        self._wait.stop()
        self.notice.say("")
        self._stack.setCurrentWidget(self.data)
        self.data_shown.emit(True)

    def show_sentence(self, text: str, *, drawing: str = "broken", retry: bool = False) -> None:
        """Show a message instead of data."""
        self._wait.stop()
        self.allow_button.offer("")
        self.sentence.say(text, drawing=drawing, retry=retry)
        self._stack.setCurrentWidget(self.sentence)
        self.data_shown.emit(False)
        if drawing != "loading":
            self.settled.emit()

    def show_error(self, error: Exception) -> None:
        """Show an error, and a button to try again; also one to allow what data may not name, or for the connection."""
        self.notice.say("")
        self.show_sentence(sentence(error), retry=True)
        self.allow_button.offer(remedy(error))

    def wait_for(self, what: str) -> None:
        """Announce that data is being read, if it takes a while."""
        self.notice.say("")
        self._waiting_for = what
        self._wait.start()

    def may_read(self, cost: ReadCost, agreed_bytes: int, what: str) -> bool:
        """Whether this much may be read without asking; if not, ask the user."""
        if cost.nbytes <= max(ASK_ABOVE_BYTES, agreed_bytes):
            return True
        self.notice.say(
            f"{what} crosses {count(cost.chunks, 'chunk')}, {format_bytes(cost.nbytes)} when decoded: "
            "only whole chunks can be read."
        )
        self.show_sentence("Nothing has been read yet.", drawing="array2")
        return False

    def _announce(self) -> None:
        self.show_sentence(f"{self._waiting_for}…", drawing="loading")
