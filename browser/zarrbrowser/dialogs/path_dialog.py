"""The dialog that asks for the path of a node: a new one, or another one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QVBoxLayout, QWidget

from zarrbrowser.session.error_text import sentence
from zarrbrowser.widgets.label import label


class PathDialog(QDialog):
    """Asks for a path, and says at once if no node can have it.

    Args:
        title: the title of the dialog.
        button: the text of its button.
        path: the path to start with; its last part is selected.
        check: returns the path of a typed text, or raises an error that says why there is none.

    Signals:
        chosen: the path.
    """

    chosen = Signal(str)

    def __init__(
        self, title: str, button: str, path: str, check: Callable[[str], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setMinimumWidth(460)
        self._check, self._start = check, path
        self.path = QLineEdit(path)
        self.path.setAccessibleName("path of the node")
        self.problem = label(role="problem", wrap=True)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.button = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.button.setText(button)
        self.button.setProperty("role", "primary")
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.path.textChanged.connect(lambda _text: self._show_state())
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(8)
        column.addWidget(label("Path in the source; missing groups above it are made", "muted", wrap=True))
        column.addWidget(self.path)
        column.addWidget(self.problem)
        column.addStretch(1)
        column.addWidget(self.buttons)
        self._show_state()
        self.path.setFocus()
        # The field selects all of its text when it gets the focus, after this.
        QTimer.singleShot(0, self, self._select_name)

    def accept(self) -> None:
        """Emit the path."""
        path = self._found()
        if path:
            super().accept()
            self.chosen.emit(path)

    def _select_name(self) -> None:
        start = self._start.rpartition("/")[0]
        self.path.setSelection(len(start) + 1, len(self._start))

    def _found(self) -> str:
        """The path; empty if the text is none, or nothing was typed yet."""
        try:
            path = self._check(self.path.text())
        except Exception as error:  # noqa: BLE001 - the dialog shows any error
            self.problem.setText(sentence(error))
            return ""
        self.problem.setText("")
        return "" if self.path.text() == self._start else path

    def _show_state(self) -> None:
        self.button.setEnabled(bool(self._found()))
        if self.path.text() == self._start:
            self.problem.setText("")
