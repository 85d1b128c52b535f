"""Which labels lie over the picture: found beside it, chosen from a menu, kept in the look of the image."""

from __future__ import annotations

import logging

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton

from zarrbrowser.image.labels import Labels, label_names, open_labels
from zarrbrowser.image.levels import Image
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.panes.image.plane_grid import PlaneGrid
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.workers import Lane, Workers

_log = logging.getLogger(__name__)
_OPACITIES = (0.25, 0.5, 0.75, 1.0)


class LabelsController(QObject):
    """Between a button and the views.

    Signals:
        reported: why labels cannot be shown.
    """

    reported = Signal(str)

    def __init__(self, workers: Workers, button: QToolButton, grid: PlaneGrid, parent: QObject) -> None:
        super().__init__(parent)
        self._lane = Lane(workers, in_flight=1)
        self._button, self._grid = button, grid
        self._source: Source | None = None
        self._image: Image | None = None
        self._settings: ViewSettings | None = None
        self._names: tuple[str, ...] = ()
        self._labels: Labels | None = None
        self.menu = QMenu(button)
        self.menu.aboutToShow.connect(self._fill_menu)
        button.setMenu(self.menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        grid.main.overlay.loader.failed.connect(self._fail)

    def look_for(self, source: Source, image: Image, settings: ViewSettings) -> None:
        """Find which labels an image has; the picture does not wait for it."""
        self.clear()
        self._source, self._image, self._settings = source, image, settings
        self._lane.ask(
            lambda _asked: label_names(image, source.hierarchy.node),
            self._found,
            lambda error: _log.debug("the labels of %s are not known: %s", image.path, error),
        )

    def clear(self) -> None:
        """No image is looked at."""
        self._lane.forget()
        self._source = self._image = self._settings = None
        self._names = ()
        self._button.hide()
        self._show(None)

    def choose(self, name: str) -> None:
        """Lay labels of this name over the picture; none where it is empty."""
        source, image, settings = self._source, self._image, self._settings
        if source is None or image is None or settings is None:
            return
        settings.labels = name
        self._lane.forget()
        if not name:
            self._show(None)
            return
        self._lane.ask(
            lambda _asked: open_labels(image, name, source.hierarchy.node),
            self._show,
            self._fail,
            f"Opening the labels {name}",
        )

    def fade(self, opacity: float) -> None:
        """How much of the picture labels hide: 1 is all of it."""
        if self._settings is not None:
            self._settings.labels_opacity = opacity
            self._show(self._labels)

    def _found(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._button.setVisible(bool(names))
        if self._settings is not None and self._settings.labels in names:
            self.choose(self._settings.labels)

    def _show(self, labels: Labels | None) -> None:
        self._labels = labels
        self._grid.show_labels(labels, self._settings.labels_opacity if self._settings is not None else 1.0)

    def _fail(self, error: Exception) -> None:
        self.reported.emit(sentence(error))

    def _fill_menu(self) -> None:
        settings = self._settings
        self.menu.clear()
        if settings is None:
            return
        group = QActionGroup(self.menu)
        for name in ("", *self._names):
            action = group.addAction(name or "No labels")
            action.setCheckable(True)
            action.setChecked(name == settings.labels)
            action.triggered.connect(lambda _on, name=name: self.choose(name))
        self.menu.addActions(group.actions())
        shares = QActionGroup(self.menu)
        for share in _OPACITIES:
            action = shares.addAction(f"Opacity {share:.0%}")
            action.setCheckable(True)
            action.setChecked(share == settings.labels_opacity)
            action.triggered.connect(lambda _on, share=share: self.fade(share))
        self.menu.addSeparator()
        self.menu.addActions(shares.actions())
