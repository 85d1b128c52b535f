"""The saved views of a window: links, bookmarks and recent views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from zarrbrowser.session.saved_views.bookmarks import FILE_NAME, Bookmarks
from zarrbrowser.session.saved_views.view import SavedView
from zarrbrowser.window.saved_views.bookmarker import Bookmarker
from zarrbrowser.window.saved_views.present_view import present_view
from zarrbrowser.window.saved_views.recent_keeper import RecentKeeper
from zarrbrowser.window.saved_views.view_opener import ViewOpener

if TYPE_CHECKING:
    from zarrbrowser.window.main_window import MainWindow


class SavedViews(QObject):
    """Keeps views, and goes to them.

    Signals:
        reported: what was done, for the status bar.
    """

    reported = Signal(str)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, folder, workers = window, window.settings.folder, window.workers
        bookmarks = Bookmarks(None if folder is None else folder / FILE_NAME)
        self.opener = ViewOpener(window, window.session, window.navigator, bookmarks, workers)
        self.bookmarker: Bookmarker = Bookmarker(window, bookmarks, self.opener, self.present, workers)
        self.recent = RecentKeeper(window, window.settings, window.node_pane, self.present, workers)
        self.recent.chosen.connect(self.opener.go)
        for part in (self.opener, self.bookmarker, self.recent):
            part.reported.connect(self.reported)

    def present(self) -> SavedView | None:
        """The present view; None without a node."""
        window = self._window
        return present_view(window.session, window.node_pane, window.navigator.awaited)
