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
        following, header = self.next_text(index), self._view.header()
        if index.column():
            option.rect.setLeft(self._start(option, index))
        end = header.length() - header.offset() if following is None else self._start(option, following)
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

    def next_text(self, index: Index) -> QModelIndex | None:
        """The next cell of the row that has a text, in a column that is shown; None if the others are empty."""
        after = range(index.column() + 1, index.model().columnCount())
        cells = (index.sibling(index.row(), one) for one in after if not self._view.isColumnHidden(one))
        return next((cell for cell in cells if cell.data()), None)
