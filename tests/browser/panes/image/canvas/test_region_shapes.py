"""Shapes over the picture: a region becomes one, and it becomes the region again."""

from __future__ import annotations

import pyqtgraph as pg
import pytest
from PySide6.QtWidgets import QApplication

from zarrbrowser.image.regions.shapes import Region, Shape
from zarrbrowser.panes.image.canvas.region_shapes import make_shape, region_of


@pytest.mark.parametrize("kind", list(Shape))
def test_a_shape_is_where_its_region_is(kind: Shape, application: QApplication) -> None:
    points = ((3.0, 4.0), (20.0, 9.0), (12.0, 30.0)) if kind is Shape.POLYGON else ((3.0, 4.0), (20.0, 30.0))
    region = Region("a", kind, points)
    shape = make_shape(region, pg.mkPen("w"), pg.mkPen("w"))
    assert region_of(shape, "a", kind) == region
    shape.translate((2, 1))
    moved = region_of(shape, "b", kind)
    assert moved.points == tuple((y + 1, x + 2) for y, x in points)
    assert not any(handle["type"] == "r" for handle in shape.handles), "nothing can be rotated"
