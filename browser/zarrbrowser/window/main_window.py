"""The main window: the address at the top, the tree on the left, the current node on the right."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QMainWindow, QMenu, QWidget

from zarrbrowser.models.tree_item import Fetching
from zarrbrowser.models.tree_model import TreeModel
from zarrbrowser.nodes.protocols import NodeLike
from zarrbrowser.session.completion import folders_like
from zarrbrowser.session.saved_views.bookmarks import FILE_NAME, Bookmarks
from zarrbrowser.session.saved_views.links import is_link
from zarrbrowser.session.saved_views.view import SavedView
from zarrbrowser.session.sources import Opener, Source, SourceRequest, open_source, short_name
from zarrbrowser.session.state import Session
from zarrbrowser.settings import Settings
from zarrbrowser.widgets.buttons import AllowButton, push_button
from zarrbrowser.widgets.notice import SentencePane
from zarrbrowser.window.appearance import WindowAppearance
from zarrbrowser.window.editing.change_controls import ChangeControls
from zarrbrowser.window.editing.editor import Editor
from zarrbrowser.window.editing.refresher import Refresher
from zarrbrowser.window.empty_state import EmptyState
from zarrbrowser.window.exporting import Exporter
from zarrbrowser.window.figure_exporter import FigureExporter
from zarrbrowser.window.help_dialogs import HelpDialogs
from zarrbrowser.window.menus import (
    add_pane_shortcuts,
    add_tree_shortcuts,
    add_window_shortcuts,
    appearance_menu,
    fill_menu,
    filled_menu,
    mount_menu,
)
from zarrbrowser.window.mounting import Mounter
from zarrbrowser.window.movie_exporter import MovieExporter
from zarrbrowser.window.navigation import Navigator
from zarrbrowser.window.node_pane import NodePane
from zarrbrowser.window.open_sources import OpenSources
from zarrbrowser.window.opening import (
    ask_for_folder,
    ask_for_location,
    ask_for_zip,
    dropped_texts,
    take_as_copy,
)
from zarrbrowser.window.reveal import Revealer
from zarrbrowser.window.saved_session import save_session, saved_requests, saved_session
from zarrbrowser.window.saved_views.bookmarker import Bookmarker
from zarrbrowser.window.saved_views.present_view import present_view
from zarrbrowser.window.saved_views.recent_keeper import RecentKeeper
from zarrbrowser.window.saved_views.view_opener import ViewOpener
from zarrbrowser.window.side.beside_opener import BesideOpener
from zarrbrowser.window.side.side_pane import SidePane
from zarrbrowser.window.side.tree_view import TreeView
from zarrbrowser.window.status_bar import StatusBar
from zarrbrowser.window.top_bar import TopBar
from zarrbrowser.window.window_layout import WindowLayout
from zarrbrowser.workers import Lane, Workers

if TYPE_CHECKING:  # dialogs are imported late, for a fast start
    from zarrbrowser.dialogs.open_dialog import OpenDialog
    from zarrbrowser.dialogs.palette_dialog import PaletteDialog

_LEAVE_S = 0.5


class MainWindow(QMainWindow):
    """The main window.

    Signals:
        settled: the result of a request is on the screen: a picture, an overview or a message.
    """

    settled = Signal()

    def __init__(
        self, settings: Settings, opener: Opener = open_source, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.settings = settings
        self.session = Session(colour_map=settings.text("colour_map", "gray"))
        self.session.recent.requests = saved_requests(settings, "recent")
        self.workers = Workers(self)
        self.model = TreeModel(self.workers, opener, self)
        self.tree = TreeView(self.model)
        self.side = SidePane(self.tree, lambda: self.session.sources, self.workers)
        self.node_pane = NodePane(self.session, self.workers)
        self._retry: Callable[[], None] = self._retry_row
        self.sentence = SentencePane(lambda: self._retry())
        self.location_button = push_button("Connection…", self.choose_location)
        self.sentence.add_button(self.location_button)
        self.allow_button = AllowButton(lambda prefix: self.sources.allow(prefix))
        self.sentence.add_button(self.allow_button)
        self.empty = EmptyState()
        self.top_bar = TopBar()
        self.status = StatusBar(self.workers, self.session.traffic)
        self._revealer = Revealer(self.model, self.tree, self.workers)
        self._completing = Lane(self.workers, in_flight=1)
        self.navigator = Navigator(self.session, self.model, self._revealer, self.node_pane, self.open)
        self.beside = BesideOpener(self.session, self.model, self.node_pane)
        self._layout = WindowLayout(self.top_bar, self.side, self.node_pane, self.sentence, self.empty)
        self.mounter = Mounter(self, settings, self.workers, lambda: self.session.source)
        self.exporter = Exporter(
            self, self.session, self.workers, self.node_pane.viewed, self.mounter.mounts.folder
        )
        self.figures = FigureExporter(self, settings, self.workers, self.node_pane.figure)
        self.movies = MovieExporter(self, settings, self.workers, self.node_pane.figure)
        self.help = HelpDialogs(self)
        self.editor = Editor(self, self.session, self.workers)
        self.sources = OpenSources(
            self.session,
            settings,
            self.model,
            self.tree,
            self.side,
            self.node_pane,
            self.navigator,
            self.editor,
        )
        self.appearance = WindowAppearance(self, settings, (self.empty, self.node_pane, self.side))
        self._refresher = Refresher(self.session, self.model, self.side, self.node_pane, self._revealer)
        self._changes = ChangeControls(
            self.editor, self.session, self.model, self.tree, self.node_pane, self.sources.renew
        )
        self._leaves = False
        """Whether the window closes once a change has ended."""
        folder = settings.folder
        bookmarks = Bookmarks(None if folder is None else folder / FILE_NAME)
        self.view_opener = ViewOpener(self, self.session, self.navigator, bookmarks, self.workers)
        self.bookmarker = Bookmarker(self, bookmarks, self.view_opener, self._present_view, self.workers)
        self.recent_keeper = RecentKeeper(self, settings, self.node_pane, self._present_view, self.workers)
        self._layout.fill(self, self.status, settings)
        self._connect()
        self._show_recent()
        self.top_bar.address.setFocus()

    # Commands

    def open(self, request: SourceRequest) -> None:
        """Open a source; its row is in the tree immediately."""
        self._layout.show_tree()
        self.tree.choose(self.model.open(request))
        self.tree.setFocus()

    def open_text(self, text: str) -> None:
        """Open a typed, dropped or chosen address, or go there if its source is already open."""
        self.go(SourceRequest(text) if is_link(text) else SourceRequest.typed(text))
        self.tree.setFocus()  # in the address field, keys would edit the text

    def go(self, request: SourceRequest) -> None:
        """Go to a node of a source, to the view of a link, or to those of a file."""
        if not self.view_opener.take(request):
            self.navigator.go(request)

    def _present_view(self) -> SavedView | None:
        return present_view(self.session, self.node_pane, self.navigator.awaited)

    def restore_session(self) -> None:
        """Restore the sources and the node that were open when the window was last closed."""
        requests, here = saved_session(self.settings)
        for request in requests:
            self.model.open(request)
        if here is not None and requests:
            self.navigator.travel(here)

    def choose_folder(self) -> None:
        """Ask for a folder."""
        ask_for_folder(self, self.open_text)

    def choose_zip(self) -> None:
        """Ask for a zip file."""
        ask_for_zip(self, self.open_text)

    def choose_location(self) -> OpenDialog:
        """Ask for a location and connection options, starting with a typed address or one that failed to open."""
        item = self.model.item(self.tree.currentIndex())
        failed = item.request if item is not None and item.source is None else None
        typed = SourceRequest.typed(self.top_bar.typed())
        return ask_for_location(self, self.navigator.go, failed or typed, self.session.recent.addresses)

    def focus_address(self) -> None:
        """Focus the address field."""
        self.top_bar.address.setFocus()
        self.top_bar.address.selectAll()

    def show_palette(self) -> PaletteDialog:
        """Show all commands, to be found by typing."""
        from zarrbrowser.dialogs.palette_dialog import PaletteDialog  # late: for a fast start
        from zarrbrowser.window.palette_entries import entries_of

        menus = {"": self.top_bar.menu, "Open recent": self.top_bar.recent_menu}
        copying = self.node_pane.copy_button.menu()
        if isinstance(copying, QMenu):
            menus["Copy as"] = copying
        pane = self.node_pane
        dialog = PaletteDialog(entries_of(self, menus, pane.current_tab(), pane.current_pane), self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        return dialog

    # Construction

    def _connect(self) -> None:
        for place in (self.top_bar, self.empty):
            place.entered.connect(self.open_text)
            place.open_pressed.connect(self.choose_folder)
            place.location_pressed.connect(self.choose_location)
        self.empty.view_chosen.connect(self.view_opener.go)
        self.empty.appeared.connect(self.recent_keeper.load)
        self.recent_keeper.loaded.connect(self.empty.show_views)
        self.recent_keeper.chosen.connect(self.view_opener.go)
        self.view_opener.failed.connect(self._view_failed)
        self.top_bar.edited.connect(self._complete)
        self.tree.node_chosen.connect(self._show_row)
        self.tree.clicked.connect(self._row_clicked)
        self.tree.beside_asked.connect(self.beside.show_row)
        self.side.hit_chosen.connect(self._hit_chosen)
        self.sources.opened.connect(self._source_opened)
        self.sources.emptied.connect(self._show_start_page)
        self.model.source_failed.connect(self._row_settled)
        self.model.node_read.connect(self._row_settled)
        self.node_pane.retried.connect(self._retry_row)
        self.node_pane.allow_asked.connect(self.sources.allow)
        self.model.dataChanged.connect(self._row_changed)
        self.node_pane.pointed.connect(self.status.show_value)
        self.node_pane.reported.connect(self.status.report)
        self.node_pane.shown.connect(self.settled)
        self._revealer.failed.connect(self._path_failed)
        self.node_pane.failed.connect(self._say)
        self.node_pane.path_chosen.connect(self.navigator.go_within)
        self.top_bar.back_button.clicked.connect(lambda _checked: self.navigator.back())
        self.top_bar.forward_button.clicked.connect(lambda _checked: self.navigator.forward())
        self.navigator.moved.connect(self._show_ways)
        self.editor.changed.connect(self._refresher.show)
        self.editor.noticed.connect(lambda text, _source, _outcome: self.status.report(text))
        self.editor.idle.connect(self._leave_now)
        views = (self.bookmarker, self.view_opener, self.recent_keeper)
        changes = (self.editor, self._refresher)
        exports = (self.exporter, self.figures, self.movies, self.mounter)
        for teller in (self.beside, *exports, *views, *changes):
            teller.reported.connect(self.status.report)
        self.node_pane.export_button.clicked.connect(lambda _checked: self.exporter.ask())
        copying = QMenu(self.node_pane.copy_button)
        copying.aboutToShow.connect(lambda: self.exporter.fill_menu(copying))
        copying.aboutToShow.connect(lambda: self.bookmarker.add_link(copying))
        self.node_pane.copy_button.setMenu(copying)
        menu = self.top_bar.menu
        appearances = appearance_menu(menu, self.settings.appearance(), self.appearance.choose)
        bookmarks = filled_menu("Bookmarks", menu, self.bookmarker.fill_menu, self)
        recent = filled_menu("Recent views", menu, self.recent_keeper.fill_menu)
        fill_menu(menu, self, (bookmarks, recent, mount_menu(menu, self), appearances))
        add_window_shortcuts(self, self)
        add_tree_shortcuts(self.tree, self)
        self.node_pane.panes.made.connect(lambda pane, title: add_pane_shortcuts(pane, title, self))

    def _show_ways(self) -> None:
        self.top_bar.show_ways(back=self.navigator.can_go_back, forward=self.session.history.can_go_forward)

    def _show_recent(self) -> None:
        for place in (self.top_bar, self.empty):
            place.show_recent(self.session.recent.requests)

    # Events

    def _complete(self, text: str) -> None:
        self._completing.ask(
            lambda _asked: folders_like(text),
            lambda places: self.top_bar.offer(text, places),
            lambda _error: None,
        )

    def _show_row(self, index: QModelIndex) -> None:
        item = self.model.item(index)
        if item is None or not index.isValid():
            return
        if item.node is not None and item.source is not None:
            self.status.forget()
            self._layout.show_node()
            self.node_pane.show_node(item.source, item.node)
            self._changes.node_shown()
            self.top_bar.show_address(_address(item.source, item.node))
            self.top_bar.show_versions(item.source.versions, item.source.hierarchy.url)
            self.navigator.arrived()
            self.setWindowTitle(f"{item.node.name or item.source.title} – zarrscope")
            if self.node_pane.current_tab() not in ("Image", "Plot", "Value"):
                QTimer.singleShot(0, self.settled.emit)
        elif item.is_note and item.parent is not None and item.parent.fetching is Fetching.FAILED:
            source, node = item.source, item.parent.node
            if source is not None and node is not None:
                self.top_bar.show_address(_address(source, node))
            self._say(item.note)
        elif item.request is not None:
            self._leave_node(f"{short_name(item.request.shown_address)} – zarrscope")
            self.top_bar.show_address(item.request.address)
            self.top_bar.show_versions((), "")
            if item.fetching is Fetching.FAILED:
                self._say(item.note)
                self.location_button.show()
                self.allow_button.offer(item.allow)
            else:
                self._say(f"Opening {item.request.shown_address}…", drawing="loading", retry=False)

    def _row_clicked(self, index: QModelIndex) -> None:
        # A click on the current row does not change the row, but the window may show a message instead of its node.
        if self._layout.shows_sentence:
            self._show_row(index)

    def _say(self, text: str, *, drawing: str = "broken", retry: bool = True) -> None:
        self._retry = self._retry_row
        self.location_button.hide()
        self.allow_button.offer("")
        self.sentence.say(text, drawing=drawing, retry=retry)
        self._layout.show_sentence()
        if retry:
            self.settled.emit()

    def _view_failed(self, text: str) -> None:
        """Say why a link or a file of views is not opened; what the window shows stays."""
        self._layout.notice.say(text)
        if text:
            self.settled.emit()

    def _row_changed(self, first: QModelIndex, _last: QModelIndex) -> None:
        item = self.model.item(first)
        if item is None:
            return
        opens = item.request is not None and item.source is None and self.sources.is_current(first)
        if opens or (item.is_note and first == self.tree.currentIndex()):
            self._show_row(first)

    def _source_opened(self, index: QModelIndex) -> None:
        self._show_recent()
        item = self.model.item(index)
        if item is None or item.source is None or item.request is None or not self.sources.is_current(index):
            return
        if item.request.path != "/":
            self._revealer.reveal(item.source, index, item.request.path)
        else:
            self._show_row(index)

    def _show_start_page(self) -> None:
        """Show the start page: no source is open any more."""
        self.status.forget()
        self._layout.show_empty()
        self.top_bar.show_address("")
        self.top_bar.show_versions((), "")
        self.setWindowTitle("zarrscope")

    def _hit_chosen(self, source: Source, path: str) -> None:
        self._revealer.reveal(source, self.model.find(source.request), path)

    def _row_settled(self, index: QModelIndex) -> None:
        if index == self.tree.currentIndex().siblingAtColumn(0):
            self._show_row(index)

    def _leave_node(self, title: str) -> None:
        """Clear the node before a message is shown."""
        self.navigator.leave()
        self.status.forget()
        self.setWindowTitle(title)

    def _path_failed(self, text: str) -> None:
        self._leave_node("zarrscope")
        self._say(text)
        self._retry = self._revealer.again

    def _retry_row(self) -> None:
        self.model.retry(QPersistentModelIndex(self.tree.currentIndex()))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802 - Qt's name
        if dropped_texts(event.mimeData()) and take_as_copy(event):
            self._layout.drop_mark.turn(is_on=True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:  # noqa: N802 - Qt's name
        self._layout.drop_mark.turn(is_on=False)
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802 - Qt's name
        self._layout.drop_mark.turn(is_on=False)
        for text in dropped_texts(event.mimeData()) if take_as_copy(event) else ():
            self.open_text(text)

    def _leave_now(self) -> None:
        """Close the window, if it only waited for a change to end."""
        if self._leaves:
            QTimer.singleShot(0, self.close)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        if self.editor.is_busy and not self._leaves:
            # A change ends between two keys at the latest; closing once more does not wait for a store that hangs.
            self._leaves = True
            self.workers.stop()
            event.ignore()
            return
        if not self._changes.may_close():
            self._leaves = False
            event.ignore()
            return
        self.recent_keeper.keep_now()
        self._layout.keep(self, self.settings)
        self.settings.keep("colour_map", self.session.colour_map)
        save_session(self.settings, self.session, self.node_pane.current_tab(), self.node_pane.view_state())
        self.settings.flush()
        self.hide()  # unmounting may take a while
        self.mounter.leave()
        self.workers.shut_down(_LEAVE_S)
        self.editor.leave()
        super().closeEvent(event)


def _address(source: Source, node: NodeLike) -> str:
    url = source.hierarchy.url
    return url if node.path == "/" else f"{url}#{node.path}"
