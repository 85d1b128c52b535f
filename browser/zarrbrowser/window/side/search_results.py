"""The rows of a search: names, and muted their locations."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from zarrbrowser.models.hit_model import PLACE_ROLE, HitModel
from zarrbrowser.models.tree_columns import COLUMNS
from zarrbrowser.theme import current_colours

_GAP = 10


class SearchResults(QTreeView):
    """Shows a `HitModel`.

    Signals:
        chosen: index of the current row.
    """

    chosen = Signal(QModelIndex)

    def __init__(self, model: HitModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAccessibleName("nodes found")
        self.setItemDelegateForColumn(0, _NameAndPlace(self))
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for number, column in enumerate(COLUMNS[1:], 1):
            self.setColumnWidth(number, column.width)
        self.selectionModel().currentChanged.connect(self._current_changed)
        self.clicked.connect(self.chosen)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(self.currentIndex())
            return
        super().keyPressEvent(event)

    def choose_first(self) -> None:
        """Go to the first row."""
        first = self.model().index(0, 0)
        if first.isValid():
            self.setCurrentIndex(first)

    def _current_changed(self, now: QModelIndex, _before: QModelIndex) -> None:
        if now.isValid() and self.hasFocus():
            self.chosen.emit(now)


class _NameAndPlace(QStyledItemDelegate):
    """Paints the name of a node, and beside it the path of its parent."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        styled = QStyleOptionViewItem(option)
        self.initStyleOption(styled, index)
        style = QApplication.style()
        text, styled.text = styled.text, ""
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, styled, painter, styled.widget)
        room: QRect = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, styled, styled.widget)
        if room.width() <= 0:  # the style gives no room to a text that is empty
            room = option.rect.adjusted(28, 0, 0, 0)
        room = QRect(room.left(), option.rect.top(), option.rect.right() - room.left(), option.rect.height())
        name = styled.fontMetrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room.width())
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.save()
        painter.setPen(styled.palette.color(QPalette.ColorRole.Text))
        painter.drawText(room, middle, name)
        room.setLeft(room.left() + styled.fontMetrics.horizontalAdvance(name) + _GAP)
        place = styled.fontMetrics.elidedText(
            str(index.data(PLACE_ROLE)), Qt.TextElideMode.ElideLeft, room.width()
        )
        painter.setPen(current_colours().muted)
        painter.drawText(room, middle, place)
        painter.restore()
