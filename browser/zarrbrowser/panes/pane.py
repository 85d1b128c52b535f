"""What each tab of a node is: the base class of panes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from zarrbrowser.export.viewed_array import ViewedArray
from zarrbrowser.nodes.protocols import NodeLike
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.workers import Workers


class Pane(QWidget):
    """One tab. `zarrbrowser.panes.registry` says for which nodes it exists.

    A pane overrides what makes sense for it; the rest does nothing.

    Signals:
        pointed: what is under the pointer, as text; empty off the data.
        reported: what was read or copied, for the status bar.
        settled: the pane shows its data, or says why it has none.
        retried: the person wants the node read again.
        unpacked: whether the person wants stored numbers unpacked.
        view_changed: the view has changed, and has then been the same for a moment.
    """

    is_filled_when_shown: ClassVar[bool] = False
    """Filled each time it comes to the front: another pane may have changed what it shows."""
    is_filled_for_colours: ClassVar[bool] = False
    """Filled again when the theme changes."""

    pointed = Signal(str)
    reported = Signal(str)
    settled = Signal()
    retried = Signal()
    unpacked = Signal(bool)
    view_changed = Signal()

    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session, self.workers = session, workers

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Show a node."""
        raise NotImplementedError

    def clear(self) -> None:
        """Show nothing, want nothing."""

    def viewed(self) -> ViewedArray | None:
        """What of an array the pane shows, for export; None where it shows no elements."""
        return None

    def view_state(self) -> dict[str, Any]:
        """How the node is shown, as JSON, for the history; empty where that cannot be chosen."""
        return {}

    def restore(self, document: Mapping[str, Any]) -> None:
        """Show the node as `view_state` said."""

    def fit(self) -> None:
        """The whole picture or plot in view."""

    def actual_size(self) -> None:
        """One element per pixel."""

    def step(self, by: int) -> None:
        """The next or previous plane."""

    def copy(self) -> None:
        """Copy what is selected."""

    def unpack(self, *, is_on: bool) -> None:
        """Unpack stored numbers, or show them as they are."""

    def update_colours(self) -> None:
        """Take on the colours of the application's theme."""
