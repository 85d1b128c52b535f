"""A slider and a number for each axis that is not in the picture."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QSizePolicy, QSlider, QSpinBox, QWidget

from zarrbrowser.session.axes import Axes
from zarrbrowser.widgets.label import label


class AxisSliders(QFrame):
    """Where the plane stands along the further axes.

    Signals:
        moved: an axis, and its new position.
    """

    moved = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "foot")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(12, 8, 12, 8)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)
        self.sliders: dict[int, QSlider] = {}
        self.spins: dict[int, QSpinBox] = {}
        self._current = -1

    def show_axes(self, axes: Axes) -> None:
        """Make a row per further axis, standing where ``axes`` does."""
        self._clear()
        for row, axis in enumerate(axes.further):
            self._add(row, axis, axes)
        self._current = axes.further[0] if axes.further else -1
        self.setVisible(bool(axes.further))

    def step(self, by: int) -> None:
        """Move along the axis that was moved last."""
        if self._current in self.sliders:
            slider = self.sliders[self._current]
            slider.setValue(slider.value() + by)

    def _add(self, row: int, axis: int, axes: Axes) -> None:
        name, length, position = axes.names[axis], axes.shape[axis], axes.index[axis]
        slider = QSlider(Qt.Orientation.Horizontal)
        slider.setRange(0, max(0, length - 1))
        slider.setPageStep(max(1, length // 10))
        slider.setValue(position)
        slider.setAccessibleName(f"position along {name}")
        spin = QSpinBox()
        spin.setRange(0, max(0, length - 1))
        spin.setGroupSeparatorShown(True)
        spin.setValue(position)
        spin.setAccessibleName(f"index along {name}")
        spin.setToolTip(f"Index along {name}, counted from 0")
        spin.setKeyboardTracking(False)
        spin.setMinimumWidth(88)
        spin.setAlignment(Qt.AlignmentFlag.AlignRight)
        slider.valueChanged.connect(lambda value: self._moved(axis, value))
        spin.valueChanged.connect(slider.setValue)
        total = label(f"/ {length:,}", "muted")
        total.setToolTip(f"{name} has {length:,} positions")
        slider.setEnabled(length > 1)
        spin.setEnabled(length > 1)
        name_label = label(name)
        name_label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        for column, widget in enumerate((name_label, slider, spin, total)):
            self._grid.addWidget(widget, row, column)
        self.sliders[axis], self.spins[axis] = slider, spin

    def _moved(self, axis: int, position: int) -> None:
        self._current = axis
        spin = self.spins[axis]
        blocked = spin.blockSignals(True)
        spin.setValue(position)
        spin.blockSignals(blocked)
        self.moved.emit(axis, position)

    def _clear(self) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self.sliders.clear()
        self.spins.clear()
