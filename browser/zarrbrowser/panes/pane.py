"""The base class of panes, the tabs of a node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from zarrbrowser.nodes.protocols import NodeLike
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.workers import Workers

if TYPE_CHECKING:  # imported late, for a fast start
    from zarrbrowser.export.figures.figure import FigureSource
    from zarrbrowser.export.viewed_array import ViewedArray
    from zarrbrowser.panes.image.beside.beside import Beside


class Pane(QWidget):
    """One tab. `zarrbrowser.panes.registry` says for which nodes it exists.

    A pane overrides the methods that apply to it; the others do nothing.

    Signals:
        pointed: the value under the pointer, as text; empty off the data.
        reported: what was read or copied, for the status bar.
        settled: the pane shows its data, or the reason why it has none.
        retried: the user wants the node read again.
        unpacked: whether the user wants stored numbers unpacked.
        view_changed: the view has changed, and then stayed the same for a moment.
        path_chosen: the path of a node that the user wants to go to.
        change_asked: a `Change` that the user wants.
        fill_asked: a `Target`, the elements for which the user wants to type a value.
        source_asked: the `SourceRequest` of a source that the view needs and that is not open.
        allow_asked: a folder or URL that data name, and that the user allows.
    """

    is_filled_when_shown: ClassVar[bool] = False
    """Whether the pane is filled each time it is selected: another pane may have changed what it shows."""
    is_filled_for_colours: ClassVar[bool] = False
    """Whether the pane is filled again when the theme changes."""

    replaces_what_it_shows: ClassVar[bool] = False
    """Whether `show_node` also leaves the node before, so that `clear` need not be called first."""

    beside: Beside | None = None
    """What shows the image of another node beside this one; None if the pane cannot."""

    pointed = Signal(str)
    reported = Signal(str)
    settled = Signal()
    retried = Signal()
    unpacked = Signal(bool)
    view_changed = Signal()
    path_chosen = Signal(str)
    change_asked = Signal(object)
    fill_asked = Signal(object)
    source_asked = Signal(object)
    allow_asked = Signal(str)

    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session, self.workers = session, workers

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Show a node; each pane implements this (Qt's classes cannot be abstract ones of Python)."""
        raise NotImplementedError

    def clear(self) -> None:
        """Show nothing, and cancel requests."""

    def forget_tiles(self) -> None:
        """Free the tiles read so far: their source may be closed."""

    def forget_elements(self) -> None:
        """Forget the elements read so far: some have changed. The pane is filled again, and then reads them."""
        self.forget_tiles()
        self.clear()

    def sources_changed(self, known: Mapping[str, str]) -> None:
        """Let go of sources that are not open any more, and take those that are open now.

        Args:
            known: the places of all sources in the tree: see `TreeModel.places`.
        """

    def ask_to_fill(self) -> None:
        """Emit `fill_asked` with the selected elements, if there are some."""

    def unsaved(self) -> Mapping[str, str]:
        """The texts that the user has begun and not saved, by the paths of their nodes."""
        return {}

    def focus_target(self) -> QWidget:
        """The widget that takes the keys of this pane."""
        found = (one for one in self.findChildren(QAbstractScrollArea) if one.isVisibleTo(self))
        return next((one for one in found if one.focusPolicy() & Qt.FocusPolicy.TabFocus), self)

    def viewed(self) -> ViewedArray | None:
        """The displayed part of an array, for export; None if the pane does not show elements."""
        return None

    def figure(self) -> FigureSource | None:
        """The picture or plot as a figure; None if the pane shows none."""
        return None

    def view_state(self) -> dict[str, Any]:
        """The view settings as JSON, for the history; empty if the pane has none."""
        return {}

    def lasting_view_state(self) -> dict[str, Any]:
        """The same with what the session adds, such as the colour map chosen last: it looks the same in any session."""
        return self.view_state()

    def restore(self, document: Mapping[str, Any]) -> None:
        """Restore the settings from `view_state`."""

    def position(self) -> str:
        """Where in the array the picture is, for its title: ``time = 3, z = 12``; empty if that says nothing."""
        return ""

    def thumbnail(self, size: QSize) -> QImage | None:
        """What is on the screen as a picture of at most this size, in pixels, without reading; None without a picture."""
        return None

    def fit(self) -> None:
        """Fit the whole picture or plot into view."""

    def toggle_colours(self) -> None:
        """Show or hide the panel of colours."""

    def actual_size(self) -> None:
        """Zoom to one element per pixel."""

    def step(self, by: int) -> None:
        """Show the next or previous plane."""

    def copy(self) -> None:
        """Copy the selection."""

    def unpack(self, *, is_on: bool) -> None:
        """Show unpacked values or stored numbers."""

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
