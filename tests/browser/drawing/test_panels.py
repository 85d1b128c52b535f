"""The places of panels, their proportions, and elements that are enlarged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from tests.browser.drawing.figures import OPTIONS, PIXELS, line, picture
from zarrbrowser.drawing import panels
from zarrbrowser.drawing.canvas import FigureCanvas
from zarrbrowser.drawing.panels import data_box, enlarged, places_of, scales_of

pytestmark = pytest.mark.usefixtures("application")
ROOM = QRectF(100, 200, 4000, 2000)


@pytest.fixture
def canvas() -> Iterator[FigureCanvas]:
    image = QImage(10, 10, QImage.Format.Format_ARGB32)
    painter = QPainter(image)
    yield FigureCanvas(painter, 9.0)
    painter.end()


def test_places_fill_a_grid() -> None:
    assert places_of([(0, 0)], ROOM, 50) == [ROOM]
    left, right, below = places_of([(0, 0), (0, 1), (1, 0)], ROOM, 50)
    assert (left.width(), left.height()) == (1975, 975)
    assert (right.left(), right.top()) == (2125, 200)
    assert (below.left(), below.top()) == (100, 1225)


def test_pictures_keep_their_proportions_and_others_fill_their_place(canvas: FigureCanvas) -> None:
    square = data_box(canvas, picture(), ROOM, OPTIONS)
    assert square.width() == pytest.approx(square.height())
    wide = data_box(canvas, replace(picture(), proportion=3.0), ROOM, OPTIONS)
    assert wide.width() == pytest.approx(3 * wide.height())
    stretched = data_box(canvas, replace(picture(), proportion=None), ROOM, OPTIONS)
    assert stretched.width() > 1.5 * stretched.height()
    bare = data_box(canvas, line(), ROOM, replace(OPTIONS, has_axes=False))
    assert bare == ROOM
    assert ROOM.contains(data_box(canvas, line(), ROOM, OPTIONS))


def test_a_place_without_room_still_has_a_box(canvas: FigureCanvas) -> None:
    assert data_box(canvas, picture(), QRectF(0, 0, 5, 5), OPTIONS).isValid()


def test_elements_become_squares_of_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    large = enlarged(PIXELS, QRectF(0, 0, 720, 360), 100)
    assert large.shape == (50, 100, 4)
    assert np.array_equal(large[0, 0], PIXELS[0, 0])
    assert np.array_equal(large[-1, -1], PIXELS[1, 1])
    assert enlarged(PIXELS, QRectF(0, 0, 2, 2), 100) is not None
    monkeypatch.setattr(panels, "_MOST_UPSAMPLED", 64)
    assert enlarged(PIXELS, QRectF(0, 0, 7200, 7200), 2400).size <= 64 * 4


def test_the_scales_are_those_to_the_right_and_down() -> None:
    assert [one.label for one in scales_of(picture())] == ["lon (°E)", "lat (°N)"]
    assert [one.label for one in scales_of(line())] == ["time", "m/s"]
