"""Draws the rows of the tree; a name may take the place of empty columns beside it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QTreeView

Index = QModelIndex | QPersistentModelIndex


class TreeDelegate(QStyledItemDelegate):
    """Lets the name of a row run over the columns after it, if these are empty in its row."""

    def __init__(self, view: QTreeView) -> None:
        super().__init__(view)
        self._view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if index.column() and not index.data():
            return  # the column before it is drawn here too
        last = self.last_column(index)
        header = self._view.header()
        while last > index.column() and header.isSectionHidden(last):
            last -= 1
        end = header.sectionViewportPosition(last) + header.sectionSize(last)
        option.rect.setRight(max(option.rect.right(), end - 1))
        super().paint(painter, option, index)

    @staticmethod
    def last_column(index: Index) -> int:
        """The last of the empty columns that follow a cell; its own column if the next one has a text."""
        column = index.column()
        while column + 1 < index.model().columnCount() and not index.sibling(index.row(), column + 1).data():
            column += 1
        return column
