"""Colours beside the picture: the map, how its bounds are found, and the histogram between the two bounds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFrame, QLineEdit, QVBoxLayout, QWidget

from zarrbrowser.session.contrast import Contrast, ContrastMode, Statistics
from zarrbrowser.session.dates import count_of_date, format_date
from zarrbrowser.session.picture import meaning_of
from zarrbrowser.session.quantities import format_level
from zarrbrowser.widgets.colour_map_box import ColourMapBox
from zarrbrowser.widgets.histogram import Histogram
from zarrbrowser.widgets.label import label

WIDTH = 184
_TITLES = {
    ContrastMode.PERCENTILES: "Auto (1–99 %)",
    ContrastMode.FULL_RANGE: "Full range",
    ContrastMode.FIXED: "Fixed",
}


class ContrastPanel(QFrame):
    """Highest value above, lowest below, as the colours stand. Typing or dragging a bound fixes the contrast.

    Signals:
        chosen: a `Contrast`.
        colour_map_chosen: the catalogue name of a colour map.
    """

    chosen = Signal(object)
    colour_map_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "side")
        self.setFixedWidth(WIDTH)
        self._levels = (0.0, 1.0)
        self._dates: np.dtype[Any] | None = None
        self.colour_map, self.mode, self.histogram = ColourMapBox(), QComboBox(), Histogram()
        self.mode.setAccessibleName("contrast")
        self.mode.setToolTip("How the bounds of the contrast are found")
        for mode, title in _TITLES.items():
            self.mode.addItem(title, mode)
        self.low, self.high = _number("lowest value shown"), _number("highest value shown")
        self.unit = label(role="muted")
        self._lay_out()
        self.colour_map.activated.connect(lambda _row: self._colours_chosen())
        self.mode.activated.connect(lambda _row: self._mode_chosen())
        for edit in (self.low, self.high):
            edit.editingFinished.connect(self._typed)
        self.histogram.dragged.connect(
            lambda low, high: self.chosen.emit(Contrast(ContrastMode.FIXED, low, high))
        )

    def show_type(self, dtype: np.dtype[Any]) -> None:
        """Write bounds as values of this type: dates as dates; say what numbers count if it is not themselves."""
        self._dates = dtype if dtype.kind == "M" else None
        self.histogram.item.axis.setStyle(showValues=self._dates is None)
        self.unit.setText(meaning_of(dtype))
        self.unit.setVisible(bool(meaning_of(dtype)))

    def show_contrast(self, contrast: Contrast, levels: tuple[float, float], found: Statistics) -> None:
        """Show a mode, the bounds that came of it, and the values they were found among."""
        self._levels = levels
        self.mode.setCurrentIndex(list(_TITLES).index(contrast.mode))
        for edit, value in zip((self.low, self.high), levels, strict=True):
            edit.setText(self._text(value))
            edit.setModified(False)
            edit.setCursorPosition(0)
        self.histogram.show_statistics(found, levels)

    def choose_colour_map(self, name: str) -> None:
        """Show a colour map as the current one."""
        self.colour_map.choose(name)
        self.histogram.show_colour_map(name)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(6)
        column.addWidget(label("Colours", "heading"))
        column.addWidget(self.colour_map)
        column.addSpacing(6)
        column.addWidget(label("Contrast", "heading"))
        column.addWidget(self.mode)
        column.addWidget(self.unit)
        column.addWidget(self.high)
        column.addWidget(self.histogram, 1)
        column.addWidget(self.low)

    def _colours_chosen(self) -> None:
        name = str(self.colour_map.currentData())
        self.histogram.show_colour_map(name)
        self.colour_map_chosen.emit(name)

    def _mode_chosen(self) -> None:
        mode = list(_TITLES)[self.mode.currentIndex()]
        self.chosen.emit(Contrast(mode, *self._levels))

    def _typed(self) -> None:
        edits = (self.low, self.high)
        if not any(edit.isModified() for edit in edits):
            return
        # A bound that was not typed keeps the digits that its field does not show; nor does what is no bound count.
        bounds = [
            self._value(edit.text(), level) if edit.isModified() else level
            for edit, level in zip(edits, self._levels, strict=True)
        ]
        self.chosen.emit(Contrast(ContrastMode.FIXED, min(bounds), max(bounds)))

    def _text(self, level: float) -> str:
        span = self._levels[1] - self._levels[0]
        return (
            format_level(level, span) if self._dates is None else format_date(level, self._dates, span / 1000)
        )

    def _value(self, text: str, otherwise: float) -> float:
        try:
            value = float(text) if self._dates is None else count_of_date(text, self._dates)
        except ValueError:
            return otherwise
        return value if math.isfinite(value) else otherwise


def _number(name: str) -> QLineEdit:
    edit = QLineEdit()
    edit.setAccessibleName(name)
    edit.setToolTip(name[0].upper() + name[1:])
    return edit
