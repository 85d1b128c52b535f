"""Mount and unmount from the menu, and unmount when the window closes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtWidgets import QMenu, QWidget

from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.mounts import Mounts
from zarrbrowser.session.sources import Source
from zarrbrowser.settings import Settings
from zarrbrowser.workers import Workers

_KEEP = "keep_mounts"
_LEAVE_S = 10.0
"""The time that closing the window may take for each mount."""


class Mounter(QObject):
    """Mounts sources as folders.

    Args:
        source: returns the source of the current node.

    Signals:
        reported: where a source is mounted, or the error.
    """

    reported = Signal(str)

    def __init__(
        self, parent: QWidget, settings: Settings, workers: Workers, source: Callable[[], Source | None]
    ) -> None:
        super().__init__(parent)
        self._settings, self._workers, self._source = settings, workers, source
        self.mounts = Mounts()

    def fill_menu(self, menu: QMenu) -> None:
        """Fill the menu for the current source."""
        menu.clear()
        source = self._source()
        folder = self.mounts.folder(source) if source is not None else None
        text = "Open mounted folder" if folder else "Mount and open folder"
        menu.addAction(text, self.mount_and_open).setEnabled(source is not None)
        menu.addAction("Unmount", self.unmount).setEnabled(folder is not None)
        menu.addSeparator()
        self._add_choice(menu)

    def mount_and_open(self) -> None:
        """Mount the current source, if it is not mounted yet, and open its folder."""
        source = self._source()
        if source is None:
            return
        self._workers.submit(
            lambda asked: self.mounts.mount(source, asked.is_cancelled),
            self._open,
            lambda error: self.reported.emit(sentence(error)),
            f"Mounting {source.title}",
        )

    def unmount(self) -> None:
        """Unmount the current source."""
        source = self._source()
        if source is None:
            return
        self._workers.submit(
            lambda _asked: self.mounts.unmount(source.request.place),
            lambda _nothing: self.reported.emit(f"{source.title} is unmounted"),
            lambda error: self.reported.emit(sentence(error)),
            f"Unmounting {source.title}",
        )

    def leave(self) -> None:
        """Unmount all sources when the window closes, unless the user wants to keep them."""
        if self._settings.text(_KEEP, "no") != "yes":
            self.mounts.leave(_LEAVE_S)

    def _add_choice(self, menu: QMenu) -> None:
        choice = QAction("Unmount on quit", menu)
        choice.setCheckable(True)
        choice.setChecked(self._settings.text(_KEEP, "no") != "yes")
        choice.toggled.connect(self._choose)
        menu.addAction(choice)

    def _choose(self, unmounts: bool) -> None:
        self._settings.keep(_KEEP, "no" if unmounts else "yes")

    def _open(self, folder: str) -> None:
        opened = QDesktopServices.openUrl(QUrl.fromLocalFile(folder))
        self.reported.emit(f"Mounted at {folder}" + ("" if opened else ". No file manager found"))
