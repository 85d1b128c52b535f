"""The dialog that asks for a movie along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLayout,
    QWidget,
)

from zarrbrowser.dialogs.figure_dialog import FigurePreview
from zarrbrowser.dialogs.preview_layout import export_buttons, lay_out
from zarrbrowser.export.figures.figure import Figure
from zarrbrowser.export.movies.movie import SIDES, MovieOptions
from zarrbrowser.export.movies.playing import Direction
from zarrbrowser.export.movies.writers import MOVIE_TYPES
from zarrbrowser.session.error_text import sentence
from zarrbrowser.values.quantities import count, format_duration
from zarrbrowser.widgets.accessible_names import name_box
from zarrbrowser.widgets.label import label
from zarrbrowser.widgets.number_box import NumberBox

MovieAxis = tuple[int, str, int]
"""An axis, its name and its length."""
_LATER_MS = 60
_OF_LOOK = ("has_axes", "has_colour_bar", "has_scale_bar", "has_labels")
"""The choices that figures have, too."""


class MovieDialog(QDialog):
    """Asks for type, frames and look of a movie.

    Args:
        figure: the present frame.
        axes: those to go along; at least one.
        options: the choices to begin with.

    Signals:
        asked: the chosen `MovieOptions`.
    """

    asked = Signal(object)

    def __init__(
        self, figure: Figure, axes: Sequence[MovieAxis], options: MovieOptions, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export movie")
        self._lengths = {axis: length for axis, _, length in axes}
        self.figure, self.preview, self._look = figure, FigurePreview(figure), options.look
        self.kind, self.axis, self.direction = QComboBox(), QComboBox(), QComboBox()
        for kind, known in MOVIE_TYPES.items():
            self.kind.addItem(known.title + (f" (needs {known.package})" if known.why_missing else ""), kind)
        self.kind.setCurrentIndex(self.kind.findData(options.kind))
        for axis, name, _ in axes:
            self.axis.addItem(name, axis)
        self.axis.setCurrentIndex(max(0, self.axis.findData(options.axis)))
        for one in Direction:
            self.direction.addItem(one.value, one)
        self.direction.setCurrentIndex(self.direction.findData(options.direction))
        for box, name in ((self.kind, "file type"), (self.axis, "axis"), (self.direction, "direction")):
            name_box(box, name)
        self.first, self.last, self.step = (_whole(name) for name in ("first index", "last index", "step"))
        self.rate, self.width_, self.height_ = (
            _whole(name) for name in ("frames per second", "width", "height")
        )
        self.step.setRange(1, 1_000_000)
        self.rate.setDecimals(1)
        self.rate.setRange(0.1, 100)
        self.rate.setValue(options.rate)
        for side, value in ((self.width_, options.width), (self.height_, options.height)):
            side.setRange(*SIDES)
            side.setValue(value)
        look = options.look
        self.boxes = {
            "loops": _box("Loop", options.loops, "Start again at the end (GIF animations)"),
            "has_same_contrast": _box(
                "Same contrast in all frames",
                options.has_same_contrast,
                "A colour means the same number in all frames: the contrast of the picture on the screen",
            ),
            "has_title": _box("Title", options.has_title, "Each frame says where it is"),
            "has_axes": _box("Axes", look.has_axes),
            "has_colour_bar": _box("Colour bar" if figure.colour_bar else "Legend", look.has_colour_bar),
            "has_scale_bar": _box("Scale bar", look.has_scale_bar),
            "has_labels": _box("Labels over the picture", look.has_labels),
        }
        self.boxes["has_colour_bar"].setVisible(figure.colour_bar is not None or bool(figure.legend))
        self.boxes["has_scale_bar"].setVisible(figure.has_scale)
        self.boxes["has_labels"].setVisible(figure.has_labels)
        self.note, self.problem = label(role="muted", wrap=True), label(role="problem", wrap=True)
        self._later = QTimer(self, singleShot=True, interval=_LATER_MS)
        self._later.timeout.connect(self._refresh)
        self._lay_out()
        self._show_axis()
        self._connect()
        self._refresh()
        self.kind.setFocus()

    def options(self) -> MovieOptions:
        """What is chosen.

        Raises:
            ValueError: a number is out of range.
        """
        on: dict[str, Any] = {name: box.isChecked() for name, box in self.boxes.items()}
        look = replace(self._look, **{name: on.pop(name) for name in _OF_LOOK})
        return MovieOptions(
            str(self.kind.currentData()),
            int(self.axis.currentData()),
            round(self.first.value()),
            round(self.last.value()),
            round(self.step.value()),
            self.direction.currentData(),
            self.rate.value(),
            width=round(self.width_.value()),
            height=round(self.height_.value()),
            look=look,
            **on,
        )

    def accept(self) -> None:
        """Ask for a file; the dialog closes."""
        if not self._why_not():
            super().accept()
            self.asked.emit(self.options())

    def _why_not(self) -> str:
        try:
            chosen = self.options()
        except ValueError as error:
            return sentence(error)
        missing = MOVIE_TYPES[chosen.kind].why_missing
        return sentence(ValueError(missing)) if missing else ""

    def _refresh(self) -> None:
        problem = self._why_not()
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.save_button.setEnabled(not problem)
        is_gif = self.kind.currentData() == "gif"
        self.boxes["loops"].setEnabled(is_gif)
        self.rate.setEnabled(self.kind.currentData() != "png")
        try:
            chosen = self.options()
        except ValueError:
            self.note.clear()
            return
        number = count(len(chosen.positions), "frame")
        self.note.setText(
            number if chosen.kind == "png" else f"{number}, {format_duration(chosen.duration_s)}"
        )
        self.preview.show_options(chosen.frame_options(self.figure.title))

    def _show_axis(self) -> None:
        """Offer the whole of the chosen axis."""
        last = self._lengths[int(self.axis.currentData())] - 1
        for number in (self.first, self.last):
            number.setRange(0, last)
        self.first.setValue(0)
        self.last.setValue(last)

    def _connect(self) -> None:
        self.axis.currentIndexChanged.connect(lambda _row: self._show_axis())
        for box in (self.kind, self.axis, self.direction):
            box.currentIndexChanged.connect(lambda _row: self._later.start())
        for number in (self.first, self.last, self.step, self.rate, self.width_, self.height_):
            number.valueChanged.connect(lambda _value: self._later.start())
        for check in self.boxes.values():
            check.toggled.connect(lambda _on: self._later.start())

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for name, field in (
            ("As", self.kind),
            ("Along", self.axis),
            ("From, to", _beside(self.first, self.last)),
            ("Step", self.step),
            ("Direction", self.direction),
            ("Frames per second", self.rate),
            ("Size in pixels", _beside(self.width_, self.height_)),
        ):
            name_label = label(name, "muted")
            name_label.setMinimumHeight(field.sizeHint().height())
            form.addRow(name_label, field)
        for box in self.boxes.values():
            form.addRow("", box)
        buttons, self.save_button = export_buttons(self)
        lay_out(self, form, [self.note, self.problem], self.preview, buttons)


def _beside(*widgets: QWidget) -> QLayout:
    row = QHBoxLayout()
    row.setSpacing(6)
    for widget in widgets:
        row.addWidget(widget)
    return row


def _whole(name: str) -> NumberBox:
    number = NumberBox(name)
    number.setMinimumWidth(96)
    return number


def _box(text: str, is_on: bool, tip: str = "") -> QCheckBox:
    box = QCheckBox(text)
    box.setChecked(is_on)
    box.setToolTip(tip)
    return box
