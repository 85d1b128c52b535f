"""The tree of sources and nodes; rows are fetched when they come into view."""

from __future__ import annotations

import time

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    Qt,
    QTimer,
    Signal,
    SignalInstance,
)
from PySide6.QtGui import QDrag, QGuiApplication, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QHeaderView, QMenu, QTreeView, QWidget

from zarrbrowser.models.tree_columns import COLUMNS
from zarrbrowser.models.tree_item import PAGE_SIZE, Fetching, TreeItem
from zarrbrowser.models.tree_model import TreeModel
from zarrbrowser.nodes.protocols import is_broken
from zarrbrowser.panes.registry import has_picture, tabs_for
from zarrbrowser.plot.columns import may_be_plotted_together
from zarrbrowser.window.side.tree_delegate import TreeDelegate

_SELECTING = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
_LEAST_NAME_WIDTH = 110
"""Below this width of the names, beside their indentation, other columns are hidden."""


class TreeView(QTreeView):
    """Shows the open sources.

    Signals:
        node_chosen: index of the current row.
        beside_asked: index of a node whose image to show beside the present one.
        name_typed: the path of a node beside the current one that the user has begun to type.
        check_asked: index of a node to check.
        plot_asked: the arrays to draw in one plot: the `Source`, and the nodes.
        reload_asked: index of a source to reload.
        changes_asked: index of a source for which to allow changes, or to stop them.
        group_asked, path_asked, erase_asked: index of a node below which to make a group, which to rename, which to delete.
    """

    node_chosen = Signal(QModelIndex)
    beside_asked = Signal(QModelIndex)
    name_typed = Signal(str)
    check_asked = Signal(QModelIndex)
    plot_asked = Signal(object, object)
    reload_asked = Signal(QModelIndex)
    changes_asked = Signal(QModelIndex)
    group_asked = Signal(QModelIndex)
    path_asked = Signal(QModelIndex)
    erase_asked = Signal(QModelIndex)

    def __init__(self, model: TreeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tree_model = model
        self.setModel(model)
        self.setUniformRowHeights(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setIndentation(16)
        self.setItemDelegate(TreeDelegate(self))
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setAccessibleName("hierarchy")
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header = self.header()
        header.setStretchLastSection(False)
        header.setResizeContentsPrecision(0)  # only the rows in view, not a thousand rows each time
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._widths = {number: column.width for number, column in enumerate(COLUMNS) if number}
        """The widths of the columns after the names, also while they are hidden."""
        for number, width in self._widths.items():
            header.setSectionResizeMode(number, QHeaderView.ResizeMode.Interactive)
            self.setColumnWidth(number, width)
        self._widened = False
        self._indented = 0
        """The indentation of the rows that the columns leave room for, beyond that of the first."""
        header.sectionResized.connect(self._section_resized)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._widen = QTimer(self, singleShot=True, interval=80)
        self._widen.timeout.connect(self._make_room)
        self._fetch_soon = QTimer(self, singleShot=True, interval=30)
        self._fetch_soon.timeout.connect(self._fetch_visible)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self._keep_in_view = QTimer(self, singleShot=True, interval=0)
        self._keep_in_view.timeout.connect(self._show_again)
        self._was_in_view = False
        model.rowsAboutToBeInserted.connect(self._note_view)
        model.rowsAboutToBeMoved.connect(self._note_view)
        model.children_arrived.connect(self._look_on)
        model.children_arrived.connect(self._span_note)
        model.rowsInserted.connect(
            self._span_note
        )  # not a lambda: the model may outlive the view, and Qt disconnects methods
        self.expanded.connect(lambda _index: self._fetch_soon.start())
        self.collapsed.connect(lambda _index: self._give_way())
        self.customContextMenuRequested.connect(self._show_menu)
        self.doubleClicked.connect(self._retry_note)
        self.selectionModel().currentChanged.connect(lambda now, _before: self._current_changed(now))
        self._typed, self._typed_s = "", 0.0
        self._pressed: QPersistentModelIndex | None = None
        """While the mouse button is down: the row that was current before."""

    def choose(self, index: QModelIndex) -> None:
        """Make a row the current one and scroll to it."""
        if index == self.currentIndex():
            self.node_chosen.emit(index)  # the right side may show something else
        self.setCurrentIndex(index)
        self.scrollTo(index)

    def setCurrentIndex(self, index: QModelIndex | QPersistentModelIndex) -> None:  # noqa: N802 - Qt's name
        """Make a row the current one and the only one that is selected, whatever keys are held for a command."""
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Choose a row only when the button is released: a drag of it must not leave the present node.

        Other buttons do not choose: what the context menu of a row shows beside the present node would be that node itself.
        """
        if event.button() is not Qt.MouseButton.LeftButton:
            event.accept()
            return
        self._pressed = QPersistentModelIndex(self.currentIndex())
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        before = self._pressed
        if before is not None and before.isValid() and event.modifiers() & _SELECTING:
            # Further arrays are selected beside the one that is shown, which stays.
            row = self.tree_model.index(before.row(), 0, before.parent())
            self.selectionModel().setCurrentIndex(row, QItemSelectionModel.SelectionFlag.NoUpdate)
        self._pressed = None
        if before is not None and before != QPersistentModelIndex(self.currentIndex()):
            self.node_chosen.emit(self.currentIndex())
        super().mouseReleaseEvent(event)

    def startDrag(self, _actions: Qt.DropAction) -> None:  # noqa: N802 - Qt's name
        """Drag the row under the pressed button; the row of the present node becomes current again."""
        dragged, before = self.currentIndex(), self._pressed
        drag = QDrag(self)
        drag.setMimeData(self.tree_model.mimeData([dragged]))
        drag.setPixmap(self.viewport().grab(self.visualRect(dragged)))
        if before is not None and before.isValid():
            self.setCurrentIndex(self.tree_model.index(before.row(), 0, before.parent()))
        drag.exec(Qt.DropAction.CopyAction)
        self._pressed = None

    def keyboardSearch(self, search: str) -> None:  # noqa: N802 - Qt's name
        """Go to the name that the user types, also where it is not read yet."""
        if self._typed and search and not self._is_typing:
            self._typed = ""
        self._typed, self._typed_s = self._typed + search, time.monotonic()
        path = self.tree_model.typed(self.currentIndex(), self._typed)
        if path:
            self.name_typed.emit(path)
        else:
            super().keyboardSearch(search)

    @property
    def _is_typing(self) -> bool:
        return (
            bool(self._typed)
            and time.monotonic() - self._typed_s < QApplication.keyboardInputInterval() / 1000
        )

    def event(self, event: QEvent) -> bool:
        # Within a name, a key that is a command elsewhere is a letter.
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            is_letter = event.text().isprintable() and bool(event.text())
            held = event.modifiers() & ~(
                Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
            )
            if is_letter and not held and self._is_typing:
                event.accept()
                return True
        return super().event(event)

    def _current_changed(self, now: QModelIndex) -> None:
        if self._pressed is None:
            self.node_chosen.emit(now)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            index = self.currentIndex()
            item = self.tree_model.item(index)
            if item is not None and (item.is_note or item.fetching is Fetching.FAILED):
                self.tree_model.retry(index)
            else:
                self.setExpanded(index, not self.isExpanded(index))
            return
        if event.key() in (Qt.Key.Key_F2, Qt.Key.Key_Delete) and not event.modifiers():
            asked = self.path_asked if event.key() == Qt.Key.Key_F2 else self.erase_asked
            asked.emit(self.currentIndex())
            return
        super().keyPressEvent(event)

    def _note_view(self) -> None:
        """Before rows arrive, perhaps above the current one, and in several parts: note whether that is in view."""
        if not self._keep_in_view.isActive():
            shown = self.visualRect(self.currentIndex())
            self._was_in_view = self.viewport().rect().contains(shown.center()) and not shown.isEmpty()
            self._keep_in_view.start()

    def _show_again(self) -> None:
        if self._was_in_view:
            self.scrollTo(self.currentIndex())

    def _scrolled(self) -> None:
        self._fetch_soon.start()
        self._widen.start()

    def _section_resized(self, column: int, _before: int, _now: int) -> None:
        # Keep a width that the user chose by dragging.
        is_dragged = self.header().underMouse() and QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
        self._widened = self._widened or (column > 0 and is_dragged)

    def _span_note(self, parent: QModelIndex) -> None:
        """Let notes span all columns."""
        for row in range(max(0, self.tree_model.rowCount(parent) - 2), self.tree_model.rowCount(parent)):
            item = self.tree_model.item(self.tree_model.index(row, 0, parent))
            spans = item is not None and item.is_note
            if spans != self.isFirstColumnSpanned(row, parent):  # setting it again would lay out all rows
                self.setFirstColumnSpanned(row, parent, spans)
        if not self._widen.isActive():
            self._widen.start()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Hide columns that leave no room for the names."""
        super().resizeEvent(event)
        self._give_way()

    def _make_room(self) -> None:
        """Widen columns for new texts, and hide them for rows further to the right."""
        if self._indentation_in_view() > self._indented:
            self._give_way()
        for number in self._widths:
            most = COLUMNS[number].width_most
            if self._widened or not most or self.isColumnHidden(number):
                continue
            wanted = min(self.sizeHintForColumn(number) + 4, most)
            if wanted > self.columnWidth(number):
                self.setColumnWidth(number, wanted)
                self._give_way()

    def _give_way(self) -> None:
        if self._widened:
            return  # the user has chosen the widths
        for column in self._widths:
            if not self.isColumnHidden(column):
                self._widths[column] = self.columnWidth(column)
        self._indented = self._indentation_in_view()
        room = self.viewport().width() - _LEAST_NAME_WIDTH - self._indented
        for number in sorted(self._widths, key=lambda number: COLUMNS[number].rank):
            room -= self._widths[number]
            self.setColumnHidden(number, room < 0)

    def _indentation_in_view(self) -> int:
        rows, index = [0], self.indexAt(QPoint(2, 2))
        while index.isValid() and self.visualRect(index).top() <= self.viewport().height():
            rows.append(self.visualRect(index).left() - 2 * self.indentation())
            index = self.indexBelow(index)
        return max(rows)

    def _look_on(self, index: QModelIndex) -> None:
        # A slow store gives a page in parts. Beyond a page, only scrolling asks for more: a range is a single row, so that
        # the end of a large group would stay in view, and all of its nodes would be fetched.
        item = self.tree_model.item(index)
        if item is not None and len(item.names) % PAGE_SIZE:
            self._fetch_soon.start()

    def _fetch_visible(self) -> None:
        """Fetch the next page of each group whose last row is in view."""
        index = self.indexAt(QPoint(2, 2))
        bottom = self.viewport().height()
        while index.isValid() and self.visualRect(index).top() <= bottom:
            item = self.tree_model.item(index)
            if item is not None and item.is_note:
                self.tree_model.fetch_on(index.parent())
            index = self.indexBelow(index)

    def _retry_note(self, index: QModelIndex) -> None:
        item = self.tree_model.item(index)
        if item is not None and (item.is_note or item.fetching is Fetching.FAILED):
            self.tree_model.retry(index)

    def _show_menu(self, at: QPoint) -> None:
        index = self.indexAt(at)
        item = self.tree_model.item(index)
        if not index.isValid() or item is None:
            return
        menu = self.menu_for(index, item)
        if not menu.isEmpty():
            menu.popup(self.viewport().mapToGlobal(at))

    def menu_for(self, index: QModelIndex, item: TreeItem) -> QMenu:
        """Show the context menu of a row."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        model, place = self.tree_model, QPersistentModelIndex(index)  # rows may move while the menu is open
        broken = item.node is not None and is_broken(item.node)
        failed = (
            broken
            or item.fetching is Fetching.FAILED
            or (item.parent and item.parent.fetching is Fetching.FAILED)
        )
        if failed:
            menu.addAction("Retry", lambda: model.retry(place))
        self._add_plot(menu, item)
        if item.node is not None and has_picture(item.node):
            menu.addAction(
                "Show beside", lambda: self.beside_asked.emit(model.index(place.row(), 0, place.parent()))
            )
        if item.node is not None:
            path = item.node.path
            menu.addAction("Copy path", lambda: QGuiApplication.clipboard().setText(path))
        if item.source is not None and item.node is not None:
            uri = item.source.hierarchy.url + ("" if item.node.path == "/" else f"#{item.node.path}")
            menu.addAction("Copy address", lambda: QGuiApplication.clipboard().setText(uri))
            menu.addAction(
                "Check…", lambda: self.check_asked.emit(model.index(place.row(), 0, place.parent()))
            )
        self._add_changes(menu, place, item)
        if item.request is not None:
            menu.addSeparator()
            menu.addAction("Reload", lambda: self.reload_asked.emit(model.index(place.row(), 0)))
            menu.addAction("Close", lambda: model.close(place))
        return menu

    def _add_plot(self, menu: QMenu, item: TreeItem) -> None:
        """Add what draws the selected arrays in one plot, or how to select some."""
        above = None if item.parent is None else item.parent.node
        if item.node is None or above is None or "Table" not in tabs_for(above):
            return
        if "Plot" not in tabs_for(item.node):
            return
        chosen = [self.tree_model.item(index) for index in self.selectionModel().selectedRows()]
        chosen = chosen if item in chosen else [item]
        source, nodes = item.source, [one.node for one in chosen if one is not None and one.node is not None]
        is_one_source = all(one is not None and one.source is source for one in chosen)
        if is_one_source and len(nodes) == len(chosen) and may_be_plotted_together(nodes):
            menu.addAction(f"Plot together ({len(nodes)})", lambda: self.plot_asked.emit(source, nodes))
            return
        why = "choose more with Ctrl" if len(chosen) == 1 else "only arrays of one group and one length"
        menu.addAction(f"Plot together: {why}").setEnabled(False)

    def _add_changes(self, menu: QMenu, place: QPersistentModelIndex, item: TreeItem) -> None:
        """Add what changes the row's node, if its source may be changed."""
        source, node = item.source, item.node
        if source is None or node is None:
            return

        def ask(asked: SignalInstance) -> None:
            asked.emit(self.tree_model.index(place.row(), 0, place.parent()))

        menu.addSeparator()
        if source.may_change:
            menu.addAction("New group…", lambda: ask(self.group_asked))
        if source.may_change and item.request is None:
            menu.addAction("Rename or move…", lambda: ask(self.path_asked))
            menu.addAction("Delete…", lambda: ask(self.erase_asked))
        if item.request is not None:
            title = "Stop changes" if source.may_change else "Allow changes"
            menu.addAction(title, lambda: ask(self.changes_asked))
