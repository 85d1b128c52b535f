"""The menu of a Play button: how fast, in which direction, and whether it starts again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from zarrbrowser.export.movies.playing import RATES, Direction, Playing


class Player(Protocol):
    """What plays."""

    playing: Playing

    def set_playing(self, playing: Playing) -> None: ...


class PlayingMenu(QMenu):
    """Shows how a player plays, and changes it."""

    def __init__(self, player: Player, parent: QWidget) -> None:
        super().__init__(parent)
        self._player = player
        self.aboutToShow.connect(self.fill)

    def fill(self) -> None:
        """Show the present choices."""
        self.clear()
        now = self._player.playing
        self._add_choices({f"{rate} per second": rate for rate in RATES}, now.rate, "rate")
        self.addSeparator()
        self._add_choices({one.value: one for one in Direction}, now.direction, "direction")
        self.addSeparator()
        loop = self.addAction("Loop")
        loop.setToolTip("Start again at the end")
        loop.setCheckable(True)
        loop.setChecked(now.loops)
        loop.toggled.connect(self._changer("loops"))

    def _add_choices(self, choices: dict[str, Any], present: Any, name: str) -> None:
        group = QActionGroup(self)
        for text, value in choices.items():
            action = self.addAction(text)
            action.setCheckable(True)
            action.setChecked(value == present)
            group.addAction(action)
            action.triggered.connect(lambda _on, value=value: self._changer(name)(value))

    def _changer(self, name: str) -> Callable[[Any], None]:
        return lambda value: self._player.set_playing(replace(self._player.playing, **{name: value}))
