"""The dialog that asks how a figure looks, with a preview."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSize, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QWidget,
)

from zarrbrowser.dialogs.preview_layout import export_buttons, lay_out
from zarrbrowser.drawing.figure_files import FIGURE_TYPES, image_of_figure
from zarrbrowser.export.figures.choices import UNITS_MM, FigureChoices
from zarrbrowser.export.figures.figure import MM_PER_INCH, Figure, FigureOptions
from zarrbrowser.session.error_text import sentence
from zarrbrowser.theme import current_colours
from zarrbrowser.widgets.accessible_names import name_box
from zarrbrowser.widgets.buttons import push_button
from zarrbrowser.widgets.label import label
from zarrbrowser.widgets.number_box import NumberBox

_LATER_MS = 60
_PREVIEW, _LEAST_PREVIEW = QSize(430, 400), QSize(160, 120)


class FigureDialog(QDialog):
    """Asks for type, size and parts of a figure.

    Signals:
        export_asked: the chosen `FigureChoices`: the user wants a file.
        copy_asked: the same: the user wants an image on the clipboard.
        print_asked: the same: the user wants it on paper.
    """

    export_asked = Signal(object)
    copy_asked = Signal(object)
    print_asked = Signal(object)

    def __init__(self, figure: Figure, choices: FigureChoices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export figure")
        self.figure = figure
        self.preview = FigurePreview(figure)
        options = choices.options
        self.suffix, self.unit = QComboBox(), QComboBox()
        for suffix, title in FIGURE_TYPES.items():
            self.suffix.addItem(title, suffix)
        self.suffix.setCurrentIndex(self.suffix.findData(choices.suffix))
        self.unit.addItems(list(UNITS_MM))
        self.unit.setCurrentText(choices.unit)
        self._unit = choices.unit
        self.width_, self.height_ = _number("width"), _number("height")
        self.dpi, self.font_size = _number("dots per inch"), _number("size of the text in points")
        self.title = QLineEdit(options.title or figure.title)
        has_bar = figure.colour_bar is not None or bool(figure.legend)
        self.boxes = {
            "has_title": _box("Title", True, True),
            "has_axes": _box("Axes", options.has_axes, True),
            "has_colour_bar": _box(
                "Colour bar" if figure.colour_bar else "Legend", options.has_colour_bar, has_bar
            ),
            "has_scale_bar": _box("Scale bar", options.has_scale_bar, figure.has_scale),
            "has_labels": _box("Labels over the picture", options.has_labels, figure.has_labels),
            "is_transparent": _box("Transparent background", options.is_transparent, True),
        }
        name_box(self.suffix, "file type")
        name_box(self.unit, "unit of the size")
        self.title.setAccessibleName("title")
        self.unit.setToolTip("Unit of width and height")
        self._show_size(options)
        self.note, self.problem = label(role="muted", wrap=True), label(role="problem", wrap=True)
        self._later = QTimer(self, singleShot=True, interval=_LATER_MS)
        self._later.timeout.connect(self._refresh)
        self._lay_out()
        self._connect()
        self._refresh()
        self.title.setFocus()

    def choices(self) -> FigureChoices:
        """What is chosen.

        Raises:
            ValueError: the size or the resolution is out of range.
        """
        boxes = {name: box.isChecked() for name, box in self.boxes.items()}
        has_title = boxes.pop("has_title")
        mm = UNITS_MM[self.unit.currentText()]
        options = FigureOptions(
            width_mm=self.width_.value() * mm,
            height_mm=self.height_.value() * mm,
            dpi=round(self.dpi.value()),
            font_pt=self.font_size.value(),
            title=self.title.text() if has_title else "",
            **boxes,
        )
        return FigureChoices(options, str(self.suffix.currentData()), self.unit.currentText())

    def accept(self) -> None:
        """Ask for a file; the dialog closes."""
        if self._emit_choices(self.export_asked):
            super().accept()

    def _emit_choices(self, signal: SignalInstance) -> bool:
        try:
            signal.emit(self.choices())
        except ValueError as error:
            self.problem.setText(sentence(error))
            return False
        return True

    def _connect(self) -> None:
        for number in (self.width_, self.height_, self.dpi, self.font_size):
            number.valueChanged.connect(lambda _value: self._later.start())
        for box in self.boxes.values():
            box.toggled.connect(lambda _on: self._later.start())
        self.title.textChanged.connect(lambda _text: self._later.start())
        self.suffix.currentIndexChanged.connect(lambda _row: self._later.start())
        self.unit.currentTextChanged.connect(self._change_unit)

    def _change_unit(self, unit: str) -> None:
        """Write the same size in another unit."""
        factor, self._unit = UNITS_MM[self._unit] / UNITS_MM[unit], unit
        sizes = self.width_.value() * factor, self.height_.value() * factor
        for number, size in zip((self.width_, self.height_), sizes, strict=True):
            _range(number, unit)
            number.setValue(size)

    def _show_size(self, options: FigureOptions) -> None:
        for number, mm in ((self.width_, options.width_mm), (self.height_, options.height_mm)):
            _range(number, self._unit)
            number.setValue(mm / UNITS_MM[self._unit])
        self.dpi.setRange(36, 2400)
        self.dpi.setValue(options.dpi)
        self.font_size.setDecimals(1)
        self.font_size.setRange(4, 40)
        self.font_size.setValue(options.font_pt)

    def _refresh(self) -> None:
        """Draw the preview, and say how large the file's picture is."""
        self.title.setEnabled(self.boxes["has_title"].isChecked())
        try:
            chosen = self.choices()
        except ValueError as error:
            self.problem.setText(sentence(error))
        else:
            self.problem.setText("")
            width, height = chosen.options.pixels
            vectors = "" if chosen.suffix == "png" else "; text and axes are vectors"
            self.note.setText(f"{width:,} × {height:,} pixels{vectors}. {self.figure.note}".strip())
            self.preview.show_options(chosen.options)
        self.problem.setVisible(bool(self.problem.text()))
        for button in self._actions:
            button.setEnabled(not self.problem.text())

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        size = QHBoxLayout()
        size.setSpacing(6)
        for widget in (self.width_, label("×", "muted"), self.height_, self.unit):
            size.addWidget(widget)
        for name, field in (
            ("As", self.suffix),
            ("Size", size),
            ("Dots per inch", self.dpi),
            ("Text size", self.font_size),
            ("Title", self.title),
        ):
            name_label = label(name, "muted")
            name_label.setMinimumHeight(field.sizeHint().height())
            form.addRow(name_label, field)
        for box in self.boxes.values():
            form.addRow("", box)
        buttons, self.save_button = export_buttons(self)
        self.copy_button = push_button("Copy", lambda: self._emit_choices(self.copy_asked), drawing="copy")
        self.print_button = push_button("Print…", lambda: self._emit_choices(self.print_asked))
        self._actions: tuple[QPushButton, ...] = (self.save_button, self.copy_button, self.print_button)
        for button in (self.copy_button, self.print_button):
            button.setAutoDefault(False)
            buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        lay_out(self, form, [self.note, self.problem], self.preview, buttons)


