"""Draws labels over the picture of one view, tile by tile like the picture itself."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRectF, QTimer

from zarrbrowser.image.colours.painting import compose
from zarrbrowser.image.labels import label_text, paint_labels
from zarrbrowser.image.probe import sample_at
from zarrbrowser.image.state import ImageState
from zarrbrowser.image.tiles.frames import Frame, Mosaic, plan
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.panes.image.canvas.canvas import Canvas, Picture
from zarrbrowser.workers import Workers
from zarrbrowser.workers.tile_loader import TileLoader

_GATHER_MS = 25


class LabelOverlay(QObject):
    """Follows a view; shows nothing until it has labels.

    Attributes:
        mosaic: the drawn labels, or None.
    """

    def __init__(self, workers: Workers, cache: TileCache, canvas: Canvas, parent: QObject) -> None:
        super().__init__(parent)
        self._cache, self._canvas = cache, canvas
        self.loader = TileLoader(workers, cache, self)
        self.mosaic: Mosaic | None = None
        self._state: ImageState | None = None
        self._frame: Frame | None = None
        self.picture = Picture(axisOrder="row-major")
        self.picture.setZValue(5)
        canvas.view.addItem(self.picture, ignoreBounds=True)
        self._soon = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._soon.timeout.connect(self._draw)
        self.loader.arrived.connect(self._soon.start)

    def follow(self, state: ImageState | None) -> None:
        """Follow the view to another plane, other labels, or another part of them."""
        self._state, self._frame = state, None
        labels = state.labels if state is not None else None
        axes = None if labels is None or state is None else labels.axes(state.settings.axes)
        if labels is not None and state is not None and axes is not None:
            view = labels.view(state.settings.axes, self._canvas.visible())
            self._frame = plan(labels.image, [axes.as_plane()], view, self._cache.__contains__)
            self.loader.want(self._frame.missing(self._cache), f"Reading {labels.image.path}")
        else:
            self.loader.forget()
        self._draw()

    def text(self, place: tuple[float, float]) -> str:
        """The label at a position (down, right) of the image; empty if there is none."""
        state = self._state
        if self.mosaic is None or state is None or state.labels is None:
            return ""
        axes, labels = state.settings.axes, state.labels
        row, column = labels.place(axes.rows, place[0]), labels.place(axes.columns, place[1])
        value = sample_at(self.mosaic, (row, column))
        return (
            f",  {labels.name} {label_text(labels.image, value)}" if value is not None and value != 0 else ""
        )

    def _draw(self) -> None:
        frame, state = self._frame, self._state
        labels = state.labels if state is not None else None
        self.mosaic = None
        if frame is not None and not frame.is_held_back:
            self.mosaic = compose(frame, self._cache)[0]
        if self.mosaic is None or not self.mosaic.values.size or labels is None or state is None:
            if self.picture.image is not None:
                self.picture.clear()
            return
        top, left, bottom, right = labels.rect(state.settings.axes, self.mosaic)
        self.picture.setOpacity(state.settings.labels_opacity)
        self.picture.setImage(paint_labels(self.mosaic, labels.image), autoLevels=False, levels=None)
        self.picture.setRect(QRectF(left, top, right - left, bottom - top))
