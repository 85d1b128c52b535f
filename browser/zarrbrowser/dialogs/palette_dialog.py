"""The command palette: all commands, found by typing a part of their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from zarrbrowser.session.fuzzy import best
from zarrbrowser.theme import current_colours
from zarrbrowser.widgets.label import label

_SIZE = QSize(560, 420)
_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
_KEY, _PLACE = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
_PADDING = 10


@dataclass(frozen=True, slots=True)
class Entry:
    """A command of the palette."""

    title: str
    run: Callable[[], object]
    place: str = ""
    """Its group, menu or tab."""
    key: str = ""
    """Its shortcut as text."""
    is_enabled: bool = True


class PaletteDialog(QDialog):
    """A field for text, and below it the commands that fit. Up and Down choose one, Enter runs it, Esc closes."""

    def __init__(self, entries: Sequence[Entry], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Commands")
        self.resize(_SIZE)
        self._entries = list(entries)
        self.box = QLineEdit()
        self.box.setPlaceholderText("Type a command")
        self.box.setAccessibleName("command")
        self.box.installEventFilter(self)
        self.model = QStandardItemModel(self)
        self.list = QListView()
        self.list.setModel(self.model)
        self.list.setItemDelegate(_Delegate(self.list))
        self.list.setAccessibleName("commands")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setUniformItemSizes(True)
        self.nothing = label("No command fits", "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.addWidget(self.box)
        column.addWidget(self.list, 1)
        column.addWidget(self.nothing)
        self.box.textChanged.connect(self._show)
        self.box.returnPressed.connect(self.accept)
        self.list.clicked.connect(lambda _index: self.accept())
        self._shown: list[Entry] = []
        self._show("")
        self.box.setFocus()

    @property
    def titles(self) -> list[str]:
        """The titles of the commands in the list."""
        return [entry.title for entry in self._shown]

    def accept(self) -> None:
        """Run the chosen command, once the dialog is closed."""
        row = self.list.currentIndex().row()
        if 0 <= row < len(self._shown) and self._shown[row].is_enabled:
            entry = self._shown[row]
            super().accept()
            QTimer.singleShot(0, entry.run)  # it may open another dialog

    def eventFilter(self, watched: QWidget, event: QEvent) -> bool:  # type: ignore[override] # noqa: N802 - Qt's name
        """Let the keys that move in the list work in the field."""
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in _MOVES:
            self.list.event(event)
            return True
        return super().eventFilter(watched, event)

    def _show(self, query: str) -> None:
        texts = [f"{entry.place} {entry.title}".strip() for entry in self._entries]
        self._shown = [self._entries[position] for position in best(query, texts)]
        self.model.clear()
        for entry in self._shown:
            item = QStandardItem(entry.title)
            item.setData(entry.key, _KEY)
            item.setData(entry.place, _PLACE)
            item.setEnabled(entry.is_enabled)
            item.setAccessibleText(f"{entry.title} {entry.key}".strip())
            self.model.appendRow(item)
        self.nothing.setVisible(not self._shown)
        usable = (row for row, entry in enumerate(self._shown) if entry.is_enabled)
        self.list.setCurrentIndex(self.model.index(next(usable, -1), 0))


class _Delegate(QStyledItemDelegate):
    """Draws the title on the left, place and shortcut on the right."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        self.initStyleOption(option, index)
        option.text = ""
        option.widget.style().drawControl(
            option.widget.style().ControlElement.CE_ItemViewItem, option, painter
        )
        colours, box = current_colours(), QRect(option.rect).adjusted(_PADDING, 0, -_PADDING, 0)
        is_enabled = bool(index.flags() & Qt.ItemFlag.ItemIsEnabled)
        metrics, middle = option.fontMetrics, Qt.AlignmentFlag.AlignVCenter
        told = "   ".join(filter(None, (index.data(_PLACE), index.data(_KEY))))
        right = metrics.horizontalAdvance(told)
        painter.save()
        painter.setPen(colours.muted if is_enabled else colours.disabled)
        painter.drawText(box, int(middle | Qt.AlignmentFlag.AlignRight), told)
        painter.setPen(colours.text if is_enabled else colours.disabled)
        title = metrics.elidedText(
            index.data(), Qt.TextElideMode.ElideRight, box.width() - right - 2 * _PADDING
        )
        painter.drawText(box, int(middle | Qt.AlignmentFlag.AlignLeft), title)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:  # noqa: N802 - Qt's name
        hint = super().sizeHint(option, index)
        # Without a width of its own, a row is as wide as the list, and a long title is elided.
        return QSize(0, max(hint.height(), option.fontMetrics.height() + 10))
