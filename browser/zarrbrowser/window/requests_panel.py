"""The panel of requests below the window: what the stores were asked in the last minute, also before it was shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from itertools import groupby
from operator import itemgetter

from PySide6.QtCore import QRegularExpression, QSortFilterProxyModel, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QHideEvent, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDockWidget,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QTreeView,
    QWidget,
)

from zarrbrowser.models.request_model import ADDRESS_ROLE, KEY, SORT_ROLE, RequestModel
from zarrbrowser.session.sources import Source
from zarrbrowser.widgets.accessible_names import name_box
from zarrbrowser.widgets.buttons import recolour, tool_button
from zarrbrowser.widgets.label import label

_TICK_MS = 250
_WIDTHS = (70, 110, 64, 0, 80, 70, 110, 60)
_ALL = "All sources"


class RequestsPanel(QDockWidget):
    """Shows the requests of all sources, or of one.

    Args:
        sources: returns the open sources.
    """

    def __init__(self, sources: Callable[[], list[Source]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Requests")
        self.setObjectName("requests")
        self.setFeatures(QDockWidget.DockWidgetFeature.DockWidgetClosable)
        self._sources = sources
        self.model = RequestModel(self)
        self.chosen = QSortFilterProxyModel(self)
        self.chosen.setSourceModel(self.model)
        self.chosen.setSortRole(SORT_ROLE)
        self.chosen.setFilterRole(ADDRESS_ROLE)
        self.list = _RequestList(self.copy)
        self.list.setModel(self.chosen)
        self.list.show_columns()
        self.source = QComboBox()
        name_box(self.source, "source of the requests")
        self.source.addItem(_ALL, "")
        self.summary = label(role="muted")
        self.copy_button = tool_button("copy", "Copy the addresses of the selected requests", self.copy)
        self.close_button = tool_button("close", "Hide requests", self.hide)
        bar = QFrame()
        row = QHBoxLayout(bar)
        row.setContentsMargins(12, 4, 6, 4)
        row.addWidget(label("Requests of the last minute", "heading"))
        row.addWidget(self.summary, 1)
        for widget in (self.source, self.copy_button, self.close_button):
            row.addWidget(widget)
        self.setTitleBarWidget(bar)
        self.setWidget(self.list)
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self.look)
        self.source.currentIndexChanged.connect(self._source_chosen)
        self.chosen.rowsInserted.connect(self._follow)

    def look(self) -> None:
        """Show the requests since the last look."""
        sources = self._sources()
        taken = [(source, record) for source in sources for record in source.take_requests()]
        taken.sort(key=lambda one: one[1].ended_s)
        for source, run in groupby(taken, itemgetter(0)):
            self.model.add(source, [record for _source, record in run])
        self.model.forget_old(time.time())
        self._offer(sources)
        self.summary.setText(self.model.summary(self.source.currentData() or ""))

    def copy(self) -> None:
        """Copy the addresses of the selected requests."""
        rows = [self.chosen.mapToSource(index).row() for index in self.list.selectionModel().selectedRows()]
        if rows:
            QGuiApplication.clipboard().setText("\n".join(self.model.url(row) for row in sorted(rows)))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Show the requests of the last minute, and those to come."""
        super().showEvent(event)
        recolour(self)
        self.look()
        self._tick.start()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        """Look no more; a window that is minimised goes on."""
        super().hideEvent(event)
        if not event.spontaneous():
            self._tick.stop()

    def _offer(self, sources: Collection[Source]) -> None:
        """Offer the open sources."""
        wanted = [_ALL, *(source.title for source in sources)]
        if wanted == [self.source.itemText(number) for number in range(self.source.count())]:
            return
        before = self.source.currentData()
        self.source.blockSignals(True)
        self.source.clear()
        self.source.addItem(_ALL, "")
        for source in sources:
            self.source.addItem(source.title, source.shown_address)
        self.source.setCurrentIndex(max(self.source.findData(before), 0))
        self.source.blockSignals(False)
        self._source_chosen()

    def _source_chosen(self) -> None:
        address = self.source.currentData() or ""
        pattern = QRegularExpression.anchoredPattern(QRegularExpression.escape(address))
        self.chosen.setFilterRegularExpression(pattern if address else "")
        self.summary.setText(self.model.summary(address))

    def _follow(self) -> None:
        """Keep the latest requests in view, unless the user has scrolled away from them."""
        bar = self.list.verticalScrollBar()
        if bar.value() == bar.maximum():
            QTimer.singleShot(0, self.list.scrollToBottom)


class _RequestList(QTreeView):
    def __init__(self, copy: Callable[[], object]) -> None:
        super().__init__()
        self._copy = copy
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setAccessibleName("requests")

    def show_columns(self) -> None:
        """Sort as the user asks, and give the keys the room that the other columns leave."""
        self.setSortingEnabled(True)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(KEY, QHeaderView.ResizeMode.Stretch)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for number, width in enumerate(_WIDTHS):
            if width:
                self.setColumnWidth(number, width)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
        else:
            super().keyPressEvent(event)
