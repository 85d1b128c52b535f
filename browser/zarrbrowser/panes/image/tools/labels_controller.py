"""The labels over the picture: listed in the background, chosen from a menu."""

from __future__ import annotations

import logging
from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton

from zarrbrowser.image.labels import label_names, open_labels
from zarrbrowser.image.state import Change
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.session.error_text import sentence
from zarrbrowser.workers import Lane, Workers

_log = logging.getLogger(__name__)
_OPACITIES = (0.25, 0.5, 0.75, 1.0)


class LabelsController(QObject):
    """Lists the labels of the state's image, offers them in a menu, and opens the chosen ones.

    Signals:
        reported: why labels cannot be shown.
    """

    reported = Signal(str)

    def __init__(self, model: ImageModel, workers: Workers, button: QToolButton, parent: QObject) -> None:
        super().__init__(parent)
        self._model, self._button = model, button
        self._lane = Lane(workers, in_flight=1)
        self._names: tuple[str, ...] = ()
        self.menu = QMenu(button)
        self.menu.aboutToShow.connect(self._fill_menu)
        button.setMenu(self.menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        model.changed.connect(self._follow)

    def choose(self, name: str) -> None:
        """Show the labels with a name over the picture; none if it is empty."""
        state = self._model.state
        if state is None:
            return
        self._lane.forget()
        if not name:
            self._model.change(settings=replace(state.settings, labels=""), labels=None)
            return
        self._model.set(labels=name)
        self._lane.ask(
            lambda _asked: open_labels(state.image, name, state.find),
            self._model.set_labels,
            self.fail,
            f"Opening the labels {name}",
        )

    def fail(self, error: Exception) -> None:
        """Report that labels cannot be read."""
        self.reported.emit(sentence(error))

    def _follow(self, change: Change) -> None:
        if Change.IMAGE not in change:
            return
        state = self._model.state
        self._lane.forget()
        self._names = ()
        self._button.setEnabled(False)
        if state is not None:
            self._lane.ask(
                lambda _asked: label_names(state.image, state.find),
                self._found,
                lambda error: _log.debug("cannot list the labels of %s: %s", state.image.path, error),
            )

    def _found(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._button.setEnabled(bool(names))
        if self._model.state is not None and self._model.state.settings.labels in names:
            self.choose(self._model.state.settings.labels)

    def _fill_menu(self) -> None:
        self.menu.clear()
        if self._model.state is None:
            return
        settings = self._model.state.settings
        group = QActionGroup(self.menu)
        for name in ("", *self._names):
            action = group.addAction(name.replace("&", "&&") or "No labels")
            action.setCheckable(True)
            action.setChecked(name == settings.labels)
            action.triggered.connect(lambda _on, name=name: self.choose(name))
        self.menu.addActions(group.actions())
        shares = QActionGroup(self.menu)
        for share in _OPACITIES:
            action = shares.addAction(f"Opacity {share:.0%}")
            action.setCheckable(True)
            action.setChecked(share == settings.labels_opacity)
            action.triggered.connect(lambda _on, share=share: self._model.set(labels_opacity=share))
        self.menu.addSeparator()
        self.menu.addActions(shares.actions())
