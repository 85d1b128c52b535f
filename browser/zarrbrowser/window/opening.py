"""Dialogs that ask what to open: a file or folder, or any location with connection options."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.workers import Workers

if TYPE_CHECKING:  # dialogs are imported late, for a fast start
    from zarrbrowser.dialogs.open_dialog import OpenDialog


def ask_for_source(parent: QWidget, chosen: Callable[[str], object], workers: Workers, folder: str) -> None:
    """Ask for a file or folder without blocking the window.

    Args:
        folder: where the dialog starts.
    """
    from zarrbrowser.dialogs.source_dialog import SourceDialog  # late: for a fast start

    dialog = SourceDialog(workers, folder, parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(chosen)
    dialog.open()


def folder_of_recent(requests: Sequence[SourceRequest]) -> str:
    """The folder of the latest source of this machine, the user's own one without any; asks for nothing remote."""
    local = (os.path.dirname(one.address) for one in requests if os.path.isabs(one.address))
    return next((folder for folder in local if os.path.isdir(folder)), os.path.expanduser("~"))


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
