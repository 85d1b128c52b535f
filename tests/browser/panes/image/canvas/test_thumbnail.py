"""Thumbnails: the part in view, as on the screen."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.panes.image.canvas.thumbnail import thumbnail
from zarrbrowser.theme import LIGHT

SIZE = QSize(160, 104)


def canvas_of(qtbot: QtBot, height: int, width: int) -> Canvas:
    """A canvas whose plane is red in the upper left quarter, and blue elsewhere."""
    canvas = Canvas()
    qtbot.addWidget(canvas)
    canvas.set_colours(LIGHT)
    canvas.resize(600, 400)
    canvas.show()
    canvas.show_plane(height, width)
    colours = np.zeros((height, width, 4), np.uint8)
    colours[..., 2:] = 255
    colours[: height // 2, : width // 2] = (255, 0, 0, 255)
    canvas.show_picture(colours, (-0.5, -0.5, height - 0.5, width - 0.5), is_smooth=False)
    QApplication.processEvents()
    return canvas


def colour(canvas: Canvas, right: float, down: float) -> tuple[int, int, int]:
    image = thumbnail(canvas, SIZE)
    assert image is not None
    pixel = image.pixelColor(round(right * (image.width() - 1)), round(down * (image.height() - 1)))
    return pixel.red(), pixel.green(), pixel.blue()


def test_it_has_the_proportions_and_the_colours_of_the_part_in_view(
    application: QApplication, qtbot: QtBot
) -> None:
    canvas = canvas_of(qtbot, 100, 100)
    image = thumbnail(canvas, SIZE)
    assert image is not None
    assert (image.width(), image.height()) == (104, 104)
    assert colour(canvas, 0.2, 0.2) == (255, 0, 0)
    assert colour(canvas, 0.8, 0.2) == (0, 0, 255)
    canvas.set_flips(rows=True, columns=True)
    QApplication.processEvents()
    assert colour(canvas, 0.2, 0.2) == (0, 0, 255)
    assert colour(canvas, 0.8, 0.8) == (255, 0, 0)
    canvas.set_flips(rows=False, columns=False)
    canvas.show_range((5, 40), (5, 40))
    QApplication.processEvents()
    assert colour(canvas, 0.0, 0.0) == colour(canvas, 0.5, 0.9) == (255, 0, 0)


def test_a_slender_plane_has_a_picture(application: QApplication, qtbot: QtBot) -> None:
    image = thumbnail(canvas_of(qtbot, 2, 5000), SIZE)
    assert image is not None
    assert (image.width() <= 160, image.height() <= 104) == (True, True)


def test_nothing_drawn_is_no_picture(application: QApplication, qtbot: QtBot) -> None:
    canvas = canvas_of(qtbot, 10, 10)
    canvas.show_range((400, 500), (400, 500))
    QApplication.processEvents()
    assert thumbnail(canvas, SIZE) is None
    canvas.clear_plane()
    assert thumbnail(canvas, SIZE) is None
