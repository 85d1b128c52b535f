"""The left side: the search box, and below it the tree or the search results."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from PySide6.QtCore import QEvent, QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QIcon, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from zarrbrowser.models.hit_model import HitModel
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.inventory import Findings
from zarrbrowser.session.search import Search
from zarrbrowser.session.sources import Source
from zarrbrowser.theme import current_colours, icon
from zarrbrowser.widgets.accessible_names import add_clear_button, name_buttons
from zarrbrowser.widgets.buttons import tool_button
from zarrbrowser.widgets.label import ElidedLabel
from zarrbrowser.window.side.search_results import SearchResults
from zarrbrowser.window.side.tree_view import TreeView
from zarrbrowser.workers import Request, Workers
from zarrbrowser.workers.workers import Stopped

_TYPING_MS = 150
_CLEAR_KEYS = (Qt.Key.Key_Escape,)


class FilterBox(QLineEdit):
    """A search box that Esc clears, and from which Down goes to the results.

    Signals:
        left_downwards: the user wants to go to the rows.
    """

    left_downwards = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText("Search names and paths  (Ctrl+F)")
        self.setAccessibleName("search names and paths")
        add_clear_button(self)
        self._glass = self.addAction(QIcon(), QLineEdit.ActionPosition.LeadingPosition)
        name_buttons(self, "search")
        self.update_colours()

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        muted = current_colours().muted
        self._glass.setIcon(icon("search", muted))
        for action in self.findChildren(QAction, "_q_qlineeditclearaction"):
            action.setIcon(icon("close", muted))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        # The style draws icons lower than the text, by the padding of the stylesheet.
        for button in self.findChildren(QToolButton):
            button.move(button.x(), (self.height() - button.height()) // 2)

    def event(self, event: QEvent) -> bool:
        # Elsewhere Esc stops reading; here it clears the box, if it has text.
        overrides = event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if overrides and cast("QKeyEvent", event).key() in _CLEAR_KEYS and self.text():
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() in _CLEAR_KEYS and self.text():
            self.clear()
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.left_downwards.emit()
        else:
            super().keyPressEvent(event)


class SidePane(QWidget):
    """The tree, or the results of a search over all sources.

    Signals:
        hit_chosen: a source and the path of a node in it.
    """

    hit_chosen = Signal(object, str)

    def __init__(
        self,
        tree: TreeView,
        sources: Callable[[], list[Source]],
        workers: Workers,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.tree, self._sources, self._workers = tree, sources, workers
        self.search = Search()
        self._searched: list[Source] = []
        self._running: list[Request] = []
        self._problem, self._stopped = "", False
        self.box = FilterBox()
        self.hits = HitModel(self)
        self.results = SearchResults(self.hits)
        self._stack = QStackedWidget()
        self.foot = QFrame()
        self._build()
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._typing.timeout.connect(self.start)
        self.box.textChanged.connect(self._text_changed)
        self.box.left_downwards.connect(self._go_down)
        self.results.chosen.connect(self._hit_chosen)

    @property
    def shows_hits(self) -> bool:
        """Whether search results are shown instead of the tree."""
        return self._stack.currentWidget() is self.results

    def start(self) -> None:
        """Search all sources for the text in the box."""
        self._typing.stop()
        self._cancel()
        self.hits.clear()
        query = self.box.text().strip()
        self._stack.setCurrentWidget(self.results if query else self.tree)
        self.foot.setVisible(bool(query))
        if not query:
            return
        self._searched = [*self._sources()]
        self.search.keep_only(self._searched)
        self._problem, self._stopped = "", False
        for source in self._searched:
            self._search_source(source, query)
        self._show_summary()

    def sources_changed(self) -> None:
        """Search again after a source was opened, closed or reloaded."""
        if [*map(id, self._sources())] == [*map(id, self._searched)]:
            return  # rows were inserted or removed within a source
        self.search.keep_only(self._sources())
        if self.shows_hits:
            self.start()

    def forget(self, source: Source) -> None:
        """Search a source anew whose nodes have changed."""
        self.search.forget(source)
        if self.shows_hits:
            self.start()

    def stop(self) -> None:
        """Stop the search."""
        self._stopped = self._stopped or bool(self._running)
        self._cancel()
        self._show_summary()

    def focus_box(self) -> None:
        """Focus the search box."""
        self.box.setFocus()
        self.box.selectAll()

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        self.box.update_colours()
        for rows in (self.tree, self.results):
            rows.viewport().update()

    def _build(self) -> None:
        self.foot.setProperty("role", "foot")
        self.line = ElidedLabel("muted")
        self.stop_button = tool_button("close", "Stop searching", self.stop)
        self.again_button = tool_button("retry", "Search again", self.start)
        row = QHBoxLayout(self.foot)
        row.setContentsMargins(12, 4, 6, 4)
        row.setSpacing(4)
        for widget in (self.line, self.stop_button, self.again_button):
            row.addWidget(widget)
        self.foot.hide()
        self._stack.addWidget(self.tree)
        self._stack.addWidget(self.results)
        above = QHBoxLayout()
        above.setContentsMargins(8, 8, 8, 6)
        above.addWidget(self.box)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(above)
        column.addWidget(self._stack, 1)
        column.addWidget(self.foot)

    def _search_source(self, source: Source, query: str) -> None:
        inventory = self.search.inventory(source)

        def work(asked: Request) -> Findings:
            return inventory.search(query, asked.is_cancelled, asked.report_part)

        request = self._workers.submit(
            work,
            lambda findings: self._ended(request, source, findings),
            lambda error: self._failed(request, error),
            f"Searching {source.title}",
            lambda findings: self._heard(source, findings),
        )
        self._running.append(request)

    def _heard(self, source: Source, findings: Findings) -> None:
        self.search.latest[id(source)] = findings
        self.hits.add(source, findings.hits)
        if self.results.hasFocus() and not self.results.currentIndex().isValid():
            self.results.choose_first()  # the user pressed Down before there were results
        self._show_summary()

    def _ended(self, request: Request, source: Source, findings: Findings) -> None:
        self._running.remove(request)
        self._heard(source, findings)

    def _failed(self, request: Request, error: Exception) -> None:
        self._running.remove(request)
        if isinstance(error, Stopped):
            self._stopped = True
        else:
            self._problem = sentence(error)
        self._show_summary()

    def _cancel(self) -> None:
        for request in self._running:
            self._workers.cancel(request)
        self._running.clear()

    def _show_summary(self) -> None:
        running = bool(self._running)
        text = self.search.summary(
            self.hits.found, self.hits.rowCount(), running=running, stopped=self._stopped
        )
        self.line.set_text(f"{self._problem}  ·  {text}" if self._problem else text)
        self.stop_button.setVisible(running)
        self.again_button.setVisible(not running and (self._stopped or bool(self._problem)))

    def _text_changed(self, text: str) -> None:
        if text.strip():
            self._typing.start()
        else:
            self.start()
            self.tree.scrollTo(self.tree.currentIndex())

    def _go_down(self) -> None:
        if self._typing.isActive():
            self.start()
        if self.shows_hits:
            self.results.setFocus()
            self.results.choose_first()
        else:
            self.tree.setFocus()

    def _hit_chosen(self, index: QModelIndex) -> None:
        hit = self.hits.hit(index)
        if hit is not None:
            self.hit_chosen.emit(hit[0], hit[1].path)
