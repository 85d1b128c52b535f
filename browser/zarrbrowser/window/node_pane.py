"""The right side of the window: a node's name and its tabs."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from zarrbrowser.nodes.protocols import NodeLike, is_array
from zarrbrowser.panes.data_stack import ANNOUNCED_AFTER_MS
from zarrbrowser.panes.pane import Pane
from zarrbrowser.panes.pane_set import PaneSet
from zarrbrowser.panes.registry import inferred_tabs, is_drawn, may_have_more_tabs, tabs_for
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.widgets.label import label
from zarrbrowser.widgets.notice import Notice, SentencePane
from zarrbrowser.window.node_header import NodeHeader
from zarrbrowser.window.node_tabs import NodeTabs
from zarrbrowser.window.picture_loader import PictureLoader
from zarrbrowser.workers import Lane, Workers

if TYPE_CHECKING:  # imported late, for a fast start
    from zarrbrowser.export.viewed_array import ViewedArray

_LOW = 640
"""The height in pixels below which the header is one line."""
_log = logging.getLogger(__name__)


class NodePane(QWidget):
    """Shows the current node: its name above its tabs, and the pane of the current tab.

    Panes are created when they are first needed: those with pictures load pyqtgraph, which must not delay the window.

    Attributes:
        panes: all panes; it repeats what they emit.
        warning: why what is shown of an array may be incomplete; hidden without a reason.
        pictures: loads what panes with pictures need.

    Signals:
        leaving: the node is about to be left; the pane still shows it.
    """

    leaving = Signal()

    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._look_closer = Lane(workers, in_flight=1)
        self.panes = PaneSet(session, workers, self)
        self.panes.shown.connect(lambda: self._restore_soon(*self._awaited))
        self.pictures = PictureLoader(self.panes, workers)
        self.pictures.loaded.connect(self._pictures_loaded)
        self._awaited: tuple[str, Mapping[str, Any]] = ("", {})
        """A tab and a view of it, to be restored once it has opened the node."""
        self._stale: set[str] = set()
        self._steps = 0
        self._drawn: NodeLike | None = None
        """What the tabs with pictures show: the node, or the signal that it names."""
        self.header, self.tabs, self._stack = NodeHeader(), NodeTabs(session), QStackedWidget()
        self.panes.made.connect(lambda pane, _title: self._stack.addWidget(pane))
        self._stack.setProperty("role", "surface")
        self._stack.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._blank = Pane(session, workers)  # empty; it stands where a node has no pane
        self._stack.addWidget(self._blank)
        self.sentence = SentencePane(self._fill_current)
        self._stack.addWidget(self.sentence)
        self._announcing = QTimer(self, singleShot=True, interval=ANNOUNCED_AFTER_MS)
        self._announcing.timeout.connect(self._announce_loading)
        self.header.crumbs.chosen.connect(self.panes.path_chosen)
        self.notice = Notice("Close", lambda: None)
        self.warning = label(role="problem", wrap=True)
        self.warning.setContentsMargins(16, 0, 16, 6)
        self.warning.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.warning)
        around = QHBoxLayout()
        around.setContentsMargins(16, 0, 12, 0)
        around.addWidget(self.notice)
        column.addLayout(around)
        column.addWidget(self.tabs)
        column.addWidget(self._stack, 1)
        self.tabs.currentChanged.connect(lambda _position: self._tab_changed())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Let the header give way before the data do."""
        super().resizeEvent(event)
        self.header.shrink(is_small=event.size().height() < _LOW)

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Show a node, in the tab that the user chose last if it has that one."""
        focus = self.window().focusWidget()
        had_focus = focus is not None and self.isAncestorOf(focus)
        titles = tabs_for(node)
        self._quiet(self.panes.get(self.tabs.first_of(titles)))
        self._paint_later()
        self._session.select(source, node)
        self._stale, self._steps, self._drawn = set(titles), 0, node
        self.header.show_node(source, node)
        # The Overview of a group has its own.
        warnings = source.warnings_of(node) if is_array(node) else []
        self.warning.setText("\n".join(f"Warning: {text}" for text in warnings))
        self.warning.setVisible(bool(warnings))
        self._show_tabs(titles)
        focus = self.window().focusWidget()
        if had_focus and not (focus is not None and self.isAncestorOf(focus)):
            self._focus_data()  # a control of the former node had it; Qt has taken the next one, which opens a source
        if may_have_more_tabs(node):
            self._look_closer.ask(
                lambda _asked: inferred_tabs(node, source.hierarchy.node),
                lambda found: self._add_tabs(node, *found) if found[0] else None,
                lambda error: _log.debug("cannot look into %s: %s", node.path, error),
            )

    def show_again(self, source: Source, node: NodeLike) -> None:
        """Show the current node as it is now, in the same tab and view."""
        tab, state, liked = self.current_tab(), self.view_state(), self._session.tab
        if "is_unpacked" in state:  # there may have been nothing to unpack before
            state["is_unpacked"] = self._session.is_unpacked(source, node.path)
        self.panes.forget_tiles()
        self._session.tab = tab
        self.show_node(source, node)
        self._session.tab = liked
        self._restore_soon(tab, state)

    def reread(self) -> None:
        """Read the elements of the current node again, because some have changed."""
        tab, state = self.current_tab(), self.view_state()
        for pane in self.panes:
            pane.forget_elements()
        self._stale |= set(self.tabs.names)
        self._fill_current()
        self._restore_soon(tab, state)

    def _restore_soon(self, tab: str, state: Mapping[str, Any]) -> None:
        """Restore a view of the current node, at the latest when its pane has opened it."""
        self._awaited = ("", {})
        if state and self.current_tab() == tab and not self.restore_view(state):
            self._awaited = tab, state

    def _add_tabs(self, node: NodeLike, titles: tuple[str, ...], drawn: NodeLike) -> None:
        """Show as an image or plot what is one according to the arrays in the group."""
        self._stale |= set(titles)
        self._drawn = drawn
        self._show_tabs((*titles, *tabs_for(node)))

    def _show_tabs(self, names: tuple[str, ...]) -> None:
        self.tabs.show_names(names)
        self._fill_current()

    def leave(self) -> None:
        """Show no node, and cancel requests."""
        self._quiet()
        self._drawn = None  # it keeps its source open
        self._session.leave()

    def pane(self, title: str) -> Pane:
        """The pane of a tab; created on the first call."""
        return self.panes[title]

    def current_tab(self) -> str:
        """The name of the current tab."""
        return self.tabs.current

    def show_tab(self, name: str) -> bool:
        """Select a tab; False if the node does not have it."""
        names = self.tabs.names
        if name in names:
            self.tabs.setCurrentIndex(names.index(name))
        return name in names

    @property
    def current_pane(self) -> Pane:
        """The current pane; before it is created, one that shows nothing."""
        return self.panes.get(self.current_tab()) or self._blank

    def viewed(self) -> ViewedArray | None:
        """The displayed array and its visible part; None if the node is not an array."""
        from zarrbrowser.export.viewed_array import ViewedArray  # late: for a fast start

        node = self._session.node
        return self.current_pane.viewed() or (
            ViewedArray.whole(node) if node is not None and is_array(node) else None
        )

    def view_state(self) -> dict[str, Any]:
        """The view settings of the current pane."""
        return self.current_pane.view_state()

    def restore_view(self, document: Mapping[str, Any]) -> bool:
        """Restore the settings from `view_state`; False while the pane does not exist yet."""
        if not self.view_state():
            return False
        self.current_pane.restore(document)
        return True

    def swap_focus(self, tree: QWidget) -> None:
        """Move the focus from the picture, plot or table to the tree, and from anywhere else to the data."""
        pane = self._stack.currentWidget() or self._blank
        if pane.isAncestorOf(self.window().focusWidget() or self) or not pane.isVisible():
            tree.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            self._focus_data()

    def _focus_data(self) -> None:
        """Move the focus to the picture, plot, table or other data."""
        pane = self._stack.currentWidget() or self._blank
        target = pane.focus_target() if isinstance(pane, Pane) else pane
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def step(self, by: int) -> None:
        """Show the next or previous plane; steps are counted while the drawing modules are being loaded."""
        if is_drawn(self.current_tab()) and not self.pictures.is_loaded:
            self._steps += by
        else:
            self.current_pane.step(by)

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        for pane in self.panes:
            pane.update_colours()
        node = self._session.node
        if node is not None:
            self.header.draw_icon(node)
            # A pane that is not filled yet stays so: it would show the previous node.
            self._stale |= {title for title in tabs_for(node) if self._is_filled_for_colours(title)}
            self._fill_current()

    def _is_filled_for_colours(self, title: str) -> bool:
        pane = self.panes.get(title)
        return pane is not None and pane.is_filled_for_colours

    def _pictures_loaded(self) -> None:
        if is_drawn(self.current_tab()):
            self._fill_current()
            steps, self._steps = self._steps, 0
            self.step(steps)

    def _tab_changed(self) -> None:
        for text_of_other_tab in (self.panes.pointed, self.panes.reported):
            text_of_other_tab.emit("")
        self._fill_current()

    def _fill_current(self) -> None:
        name, source, node = self.current_tab(), self._session.source, self._session.node
        if not name or source is None or node is None:
            return
        if is_drawn(name) and not self.pictures.is_loaded:
            self._stack.setCurrentWidget(self._blank)
            self._announcing.start()
            self.pictures.load()
            return
        pane = self.pane(name)
        self._stack.setCurrentWidget(pane)
        if name in self._stale or pane.is_filled_when_shown:
            self._stale.discard(name)
            try:
                pane.show_node(source, self._drawn if is_drawn(name) and self._drawn is not None else node)
            except Exception as error:  # noqa: BLE001 - otherwise the pane would show the previous node
                _log.debug("the %s of %s failed", name, node.path, exc_info=error)
                self._stale.add(name)
                pane.clear()
                self.sentence.say(sentence(error), retry=True)
                self._stack.setCurrentWidget(self.sentence)
                self.panes.shown.emit()

    def _announce_loading(self) -> None:
        if self._stack.currentWidget() is self._blank and is_drawn(self.current_tab()):
            self.sentence.say("Loading…", drawing="loading")
            self._stack.setCurrentWidget(self.sentence)

    def _paint_later(self) -> None:
        """Paint the data in a turn of its own: Qt would do it in the turn that fills it, and the window would answer late."""
        self._stack.setUpdatesEnabled(False)
        QTimer.singleShot(0, self._stack, lambda: self._stack.setUpdatesEnabled(True))

    def _quiet(self, next_pane: Pane | None = None) -> None:
        """Cancel all requests for the last node, except those that the next pane cancels itself."""
        if self._session.node is not None:
            self.leaving.emit()
        self.panes.pointed.emit("")
        self._look_closer.forget()
        self._awaited = ("", {})
        for pane in self.panes:
            if pane is not next_pane or not pane.replaces_what_it_shows:
                pane.clear()
