"""A slider and a number for each axis that is not in the picture."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QFrame, QGridLayout, QSizePolicy, QSlider, QWidget

from zarrbrowser.session.axes import Axes
from zarrbrowser.widgets.label import label

_SLIDER_STEPS = 2**31 - 1
"""A longer axis is dragged along in steps of several positions: Qt's sliders count in 32 bits."""
_LAST = 2**53
"""The last position that the number can hold: whole floats end here."""


class AxisSliders(QFrame):
    """Where the plane stands along the further axes.

    Signals:
        moved: an axis, and its new position.
    """

    moved = Signal(object, object)  # positions may need more than the 32 bits of Qt's int

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "foot")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(12, 8, 12, 8)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)
        self.sliders: dict[int, QSlider] = {}
        self.spins: dict[int, QDoubleSpinBox] = {}
        self._current = -1

    def show_axes(self, axes: Axes, further: Sequence[int] | None = None) -> None:
        """Make a row for each of some axes (by default all that are not in the picture), standing where ``axes`` does."""
        self._clear()
        further = axes.further if further is None else further
        for row, axis in enumerate(further):
            self._add(row, axis, axes)
        self._current = further[0] if further else -1
        self.setVisible(bool(further))

    def step(self, by: int) -> None:
        """Move along the axis that was moved last."""
        if self._current in self.spins:
            spin = self.spins[self._current]
            spin.setValue(spin.value() + by)

    def _add(self, row: int, axis: int, axes: Axes) -> None:
        name, length, position = axes.names[axis], axes.shape[axis], axes.index[axis]
        last, scale = max(0, length - 1), 1 + length // _SLIDER_STEPS
        slider, spin = _slider(name, last // scale), _spin(name, last)
        slider.setValue(position // scale)
        spin.setValue(position)
        slider.valueChanged.connect(lambda value: self._moved(axis, value * scale, scale))
        spin.valueChanged.connect(lambda value: self._moved(axis, int(value), scale))
        self.sliders[axis], self.spins[axis] = slider, spin
        total = label(f"of 0–{last:,}", "muted")
        total.setToolTip(f"{name} has {length:,} positions, counted from 0")
        name_label = label(name)
        name_label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        for column, widget in enumerate((name_label, slider, spin, total)):
            self._grid.addWidget(widget, row, column)

    def _moved(self, axis: int, position: int, scale: int) -> None:
        self._current = axis
        slider, spin = self.sliders[axis], self.spins[axis]
        with QSignalBlocker(slider), QSignalBlocker(spin):
            slider.setValue(position // scale)
            spin.setValue(position)
        self.moved.emit(axis, position)

    def _clear(self) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self.sliders.clear()
        self.spins.clear()


def _slider(name: str, last: int) -> QSlider:
    slider = QSlider(Qt.Orientation.Horizontal)
    slider.setRange(0, last)
    slider.setPageStep(max(1, last // 10))
    slider.setAccessibleName(f"position along {name}")
    slider.setEnabled(last > 0)
    return slider


def _spin(name: str, last: int) -> QDoubleSpinBox:
    spin = QDoubleSpinBox()
    spin.setDecimals(0)
    spin.setRange(0, min(last, _LAST))
    spin.setGroupSeparatorShown(True)
    spin.setAccessibleName(f"index along {name}")
    spin.setToolTip(f"Index along {name}, counted from 0")
    spin.setKeyboardTracking(False)
    spin.setMinimumWidth(88)
    spin.setAlignment(Qt.AlignmentFlag.AlignRight)
    spin.setEnabled(last > 0)
    return spin
