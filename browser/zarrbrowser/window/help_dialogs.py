"""The dialogs that help: the guide, the list of keyboard shortcuts, and the versions of this program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from zarrbrowser.window.commands import key_table

if TYPE_CHECKING:  # dialogs are imported late, for a fast start
    from zarrbrowser.dialogs.about_dialog import AboutDialog
    from zarrbrowser.dialogs.guide_dialog import GuideDialog
    from zarrbrowser.dialogs.keys_dialog import KeysDialog

COLUMNS_OF_KEYS = (3, 9)
"""Groups of commands with which the further columns of the list of keys start, so that all have about the same length."""


class HelpDialogs:
    """Shows the dialogs, over the main window."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._guide: GuideDialog | None = None

    def show_keys(self) -> KeysDialog:
        """Show all keyboard shortcuts."""
        from zarrbrowser.dialogs.keys_dialog import KeysDialog  # late: for a fast start

        dialog = KeysDialog(key_table(), COLUMNS_OF_KEYS, self._window)
        dialog.open()
        return dialog

    def show_guide(self) -> GuideDialog:
        """Show the guide, once; the window can be used beside it."""
        from zarrbrowser.dialogs.guide_dialog import GuideDialog  # late: for a fast start

        if self._guide is None:
            self._guide = GuideDialog(self._window)
            self._guide.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            self._guide.finished.connect(self._guide_closed)
        self._guide.show()
        self._guide.raise_()
        self._guide.activateWindow()
        return self._guide

    def _guide_closed(self, _result: int) -> None:
        self._guide = None

    def show_about(self) -> AboutDialog:
        """Show what this program is, and its versions."""
        from zarrbrowser.dialogs.about_dialog import AboutDialog  # late: for a fast start

        dialog = AboutDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        return dialog
