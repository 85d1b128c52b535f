"""What all exports have in common: the question where to write, and writing in the background."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from zarrbrowser.session.error_text import sentence
from zarrbrowser.widgets.save_dialog import ask_for_file
from zarrbrowser.workers import Request, Workers


class FileExporter(QObject):
    """Writes files where the user wants them.

    Signals:
        reported: what was written, copied or printed, or the error.
    """

    reported = Signal(str)

    def __init__(self, parent: QWidget, workers: Workers) -> None:
        super().__init__(parent)
        self._parent, self._workers = parent, workers
        self._folder = ""
        """The folder of the last file."""

    def _ask_for_file(
        self, title: str, filters: str, suffix: str, name: str, chosen: Callable[[str], object]
    ) -> None:
        def keep_folder(path: str) -> None:
            self._folder = os.path.dirname(path)
            chosen(path)

        ask_for_file(self._parent, title, filters, suffix, name, keep_folder, self._folder)

    def _write(self, path: str, work: Callable[[Request], Any], describe: Callable[[Any], str]) -> Request:
        """Write a file in the background, and report what was written or why not.

        Args:
            describe: what ``work`` has written, as a sentence.
        """
        name = os.path.basename(path)
        return self._workers.submit(
            work,
            lambda written: self.reported.emit(describe(written)),
            lambda error: self.reported.emit(f"{name} was not written: {sentence(error)}"),
            f"Exporting {name}",
        )
