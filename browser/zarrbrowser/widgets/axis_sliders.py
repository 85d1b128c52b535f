"""A slider and a number for each axis that is not in the picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QMenu,
    QSizePolicy,
    QSlider,
    QToolButton,
    QWidget,
)

from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.export.movies.playing import Playing
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.calculations.reduction import Reduction, Statistic
from zarrbrowser.widgets.buttons import colour, tool_button
from zarrbrowser.widgets.jump_slider import JumpSlider
from zarrbrowser.widgets.label import ElidedLabel, label
from zarrbrowser.widgets.number_box import NumberBox
from zarrbrowser.widgets.playing_menu import PlayingMenu
from zarrbrowser.widgets.scrolled import Scrolled
from zarrbrowser.widgets.tooltip import tooltip

_SLIDER_STEPS = 2**31 - 1
"""Sliders of longer axes move in steps of several positions: Qt's sliders have 32 bits."""
_LEAST_SLIDER = 50
"""The least width of a slider, in pixels."""
_LEAST_TOTAL = 72
"""The least width of a coordinate beside its slider: that of a date. In a narrower frame it is below."""
_LAST = 2**53
"""The last position that the number field can hold: the largest exact integer of a float."""
_TITLES: dict[Statistic | None, str] = {
    None: "One &index",
    Statistic.MEAN: "&Mean",
    Statistic.MINIMUM: "Mi&nimum",
    Statistic.MAXIMUM: "Ma&ximum projection",
    Statistic.SUM: "&Sum",
    Statistic.DEVIATION: "Standard &deviation",
}
_SHORT: dict[Statistic | None, str] = {
    None: "index",
    Statistic.MEAN: "mean",
    Statistic.MINIMUM: "min",
    Statistic.MAXIMUM: "max",
    Statistic.SUM: "sum",
    Statistic.DEVIATION: "std",
}


