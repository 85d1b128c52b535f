"""Chunk borders over the picture."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from tests.browser.fakes import FakeArray
from zarrbrowser.chunks.chunk_grid import ChunkGrid
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.levels import level_of, whole
from zarrbrowser.image.tiles.raster import Raster
from zarrbrowser.panes.image.canvas.chunk_overlay import ChunkOverlay


@pytest.fixture
def overlay(application: QApplication) -> ChunkOverlay:
    return ChunkOverlay()


def grid_of(factor: int = 1) -> ChunkGrid:
    """Two by two of the chunks of a plane of 25 × 40 elements; the last ones are cut."""
    array = FakeArray(np.zeros((3, 25, 40)), chunks=(2, 10, 20))
    axes = Axes.initial(array).at(0, 2)
    level = whole(array) if factor == 1 else level_of((3, 25 * factor, 40 * factor), array)
    return ChunkGrid(Raster.of(level, axes), range(1, 3), range(2))


def test_only_chunks_that_are_known_to_be_missing_are_hatched(overlay: ChunkOverlay) -> None:
    assert overlay.missing == []
    overlay.show_grid(grid_of(), {(1, 1, 0): True, (1, 1, 1): False, (0, 2, 0): False, (1, 5, 0): False})
    assert overlay.missing == [(1, 1)], "of this plane, in view, and asked for"


def test_the_lines_cover_the_chunks_up_to_the_edge_of_the_array(overlay: ChunkOverlay) -> None:
    assert overlay.boundingRect() == QRectF()
    overlay.show_grid(grid_of(), {})
    assert overlay.boundingRect() == QRectF(-0.5, 9.5, 40, 15)
    overlay.show_grid(grid_of(4), {})
    assert overlay.boundingRect() == QRectF(-0.5, 39.5, 160, 60)
    overlay.show_grid(None, {})
    assert overlay.boundingRect() == QRectF()


@pytest.mark.parametrize("zoom", [4, 12])
def test_lines_and_hatching_are_drawn_at_any_zoom(zoom: int, overlay: ChunkOverlay) -> None:
    overlay.show_grid(grid_of(), {(1, 1, 1): False})
    image = QImage(42 * zoom, 27 * zoom, QImage.Format.Format_ARGB32)
    image.fill(QColor(60, 60, 60))
    painter = QPainter(image)
    painter.scale(zoom, zoom)
    painter.translate(0.5, 0.5)
    overlay.paint(painter)
    painter.end()

    def changed(row: int, column: int) -> float:
        """The share of the pixels of an element that are drawn over."""
        pixels = [
            image.pixelColor(column * zoom + x, row * zoom + y) != QColor(60, 60, 60)
            for x in range(zoom)
            for y in range(zoom)
        ]
        return sum(pixels) / len(pixels)

    assert changed(15, 20) > 0, "a border between two chunks"
    assert changed(5, 5) == 0, "outside the chunks in view"
    assert changed(15, 10) == 0, "inside a stored chunk"
    line = [image.pixelColor(x, 15 * zoom + 2).rgb() for x in range(22 * zoom, 38 * zoom)]
    stripes = sum(one != other for one, other in pairwise(line))
    assert 1 / 8 < stripes / len(line) < 1 / 2, "the stripes are as narrow at any zoom"
