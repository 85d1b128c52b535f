"""The notice above a picture: what could not be read, what waits for the user's consent, and what the image lacks."""

from __future__ import annotations

import logging

from PySide6.QtCore import QObject, Signal

from zarrbrowser.chunks.storage_facts import NEVER_WRITTEN, first_chunks
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.levels import Image
from zarrbrowser.image.tiles.frame_text import withheld
from zarrbrowser.image.tiles.frames import is_constant
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.panes.image.plane_view import PlaneView
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.session.error_text import remedy, sentence
from zarrbrowser.workers import Lane, Workers
from zarrcore.metadata import RectilinearChunkGrid

_log = logging.getLogger(__name__)

_LOAD, _RETRY = "Load anyway", "Retry"
_MOVED = "The middle of this array holds no chunks: this is the nearest plane found that does."
_PAGE = 1000
"""Keys in one page of a remote listing."""


class PictureNotice(QObject):
    """Says what the picture of a view lacks.

    Signals:
        changed: the notice says something else, although the picture is the same.
    """

    changed = Signal()

    def __init__(
        self,
        model: ImageModel,
        view: PlaneView,
        workers: Workers,
        coordinate_labels: CoordinateLabels,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._model, self._view, self._coordinate_labels = model, view, coordinate_labels
        coordinate_labels.changed.connect(self.changed)
        self._storage = Lane(workers, in_flight=1)
        self._is_empty: bool | None = None
        """Whether no chunk of the image is stored; None while that is unknown."""
        self._moved: Axes | None = None
        """The plane that is shown in place of the first one, which holds no chunk."""

    @property
    def is_failure(self) -> bool:
        """Whether the notice says that something could not be read."""
        return bool(self._view.faults or self._view.torn)

    def words(self) -> tuple[str, str, str]:
        """The text of the notice and of its button, and what another one does: see `remedy`; empty ones without them."""
        view = self._view
        errors = view.faults or view.torn
        if errors:
            chunks, first = view.unreadable_chunks, sentence(errors[0])
            text = f"{chunks:,} chunks in view cannot be read. {first}" if chunks > 1 else first
            return text, _RETRY, remedy(errors[0])
        held = view.frame is not None and view.frame.is_held_back
        cost = view.frame.cost if held and view.frame is not None else view.withheld
        if cost is None:
            return self._remark(), "", ""
        return withheld(cost, is_in_view=held), _LOAD, ""

    def load(self) -> None:
        """Read what was too large to be read without the user's consent."""
        view = self._view
        if view.frame is None:
            return
        cost = view.withheld or view.frame.cost
        if view.withheld is not None:
            view.withheld = None
            view.canvas.fit()
        self._model.set(may_read_bytes=cost.nbytes)

    def look_for_chunks(self) -> None:
        """Find out, once for each image, where chunks are if the picture has one value: one page of a listing.

        If they are elsewhere, the plane that was shown first, unasked, gives way to one with chunks.
        """
        state, frame = self._model.state, self._view.frame
        if self._is_empty is not None or state is None or frame is None:
            return
        if frame.is_held_back or self.is_failure or not is_constant(self._view.mosaics):
            return
        self._is_empty = False
        array, axes = state.image.base, state.settings.axes
        grid = getattr(getattr(array, "metadata", None), "chunk_grid", None)
        # Where the chunks of a grid have different lengths, their indices do not say where they are.
        is_first = axes == Axes.initial(array, axes.names) and not isinstance(grid, RectilinearChunkGrid)
        self._storage.ask(
            lambda _asked: first_chunks(array, _PAGE if is_first else 1),
            lambda chunks: self._found(chunks, axes if is_first else None),
            lambda error: _log.debug("cannot list the chunks of %s: %s", array.path, error),
        )

    def forget(self) -> None:
        """Forget what is known about the image."""
        self._storage.forget()
        self._is_empty = self._moved = None

    def _found(self, chunks: list[tuple[int, ...]] | None, first: Axes | None) -> None:
        self._is_empty = chunks == []
        if self._is_empty:
            self.changed.emit()
        state = self._model.state
        if chunks and first is not None and state is not None and state.settings.axes == first:
            axes = first.at_a_chunk(chunks, state.image.base.chunk_shape)
            if axes != first:
                self._moved = axes
                self._view.forget_statistics()
                self._model.set(axes=axes, and_measure=True)
                self.changed.emit()

    def _remark(self) -> str:
        """What is missing of the image, and which of its metadata cannot be used."""
        state = self._model.state
        if state is None:
            return ""
        if self._is_empty:
            return NEVER_WRITTEN
        if state.settings.axes == self._moved:
            return _MOVED
        labels = self._coordinate_labels
        unusable = labels.unusable if labels.is_about(state.image) else ()
        return " ".join(filter(None, (_missing(state.image), _unapplied(state.image), *unusable)))


def _missing(image: Image) -> str:
    missing = image.missing
    noun = "level" if len(missing) == 1 else "levels"
    are = "is missing or broken" if len(missing) == 1 else "are missing or broken"
    return f"The metadata describe the {noun} {', '.join(missing)}, which {are}." if missing else ""


def _unapplied(image: Image) -> str:
    if not image.unapplied:
        return ""
    one = len(image.unapplied) == 1
    begin = "A transformation of the levels is" if one else "Transformations of the levels are"
    return f"{begin} not applied: {', '.join(image.unapplied)}."
