"""The dialog that asks before a node is deleted."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QVBoxLayout, QWidget

from zarrbrowser.editing.nodes import Contents, contents
from zarrbrowser.editing.progress import Progress, StoppedError
from zarrbrowser.nodes.protocols import NodeLike, is_array
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.values.quantities import count, format_bytes
from zarrbrowser.widgets.label import label
from zarrbrowser.workers import Request, Workers


class EraseDialog(QDialog):
    """Says what would be deleted, counted in the background. A group with nodes in it asks for its name.

    Signals:
        confirmed: the number of keys to delete; 0 if they were not counted.
    """

    confirmed = Signal(int)

    def __init__(
        self, source: Source, node: NodeLike, workers: Workers, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Delete")
        self.setMinimumWidth(460)
        self._source, self._node, self._workers = source, node, workers
        self._found: Contents | None = None
        kind = "array" if is_array(node) else "group" if node.kind == "group" else "node"
        self.what = label(
            f"Delete the {kind} {node.path} of {source.hierarchy.url}?", wrap=True, selectable=True
        )
        self.counted = label("Counting what is in it…", "muted", wrap=True)
        self.warning = label("This cannot be undone.", "problem", wrap=True)
        self.ask_name = label(f"Type {node.name} to confirm", "muted", wrap=True)
        self.name = QLineEdit()
        self.name.setAccessibleName("name of the node, to confirm")
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.erase_button = self.buttons.addButton("Delete", QDialogButtonBox.ButtonRole.DestructiveRole)
        self.cancel_button = self.buttons.button(QDialogButtonBox.StandardButton.Cancel)
        self.erase_button.setAutoDefault(False)
        self.cancel_button.setDefault(True)
        self.erase_button.clicked.connect(lambda _checked: self._confirm())
        self.buttons.rejected.connect(self.reject)
        self.name.textChanged.connect(lambda _text: self._enable_buttons())
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(8)
        for widget in (self.what, self.counted, self.warning, self.ask_name, self.name):
            column.addWidget(widget)
        column.addStretch(1)
        column.addWidget(self.buttons)
        for widget in (self.ask_name, self.name):
            widget.setVisible(not is_array(node))
        (self.cancel_button if is_array(node) else self.name).setFocus()
        self._enable_buttons()
        self._request = self._count()

    def done(self, result: int) -> None:
        """Stop counting, and close."""
        self._workers.cancel(self._request)
        super().done(result)

    def _count(self) -> Request:
        def work(asked: Request) -> Contents | None:
            try:
                return contents(
                    self._source, self._node.path, Progress(is_stopped=asked.is_cancelled), asked.report_part
                )
            except StoppedError:
                return None

        return self._workers.submit(
            work,
            self._counted,
            lambda error: self.counted.setText(f"What is in it could not be counted: {sentence(error)}"),
            f"Counting what is in {self._node.path}",
            lambda found: self.counted.setText(f"{_told(found)} so far…"),
        )

    def _counted(self, found: Contents | None) -> None:
        if found is None:
            return
        self._found = found
        self.counted.setText(_told(found))
        if found.nodes <= 1:
            self.cancel_button.setFocus()  # hiding the field would move the focus to the button that deletes
            self.ask_name.hide()
            self.name.hide()
        self._enable_buttons()

    def _enable_buttons(self) -> None:
        is_single = self._found is not None and self._found.nodes <= 1
        is_named = self.name.text() == self._node.name
        self.erase_button.setEnabled(is_array(self._node) or is_single or is_named)
        # Enter must not delete by mistake: until the name is typed, it cancels.
        (self.erase_button if is_named and not is_array(self._node) else self.cancel_button).setDefault(True)

    def _confirm(self) -> None:
        keys = self._found.keys if self._found is not None else 0
        self.accept()
        self.confirmed.emit(keys)


def _told(found: Contents) -> str:
    nodes = "" if found.nodes <= 1 else f"{count(found.nodes - 1, 'node')} in it, "
    if not found.is_known:
        return f"{nodes}the store cannot list its keys".capitalize()
    return f"{nodes}{count(found.keys, 'key')}, {format_bytes(found.nbytes)}"
