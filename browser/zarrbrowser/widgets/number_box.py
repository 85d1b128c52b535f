"""A field for a number: a text that is none, or is out of range, is marked, where Qt would leave out what it cannot read."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QValidator
from PySide6.QtWidgets import QDoubleSpinBox

from zarrbrowser.editing.element_text import ElementTextError, number_in
from zarrbrowser.widgets.refusal import refuse
from zarrbrowser.widgets.tooltip import tooltip

_MARGIN = 6
_UNFINISHED = ("", "-", "+")


class NumberBox(QDoubleSpinBox):
    """Takes any text, and its value changes once the text is a number in its range and is finished.

    Qt's own box makes 15 of ``1,5`` and of ``1.5`` for whole numbers, and 3 of ``-3``. Commas divide thousands here, as shown.

    Args:
        name: what the number is, which is the accessible name.
        decimals: digits after the point; 0 for whole numbers.
    """

    def __init__(self, name: str, decimals: int = 0) -> None:
        super().__init__()
        self.setDecimals(decimals)
        self.setAccessibleName(name)
        self.setToolTip(tooltip(name[0].upper() + name[1:]))
        self.setKeyboardTracking(False)
        self.lineEdit().setTextMargins(_MARGIN, 0, 0, 0)  # Qt leaves out the padding of the stylesheet
        self.lineEdit().textChanged.connect(self._mark)

    def validate(self, text: str, pos: int) -> tuple[QValidator.State, str, int]:
        """Let every text be typed; only numbers in the range are taken."""
        state = QValidator.State.Intermediate if self._problem(text) else QValidator.State.Acceptable
        return state, text, pos

    def fixup(self, text: str) -> str:
        """Mend nothing: Qt would remove all commas."""
        return text

    def valueFromText(self, text: str) -> float:  # noqa: N802 - Qt's name
        return self.value() if self._problem(text) else number_in(text)

    def stepBy(self, steps: int) -> None:  # noqa: N802 - Qt's name
        """Step from the value, whatever text is typed."""
        self._forget_refused()
        super().stepBy(steps)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        """Show the value again: what the dialog uses is what it shows."""
        self._forget_refused()
        super().focusOutEvent(event)

    def _forget_refused(self) -> None:
        if self._problem(self.lineEdit().text()):
            self.lineEdit().setText(self.textFromValue(self.value()))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Keep a text that cannot be taken, so that it can be mended."""
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and (why := self._problem(self.lineEdit().text())):
            refuse(self, why)
            return
        super().keyPressEvent(event)

    def _mark(self, text: str) -> None:
        refuse(self, "" if text in _UNFINISHED else self._problem(text))

    def _problem(self, text: str) -> str:
        """Why a text cannot be taken; empty if it can."""
        try:
            number = number_in(text)
        except ElementTextError as error:
            return str(error)
        if not self.decimals() and not number.is_integer():
            return "expected a whole number"
        if not self.minimum() <= number <= self.maximum():
            lowest, highest = map(self.textFromValue, (self.minimum(), self.maximum()))
            return f"expected a number from {lowest} to {highest}"
        return ""