class AxisSliders(Scrolled):
    """The position of the plane along the other axes.

    Each axis has one line; in a narrow frame two, the second one with the coordinate and the button of statistics.

    Signals:
        moved: an axis, and its new position.
        reduced: an axis, and the `Statistic` along it to show, or None for one position.

    Args:
        has_statistics: whether statistics along the axes are offered.
    """

    moved = Signal(object, object)  # positions may need more than the 32 bits of Qt's int
    reduced = Signal(object, object)

    def __init__(self, parent: QWidget | None = None, *, has_statistics: bool = False) -> None:
        super().__init__("foot", parent)
        self._has_statistics = has_statistics
        self._grid = QGridLayout(self.inside)
        self._grid.setContentsMargins(12, 8, 12, 8)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(2, 1)
        self.sliders: dict[int, QSlider] = {}
        self.spins: dict[int, NumberBox] = {}
        self.plays: dict[int, QToolButton] = {}
        self.totals: dict[int, ElidedLabel] = {}
        self.statistics: dict[int, QToolButton] = {}
        self._lines: list[list[QWidget]] = []
        """The widgets of each axis: name, play, slider, number, coordinate, and, if offered, statistics."""
        self._is_folded = False
        self._reduction: Reduction | None = None
        self._coordinates: Mapping[int, Coordinate] = {}
        self.playing = Playing()
        self._heading = 1
        """The step of playing, 1 or -1."""
        self.ticker = QTimer(self, interval=round(1000 / self.playing.rate))
        self.ticker.timeout.connect(self._play_on)
        self.may_play: Callable[[], bool] = lambda: True
        """Called before each step of playing, so that no plane is skipped."""
        self._current = -1

    def show_axes(self, axes: Axes, further: Sequence[int] | None = None) -> None:
        """Show a row for each of some axes (by default all that are not in the picture), at the position of ``axes``."""
        self._clear()
        further = axes.further if further is None else further
        for axis in further:
            self._add(axis, axes)
        self._current = further[0] if further else -1
        self._lay_out()
        self.fit_inside()
        self._fold()
        self.setVisible(bool(further))

    def show_reduction(self, reduction: Reduction | None, *, is_offered: bool = True) -> None:
        """Show the statistic that is shown along an axis, if there is one.

        Args:
            is_offered: whether the elements are numbers, of which there are statistics.
        """
        self._reduction = reduction
        for axis, button in self.statistics.items():
            statistic = reduction.statistic if reduction is not None and reduction.axis == axis else None
            button.setText(f"{_SHORT[statistic]} ▾")
            button.setVisible(is_offered)
            for action in button.menu().actions():
                action.setChecked(action.data() is statistic)
            has_positions = statistic is None and self.spins[axis].maximum() > 0
            for widget in (self.sliders[axis], self.spins[axis], self.plays[axis]):
                widget.setEnabled(has_positions)
            self._write_total(axis)
        self._fold()
        if reduction is not None and reduction.axis == self._current:
            self.stop()

    def stand_at(self, axes: Axes) -> None:
        """Move to the position of ``axes`` without a signal."""
        for axis, spin in self.spins.items():
            with QSignalBlocker(self):
                spin.setValue(axes.index[axis])

    def show_coordinates(self, coordinates: Mapping[int, Coordinate]) -> None:
        """Show coordinates beside the numbers."""
        self._coordinates = coordinates
        for axis in self.spins:
            self._write_total(axis)

    def play(self, axis: int | None = None) -> None:
        """Play along an axis, by default the one that moved last, or stop."""
        axis = self._current if axis is None else axis
        if axis not in self.plays or self._is_reduced(axis):
            return
        starts = not (self.ticker.isActive() and self._current == axis)
        self._current, self._heading = axis, self.playing.heading
        self.ticker.start() if starts else self.ticker.stop()
        self._show_playing()

    def set_playing(self, playing: Playing) -> None:
        """Change how fast, in which direction and how often planes are played."""
        self.playing, self._heading = playing, playing.heading
        self.ticker.setInterval(round(1000 / playing.rate))

    def stop(self) -> None:
        """Stop playing."""
        self.ticker.stop()
        self._show_playing()

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """The width of the wider line of an axis with two."""
        return QSize(self._width_needed(4) if self._lines else 0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Use one line or two."""
        super().resizeEvent(event)
        self._fold()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Use one line or two: the stylesheet has given the widgets their widths."""
        super().showEvent(event)
        self._fold()

    @property
    def is_playing(self) -> bool:
        """Whether planes are played."""
        return self.ticker.isActive()

    def next_positions(self, number: int) -> list[tuple[int, int]]:
        """Axis and position of the next planes to play; empty if nothing is played."""
        spin = self.spins.get(self._current)
        if spin is None or not self.is_playing:
            return []
        following = self.playing.following(int(spin.value()), int(spin.maximum()), self._heading, number)
        return [(self._current, position) for position in following]

    def _play_on(self) -> None:
        spin = self.spins.get(self._current)
        if spin is None or not self.isVisible():
            self.stop()
        elif self.may_play():
            following = self.playing.after(int(spin.value()), int(spin.maximum()), self._heading)
            if following is None:
                self.stop()
            else:
                position, self._heading = following
                spin.setValue(position)

    def _show_playing(self) -> None:
        for axis, button in self.plays.items():
            drawing = "pause" if self.ticker.isActive() and axis == self._current else "play"
            button.setProperty("drawing", drawing)
            colour(button)

    def _write_total(self, axis: int) -> None:
        total, spin = self.totals[axis], self.spins[axis]
        coordinate = self._coordinates.get(axis)
        if self._reduction is not None and self._reduction.axis == axis:
            total.set_text(f"{self._reduction.statistic.value} of {int(spin.maximum()) + 1:,}")
            return
        text = coordinate.text(int(spin.value())) if coordinate is not None else ""
        text = text or f"of 0–{int(spin.maximum()):,}"
        total.set_text(text)
        total.setToolTip(tooltip(f"{text}\n{int(spin.maximum()) + 1:,} positions, counted from 0"))

    def step(self, by: int) -> None:
        """Move along the axis that was moved last."""
        if self._current in self.spins and not self._is_reduced(self._current):
            spin = self.spins[self._current]
            spin.setValue(spin.value() + by)

    def _is_reduced(self, axis: int) -> bool:
        return self._reduction is not None and self._reduction.axis == axis

    def _statistics_button(self, axis: int, name: str) -> QToolButton:
        button = tool_button(
            "", tooltip(f"What to show along {name}: one index, or a statistic of all"), flat=False
        )
        button.setAccessibleName(f"statistic along {name}")
        button.setText(f"{_SHORT[None]} ▾")
        menu = QMenu(button)
        for statistic, title in _TITLES.items():
            action = menu.addAction(title)
            action.setCheckable(True)
            action.setData(statistic)
            action.triggered.connect(lambda _on, chosen=statistic: self.reduced.emit(axis, chosen))
        button.setMenu(menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        return button

    def _fold(self) -> None:
        """Lay the widgets out again if the width asks for the other number of lines."""
        is_folded = self.width() < self._width_needed(6)
        if is_folded is not self._is_folded:
            self._is_folded = is_folded
            self._lay_out()
            self.fit_inside()

    def _width_needed(self, columns: int) -> int:
        """The least width of the first columns beside each other."""
        margins, spacing = self._grid.contentsMargins(), self._grid.horizontalSpacing()
        needed = [0] * columns
        for widgets in self._lines:
            for column, widget in enumerate(widgets[:columns]):
                least = widget.minimumSizeHint().expandedTo(widget.minimumSize()).width()
                needed[column] = max(needed[column], 0 if widget.isHidden() else least)
        gaps = spacing * (columns - needed.count(0) - 1)
        return margins.left() + sum(needed) + gaps + margins.right()

    def _lay_out(self) -> None:
        while self._grid.takeAt(0) is not None:
            pass
        for line, widgets in enumerate(self._lines):
            for column, widget in enumerate(widgets):
                if not self._is_folded or column < 4:
                    self._grid.addWidget(widget, line * 2, column)
                elif column == 4:
                    self._grid.addWidget(widget, line * 2 + 1, 0, 1, 3 if len(widgets) > 5 else 4)
                else:
                    self._grid.addWidget(widget, line * 2 + 1, 3)

    def _add(self, axis: int, axes: Axes) -> None:
        name, length, position = axes.names[axis], axes.shape[axis], axes.index[axis]
        last, scale = max(0, length - 1), 1 + length // _SLIDER_STEPS
        slider, spin = _slider(name, last // scale), _spin(name, last)
        slider.setValue(position // scale)
        spin.setValue(position)
        slider.valueChanged.connect(lambda value: self._moved(axis, value * scale, scale))
        spin.valueChanged.connect(lambda value: self._moved(axis, int(value), scale))
        self.sliders[axis], self.spins[axis] = slider, spin
        total = ElidedLabel("muted")
        total.setMinimumWidth(_LEAST_TOTAL)
        total.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.totals[axis] = total
        self._write_total(axis)
        play = tool_button("play", f"Play along {name} (Space)", lambda: self.play(axis))
        play.setMenu(PlayingMenu(self, play))
        play.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        play.setEnabled(last > 0)
        self.plays[axis] = play
        name_label = label(name)
        name_label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        widgets: list[QWidget] = [name_label, play, slider, spin, total]
        if self._has_statistics and last > 0:
            self.statistics[axis] = self._statistics_button(axis, name)
            widgets.append(self.statistics[axis])
        self._lines.append(widgets)
        for widget in widgets:
            widget.setParent(self.inside)
            widget.show()  # now, or the frame's size would not include it

    def _moved(self, axis: int, position: int, scale: int) -> None:
        self._current = axis
        slider, spin = self.sliders[axis], self.spins[axis]
        with QSignalBlocker(slider), QSignalBlocker(spin):
            slider.setValue(position // scale)
            spin.setValue(position)
        self._write_total(axis)
        self.moved.emit(axis, position)

    def _clear(self) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self._lines = []
        self._reduction = None
        for widgets in (self.sliders, self.spins, self.plays, self.totals, self.statistics):
            widgets.clear()
        self.ticker.stop()
        self._coordinates = {}


def _slider(name: str, last: int) -> QSlider:
    slider = JumpSlider()
    slider.setMinimumWidth(_LEAST_SLIDER)
    slider.setRange(0, last)
    slider.setPageStep(max(1, last // 10))
    slider.setAccessibleName(f"position along {name}")
    slider.setEnabled(last > 0)
    return slider


def _spin(name: str, last: int) -> NumberBox:
    spin = NumberBox(f"index along {name}")
    spin.setRange(0, min(last, _LAST))
    spin.setGroupSeparatorShown(True)
    spin.setToolTip(tooltip(f"Index along {name}, counted from 0"))
    spin.setMinimumWidth(88)
    spin.setAlignment(Qt.AlignmentFlag.AlignRight)
    spin.setEnabled(last > 0)
    return spin
