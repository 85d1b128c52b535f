"""The right side of the window: a node's name and its tabs."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QStackedWidget,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from zarrbrowser.image.multiscales import may_be_image
from zarrbrowser.models.tree_columns import node_icon_name
from zarrbrowser.nodes.describe import summary
from zarrbrowser.nodes.protocols import NodeLike, is_array, is_broken
from zarrbrowser.panes.pane import Pane
from zarrbrowser.panes.pane_set import PaneSet, load_pictures
from zarrbrowser.panes.registry import inferred_tabs, is_drawn, tabs_for
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source, load_stores
from zarrbrowser.session.state import Session
from zarrbrowser.theme import current_colours, icon
from zarrbrowser.widgets.breadcrumbs import Breadcrumbs
from zarrbrowser.widgets.buttons import tool_button
from zarrbrowser.widgets.change_chip import ChangeChip
from zarrbrowser.widgets.label import ElidedLabel, label
from zarrbrowser.widgets.notice import Notice, SentencePane
from zarrbrowser.workers import Lane, Workers
from zarrbrowser.workers.qt_types import make_qt_types
from zarrbrowser.workers.workers import Stopped

if TYPE_CHECKING:  # imported late, for a fast start
    from zarrbrowser.export.figures.figure import FigureSource
    from zarrbrowser.export.viewed_array import ViewedArray

_log = logging.getLogger(__name__)


class NodePane(QWidget):
    """Shows the current node.

    Panes are created when they are first needed: those with pictures load pyqtgraph, which must not delay the window.

    Signals:
        pointed: the value under the pointer, as text.
        reported: what was read, for the status bar.
        shown: a pane has its data on the screen.
        failed: the sentence that says why nothing can be drawn.
        retried: the user wants the node read again.
        path_chosen: the path of another node that the user wants to go to.
        view_changed: the present `view_state`.
        change_asked: a `Change` that the user wants.
        fill_asked: a `Target`, the elements for which the user wants to type a value.
        source_asked: the `SourceRequest` of a source that a pane needs and that is not open.
        allow_asked: a folder or URL that data name, and that the user allows.
        leaving: the node is about to be left; the pane still shows it.
        loaded: all is imported and made that was left out for a fast start.
    """

    pointed = Signal(str)
    reported = Signal(str)
    shown = Signal()
    failed = Signal(str)
    retried = Signal()
    path_chosen = Signal(str)
    view_changed = Signal(object)
    change_asked = Signal(object)
    fill_asked = Signal(object)
    source_asked = Signal(object)
    allow_asked = Signal(str)
    leaving = Signal()
    loaded = Signal()

    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._workers = workers
        self._look_closer = Lane(workers, in_flight=1)
        self.panes = PaneSet(session, workers, self)
        for name in (
            "pointed",
            "reported",
            "shown",
            "retried",
            "view_changed",
            "path_chosen",
            "change_asked",
            "fill_asked",
            "source_asked",
            "allow_asked",
        ):
            getattr(self.panes, name).connect(getattr(self, name))
        self.shown.connect(lambda: self._restore_soon(*self._awaited))
        self._awaited: tuple[str, Mapping[str, Any]] = ("", {})
        """A tab and a view of it, to be restored once it has opened the node."""
        self._stale: set[str] = set()
        self._pictures_loaded = False
        self._steps = 0
        self.tabs = QTabBar()
        self.tabs.setExpanding(False)
        self.tabs.setDrawBase(False)
        self.tabs.setAccessibleName("views of the node")
        self._stack = QStackedWidget()
        self.panes.made.connect(lambda pane, _title: self._stack.addWidget(pane))
        self._stack.setProperty("role", "surface")
        self._stack.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._blank = QWidget()
        self._stack.addWidget(self._blank)
        self.sentence = SentencePane(self._fill_current)
        self._stack.addWidget(self.sentence)
        self._picture, self._name, self.summary = QLabel(), ElidedLabel("title"), ElidedLabel("muted")
        self.summary.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.crumbs = Breadcrumbs()
        self.crumbs.chosen.connect(self.path_chosen)
        self.format_chip = label(role="chip")
        self.format_chip.setFixedHeight(24)
        self.change_chip = ChangeChip()
        self.notice = Notice("Close", lambda: None)
        self.export_button = tool_button("export", "Export the displayed data (Ctrl+E)")
        self.copy_button = tool_button("code", "Copy as code, as a command or as a path")
        self.copy_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._header())
        around = QHBoxLayout()
        around.setContentsMargins(16, 0, 12, 0)
        around.addWidget(self.notice)
        column.addLayout(around)
        column.addWidget(self.tabs)
        column.addWidget(self._stack, 1)
        self.tabs.currentChanged.connect(lambda _position: self._tab_changed())
        self.tabs.tabBarClicked.connect(self._tab_clicked)

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Show a node, in the tab that the user chose last if it has that one."""
        focus = self.window().focusWidget()
        had_focus = focus is not None and self.isAncestorOf(focus)
        titles = tabs_for(node)
        self._quiet(self.panes.get(self._first_of(titles)))
        self._paint_later()
        self._session.select(source, node)
        self._stale, self._steps = set(titles), 0
        self._name.set_text(node.name or source.title)
        self.crumbs.show_path(source.title, node.path)
        self.summary.set_text(summary(node))
        self.format_chip.setText(str(source.format_of(node).title))
        self.change_chip.setVisible(source.may_change)
        self._draw_icon()
        self._show_tabs(titles)
        focus = self.window().focusWidget()
        if had_focus and not (focus is not None and self.isAncestorOf(focus)):
            self._focus_data()  # a control of the former node had it; Qt has taken the next one, which opens a source
        if may_be_image(node):
            self._look_closer.ask(
                lambda _asked: inferred_tabs(node, source.hierarchy.node),
                lambda titles: self._add_tabs(node, titles) if titles else None,
                lambda error: _log.debug("cannot look into %s: %s", node.path, error),
            )

    def show_again(self, source: Source, node: NodeLike) -> None:
        """Show the current node as it is now, in the same tab and view."""
        tab, state, liked = self.current_tab(), self.view_state(), self._session.tab
        if "is_unpacked" in state:  # there may have been nothing to unpack before
            state["is_unpacked"] = self._session.is_unpacked(source, node.path)
        self.forget_tiles()
        self._session.tab = tab
        self.show_node(source, node)
        self._session.tab = liked
        self._restore_soon(tab, state)

    def reread(self) -> None:
        """Read the elements of the current node again, because some have changed."""
        tab, state = self.current_tab(), self.view_state()
        for pane in self.panes:
            pane.forget_elements()
        self._stale |= {self.tabs.tabText(position) for position in range(self.tabs.count())}
        self._fill_current()
        self._restore_soon(tab, state)

    def _restore_soon(self, tab: str, state: Mapping[str, Any]) -> None:
        """Restore a view of the current node, at the latest when its pane has opened it."""
        self._awaited = ("", {})
        if state and self.current_tab() == tab and not self.restore_view(state):
            self._awaited = tab, state

    def reread_beside(self, sources: Collection[Source]) -> None:
        """Read what is shown beside the current node again if it is of one of these sources, which have changed."""
        for pane in self.panes:
            if pane.beside is not None:
                pane.beside.read_again(sources)

    def ask_to_fill(self) -> None:
        """Ask for a value for the elements that are selected in the current pane."""
        if self.current_pane is not None:
            self.current_pane.ask_to_fill()

    def _add_tabs(self, node: NodeLike, titles: tuple[str, ...]) -> None:
        """Show as an image what only the arrays in the group tell to be one."""
        self._stale |= set(titles)
        self._show_tabs((*titles, *tabs_for(node)))

    def leave(self) -> None:
        """Show no node, and cancel requests."""
        self._quiet()
        self._session.leave()

    def pane(self, title: str) -> Pane:
        """The pane of a tab; created on the first call."""
        return self.panes[title]

    def load_pictures(self) -> None:
        """Import the drawing modules in a thread: it takes a quarter of a second, and must not block the window."""
        make_qt_types(self, self._import_pictures)

    def _import_pictures(self) -> None:
        self._workers.submit(
            lambda _request: load_pictures(),
            lambda _nothing: self._pictures_have_come(),
            self._pictures_failed,
        )

    def current_tab(self) -> str:
        """The name of the current tab."""
        return self.tabs.tabText(self.tabs.currentIndex())

    def show_tab(self, name: str) -> bool:
        """Select a tab; False if the node does not have it."""
        names = [self.tabs.tabText(position) for position in range(self.tabs.count())]
        if name in names:
            self.tabs.setCurrentIndex(names.index(name))
        return name in names

    @property
    def current_pane(self) -> Pane | None:
        """The current pane; None before it is created."""
        return self.panes.get(self.current_tab())

    def viewed(self) -> ViewedArray | None:
        """The displayed array and its visible part; None if the node is not an array."""
        from zarrbrowser.export.viewed_array import ViewedArray  # late: for a fast start

        pane, node = self.current_pane, self._session.node
        found = pane.viewed() if pane is not None else None
        return found or (ViewedArray.whole(node) if node is not None and is_array(node) else None)

    def figure(self) -> FigureSource | None:
        """What the current pane shows, for a figure; None if it shows neither a picture nor a plot."""
        return self.current_pane.figure() if self.current_pane is not None else None

    def view_state(self) -> dict[str, Any]:
        """The view settings of the current pane."""
        return self.current_pane.view_state() if self.current_pane is not None else {}

    def restore_view(self, document: Mapping[str, Any]) -> bool:
        """Restore the settings from `view_state`; False while the pane does not exist yet."""
        if self.current_pane is None or not self.view_state():
            return False
        self.current_pane.restore(document)
        return True

    def turn(self, by: int) -> None:
        """Select the next or previous tab, the first after the last."""
        if self.tabs.count():
            position = (self.tabs.currentIndex() + by) % self.tabs.count()
            self.tabs.setCurrentIndex(position)
            self._tab_clicked(position)

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

    def fit(self) -> None:
        """Fit the whole picture or plot into view."""
        if self.current_pane is not None:
            self.current_pane.fit()

    def actual_size(self) -> None:
        """Zoom to one element per pixel."""
        if self.current_pane is not None:
            self.current_pane.actual_size()

    def step(self, by: int) -> None:
        """Show the next or previous plane; steps are counted while the drawing modules are being loaded."""
        if is_drawn(self.current_tab()) and not self._pictures_loaded:
            self._steps += by
        elif self.current_pane is not None:
            self.current_pane.step(by)

    def forget_tiles(self) -> None:
        """Free the tiles of all pictures, also those of closed sources, which they keep open."""
        for pane in self.panes:
            pane.forget_tiles()

    def sources_changed(self, known: Mapping[str, str]) -> None:
        """Let all panes let go of sources that are no longer open, and take those that are: see `Pane.sources_changed`."""
        for pane in self.panes:
            pane.sources_changed(known)

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        self._draw_icon()
        for pane in self.panes:
            pane.update_colours()
        node = self._session.node
        if node is not None:
            # A pane that is not filled yet stays so: it would show the previous node.
            self._stale |= {title for title in tabs_for(node) if self._is_filled_for_colours(title)}
            self._fill_current()

    def _is_filled_for_colours(self, title: str) -> bool:
        pane = self.panes.get(title)
        return pane is not None and pane.is_filled_for_colours

    def _pictures_have_come(self) -> None:
        self._pictures_loaded = True
        if is_drawn(self.current_tab()):
            self._fill_current()
            steps, self._steps = self._steps, 0
            self.step(steps)
        self._workers.submit(
            lambda _request: load_stores(),
            lambda _nothing: self._prepare_image(),
            lambda error: _log.debug("stores are imported when one is opened: %s", error),
        )

    def _prepare_image(self) -> None:
        """Make the Image tab before an image is opened: it takes longer than to show one."""
        pane = self.pane("Image")

        def apply_style() -> None:
            for widget in (pane, *pane.findChildren(QWidget)):
                widget.ensurePolished()
            self.loaded.emit()

        QTimer.singleShot(0, self, apply_style)  # in a turn of its own: the window answers between the two

    def _pictures_failed(self, error: Exception) -> None:
        if isinstance(error, Stopped):
            self.load_pictures()  # the user stopped reading, but pictures need these modules
        else:
            self.failed.emit(sentence(error))

    def _header(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(16, 12, 16, 6)
        row.setSpacing(12)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self._name)
        below = QHBoxLayout()
        below.setSpacing(16)
        below.addWidget(self.summary)
        below.addWidget(self.crumbs, 1)
        words.addLayout(below)
        row.addWidget(self._picture)
        row.addLayout(words, 1)
        row.addWidget(self.change_chip, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.format_chip, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.export_button, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.copy_button, 0, Qt.AlignmentFlag.AlignVCenter)
        return row

    def _draw_icon(self) -> None:
        node, colours = self._session.node, current_colours()
        if node is not None:
            colour = colours.warning if is_broken(node) else colours.accent
            self._picture.setPixmap(icon(node_icon_name(node), colour).pixmap(QSize(32, 32)))

    def _show_tabs(self, names: tuple[str, ...]) -> None:
        self.tabs.blockSignals(True)
        while self.tabs.count():
            self.tabs.removeTab(0)
        for name in names:
            self.tabs.addTab(name)
        self.tabs.setCurrentIndex(names.index(self._first_of(names)))
        self.tabs.blockSignals(False)
        self._fill_current()

    def _first_of(self, names: tuple[str, ...]) -> str:
        """The tab to show first: the one that the user chose last, if the node has it."""
        return self._session.tab if self._session.tab in names else names[0]

    def _tab_clicked(self, position: int) -> None:
        if position >= 0:
            # Each kind of node has another first tab, so its name cannot be the one chosen for all nodes.
            self._session.tab = self.tabs.tabText(position) if position > 0 else ""

    def _tab_changed(self) -> None:
        for told in (self.pointed, self.reported):
            told.emit("")  # that of the other tab
        self._fill_current()

    def _fill_current(self) -> None:
        name, source, node = self.current_tab(), self._session.source, self._session.node
        if not name or source is None or node is None:
            return
        if is_drawn(name) and not self._pictures_loaded:
            self._stack.setCurrentWidget(self._blank)
            self.load_pictures()
            return
        pane = self.pane(name)
        self._stack.setCurrentWidget(pane)
        if name in self._stale or pane.is_filled_when_shown:
            self._stale.discard(name)
            try:
                pane.show_node(source, node)
            except Exception as error:  # noqa: BLE001 - otherwise the pane would show the previous node
                _log.debug("the %s of %s failed", name, node.path, exc_info=error)
                self._stale.add(name)
                pane.clear()
                self.sentence.say(sentence(error), retry=True)
                self._stack.setCurrentWidget(self.sentence)
                self.shown.emit()

    def unsaved(self) -> dict[str, str]:
        """The texts in all tabs that the user has begun and not saved, by the paths of their nodes."""
        return {path: text for pane in self.panes for path, text in pane.unsaved().items()}

    def _paint_later(self) -> None:
        """Paint the data in a turn of its own: Qt would do it in the turn that fills it, and the window would answer late."""
        self._stack.setUpdatesEnabled(False)
        QTimer.singleShot(0, self._stack, lambda: self._stack.setUpdatesEnabled(True))

    def _quiet(self, next_pane: Pane | None = None) -> None:
        """Cancel all requests for the last node, except those that the next pane cancels itself."""
        if self._session.node is not None:
            self.leaving.emit()
        self.pointed.emit("")
        self._look_closer.forget()
        self._awaited = ("", {})
        for pane in self.panes:
            if pane is not next_pane or not pane.replaces_what_it_shows:
                pane.clear()
