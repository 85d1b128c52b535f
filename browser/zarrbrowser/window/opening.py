"""Dialogs that ask what to open: a folder, a zip file, or any location with connection options."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog, QWidget

from zarrbrowser.session.sources import SourceRequest
from zarrcore.stores import ZIP_SUFFIXES

if TYPE_CHECKING:  # dialogs are imported late, for a fast start
    from zarrbrowser.dialogs.open_dialog import OpenDialog


def ask_for_folder(parent: QWidget, chosen: Callable[[str], object]) -> None:
    """Ask for a folder without blocking the window."""
    dialog = QFileDialog(parent, "Open a Zarr hierarchy, or a folder with several")
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    _open(dialog, chosen)


def ask_for_zip(parent: QWidget, chosen: Callable[[str], object]) -> None:
    """Ask for a zip file."""
    dialog = QFileDialog(parent, "Open a zip file with a Zarr hierarchy")
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setNameFilters(
        [f"Zip files ({' '.join(f'*{suffix}' for suffix in ZIP_SUFFIXES)})", "All files (*)"]
    )
    _open(dialog, chosen)


def ask_for_location(
    parent: QWidget, chosen: Callable[[SourceRequest], object], suggested: SourceRequest, known: list[str]
) -> OpenDialog:
    """Ask for a path or URL, its format, and connection options."""
    from zarrbrowser.dialogs.open_dialog import OpenDialog  # late: for a fast start

    dialog = OpenDialog(suggested, known, parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.requested.connect(chosen)
    dialog.open()
    return dialog


def dropped_texts(data: QMimeData) -> list[str]:
    """The paths and URLs in a drop event."""
    texts = [url.toString() for url in data.urls()] if data.hasUrls() else data.text().splitlines()
    return [text.strip() for text in texts if text.strip()]


def take_as_copy(event: QDropEvent) -> bool:
    """Accept a drop as a copy, or refuse it: after a move its source would delete the files.

    Returns:
        Whether it is accepted.
    """
    event.setDropAction(Qt.DropAction.CopyAction)  # another one stays if the source cannot copy
    event.setAccepted(event.dropAction() is Qt.DropAction.CopyAction)
    return event.isAccepted()


def _open(dialog: QFileDialog, chosen: Callable[[str], object]) -> None:
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(chosen)
    dialog.open()
