"""The coordinates of an image: read in the background, shown on axes, on sliders and under the pointer."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from zarrbrowser.coordinates.auxiliary import Auxiliary, auxiliary_of
from zarrbrowser.coordinates.coordinates import Coordinate, coordinates_of, scale_along
from zarrbrowser.image.levels import Image
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.maps.geography import Geography, geography_of
from zarrbrowser.maps.unknown_place import UnknownPlaceError
from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.workers import Lane, Workers

_PATIENCE_MS = 300
"""Coordinates that arrive sooner are not announced."""
_log = logging.getLogger(__name__)


class CoordinateLabels(QObject):
    """Keeps the coordinates of the present image.

    Attributes:
        found: coordinates by axis, also while they are switched off.
        unusable: what is wrong with coordinates that are not shown, or not as dates, a sentence each.
        auxiliary: coordinates of single elements.
        geography: where the image is on Earth, if that is known.
        why_no_map: why that is not known, if it could be; else empty.

    Signals:
        changed: coordinates were loaded, or switched off.
    """

    changed = Signal()

    def __init__(self, workers: Workers, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lane, self._further, self._mapping = Lane(workers), Lane(workers), Lane(workers)
        self._image: Image | None = None
        self.found: dict[int, Coordinate] = {}
        self.unusable: tuple[str, ...] = ()
        self.auxiliary: tuple[Auxiliary, ...] = ()
        self.geography: Geography | None = None
        self.why_no_map = ""
        self._is_on = True
        self._patience = QTimer(self, singleShot=True, interval=_PATIENCE_MS)
        self._patience.timeout.connect(self.changed)

    @property
    def is_known(self) -> bool:
        """Whether an axis has coordinates."""
        return bool(self.found)

    @property
    def is_waiting(self) -> bool:
        """Whether the coordinates of named dimensions have been read for longer than a moment."""
        if self._patience.isActive() or self._image is None or not self._lane.busy:
            return False
        return self._image.base.dimension_names is not None

    @property
    def coordinates(self) -> dict[int, Coordinate]:
        """Coordinates by axis; empty while they are switched off."""
        return self.found if self._is_on else {}

    def is_about(self, image: Image | None) -> bool:
        """Whether the loaded coordinates belong to an image."""
        return self._image is image

    def look_for(self, image: Image, find: Callable[[str], Any]) -> None:
        """Read the coordinates of an image in the background.

        Args:
            find: opens the node at a path of the image's hierarchy.
        """
        self.forget()
        self._image = image
        self._patience.start()
        self.changed.emit()

        def work(_request: object) -> tuple[dict[int, Coordinate], tuple[str, ...]]:
            from zarrbrowser.coordinates.unusable import unusable_coordinates  # late: for a fast start

            find_once = _remembering(find)
            found = coordinates_of(image, find_once)
            return found, unusable_coordinates(image, found, find_once)

        self._lane.ask(
            work,
            lambda known: self._set_found(*known),
            self._fail,
        )
        self._further.ask(
            lambda _request: auxiliary_of(image, find),
            self._take_auxiliary,
            lambda error: _log.debug("cannot read coordinates of %s: %s", image.path, error),
        )

        self._mapping.ask(
            lambda request: geography_of(image, find, request.is_cancelled),
            self._take_geography,
            lambda error: self._take_no_map(image, error),
        )

    def forget(self) -> None:
        """Forget the image."""
        for lane in (self._lane, self._further, self._mapping):
            lane.forget()
        self._patience.stop()
        self._image, self.found, self.unusable, self.auxiliary = None, {}, (), ()
        self.geography, self.why_no_map = None, ""

    def turn(self, is_on: bool) -> None:
        """Switch between coordinates and indices."""
        self._is_on = is_on
        self.changed.emit()

    def write_on(self, canvas: Canvas, settings: ViewSettings, *, has_bar: bool = True) -> None:
        """Label the axes of a picture with names and coordinates, and show a scale bar if they are lengths."""
        axes = settings.axes
        known = self.coordinates
        reading = ", reading coordinates…" if self.is_waiting else ""
        canvas.show_coordinates(
            (axes.names[axes.rows] + reading, axes.names[axes.columns] + reading),
            (known.get(axes.rows), known.get(axes.columns)),
        )
        shown = self._image if self._is_on and has_bar else None
        canvas.show_scale(None if shown is None else scale_along(shown, axes.columns))

    def _set_found(self, found: dict[int, Coordinate], unusable: tuple[str, ...]) -> None:
        self.found, self.unusable = found, unusable
        was_soon = self._patience.isActive()
        self._patience.stop()
        if found or unusable or not was_soon:  # else all is as before
            self.changed.emit()

    def _fail(self, error: Exception) -> None:
        _log.debug("cannot read coordinates: %s", error)
        self._set_found({}, ())

    def _take_auxiliary(self, found: tuple[Auxiliary, ...]) -> None:
        self.auxiliary = found
        if found:
            self.changed.emit()

    def _take_geography(self, found: Geography) -> None:
        self.geography = found
        self.changed.emit()

    def _take_no_map(self, image: Image, error: Exception) -> None:
        if isinstance(error, UnknownPlaceError):
            self.why_no_map = str(error)
            self.changed.emit()
        else:
            _log.debug("cannot find where %s is on Earth: %s", image.path, error)


def _remembering(find: Callable[[str], Any]) -> Callable[[str], Any]:
    """Wrap ``find`` so that it requests each node only once, even a missing one."""
    from zarrcore.errors import ZarrError  # late: for a fast start

    known: dict[str, Any] = {}

    def find_once(path: str) -> Any:
        if path not in known:
            try:
                known[path] = find(path)
            except ZarrError as error:
                known[path] = error
        if isinstance(known[path], ZarrError):
            raise known[path]
        return known[path]

    return find_once
