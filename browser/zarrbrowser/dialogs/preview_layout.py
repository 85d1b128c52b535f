"""The layout of dialogs that export: choices on the left, a preview on the right, buttons below."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)


def export_buttons(dialog: QDialog) -> tuple[QDialogButtonBox, QPushButton]:
    """ "Export…" and "Cancel", and the first of them."""
    kinds = QDialogButtonBox.StandardButton
    buttons = QDialogButtonBox(kinds.Save | kinds.Cancel)
    export = buttons.button(kinds.Save)
    export.setText("Export…")
    export.setProperty("role", "primary")
    buttons.accepted.connect(dialog.accept)
    buttons.rejected.connect(dialog.reject)
    return buttons, export


def lay_out(
    dialog: QDialog, form: QFormLayout, notes: list[QWidget], preview: QWidget, buttons: QDialogButtonBox
) -> None:
    """Put the parts of a dialog in their places; notes are below the form."""
    left = QVBoxLayout()
    left.addLayout(form)
    for note in notes:
        left.addWidget(note)
    left.addStretch(1)
    row = QHBoxLayout()
    row.setSpacing(20)
    row.addLayout(left)
    row.addWidget(preview, 1)
    column = QVBoxLayout(dialog)
    column.setContentsMargins(20, 20, 20, 16)
    column.setSpacing(12)
    column.addLayout(row, 1)
    column.addWidget(buttons)
