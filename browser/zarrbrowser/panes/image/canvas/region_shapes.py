"""Regions as shapes that the user drags over the picture."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter

from zarrbrowser.image.regions.shapes import Point, Region, Shape


class EllipseShape(pg.EllipseROI):  # type: ignore[misc] # pyqtgraph has no types
    """An ellipse with handles at two corners of the rectangle around it; pyqtgraph's own can be rotated."""

    def _addHandles(self) -> None:  # noqa: N802 - pyqtgraph's name
        self.addScaleHandle([1, 1], [0, 0])
        self.addScaleHandle([0, 0], [1, 1])

    def paint(self, painter: QPainter, *args: Any) -> None:
        """Draw a flat one as a line: pyqtgraph divides by width and height, and Qt crashes after an error here."""
        if all(self.size()):
            super().paint(painter, *args)
        else:
            painter.setPen(self.currentPen)
            painter.drawRect(self.boundingRect())


def make_shape(region: Region, pen: Any, hover_pen: Any) -> Any:
    """The shape of a region, to be added to the picture."""
    top, left, bottom, right = region.box
    if region.shape is Shape.POLYGON:
        points = [(x, y) for y, x in region.points]
        shape = pg.PolyLineROI(points, closed=True, pen=pen, hoverPen=hover_pen)
    elif region.shape is Shape.ELLIPSE:
        shape = EllipseShape((left, top), (right - left, bottom - top), pen=pen, hoverPen=hover_pen)
    else:
        size = (right - left, bottom - top)
        shape = pg.RectROI((left, top), size, pen=pen, hoverPen=hover_pen, sideScalers=True)
        shape.addScaleHandle([0, 0], [1, 1])
    shape.setAcceptedMouseButtons(pg.QtCore.Qt.MouseButton.LeftButton)  # a click chooses the region
    shape.setZValue(10)
    return shape


def region_of(shape: Any, name: str, kind: Shape) -> Region:
    """The region that a shape has been dragged to."""
    if kind is Shape.POLYGON:
        places = [place_of_handle(shape, handle["item"]) for handle in shape.handles]
        return Region(name, kind, tuple((place.y(), place.x()) for place in places))
    at, size = shape.pos(), shape.size()
    corners: tuple[Point, Point] = (at.y(), at.x()), (at.y() + size.y(), at.x() + size.x())
    return Region(name, kind, corners)


def place_shape(shape: Any, region: Region) -> None:
    """Move a shape of the same kind to where a region is."""
    if region.shape is Shape.POLYGON:
        was_blocked = shape.blockSignals(True)  # it is not a region until its last vertex has moved
        for handle, (y, x) in zip(shape.handles, region.points, strict=True):
            move_handle(shape, handle["item"], QPointF(x, y))
        shape.blockSignals(was_blocked)
        shape.sigRegionChanged.emit(shape)
    else:
        top, left, bottom, right = region.box
        shape.setPos((left, top), update=False)
        shape.setSize((right - left, bottom - top))


def move_handle(shape: Any, handle: Any, place: QPointF) -> None:
    """Move a free handle of a shape to a place of the picture."""
    for one in handle.rois:  # the sides of a polygon share its handles, and have their places in it
        at = place if one is shape else shape.mapFromParent(place)
        one.movePoint(handle, at, finish=False, coords="parent")


def place_of_handle(shape: Any, handle: Any) -> QPointF:
    """Where a handle is in the picture."""
    at: QPointF = shape.mapToParent(handle.pos())
    return at
