"""The mark of a source that may be changed, with what can be done about that."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from zarrbrowser.theme.fonts import scaled


class ChangeChip(QToolButton):
    """A chip in the colour of warnings; its menu undoes the last change, and stops changes.

    Signals:
        undo_asked: the user wants to undo the last change.
        stop_asked: the user wants no more changes.
    """

    undo_asked = Signal()
    stop_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText("Changes on")
        self.setToolTip("This source may be changed: click to undo or to stop changes")
        self.setAccessibleName("changes are on")
        self.setProperty("role", "changes")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedHeight(scaled(24))
        menu = QMenu(self)
        self._undo = QAction("Undo last change", menu)
        self._undo.triggered.connect(lambda _checked: self.undo_asked.emit())
        stop = QAction("Stop changes", menu)
        stop.triggered.connect(lambda _checked: self.stop_asked.emit())
        menu.addAction(self._undo)
        menu.addAction(stop)
        self.setMenu(menu)
        self.show_undo("")
        self.hide()

    def show_undo(self, what: str) -> None:
        """Show what would be undone; an empty text if nothing can be."""
        self._undo.setText(f"Undo {what}".replace("&", "&&") if what else "Nothing to undo")
        self._undo.setEnabled(bool(what))
