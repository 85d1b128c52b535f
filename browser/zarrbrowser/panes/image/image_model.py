"""The model of an image pane's state. Parts of the pane follow `ImageModel.changed`, and change the state only here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from zarrbrowser.image.colours.painting import Measured
from zarrbrowser.image.labels import Labels
from zarrbrowser.image.state import EVERYTHING, NOTHING, Change, ImageState, PlaneLayout, changes


class ImageModel(QObject):
    """Holds the state, and announces changes.

    Slots read the present state; the order in which they are called does not matter.

    Attributes:
        state: the state of the pane; None without an image.
        layout: the layout that the user chose, kept for the next image.
        measured: statistics of the main plane; None until it is drawn.

    Signals:
        changed: a `Change`: the parts that differ from before.
        measured_changed: the main plane was drawn; its statistics may differ.
    """

    changed = Signal(object)
    measured_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state: ImageState | None = None
        self.layout = PlaneLayout.SINGLE
        self.measured: Measured | None = None
        self._announcing = 0
        self._is_measured = False
        """Whether `measured_changed` waits until a change is announced: a plane in the cache is drawn at once."""

    def show(self, state: ImageState) -> None:
        """Show an image, or show the same one again."""
        self._set_state(replace(state, labels=None), EVERYTHING)

    def clear(self) -> None:
        """Show no image."""
        if self.state is not None:
            self.state = self.measured = None
            self._announce(EVERYTHING)

    def change(self, **changed: Any) -> None:
        """Change fields of the `ImageState`."""
        if self.state is not None:
            self._set_state(replace(self.state, **changed))

    def set(self, *, and_measure: bool = False, **changed: Any) -> None:
        """Change fields of the `ViewSettings`.

        Args:
            and_measure: recompute the contrast from the part in view, even if the settings stay the same.
        """
        if self.state is not None:
            settings = replace(self.state.settings, **changed)
            also = Change.MEASURE if and_measure else NOTHING
            self._set_state(replace(self.state, settings=settings), also)

    def arrange(self, layout: PlaneLayout) -> None:
        """Show other planes beside the main one; the same layout again pins the present plane."""
        if self.state is not None:
            self._set_state(replace(self.state, layout=layout), Change.LAYOUT)

    def set_labels(self, labels: Labels | None) -> None:
        """Set the opened labels over the picture; None for no labels."""
        self.change(labels=labels)

    def set_measured(self, measured: Measured | None) -> None:
        """Set the statistics after the main plane was drawn."""
        self.measured, self._is_measured = measured, True
        self._announce(NOTHING)

    def _set_state(self, state: ImageState, also: Change = NOTHING) -> None:
        before, self.state = self.state, state.settled()
        self.layout = self.state.layout
        found = changes(before, self.state) | also
        if found & (Change.IMAGE | Change.AXES):
            self.measured = None
        self._announce(found)

    def _announce(self, change: Change) -> None:
        self._announcing += 1
        if change:
            self.changed.emit(change)
        self._announcing -= 1
        if self._is_measured and not self._announcing:
            self._is_measured = False
            self.measured_changed.emit()
