"""Draws the rows of the tree; texts may take the place of empty columns beside them."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QTreeView

Index = QModelIndex | QPersistentModelIndex


class TreeDelegate(QStyledItemDelegate):
    """Lets the name of a row run over the columns after it, and a long type over the one before it, if these are empty."""

    def __init__(self, view: QTreeView) -> None:
        super().__init__(view)
        self._view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if index.column() and not index.data():
            return  # a column beside it is drawn here too
        following, header = self.last_column(index) + 1, self._view.header()
        if index.column():
            option.rect.setLeft(self._start(option, index))
        if following < index.model().columnCount():
            end = self._start(option, index.sibling(index.row(), following))
        else:
            end = header.sectionViewportPosition(following - 1) + header.sectionSize(following - 1)
        option.rect.setRight(max(option.rect.left(), end - 1))
        super().paint(painter, option, index)

    def _start(self, option: QStyleOptionViewItem, index: Index) -> int:
        """Where the text of a column begins: in the empty column before it, as far as it needs that."""
        header, column = self._view.header(), index.column()
        start = header.sectionViewportPosition(column)
        if column > 1 and not index.sibling(index.row(), column - 1).data():
            lacking = self.sizeHint(option, index).width() - header.sectionSize(column)
            start -= max(0, min(lacking, header.sectionSize(column - 1)))
        return start

    @staticmethod
    def last_column(index: Index) -> int:
        """The last of the empty columns that follow a cell; its own column if the next one has a text."""
        column = index.column()
        while column + 1 < index.model().columnCount() and not index.sibling(index.row(), column + 1).data():
            column += 1
        return column
