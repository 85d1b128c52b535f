"""Two text fields with the bounds of the contrast, as numbers or as dates."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QLineEdit

from zarrbrowser.coordinates.dates import count_of_date, format_date
from zarrbrowser.editing.element_text import ElementTextError, number_in
from zarrbrowser.session.error_text import sentence
from zarrbrowser.values.quantities import format_level
from zarrbrowser.widgets.refusal import refuse


class BoundEdits(QObject):
    """The lowest and the highest value shown.

    Attributes:
        dates: the datetime64 type of the bounds, or None.
        levels: the bounds with all digits; the fields show some of them.

    Signals:
        typed: the lower and the higher bound.
    """

    typed = Signal(object, object)  # integers may have more digits than a float

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.levels = (0.0, 1.0)
        self.dates: np.dtype[Any] | None = None
        self.low, self.high = _line("lowest value shown"), _line("highest value shown")
        for edit in (self.low, self.high):
            edit.editingFinished.connect(self._typed)

    def show_bounds(self, levels: tuple[float, float]) -> None:
        """Show bounds."""
        self.levels = levels
        for edit, value in zip((self.low, self.high), levels, strict=True):
            edit.setText(self._text(value))
            edit.setModified(False)
            refuse(edit, "")
            edit.setCursorPosition(0)

    def _typed(self) -> None:
        edits = (self.low, self.high)
        if not any(edit.isModified() for edit in edits):
            return
        bounds = []
        for edit, level in zip(edits, self.levels, strict=True):
            try:
                # A bound that was not edited keeps the digits that its field does not show.
                bounds.append(self._value(edit.text(), level) if edit.isModified() else level)
                refuse(edit, "")
            except ValueError as error:
                refuse(edit, sentence(error))
        if len(bounds) == len(edits):
            self.show_bounds(self.levels)  # replaces whatever text was typed
            self.typed.emit(min(bounds), max(bounds))

    def _text(self, level: float) -> str:
        if isinstance(level, int):
            return str(level)
        span = self.levels[1] - self.levels[0]
        return (
            format_level(level, span) if self.dates is None else format_date(level, self.dates, span / 1000)
        )

    def _value(self, text: str, before: float) -> float:
        """The bound in a text.

        Raises:
            ValueError: it is neither a finite number nor a date.
        """
        if self.dates is not None:
            return count_of_date(text, self.dates)
        if isinstance(before, int) and text.strip().lstrip("-").isdecimal():
            return int(text)
        value = number_in(text)
        if not math.isfinite(value):
            raise ElementTextError("a bound must be finite")
        return value


def _line(name: str) -> QLineEdit:
    edit = QLineEdit()
    edit.setAccessibleName(name)
    edit.setToolTip(name[0].upper() + name[1:])
    return edit
