"""Messages instead of data: an inline bar with a question, and a pane with an error."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPixmap, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from zarrbrowser.theme import current_colours, icon
from zarrbrowser.theme.motion import is_reduced
from zarrbrowser.widgets.buttons import push_button
from zarrbrowser.widgets.label import label

_SIDE, _ICON = 72, QSize(40, 40)
_TURN_MS, _STEPS = 1600, 16
"""The time in which an icon turns once, and the number of pictures of it."""
_LONG = re.compile(r"\S{24}")
"""A part of a word that a line may end after: a long path would make the window wider than the screen."""


class Notice(QFrame):
    """A bar with one sentence and a button, or more; hidden while it has no text."""

    def __init__(self, button: str, pressed: Callable[[], object], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "notice")
        self._text = ""
        self._label = label(wrap=True)
        self.button = push_button(button, pressed)
        self._others: list[QPushButton] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(12, 6, 6, 6)
        self._row.addWidget(self._label, 1)
        self._row.addWidget(self.button)
        self.hide()

    def add_button(self, button: QPushButton) -> None:
        """Another button beside the first, hidden with each other text until the caller shows it."""
        self._others.append(button)
        self._row.addWidget(button)
        button.hide()

    @property
    def text(self) -> str:
        """The text of the bar."""
        return self._text

    def say(self, text: str, button: str = "") -> None:
        """Show ``text`` and the button's title; an empty text hides the bar."""
        self._text = text
        self._label.setText(_LONG.sub("\\g<0>\u200b", text))
        if button:
            self.button.setText(button)
        self.button.show()
        for other in self._others:
            other.hide()
        self.setVisible(bool(text))

    def show_text(self, text: str) -> None:
        """Show ``text`` without a button; an empty text hides the bar."""
        self.say(text)
        self.button.hide()


class SentencePane(QWidget):
    """A sentence in the middle, with an icon above it and an optional button below."""

    def __init__(self, pressed: Callable[[], object] | None = None, button: str = "Retry") -> None:
        super().__init__()
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._picture, self._icon, self._angle, self._turns = QLabel(), QPixmap(), 0, False
        self._turning = QTimer(self, interval=_TURN_MS // _STEPS)
        self._turning.timeout.connect(self._turn)
        self._picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._label = label(wrap=True, selectable=True)
        self._label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.button = push_button(button, pressed or (lambda: None), drawing="retry")
        column = QVBoxLayout(self)
        column.setSpacing(12)
        column.setContentsMargins(_SIDE, 12, _SIDE, 12)
        column.addStretch(2)
        column.addWidget(self._picture)
        # Not centred by the layout, which would give a wrapping label the height of one line.
        column.addWidget(self._label)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(8)
        self._buttons.addStretch(1)
        self._buttons.addWidget(self.button)
        self._buttons.addStretch(1)
        column.addLayout(self._buttons)
        column.addStretch(3)

    def add_button(self, button: QPushButton) -> None:
        """Another button beside the first; the caller shows and hides it."""
        self._buttons.insertWidget(self._buttons.count() - 1, button)
        button.hide()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        super().showEvent(event)
        self._turn_while_shown()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        super().hideEvent(event)
        self._turning.stop()

    def _turn_while_shown(self) -> None:
        """Turn the icon while something is read, unless the user wants less motion."""
        if self._turns and self.isVisible() and not is_reduced():
            self._turning.start()
        else:
            self._turning.stop()

    def _turn(self) -> None:
        self._angle = (self._angle + 360 // _STEPS) % 360
        turned = QPixmap(self._icon.size())
        turned.setDevicePixelRatio(self._icon.devicePixelRatio())
        turned.fill(Qt.GlobalColor.transparent)
        painter = QPainter(turned)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.translate(_ICON.width() / 2, _ICON.height() / 2)
        painter.rotate(self._angle)
        painter.drawPixmap(-_ICON.width() // 2, -_ICON.height() // 2, self._icon)
        painter.end()
        self._picture.setPixmap(turned)

    @property
    def text(self) -> str:
        """The sentence."""
        return self._label.text()

    def say(self, text: str, *, drawing: str = "broken", retry: bool = False) -> None:
        """Show a sentence, and with ``retry`` the button."""
        colours = current_colours()
        colour = colours.warning if drawing == "broken" else colours.muted
        self._turns = drawing == "loading"
        self._icon, self._angle = icon("spinner" if self._turns else drawing, colour).pixmap(_ICON), 0
        self._picture.setPixmap(self._icon)
        self._turn_while_shown()
        self._label.setText(text)
        self.button.setVisible(retry)