class FigurePreview(QWidget):
    """The figure as it will be, as large as there is room."""

    def __init__(self, figure: Figure, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.figure = figure
        self.options: FigureOptions | None = None
        self.setMinimumSize(_LEAST_PREVIEW)
        self.setAccessibleName("preview of the figure")

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return _PREVIEW

    def show_options(self, options: FigureOptions) -> None:
        """Draw the figure with other options."""
        self.options = options
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        options = self.options
        if options is None:
            return
        painter, ratio = QPainter(self), self.devicePixelRatioF()
        painter.fillRect(self.rect(), current_colours().canvas)
        inches = options.width_mm / MM_PER_INCH, options.height_mm / MM_PER_INCH
        dpi = min((self.width() - 16) / inches[0], (self.height() - 16) / inches[1]) * ratio
        image = image_of_figure(self.figure, replace(options, dpi=min(options.dpi, 150)), dpi)
        image.setDevicePixelRatio(ratio)
        size = image.deviceIndependentSize()
        painter.drawImage(
            round((self.width() - size.width()) / 2), round((self.height() - size.height()) / 2), image
        )


def _number(name: str) -> NumberBox:
    number = NumberBox(name)
    number.setMinimumWidth(84)
    return number


def _range(number: NumberBox, unit: str) -> None:
    number.setDecimals(1 if unit == "mm" else 2)
    number.setRange(10.0 / UNITS_MM[unit], 2000.0 / UNITS_MM[unit])


def _box(text: str, is_on: bool, exists: bool) -> QCheckBox:
    box = QCheckBox(text)
    box.setChecked(is_on)
    if not exists:
        box.hide()  # but never show it here: without a parent it would be a window, which flashes
    return box
