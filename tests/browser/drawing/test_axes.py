"""The axes of a panel: numbers that do not touch each other, in the room that is kept for them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QImage, QPainter

from zarrbrowser.drawing.axes import place_of, room_below, room_on_left, ticks_across, ticks_down
from zarrbrowser.drawing.canvas import FigureCanvas
from zarrbrowser.export.figures.scales import Scale

pytestmark = pytest.mark.usefixtures("application")


@pytest.fixture(scope="module")
def canvas() -> Iterator[FigureCanvas]:
    image = QImage(10, 10, QImage.Format.Format_ARGB32)
    painter = QPainter(image)
    yield FigureCanvas(painter, 9.0)
    painter.end()


@given(st.floats(-1e9, 1e9), st.floats(1e-3, 1e9), st.floats(100, 8000))
def test_numbers_below_do_not_touch(canvas: FigureCanvas, low: float, length: float, width: float) -> None:
    scale = Scale("x", low, low + length)
    ticks = ticks_across(canvas, scale, width)
    places = [float(place_of(scale, at, 0.0, width)) for at, _ in ticks]
    for (one, other), (text, following) in zip(pairwise(places), pairwise(ticks), strict=True):
        half = (canvas.width(text[1]) + canvas.width(following[1])) / 2
        assert other - one > half


def test_positions_go_from_one_end_to_the_other() -> None:
    assert place_of(Scale("y", 5.0, 1.0), 5.0, 0.0, 100.0) == 0
    assert place_of(Scale("y", 5.0, 1.0), 2.0, 0.0, 100.0) == 75


def test_names_and_long_numbers_take_room(canvas: FigureCanvas) -> None:
    plain, named = Scale("", 0, 1), Scale("lat (°N)", 0, 1)
    assert room_below(canvas, named) > room_below(canvas, plain)
    assert room_on_left(canvas, named, 1000) > room_on_left(canvas, plain, 1000)
    assert room_on_left(canvas, Scale("", 0, 1e5), 1000) > room_on_left(canvas, plain, 1000)
    assert len(ticks_down(canvas, plain, 3000)) > len(ticks_down(canvas, plain, 300))
