"""Regions as shapes that the user drags over the picture."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg

from zarrbrowser.image.regions.shapes import Point, Region, Shape


class EllipseShape(pg.EllipseROI):  # type: ignore[misc] # pyqtgraph has no types
    """An ellipse with handles at two corners of the rectangle around it; pyqtgraph's own can be rotated."""

    def _addHandles(self) -> None:  # noqa: N802 - pyqtgraph's name
        self.addScaleHandle([1, 1], [0, 0])
        self.addScaleHandle([0, 0], [1, 1])


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
        places = [shape.mapToParent(handle["item"].pos()) for handle in shape.handles]
        return Region(name, kind, tuple((place.y(), place.x()) for place in places))
    at, size = shape.pos(), shape.size()
    corners: tuple[Point, Point] = (at.y(), at.x()), (at.y() + size.y(), at.x() + size.x())
    return Region(name, kind, corners)
