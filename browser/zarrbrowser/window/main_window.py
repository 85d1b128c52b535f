"""The main window: the address at the top, the tree on the left, the current node on the right."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QMainWindow, QWidget

from zarrbrowser.models.tree_model import TreeModel
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.saved_views.links import is_link
from zarrbrowser.session.sources import Opener, SourceRequest, open_source
from zarrbrowser.session.state import Session
from zarrbrowser.settings import Settings
from zarrbrowser.theme import dress
from zarrbrowser.window import opening, saved_session
from zarrbrowser.window.checker import Checker
from zarrbrowser.window.current_row import CurrentRow
from zarrbrowser.window.editing.change_controls import ChangeControls
from zarrbrowser.window.editing.editor import Editor
from zarrbrowser.window.editing.refresher import Refresher
from zarrbrowser.window.exports import Exports
from zarrbrowser.window.help_dialogs import HelpDialogs
from zarrbrowser.window.menus import build_menus
from zarrbrowser.window.navigation import Navigator
from zarrbrowser.window.node_pane import NodePane
from zarrbrowser.window.open_sources import OpenSources
from zarrbrowser.window.reveal import Revealer
from zarrbrowser.window.saved_views.saved_views import SavedViews
from zarrbrowser.window.side.beside_opener import BesideOpener
from zarrbrowser.window.side.tree_view import TreeView
from zarrbrowser.window.window_layout import WindowLayout
from zarrbrowser.workers import Workers

if TYPE_CHECKING:  # dialogs are imported late, for a fast start
    from zarrbrowser.dialogs.open_dialog import OpenDialog
    from zarrbrowser.dialogs.palette_dialog import PaletteDialog
    from zarrbrowser.window.requests_panel import RequestsPanel

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
        self.requests: RequestsPanel | None = None
        """The panel of requests, once the user has asked for it."""
        self._example_folder: tempfile.TemporaryDirectory[str] | None = None
        """That of the example, if nothing is to be kept."""
        self.session: Session = Session(colour_map=settings.text("colour_map", "gray"))
        self.session.shows_colours = settings.text("colours", "shown") == "shown"
        self.session.recent.requests = saved_session.saved_requests(settings, "recent")
        # Types are given where the table of commands names a part: mypy reads the table before this.
        self.workers: Workers = Workers(self)
        workers = self.workers
        self.model = TreeModel(workers, opener, self)
        self.tree: TreeView = TreeView(self.model)
        self.node_pane: NodePane = NodePane(self.session, workers)
        pane = self.node_pane
        self.view: WindowLayout = WindowLayout(self)
        revealer = Revealer(self.model, self.tree, workers)
        self.navigator: Navigator = Navigator(self.session, self.model, revealer, pane, self.open)
        self.beside: BesideOpener = BesideOpener(self.session, self.model, pane)
        self.exports: Exports = Exports(self)
        self.checker: Checker = Checker(self)
        self.help: HelpDialogs = HelpDialogs(self)
        self.editor: Editor = Editor(self, self.session, workers)
        self.sources: OpenSources = OpenSources(
            self.session, settings, self.model, self.view.side, pane, self.navigator, self.editor
        )
        self._changes = ChangeControls(
            self.editor, self.session, self.model, self.tree, pane, self.sources.renew, workers
        )
        self.saved_views: SavedViews = SavedViews(self)
        self.view.fill(self)
        refresher = Refresher(self.session, self.model, self.view.side, pane, revealer)
        self.editor.changed.connect(refresher.show)
        for part in (
            self.beside,
            self.exports,
            self.checker,
            self.saved_views,
            self.editor,
            refresher,
            pane.panes,
        ):
            part.reported.connect(self.view.status.report)
        row = CurrentRow(self, revealer)
        row.node_shown.connect(self._changes.node_shown)
        row.settled.connect(self.settled)
        self._connect()
        build_menus(self)
        self.view.show_recent(self.session.recent.requests)
        self.view.top_bar.address.setFocus()
        dress(self)

    def _connect(self) -> None:
        view, views = self.view, self.saved_views
        for place in (view.top_bar, view.empty):
            place.entered.connect(self.open_text)
            place.open_pressed.connect(self.choose_source)
            place.location_pressed.connect(self.choose_location)
        view.empty.example_pressed.connect(self.show_example)
        view.empty.view_chosen.connect(views.opener.go)
        view.empty.appeared.connect(views.recent.load)
        views.recent.loaded.connect(view.empty.show_views)
        views.opener.failed.connect(self._view_failed)
        self.sources.opened.connect(lambda _index: view.show_recent(self.session.recent.requests))
        self.tree.beside_asked.connect(self.beside.show_row)
        self.tree.name_typed.connect(self.navigator.go_within)
        self.tree.check_asked.connect(self.checker.check_row)
        self.tree.plot_asked.connect(self.navigator.plot_together)
        self.node_pane.panes.pointed.connect(view.status.show_value)
        self.node_pane.panes.shown.connect(self.settled)
        self.node_pane.panes.path_chosen.connect(self.navigator.go_within)
        self.editor.noticed.connect(lambda text, _source, _outcome: view.status.report(text))
        view.top_bar.back_button.clicked.connect(lambda _checked: self.navigator.back())
        view.top_bar.forward_button.clicked.connect(lambda _checked: self.navigator.forward())
        self.navigator.moved.connect(self._show_ways)

    # Commands

    def open(self, request: SourceRequest) -> None:
        """Open a source; its row is in the tree immediately."""
        self.view.show_tree()
        self.tree.choose(self.model.open(request))
        self.tree.setFocus()

    def open_text(self, text: str) -> None:
        """Open a typed, dropped or chosen address, or go there if its source is already open."""
        self.go(SourceRequest(text) if is_link(text) else SourceRequest.typed(text))
        self.tree.setFocus()  # in the address field, keys would edit the text

    def go(self, request: SourceRequest) -> None:
        """Go to a node of a source, to the view of a link, or to those of a file."""
        if not self.saved_views.opener.open(request):
            self.navigator.go(request)

    def restore_session(self) -> None:
        """Restore the sources and the node that were open when the window was last closed."""
        requests, here = saved_session.saved_session(self.settings)
        for request in requests:
            self.model.open(request)
        if here is not None and requests:
            self.navigator.travel(here)

    def choose_source(self) -> None:
        """Ask for a file or folder."""
        folder = opening.folder_of_recent(self.session.recent.requests)
        opening.ask_for_source(self, self.open_text, self.workers, folder)

    def show_example(self) -> None:
        """Make the example, unless it was made before, and open it."""
        from zarrbrowser.session.example import write_example  # late: for a fast start

        if self.settings.cache_folder is None and self._example_folder is None:
            self._example_folder = tempfile.TemporaryDirectory(prefix="zarrscope-")
        place = self.settings.cache_folder or Path(self._example_folder.name if self._example_folder else "")
        self.workers.submit(
            lambda _request: write_example(place),
            lambda path: self.go(SourceRequest(path, "/functional")),
            lambda error: self.view.notice.say(sentence(error)),
            "Making the example",
        )

    def choose_location(self, suggested: SourceRequest | None = None) -> OpenDialog:
        """Ask for a location and connection options, starting with a typed address or one that failed to open."""
        item = self.model.item(self.tree.currentIndex())
        failed = item.request if item is not None and item.source is None else None
        suggested = suggested or failed or SourceRequest.typed(self.view.top_bar.typed())
        return opening.ask_for_location(self, self.navigator.go, suggested, self.session.recent.addresses)

    def show_palette(self) -> PaletteDialog:
        """Show all commands, to be found by typing."""
        from zarrbrowser.window.palette_entries import show_palette  # late: for a fast start

        return show_palette(self)

    def toggle_requests(self) -> None:
        """Show or hide the requests of the last minute."""
        from zarrbrowser.window.requests_panel import RequestsPanel  # late: for a fast start

        if self.requests is None:
            self.requests = RequestsPanel(lambda: self.session.sources, self)
            self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self.requests)
            self.requests.show()  # at once, not only once the window is laid out
            self.resizeDocks([self.requests], [self.height() // 4], Qt.Orientation.Vertical)
        else:
            self.requests.setVisible(self.requests.isHidden())

    # Events

    def _show_ways(self) -> None:
        history = self.session.history
        self.view.top_bar.show_ways(back=self.navigator.can_go_back, forward=history.can_go_forward)

    def _view_failed(self, text: str) -> None:
        """Say why a link or a file of views is not opened; what the window shows stays."""
        self.view.notice.say(text)
        if text:
            self.settled.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802 - Qt's name
        if opening.dropped_texts(event.mimeData()) and opening.take_as_copy(event):
            self.view.drop_mark.turn(is_on=True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:  # noqa: N802 - Qt's name
        self.view.drop_mark.turn(is_on=False)
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802 - Qt's name
        self.view.drop_mark.turn(is_on=False)
        for text in opening.dropped_texts(event.mimeData()) if opening.take_as_copy(event) else ():
            self.open_text(text)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        if not self._changes.may_close():
            event.ignore()
            return
        self.saved_views.recent.keep_now()
        self.view.keep()
        self.settings.keep("colour_map", self.session.colour_map)
        self.settings.keep("colours", "shown" if self.session.shows_colours else "hidden")
        pane = self.node_pane
        saved_session.save_session(self.settings, self.session, pane.current_tab(), pane.view_state())
        self.settings.flush()
        self.hide()  # unmounting may take a while
        self.exports.mounter.leave()
        self.workers.shut_down(_LEAVE_S)
        if self._example_folder is not None:
            self._example_folder.cleanup()
        self.editor.leave()
        super().closeEvent(event)
