"""Keeps a thumbnail of each image that the window leaves, and offers them on the start page and in a menu."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QMenu, QWidget

from zarrbrowser.drawing.png import png_of
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.saved_views.recent_views import RecentView, RecentViews
from zarrbrowser.session.saved_views.view import SavedView
from zarrbrowser.settings import Settings
from zarrbrowser.window.node_pane import NodePane
from zarrbrowser.window.saved_views.view_cards import PICTURE
from zarrbrowser.window.saved_views.view_entries import add_view
from zarrbrowser.workers import Lane, Workers

_log = logging.getLogger(__name__)
_MOST_SCALE = 2.0
"""Thumbnails on finer screens have the pixels of this scale."""
_SETTING, _OFF = "recent_views", "off"


class RecentKeeper(QObject):
    """Keeps views when they are left.

    Args:
        present: returns the present view; None without a node.

    Signals:
        loaded: the recent views, the latest first.
        chosen: the `SavedView` that the user chose in the menu.
        reported: what was done, for the status bar.
    """

    loaded = Signal(object)
    chosen = Signal(object)
    reported = Signal(str)

    def __init__(
        self,
        parent: QWidget,
        settings: Settings,
        node_pane: NodePane,
        present: Callable[[], SavedView | None],
        workers: Workers,
    ) -> None:
        super().__init__(parent)
        folder = settings.cache_folder
        self._recent = RecentViews(None if folder is None else folder / "recent-views")
        self._settings, self._node_pane = settings, node_pane
        self._present, self._workers = present, workers
        self._loading = Lane(workers, in_flight=1)
        self._views: Sequence[RecentView] = ()
        node_pane.leaving.connect(self._keep_in_background)

    @property
    def is_on(self) -> bool:
        """Whether views are kept: not with ``--fresh``, and not if the user switched it off."""
        return self._settings.folder is not None and self._settings.text(_SETTING, "") != _OFF

    def keep_now(self) -> None:
        """Keep the present view before the program ends."""
        found = self._taken()
        if found is not None:
            view, image = found
            try:
                self._recent.keep(RecentView(view, png_of(image)), self._recent.generation)
            except OSError as error:
                _log.debug("the recent view was not kept", exc_info=error)

    def load(self) -> None:
        """Read the recent views in the background."""
        if self._settings.folder is not None:
            self._loading.ask(
                lambda _asked: self._recent.latest(),
                self._show,
                lambda error: _log.debug("the recent views were not read", exc_info=error),
            )

    def forget(self) -> None:
        """Remove all recent views and their thumbnails."""
        self._loading.forget()
        try:
            self._recent.forget()
        except OSError as error:
            self.reported.emit(f"Recent views were not removed: {sentence(error)}")
            return
        self._show([])
        self.reported.emit("Recent views forgotten")

    def turn(self, is_on: bool) -> None:
        """Keep views from now on, or stop and forget those that were kept."""
        self._settings.keep(_SETTING, "" if is_on else _OFF)
        if not is_on:
            self.forget()

    def fill_menu(self, menu: QMenu) -> None:
        """Add the recent views, and what can be done with all of them, to a menu."""
        views = self._views
        for one in views:
            add_view(menu, one.view, self.chosen.emit)
        if not views:
            menu.addAction("No recent views").setEnabled(False)
        menu.addSeparator()
        keeping = menu.addAction("Keep recent views", lambda: self.turn(not self.is_on))
        keeping.setCheckable(True)
        keeping.setChecked(self.is_on)
        keeping.setEnabled(self._settings.folder is not None)
        menu.addAction("Forget recent views", self.forget).setEnabled(bool(views))

    def _show(self, views: Sequence[RecentView]) -> None:
        self._views = views
        self.loaded.emit(views)

    def _keep_in_background(self) -> None:
        found = self._taken()
        if found is not None:
            (view, image), generation = found, self._recent.generation
            self._workers.submit(
                lambda _asked: self._recent.keep(RecentView(view, png_of(image)), generation),
                lambda _nothing: self.load(),
                lambda error: _log.debug("the recent view was not kept", exc_info=error),
            )

    def _taken(self) -> tuple[SavedView, QImage] | None:
        """The present view and its picture; None if it is not an image, or none is to be kept."""
        pane = self._node_pane.current_pane if self.is_on else None
        scale = min(self._node_pane.devicePixelRatioF(), _MOST_SCALE)
        image = None if pane is None else pane.thumbnail(QSize(PICTURE) * scale)
        view = None if image is None else self._present()
        return None if view is None or image is None else (view, image)
