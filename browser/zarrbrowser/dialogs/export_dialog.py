"""The dialog that asks what to export, and in which file type."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from zarrbrowser.export.export import ENDINGS, PICTURE, how_changed, why_not
from zarrbrowser.export.viewed_array import Selection, ViewedArray, complete_selection, selection_text
from zarrbrowser.export.whole_nodes import OF_ARRAYS, WITH_COORDINATES
from zarrbrowser.session.error_text import sentence
from zarrbrowser.values.quantities import count, format_bytes, format_shape
from zarrbrowser.widgets.accessible_names import name_box
from zarrbrowser.widgets.label import label

_OTHER = "Another selection"
_WHOLE, _IN_VIEW = "whole", "in view"


class ExportDialog(QDialog):
    """Asks what to export; shows at once what the file would hold, or why it cannot be written.

    Signals:
        asked: the subject at the chosen level; the selection; the suffix of the file type, or a name of `OF_ARRAYS`.
    """

    asked = Signal(object, object, str)

    def __init__(self, viewed: ViewedArray, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export")
        self.setMinimumWidth(460)
        self._viewed = viewed
        self.what, self.suffix, self.selection = QComboBox(), QComboBox(), QLineEdit()
        self.level, self.channels = QComboBox(), QComboBox()
        name_box(self.level, "level of the pyramid")
        name_box(self.channels, "channels to export")
        name_box(self.what, "what to export")
        name_box(self.suffix, "file type")
        self.selection.setAccessibleName("selection")
        if viewed.in_view != viewed.selection:
            self.what.addItem("The part in view", _IN_VIEW)
        whole = "The whole array" if viewed == ViewedArray.whole(viewed.array) else "The whole plane"
        self.what.addItem(whole if viewed.array.ndim > 1 else "All elements", _WHOLE)
        self.what.addItem(_OTHER)
        for one in viewed.levels:
            self.level.addItem(one.title[0].upper() + one.title[1:], one)
        image = viewed.displayed.image if viewed.displayed is not None else None
        if image is not None and viewed.displayed is not None and viewed.displayed.channel_axis is not None:
            self.channels.addItem("All visible")
            for position, name in enumerate(image.channels):
                self.channels.addItem(name, position)
        for ending, text in ENDINGS.items():
            if ending != PICTURE or not why_not(viewed, viewed.selection, ending):
                self.suffix.addItem(text, ending)
        self.suffix.insertSeparator(self.suffix.count())
        for name, kind in OF_ARRAYS.items():
            coordinates = ", with coordinates" if name in WITH_COORDINATES else ""
            self.suffix.addItem(f"{kind.title}{coordinates}", name)
        self.note, self.problem = label(role="muted", wrap=True), label(role="problem", wrap=True)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel
        )
        self.save_button = self.buttons.button(QDialogButtonBox.StandardButton.Save)
        self.save_button.setText("Export…")
        self.save_button.setProperty("role", "primary")
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.what.currentIndexChanged.connect(lambda _index: self._choose())
        self.level.currentIndexChanged.connect(lambda _index: self._choose_level())
        self.channels.currentIndexChanged.connect(lambda _index: self._choose())
        self.suffix.currentIndexChanged.connect(lambda _index: self._choose_type())
        self.selection.textChanged.connect(lambda _text: self._show_size())
        self._lay_out()
        self._choose()
        self.what.setFocus()  # Qt 6.7 would give it to the button

    def accept(self) -> None:
        """Emit the request."""
        selection = self._chosen()
        if selection is not None:
            super().accept()
            self.asked.emit(self._viewed, selection, str(self.suffix.currentData()))

    def _chosen(self) -> Selection | None:
        """The selection, or None if the text is not a valid one."""
        from zarrcore.array import parse_selection  # late: for a fast start
        from zarrcore.errors import ZarrError

        try:
            displayed = self._viewed.displayed
            names = self._viewed.array.dimension_names if displayed is None else displayed.axes.names
            parsed = parse_selection(self.selection.text(), names)
            return complete_selection(parsed, self._viewed.array.shape)
        except ZarrError as error:
            self.problem.setText(sentence(error))
            return None

    def _choose(self) -> None:
        """Show the selection of the chosen entry."""
        what, viewed = self.what.currentData(), self._viewed
        self.selection.setReadOnly(what is not None)
        if self.suffix.currentData() in OF_ARRAYS:
            self.selection.setText(selection_text((slice(None),) * viewed.array.ndim))
        elif what is not None:
            selection = viewed.in_view if what == _IN_VIEW else viewed.selection
            axis, channel = (
                viewed.displayed.channel_axis if viewed.displayed else None,
                self.channels.currentData(),
            )
            if axis is not None and channel is not None:
                selection = (*selection[:axis], channel, *selection[axis + 1 :])
            self.selection.setText(selection_text(selection))
        else:
            self.selection.setFocus()
        self._show_size()

    def _choose_type(self) -> None:
        """Types of whole arrays take no selection."""
        is_whole = self.suffix.currentData() in OF_ARRAYS
        for field in (self.what, self.channels, self.selection):
            field.setEnabled(not is_whole)
        self._choose()

    def _choose_level(self) -> None:
        self._viewed = self.level.currentData()
        self._choose()

    def _show_size(self) -> None:
        self.problem.setText("")
        selection = self._chosen()
        if selection is not None:
            array = self._viewed.array
            shape = tuple(
                len(range(*part.indices(length)))
                for part, length in zip(selection, array.shape, strict=True)
                if isinstance(part, slice)
            )
            size = 1
            for length in shape:
                size *= length
            suffix = str(self.suffix.currentData())
            nbytes = format_bytes(size * array.dtype.itemsize)
            changed = how_changed(self._viewed, suffix)
            parts = [format_shape(shape), count(size, "element"), nbytes, *([changed] if changed else [])]
            self.note.setText(" · ".join(parts))
            reason = "" if suffix in OF_ARRAYS else why_not(self._viewed, selection, suffix)
            self.problem.setText(reason and sentence(ValueError(reason)))
        else:
            self.note.setText("")
        self.problem.setVisible(bool(self.problem.text()))
        self.save_button.setEnabled(not self.problem.text())

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        fields = (
            ("What", self.what),
            ("Level", self.level),
            ("Channels", self.channels),
            ("Selection", self.selection),
            ("As", self.suffix),
        )
        for name, field in fields:
            if isinstance(field, QComboBox) and not field.count():
                continue
            name_label = label(name, "muted")
            name_label.setMinimumHeight(field.sizeHint().height())
            form.addRow(name_label, field)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        form.addRow("", self.note)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(12)
        column.addLayout(form)
        column.addWidget(self.problem)
        column.addStretch(1)
        column.addWidget(self.buttons)
