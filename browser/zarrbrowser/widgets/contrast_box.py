"""How the bounds of the contrast are found, and what they are."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QWidget

from zarrbrowser.session.contrast import Contrast, ContrastMode
from zarrbrowser.session.quantities import format_level
from zarrbrowser.widgets.label import label

_TITLES = {
    ContrastMode.PERCENTILES: "Auto, 1–99 %",
    ContrastMode.FULL_RANGE: "Minimum to maximum",
    ContrastMode.FIXED: "Fixed",
}


class ContrastBox(QWidget):
    """A menu of modes and two numbers; typing a number fixes the contrast.

    Signals:
        chosen: a `Contrast`.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._levels = (0.0, 1.0)
        self.mode = QComboBox()
        self.mode.setAccessibleName("contrast")
        for mode, title in _TITLES.items():
            self.mode.addItem(title, mode)
        self.low, self.high = _number("lowest value shown"), _number("highest value shown")
        self.mode.activated.connect(lambda _row: self._mode_chosen())
        for edit in (self.low, self.high):
            edit.editingFinished.connect(self._typed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for widget in (label("Contrast", "muted"), self.mode, self.low, label("to", "muted"), self.high):
            row.addWidget(widget)

    def show_contrast(self, contrast: Contrast, levels: tuple[float, float]) -> None:
        """Show a mode and the bounds that came of it."""
        self._levels = levels
        self.mode.setCurrentIndex(list(_TITLES).index(contrast.mode))
        for edit, value in zip((self.low, self.high), levels, strict=True):
            edit.setText(format_level(value))
            edit.setModified(False)
            edit.setCursorPosition(0)

    def _mode_chosen(self) -> None:
        mode = list(_TITLES)[self.mode.currentIndex()]
        self.chosen.emit(Contrast(mode, *self._levels))

    def _typed(self) -> None:
        if not (self.low.isModified() or self.high.isModified()):
            return
        bounds = [float(edit.text()) if edit.isModified() else level
                  for edit, level in zip((self.low, self.high), self._levels, strict=True)]  # fmt: skip
        self.chosen.emit(Contrast(ContrastMode.FIXED, min(bounds), max(bounds)))


def _number(name: str) -> QLineEdit:
    edit = QLineEdit()
    edit.setFixedWidth(84)
    edit.setAccessibleName(name)
    edit.setToolTip(name[0].upper() + name[1:])
    validator = QDoubleValidator(edit)
    validator.setLocale(validator.locale().c())
    edit.setValidator(validator)
    return edit
