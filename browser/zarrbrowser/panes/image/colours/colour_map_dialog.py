"""The dialog of all colour maps, with a search by name or category."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QDialog, QLineEdit, QListView, QVBoxLayout, QWidget

from zarrbrowser.image.colours.colour_maps import catalogue
from zarrbrowser.panes.image.colours.colour_map_preview import PREVIEW, preview
from zarrbrowser.widgets.accessible_names import add_clear_button

_Index = QModelIndex | QPersistentModelIndex
_NAME = Qt.ItemDataRole.UserRole


class _Names(QAbstractListModel):
    """A row per colour map; previews are drawn only for visible rows."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows = list(catalogue().items())

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        name, category = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{name}   ·   {category}"
        if role == Qt.ItemDataRole.DecorationRole:
            return preview(name)
        return name if role == _NAME else None


class ColourMapDialog(QDialog):
    """A list filtered by typed text.

    Signals:
        picked: the name of a colour map.
    """

    picked = Signal(str)

    def __init__(self, current: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Colour maps")
        self.resize(420, 520)
        self.search, self.list = QLineEdit(), QListView()
        self.search.setPlaceholderText("Name or category, such as diverging")
        self.search.setAccessibleName("search colour maps")
        add_clear_button(self.search)
        self.list.setAccessibleName("colour maps")
        self.list.setIconSize(PREVIEW)
        self.list.setUniformItemSizes(True)
        self.list.setSpacing(2)
        self._found = QSortFilterProxyModel(self)
        self._found.setSourceModel(_Names(self))
        self._found.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.list.setModel(self._found)
        column = QVBoxLayout(self)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        self.search.textChanged.connect(self._narrow)
        self.search.returnPressed.connect(lambda: self._pick(self.list.currentIndex()))
        self.list.activated.connect(self._pick)
        self.list.clicked.connect(self._try)
        self._show(current)

    def _narrow(self, text: str) -> None:
        self._found.setFilterFixedString(text.strip())
        self.list.setCurrentIndex(self._found.index(0, 0))

    def _show(self, name: str) -> None:
        rows = self._found.match(self._found.index(0, 0), _NAME, name, 1, Qt.MatchFlag.MatchExactly)
        if rows:
            self.list.setCurrentIndex(rows[0])
            self.list.scrollTo(rows[0], QListView.ScrollHint.PositionAtCenter)

    def _try(self, index: QModelIndex) -> None:
        """Apply a clicked map immediately, and leave the list open."""
        self.picked.emit(str(index.data(_NAME)))

    def _pick(self, index: QModelIndex) -> None:
        if index.isValid():
            self._try(index)
            self.accept()
