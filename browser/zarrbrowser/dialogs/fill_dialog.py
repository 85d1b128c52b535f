"""The dialog that asks for a value, and the elements to write it to."""

from __future__ import annotations

from typing import Any

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

from zarrbrowser.editing.cells import Target
from zarrbrowser.editing.element_text import ElementTextError, why_not_typed
from zarrbrowser.editing.elements import cost_of, write_elements
from zarrbrowser.export.viewed_array import Selection, complete_selection, selection_text
from zarrbrowser.session.error_text import sentence
from zarrbrowser.values.quantities import count
from zarrbrowser.widgets.accessible_names import name_box
from zarrbrowser.widgets.label import label

_OTHER = "Another selection"


class FillDialog(QDialog):
    """Says at once what would be written, or why nothing can be.

    Signals:
        asked: the `Change`.
    """

    asked = Signal(object)

    def __init__(self, target: Target, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Write a value" if target.selection else "Change the value")
        self.setMinimumWidth(460)
        self._target = target
        self.what, self.selection, self.value = QComboBox(), QLineEdit(), QLineEdit()
        name_box(self.what, "elements to write")
        self.selection.setAccessibleName("selection")
        self.value.setAccessibleName("value")
        self.what.addItem(target.title, target.selection)
        self.what.addItem(_OTHER)
        self.note, self.problem = label(role="muted", wrap=True), label(role="problem", wrap=True)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.write_button = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.write_button.setText("Write")
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.what.currentIndexChanged.connect(lambda _index: self._choose())
        self.selection.textChanged.connect(lambda _text: self._show_problem())
        self.value.textChanged.connect(lambda _text: self._show_problem())
        self._lay_out()
        self._choose()
        self.value.setFocus()

    def accept(self) -> None:
        """Emit the change."""
        found = self._found()
        if found is not None:
            super().accept()
            target = self._target
            self.asked.emit(write_elements(target.source, target.array, *found, target.field))

    def _found(self) -> tuple[Selection, Any] | None:
        """The selection and the element; None if one is missing or not valid."""
        from zarrcore.array import parse_selection  # late: for a fast start
        from zarrcore.errors import ZarrError

        array, value = self._target.array, self.value.text()
        self.note.setText("")
        self.problem.setText("")
        try:
            parsed = parse_selection(self.selection.text(), array.dimension_names)
            selection = complete_selection(parsed, array.shape)
            self.note.setText(self._cost(selection))
            if why := why_not_typed(self._target.dtype):
                raise ElementTextError(why)
            if not value and self._target.dtype.kind not in "TUS":
                return None
            return selection, self._target.element(value)
        except (ZarrError, ElementTextError) as error:
            self.problem.setText(sentence(error))
            return None

    def _cost(self, selection: Selection) -> str:
        from zarrcore.errors import SelectionError  # late: for a fast start

        cost = cost_of(self._target.array, selection)
        if not cost.elements:
            raise SelectionError("this selection has no elements")
        if self._target.field is not None and not cost.can_undo:
            raise SelectionError("too many elements to change one field of at once: select fewer")
        undone = "can be undone" if cost.can_undo else "too many to undo"
        return f"{count(cost.elements, 'element')} in {count(cost.chunks, 'chunk')}, {undone}"

    def _choose(self) -> None:
        selection = self.what.currentData()
        self.selection.setReadOnly(selection is not None)
        if selection is not None:
            self.selection.setText(selection_text(selection))
        else:
            self.selection.setFocus()
        self._show_problem()

    def _show_problem(self) -> None:
        self.write_button.setEnabled(self._found() is not None)
        self.problem.setVisible(bool(self.problem.text()))

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        name = "Value" if self._target.unpacking is None else "Value, unpacked"
        fields: list[tuple[str, QWidget]] = [(name, self.value)]
        if self._target.array.ndim:
            fields = [("What", self.what), ("Selection", self.selection), *fields]
        for title, field in fields:
            title_label = label(title, "muted")
            title_label.setMinimumHeight(field.sizeHint().height())
            form.addRow(title_label, field)
        form.addRow("", self.note)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(12)
        column.addLayout(form)
        column.addWidget(self.problem)
        column.addStretch(1)
        column.addWidget(self.buttons)
