"""The dialog that asks for a source of this machine: a file or a folder of any kind, each named by what it is."""

from __future__ import annotations

import os

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFileDialog, QGridLayout, QLineEdit, QWidget

from zarrbrowser.session.error_text import sentence
from zarrbrowser.widgets.completion import dress_suggestions
from zarrbrowser.widgets.label import label
from zarrbrowser.workers import Lane, Workers

_UNKNOWN = "of no kind that can be opened"
_PLAIN = "a folder, shown with all that is in it as one tree"


class SourceDialog(QFileDialog):
    """Shows folders and files together, which the dialogs of desktops do not, and says what the chosen one is.

    Open takes what is chosen, and the shown folder if nothing is.

    Signals:
        fileSelected: the path.
    """

    def __init__(self, workers: Workers, folder: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, "Open", folder)
        self._lane = Lane(workers, in_flight=1)
        self.setOption(QFileDialog.Option.DontUseNativeDialog)
        self.setFileMode(QFileDialog.FileMode.Directory)
        self.setOption(QFileDialog.Option.ShowDirsOnly, on=False)
        self.setOption(QFileDialog.Option.ReadOnly)
        self.setLabelText(QFileDialog.DialogLabel.Accept, "Open")
        self.setLabelText(QFileDialog.DialogLabel.FileName, "File or folder:")
        dress_suggestions(self)
        self.what = label(role="muted", wrap=True)
        grid = self.layout()
        if isinstance(grid, QGridLayout):
            grid.addWidget(self.what, grid.rowCount(), 0, 1, -1)
        for name in ("fileTypeLabel", "fileTypeCombo"):  # it would offer only "Directories"
            part = self.findChild(QWidget, name)
            if part is not None:
                part.hide()
        box = self.findChild(QDialogButtonBox)
        self.open_button = box.button(QDialogButtonBox.StandardButton.Open) if box is not None else None
        if self.open_button is not None:
            self.open_button.installEventFilter(self)
        self.currentChanged.connect(self._recognise)
        self.directoryEntered.connect(self._recognise)
        self.finished.connect(lambda _code: self._lane.forget())
        self._recognise(folder)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Keep Open enabled: a dialog for folders disables it while a file is chosen."""
        if watched is self.open_button and event.type() == QEvent.Type.EnabledChange:
            self.open_button.setEnabled(True)
        return super().eventFilter(watched, event)

    @property
    def chosen(self) -> str:
        """The path that Open would take."""
        line = self.findChild(QLineEdit, "fileNameEdit")
        typed = os.path.expanduser(line.text().strip()) if line is not None else ""
        return (
            os.path.join(self.directory().absolutePath(), typed) if typed else self.directory().absolutePath()
        )

    def accept(self) -> None:
        """Take the chosen file or folder; a path without one stays in the dialog."""
        path = self.chosen
        if not os.path.exists(path):
            self.what.setText(f"There is no {path}")
            return
        QDialog.accept(self)  # that of a file dialog takes either files or folders
        self.fileSelected.emit(path)

    def _recognise(self, path: str) -> None:
        """Find out what a path is, in the background: a folder of the network may take its time."""
        from zarrcore.describe import FOLDER, kind_of_path  # late: for a fast start

        name = os.path.basename(path.rstrip("/")) or path

        def say(kind: str) -> None:
            self.what.setText(f"{name}: {_PLAIN if kind == FOLDER else kind or _UNKNOWN}")

        self._lane.ask(
            lambda _asked: kind_of_path(path), say, lambda error: self.what.setText(sentence(error))
        )
