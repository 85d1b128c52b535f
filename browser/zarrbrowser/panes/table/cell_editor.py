"""The line over a cell in which the user types a new value."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

_OWN_KEYS = (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class CellEditor(QLineEdit):
    """Enter asks to write the value. Esc, or leaving the line, keeps the cell as it is.

    Signals:
        entered: the typed text; the line stays until `leave`.
        left: the line is gone; whether it had the focus.
    """

    entered = Signal(str)
    left = Signal(bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("value of the cell")
        self.setProperty("role", "cell")
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._start = ""
        self.hide()

    @property
    def is_changed(self) -> bool:
        """Whether the text is another one than at the start."""
        return self.text() != self._start

    def can_hold(self, text: str) -> bool:
        """Whether a text is the same in the line: Qt cuts texts of more than 32,767 characters."""
        self.setText(text)
        return self.text() == text and len(text.splitlines()) <= 1

    def start(self, place: QRect, text: str) -> None:
        """Show the line over a cell."""
        self._start = text
        self.setText(text)
        width = max(place.width(), min(self.fontMetrics().horizontalAdvance(text) + 24, 360))
        left = max(0, place.right() - width + 1)
        self.setGeometry(QRect(left, place.y(), width, place.height()))
        self.show()
        self.raise_()
        self.selectAll()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave(self) -> None:
        """Hide the line."""
        if not self.isHidden():
            had_focus = self.hasFocus()
            self.hide()
            self.left.emit(had_focus)

    def event(self, event: QEvent) -> bool:
        # Elsewhere Esc stops reading.
        overrides = event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if overrides and cast("QKeyEvent", event).key() in _OWN_KEYS:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit(self.text())
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        super().focusOutEvent(event)
        if event.reason() is not Qt.FocusReason.PopupFocusReason:  # its own context menu
            self.leave()
