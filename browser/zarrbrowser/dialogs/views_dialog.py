"""Lists of views: those of a file, to go to one or to add all to the bookmarks."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from zarrbrowser.session.saved_views.view import SavedView
from zarrbrowser.widgets.buttons import push_button
from zarrbrowser.widgets.label import ElidedLabel, label
from zarrbrowser.widgets.tooltip import tooltip

_SIZE = QSize(560, 420)
_VIEW = Qt.ItemDataRole.UserRole


class ViewsDialog(QDialog):
    """A list of views, with the address of the current one below, and a column of buttons.

    Signals:
        chosen: the `SavedView` that the user wants to go to.
    """

    chosen = Signal(object)

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.resize(_SIZE)
        self.list = QListWidget()
        self.list.setAccessibleName("views")
        self.list.setProperty("role", "views")
        self.list.setEditTriggers(QListWidget.EditTrigger.NoEditTriggers)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # titles are elided
        self.place = ElidedLabel("muted")
        self.problem = label(role="problem", wrap=True)
        self.problem.hide()
        self.go_button = self.button("Go to view", self.go, role="primary")
        self.go_button.setDefault(True)
        self.buttons = QVBoxLayout()
        self.buttons.setSpacing(8)
        self.buttons.addWidget(self.go_button)
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addWidget(self.list, 1)
        left.addWidget(self.place)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addLayout(left, 1)
        row.addLayout(self.buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.addLayout(row, 1)
        column.addWidget(self.problem)
        self.list.setFocus()
        self.list.currentRowChanged.connect(lambda _row: self.follow())
        self.list.itemDoubleClicked.connect(lambda _item: self.go())

    @property
    def current(self) -> SavedView | None:
        """The view of the current row."""
        item = self.list.currentItem()
        return None if item is None else self.view_of(item)

    @staticmethod
    def view_of(item: QListWidgetItem) -> SavedView:
        """The view of a row."""
        view: SavedView = item.data(_VIEW)
        return view

    def show_views(self, views: Sequence[SavedView], row: int = 0) -> None:
        """Fill the list; ``row`` becomes the current one."""
        self.list.clear()
        for view in views:
            item = QListWidgetItem(view.title)
            item.setData(_VIEW, view)
            item.setToolTip(tooltip(view.address))
            self.list.addItem(item)
        self.list.setCurrentRow(min(max(row, 0), len(views) - 1))
        self.follow()

    def follow(self) -> None:
        """Show the address of the current view, and which buttons apply to it."""
        view = self.current
        self.place.set_text("" if view is None else f"{view.address}   {view.tab}".strip())
        self.go_button.setEnabled(view is not None)

    def go(self) -> None:
        """Close the dialog and go to the current view."""
        view = self.current
        if view is not None:
            self.accept()
            self.chosen.emit(view)

    @staticmethod
    def button(text: str, clicked: object, *, role: str = "") -> QPushButton:
        """A button that Enter in the list does not press."""
        made = push_button(text, clicked, role=role)  # type: ignore[arg-type]
        made.setAutoDefault(False)
        return made


class FileDialog(ViewsDialog):
    """The views of a file.

    Signals:
        added: the views that the user wants among the bookmarks.
    """

    added = Signal(object)

    def __init__(self, name: str, views: Sequence[SavedView], parent: QWidget | None = None) -> None:
        super().__init__(f"Views in {name}", parent)
        self._views = list(views)
        noun = "1 view" if len(views) == 1 else f"all {len(views):,} views"
        self.add_button = self.button("Add to bookmarks", self._add)
        self.add_button.setToolTip(f"Add {noun} to your bookmarks")
        self.buttons.addWidget(self.add_button)
        self.buttons.addStretch(1)
        self.buttons.addWidget(self.button("Close", self.reject))
        self.show_views(views)

    def _add(self) -> None:
        self.accept()
        self.added.emit(self._views)
