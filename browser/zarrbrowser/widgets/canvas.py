"""The picture: a plane drawn with as many elements as the screen holds, zoomed by wheel, panned by dragging.

Element ``i`` covers ``[i − ½, i + ½)``, so that the axes' numbers stand at the middle of elements.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, QTimer, Signal
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QGraphicsRectItem, QWidget

from zarrbrowser.session.colour_maps import lookup_table
from zarrbrowser.session.plane import Plane
from zarrbrowser.session.viewport import Window, window
from zarrbrowser.theme.colours import Colours
from zarrbrowser.widgets.number_axis import NumberAxis

_MARGIN = 0.5
"""Drawn beyond each edge of the view, in views, so that panning shows no blank."""
_SCREEN = 4096
"""Room around a small picture, in elements: a screen's width, for one element per pixel."""
_SLENDER = 8
"""A picture longer than wide by this is stretched, or it would be a hair."""


class Canvas(pg.GraphicsLayoutWidget):  # type: ignore[misc] # pyqtgraph has no types
    """Shows one plane.

    Signals:
        pointed: row and column under the pointer, or None off the picture.
        square_changed: whether elements are drawn as high as wide, where the plane's shape decided it.
    """

    pointed = Signal(object)
    square_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("picture of the plane")
        self.ci.layout.setContentsMargins(8, 12, 16, 8)
        self.plot = self.addPlot(
            axisItems={side: NumberAxis(side, whole=True) for side in ("left", "bottom")}
        )
        self.view = self.plot.getViewBox()
        self.image = pg.ImageItem(axisOrder="row-major")
        self._missing = QGraphicsRectItem()
        self._plane: Plane | None = None
        self._levels = (0.0, 1.0)
        self._colour_map = "gray"
        self._drawn: tuple[Window, Window] | None = None
        self._fitted = True
        self._later = QTimer(self, singleShot=True, interval=0)
        self._set_up()

    @property
    def plane(self) -> Plane | None:
        """What is shown."""
        return self._plane

    def show_plane(self, plane: Plane, levels: tuple[float, float]) -> None:
        """Show a plane; the view stays where it is while the plane has the same axes."""
        before = self._plane
        moved_only = (
            before is not None
            and before.request.array is plane.request.array
            and (before.request.axes.shown == plane.request.axes.shown)
        )
        self._plane, self._levels = plane, levels
        axes = plane.request.axes
        self._missing.setRect(QRectF(-0.5, -0.5, axes.width, axes.height))
        self._missing.setVisible(plane.statistics is not None and plane.statistics.nan_count > 0)
        if not moved_only:
            self._show_axes(plane)
            self.fit()
        self._draw()

    def set_levels(self, low: float, high: float) -> None:
        """Other bounds of the contrast for the same plane."""
        self._levels = (low, high)
        if self._plane is not None and self._plane.statistics is not None:
            self.image.setLevels((low, high))

    def set_colour_map(self, name: str) -> None:
        """Other colours."""
        self._colour_map = name
        if self._plane is not None and self._plane.statistics is not None:
            self.image.setLookupTable(lookup_table(name))

    def set_square(self, square: bool) -> None:
        """Whether elements are as high as they are wide."""
        self.view.setAspectLocked(square)

    def fit(self) -> None:
        """The whole plane in view."""
        if self._plane is not None:
            self._fitted = True
            axes = self._plane.request.axes
            self.view.setRange(QRectF(-0.5, -0.5, axes.width, axes.height), padding=0.02)

    def actual_size(self) -> None:
        """One element per pixel of the screen, about the middle of what is in view."""
        self._fitted = False
        # A layout that is still to come, of wider numbers say, would give the pixels another size.
        self.ci.layout.activate()
        middle, ratio = self.view.viewRect().center(), self.devicePixelRatioF()
        width, height = self.view.width() * ratio, self.view.height() * ratio
        self.view.setRange(QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height), padding=0)

    def clear_plane(self) -> None:
        """Show nothing."""
        self._plane = self._drawn = None
        self.image.clear()

    def wear(self, colours: Colours) -> None:
        """Take on an appearance."""
        self.setBackground(colours.canvas)
        for side in ("left", "bottom"):
            axis = self.plot.getAxis(side)
            axis.setPen(pg.mkPen(colours.border))
            axis.setTextPen(pg.mkPen(colours.muted))
        self._missing.setBrush(pg.mkBrush(colours.missing))

    def _set_up(self) -> None:
        self.plot.hideButtons()
        self.plot.setMenuEnabled(False)
        self.view.invertY(True)
        self.view.setAspectLocked(True)
        self._missing.setPen(QPen(pg.QtCore.Qt.PenStyle.NoPen))
        self._missing.setZValue(-1)
        self.view.addItem(self._missing, ignoreBounds=True)
        self.view.addItem(self.image, ignoreBounds=True)
        self._later.timeout.connect(self._draw_if_moved)
        self.view.sigRangeChanged.connect(lambda *_: self._later.start())
        self.view.sigRangeChangedManually.connect(lambda *_: self._looked_closer())
        self.view.sigResized.connect(lambda *_: self._resized())
        self.scene().sigMouseMoved.connect(self._point)

    def _looked_closer(self) -> None:
        self._fitted = False

    def _resized(self) -> None:
        """A plane that was wholly in view stays so when the window changes."""
        if self._fitted:
            self.fit()
        self._later.start()

    def _show_axes(self, plane: Plane) -> None:
        axes = plane.request.axes
        self.plot.setLabel("left", axes.names[axes.rows])
        self.plot.setLabel("bottom", axes.names[axes.columns])
        long, short = max(axes.width, axes.height), max(1, min(axes.width, axes.height))
        self.set_square(long / short < _SLENDER)
        self.square_changed.emit(long / short < _SLENDER)
        reach = max(5 * long, _SCREEN)  # square elements need room beyond the short side too
        self.view.setLimits(
            xMin=-reach, xMax=axes.width + reach, yMin=-reach, yMax=axes.height + reach, minXRange=2
        )

    def _windows(self, plane: Plane) -> tuple[Window, Window]:
        (left, right), (top, bottom) = self.view.viewRange()
        ratio, axes = self.devicePixelRatioF(), plane.request.axes
        reach, grown = 1 + 2 * _MARGIN, [(right - left) * _MARGIN, (bottom - top) * _MARGIN]
        rows = window(axes.height, top - grown[1], bottom + grown[1], self.view.height() * ratio * reach)
        columns = window(axes.width, left - grown[0], right + grown[0], self.view.width() * ratio * reach)
        return rows, columns

    def _draw_if_moved(self) -> None:
        if self._plane is not None and self._windows(self._plane) != self._drawn:
            self._draw()

    def _draw(self) -> None:
        plane = self._plane
        if plane is None:
            return
        self._drawn = rows, columns = self._windows(plane)
        part = plane.picture[rows.slice, columns.slice]
        style: dict[str, Any] = {"levels": self._levels, "lut": lookup_table(self._colour_map)}
        if plane.statistics is None:
            style = {"levels": (0, plane.brightest), "lut": None}
        self.image.setImage(part, autoLevels=False, **style)
        self.image.setRect(QRectF(columns.start - 0.5, rows.start - 0.5, columns.extent, rows.extent))

    def _point(self, at: QPointF) -> None:
        if self._plane is None or not self.view.sceneBoundingRect().contains(at):
            self.pointed.emit(None)
            return
        place, axes = self.view.mapSceneToView(at), self._plane.request.axes
        row, column = int(np.floor(place.y() + 0.5)), int(np.floor(place.x() + 0.5))
        inside = 0 <= row < axes.height and 0 <= column < axes.width
        self.pointed.emit((row, column) if inside else None)

    def leaveEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        super().leaveEvent(event)
        self.pointed.emit(None)
