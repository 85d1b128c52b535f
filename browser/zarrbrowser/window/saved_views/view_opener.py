"""Opens saved views: links, files of views, bookmarks and recent views."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.history import Visit
from zarrbrowser.session.saved_views.bookmarks import Bookmarks
from zarrbrowser.session.saved_views.links import is_link, view_of_link
from zarrbrowser.session.saved_views.untrusted import as_untrusted, with_usual_connection
from zarrbrowser.session.saved_views.view import BadViewError, SavedView
from zarrbrowser.session.saved_views.view_files import SUFFIX, is_views_file, read_views
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.session.state import Session
from zarrbrowser.widgets.completion import dress_suggestions
from zarrbrowser.window.navigation import Navigator
from zarrbrowser.workers import Workers

if TYPE_CHECKING:  # dialogs are imported late, for a fast start
    from zarrbrowser.dialogs.views_dialog import ViewsDialog


class ViewOpener(QObject):
    """Goes to saved views.

    Signals:
        failed: why a link or file cannot be opened, as a sentence; empty when another one is opened.
        reported: what was done, for the status bar.
    """

    failed = Signal(str)
    reported = Signal(str)

    def __init__(
        self, parent: QWidget, session: Session, navigator: Navigator, bookmarks: Bookmarks, workers: Workers
    ) -> None:
        super().__init__(parent)
        self._parent, self._session, self._navigator = parent, session, navigator
        self._bookmarks, self._workers = bookmarks, workers

    def open(self, request: SourceRequest) -> bool:
        """Open a link or a file of views; False if the request is for a source.

        Args:
            request: its address is the link or the file; options and format are the user's own, and replace those of a link.
        """
        text = request.address
        if is_link(text):
            self._open_link(text, request)
            return True
        if is_views_file(text):
            self.open_file(text)
            return True
        return False

    def go(self, view: SavedView) -> None:
        """Go to a view, with the connection that its source was last opened with."""
        self.failed.emit("")
        self._travel(with_usual_connection(view, self._session.recent))

    def _travel(self, view: SavedView) -> None:
        request = view.request
        visit = Visit(request.place, request.address, request.path, view.tab, view.state)
        self._navigator.travel(visit, request)

    def choose_file(self) -> None:
        """Ask for a file of views."""
        dialog = QFileDialog(self._parent, "Open a file of bookmarks")
        dress_suggestions(dialog)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([f"Bookmarks of zarrscope (*{SUFFIX})", "All files (*)"])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.open_file)
        dialog.open()

    def open_file(self, address: str) -> None:
        """Read a file of views in the background, and show them; go to the view if there is only one."""
        self.failed.emit("")
        if "://" in address:
            self.failed.emit(f"{os.path.basename(address)} is on the web: download it, and open the copy.")
            return
        path = Path(address).expanduser()
        self._workers.submit(
            lambda _asked: read_views(path),
            lambda views: self._show(path.name, views),
            lambda error: self.failed.emit(f"{path.name} was not opened. {sentence(error)}"),
            f"Reading {path.name}",
        )

    def _open_link(self, text: str, request: SourceRequest) -> None:
        self.failed.emit("")
        try:
            view = view_of_link(text)
        except BadViewError as error:
            self.failed.emit(f"The link was not opened. {error}")
            return
        if request.options is not None or request.format is not None:
            own = replace(
                view.request,
                options=request.options or view.request.options,
                format=request.format or view.request.format,
            )
            usual = with_usual_connection(view, self._session.recent)
            self._travel(replace(usual, request=own))
        else:
            self.go(view)

    def _show(self, name: str, views: Sequence[SavedView]) -> None:
        safe, problems = [], []
        for view in views:
            try:
                safe.append(as_untrusted(view))
            except BadViewError as error:
                problems.append(f"“{view.title}” is left out. {error}")
        if problems:
            others = f" {len(problems) - 1:,} more are left out, too." if len(problems) > 1 else ""
            self.failed.emit(problems[0] + others)
        elif not safe:
            self.failed.emit(f"{name} has no views.")
        if len(safe) == 1 and not problems:
            self.go(safe[0])
        elif safe:
            self.ask_about(name, safe)

    def ask_about(self, name: str, views: Sequence[SavedView]) -> ViewsDialog:
        """Show the views of a file, to go to one of them, or to add them to the bookmarks."""
        from zarrbrowser.dialogs.views_dialog import FileDialog  # late: for a fast start

        dialog = FileDialog(name, views, self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(self.go)
        dialog.added.connect(self._add)
        dialog.open()
        return dialog

    def _add(self, views: Sequence[SavedView]) -> None:
        try:
            added = self._bookmarks.add(views)
        except (BadViewError, OSError) as error:
            self.failed.emit(f"The bookmarks were not changed. {sentence(error)}")
            return
        noun = "bookmark" if len(added) == 1 else "bookmarks"
        self.reported.emit(f"{len(added):,} {noun} added")
