"""The dialog that asks in which form to export a group."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QVBoxLayout, QWidget

from zarrbrowser.export.whole_nodes import Extent, WholeType
from zarrbrowser.values.quantities import count, format_bytes
from zarrbrowser.widgets.accessible_names import name_box
from zarrbrowser.widgets.label import label


class NodeExportDialog(QDialog):
    """Asks for the type of the file or hierarchy, and shows how much it will hold.

    Signals:
        asked: the chosen `WholeType`.
    """

    asked = Signal(object)

    def __init__(self, name: str, types: Mapping[str, WholeType], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export group")
        self.setMinimumWidth(460)
        self.kind = QComboBox()
        name_box(self.kind, "type of the export")
        for one in types.values():
            self.kind.addItem(one.title, one)
        self.note = label("Counting the arrays…", role="muted", wrap=True)
        self.hint = label(role="muted", wrap=True)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel
        )
        self.save_button = self.buttons.button(QDialogButtonBox.StandardButton.Save)
        self.save_button.setText("Export…")
        self.save_button.setProperty("role", "primary")
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.kind.currentIndexChanged.connect(lambda _index: self._show_hint())
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        form.addRow(label("Group", "muted"), label(name))
        form.addRow(label("As", "muted"), self.kind)
        form.addRow("", self.note)
        form.addRow("", self.hint)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(12)
        column.addLayout(form)
        column.addStretch(1)
        column.addWidget(self.buttons)
        self._show_hint()
        self.kind.setFocus()

    def accept(self) -> None:
        """Emit the request."""
        super().accept()
        self.asked.emit(self.kind.currentData())

    def show_extent(self, extent: Extent) -> None:
        """Show what the group holds."""
        self.note.setText(f"{count(extent.arrays, 'array')} · {format_bytes(extent.nbytes)} decoded")

    def show_problem(self, sentence: str) -> None:
        """Show why the arrays cannot be counted."""
        self.note.setText(sentence)

    def _show_hint(self) -> None:
        self.hint.setText(hint_of(self.kind.currentData()))


def hint_of(kind: WholeType) -> str:
    """What a user should know about a type before choosing it."""
    if kind.format:
        return "Chunks and codecs stay the same if the format has them. What is written is read back and compared."
    if kind.suffix in ("h5", "nc"):
        return f"The attribute _zarrscope_left_out names what {kind.title} cannot hold."
    return "The full resolution, and levels that are smaller along x and y."
