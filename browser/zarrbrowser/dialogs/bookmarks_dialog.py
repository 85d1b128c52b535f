"""The list of bookmarks: go to one, rename, remove and move them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QListWidgetItem, QWidget

from zarrbrowser.dialogs.views_dialog import ViewsDialog
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.saved_views.bookmarks import Bookmarks
from zarrbrowser.session.saved_views.view import BadViewError


class BookmarksDialog(ViewsDialog):
    """Shows all bookmarks. F2 renames, Del removes, Alt+Up and Alt+Down move the current one.

    Signals:
        saving: the user wants to save all to a file.
        opening: the user wants to open a file.
    """

    saving = Signal()
    opening = Signal()

    def __init__(self, bookmarks: Bookmarks, parent: QWidget | None = None) -> None:
        super().__init__("Bookmarks", parent)
        self._bookmarks = bookmarks
        self.list.setAccessibleName("bookmarks")
        actions = (
            ("Rename", self.rename, "F2"),
            ("Remove", self.remove, "Del"),
            ("Move up", lambda: self.move_by(-1), "Alt+Up"),
            ("Move down", lambda: self.move_by(1), "Alt+Down"),
        )
        self.changing = {text: self.button(text, run) for text, run, _ in actions}
        for text, run, key in actions:
            self.changing[text].setToolTip(key)
            self.buttons.addWidget(self.changing[text])
            shortcut = QShortcut(QKeySequence(key), self.list)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(run)
        self.save_button = self.button("Save to file…", lambda: self._leave_for(self.saving.emit))
        self.open_button = self.button("Open file…", lambda: self._leave_for(self.opening.emit))
        self.buttons.addSpacing(12)
        self.buttons.addWidget(self.save_button)
        self.buttons.addWidget(self.open_button)
        self.buttons.addStretch(1)
        self.buttons.addWidget(self.button("Close", self.reject))
        self.list.itemChanged.connect(self._renamed)
        self._show()

    def follow(self) -> None:
        super().follow()
        row, count = self.list.currentRow(), self.list.count()
        usable = {"Move up": row > 0, "Move down": 0 <= row < count - 1}
        for text, button in self.changing.items():
            button.setEnabled(usable.get(text, row >= 0))
        self.save_button.setEnabled(count > 0)

    def rename(self) -> None:
        """Edit the title of the current bookmark in the list."""
        if self.list.currentItem() is not None:
            self.list.editItem(self.list.currentItem())

    def remove(self) -> None:
        """Remove the current bookmark."""
        view = self.current
        if view is not None:
            self._change(lambda: self._bookmarks.remove(view), self.list.currentRow())

    def move_by(self, by: int) -> None:
        """Move the current bookmark down the list, or up."""
        view = self.current
        if view is not None:
            self._change(lambda: self._bookmarks.move(view, by), self.list.currentRow() + by)

    def _renamed(self, item: QListWidgetItem) -> None:
        view, title = self.view_of(item), item.text()
        # Later: the list still holds the editor, and filling it again would take the item away from it. Until then, a click
        # that ended the editing may have made another bookmark the current one.
        QTimer.singleShot(
            0,
            self,
            lambda: self._change(lambda: self._bookmarks.rename(view, title), self.list.currentRow()),
        )

    def _change(self, change: Callable[[], None], row: int) -> None:
        """Make a change, and show the bookmarks again with ``row`` as the current one."""
        problem = ""
        try:
            change()
        except (BadViewError, OSError) as error:
            problem = sentence(error)
        self._show(row, problem)

    def _show(self, row: int = 0, problem: str = "") -> None:
        with QSignalBlocker(self.list):
            self.show_views(self._bookmarks.views, row)
            for number in range(self.list.count()):
                item = self.list.item(number)
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        self.follow()
        problem = problem or self._bookmarks.problem
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))

    def _leave_for(self, tell: Callable[[], object]) -> None:
        self.accept()
        tell()
