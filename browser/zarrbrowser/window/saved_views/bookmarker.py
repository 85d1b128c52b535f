"""Bookmarks in the window: add the present view, list them, save them to a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QInputDialog, QLineEdit, QMenu, QWidget

from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.saved_views.bookmarks import Bookmarks
from zarrbrowser.session.saved_views.links import link_of
from zarrbrowser.session.saved_views.private_files import write_shared
from zarrbrowser.session.saved_views.untrusted import as_untrusted
from zarrbrowser.session.saved_views.view import BadViewError, SavedView, title_of
from zarrbrowser.session.saved_views.view_files import SUFFIX, views_text
from zarrbrowser.widgets.save_dialog import ask_for_file
from zarrbrowser.window.saved_views.view_entries import add_view
from zarrbrowser.window.saved_views.view_opener import ViewOpener
from zarrbrowser.workers import Workers

if TYPE_CHECKING:  # dialogs are imported late, for a fast start
    from zarrbrowser.dialogs.bookmarks_dialog import BookmarksDialog

_NAME_WIDTH = 360
_IN_MENU = 30
"""Bookmarks in the menu; the dialog has all."""


class Bookmarker(QObject):
    """The commands of bookmarks, and the link to the present view.

    Args:
        present: returns the present view; None without a node.

    Signals:
        reported: what was done, or the error.
    """

    reported = Signal(str)

    def __init__(
        self,
        parent: QWidget,
        bookmarks: Bookmarks,
        opener: ViewOpener,
        present: Callable[[], SavedView | None],
        workers: Workers,
    ) -> None:
        super().__init__(parent)
        self._parent, self._opener, self._present, self._workers = parent, opener, present, workers
        self.bookmarks = bookmarks

    def add(self) -> QInputDialog | None:
        """Ask for a name, and bookmark the present view."""
        view = self._present()
        if view is None:
            self.reported.emit("There is no view to bookmark: choose a node in the tree")
            return None
        dialog = QInputDialog(self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle("Bookmark this view")
        dialog.setLabelText("Name")
        dialog.setTextValue(view.title)
        dialog.setOkButtonText("Add")
        for field in dialog.findChildren(QLineEdit):
            field.setMinimumWidth(_NAME_WIDTH)
        dialog.textValueSelected.connect(lambda title: self._add(view, title))
        dialog.open()
        return dialog

    def show(self) -> BookmarksDialog:
        """Show all bookmarks, to go to one, or to change them."""
        from zarrbrowser.dialogs.bookmarks_dialog import BookmarksDialog  # late: for a fast start

        dialog = BookmarksDialog(self.bookmarks, self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(self._opener.go)
        dialog.saving.connect(self.choose_file)
        dialog.opening.connect(self._opener.choose_file)
        dialog.open()
        return dialog

    def fill_menu(self, menu: QMenu) -> None:
        """Add the bookmarks, and what can be done with all of them, to a menu."""
        views = self.bookmarks.views
        for view in views[:_IN_MENU]:
            add_view(menu, view, self._opener.go)
        if not views:
            menu.addAction("No bookmarks").setEnabled(False)
        menu.addSeparator()
        menu.addAction("Save bookmarks to file…", self.choose_file).setEnabled(bool(views))
        menu.addAction("Open bookmarks file…", self._opener.choose_file)

    def add_link(self, menu: QMenu) -> None:
        """Add the link to the present view to the menu of what can be copied."""
        view = self._present()
        try:
            link = link_of(view) if view is not None else ""
        except (BadViewError, UnicodeEncodeError):
            link = ""
        action = menu.addAction("Link to this view", partial(self._copy, link))
        action.setEnabled(bool(link))

    def choose_file(self) -> None:
        """Ask where to save all bookmarks, for someone else or for another machine."""
        title, filters = "Save bookmarks to a file", f"Bookmarks of zarrscope (*{SUFFIX})"
        ask_for_file(self._parent, title, filters, SUFFIX.removeprefix("."), f"views{SUFFIX}", self.save)

    def save(self, path: str) -> None:
        """Write all bookmarks that others can open to a file, in the background."""
        shared: list[SavedView] = []
        left_out = 0
        for view in self.bookmarks.views:
            try:
                shared.append(as_untrusted(view))
            except BadViewError:
                left_out += 1
        name = os.path.basename(path)
        rest = f"; {left_out:,} left out that only you can open" if left_out else ""
        self._workers.submit(
            lambda _asked: write_shared(Path(path), views_text(shared).encode()),
            lambda _nothing: self.reported.emit(f"Bookmarks saved to {path}{rest}"),
            lambda error: self.reported.emit(f"{name} was not written: {sentence(error)}"),
            f"Writing {name}",
        )

    def _add(self, view: SavedView, title: str) -> None:
        named = SavedView(title_of(title) or view.title, view.request, view.tab, view.state)
        try:
            added = self.bookmarks.add([named])
        except (BadViewError, OSError) as error:
            self.reported.emit(f"The view was not bookmarked. {sentence(error)}")
            return
        title = added[0].title if added else named.title
        self.reported.emit(f"Bookmarked as “{title}”" if added else f"“{title}” is a bookmark already")

    def _copy(self, link: str) -> None:
        QGuiApplication.clipboard().setText(link)
        self.reported.emit("Link to this view copied")
