"""What is painted around a volume: the box behind and before it, the names of its axes, and a bar with a length."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage, QPainter

from zarrbrowser.panes.volume.scene_painter import GROUND, Scene, paint_scene
from zarrbrowser.volume.box import AxisText
from zarrbrowser.volume.camera import Camera, Projection

TEXTS = (AxisText("x", "0", "9"), AxisText("y", "0", "7"), AxisText("z", "0", "5"))
pytestmark = pytest.mark.usefixtures("application")


def painted(
    image: QImage | None = None, unit: str = "", texts: tuple[AxisText, ...] = TEXTS, scale: int = 1
) -> np.ndarray:
    """The pixels of a scene, shape (h, w, 3)."""
    projection = Projection(Camera.initial(), (4.0, 3.0, 2.0), 300, 200)
    found = QImage(300 * scale, 200 * scale, QImage.Format.Format_RGB32)
    painter = QPainter(found)
    painter.scale(scale, scale)
    paint_scene(painter, Scene(projection, (texts[0], texts[1], texts[2]), unit), image)
    painter.end()
    plain = found.convertToFormat(QImage.Format.Format_RGBA8888)
    return np.array(plain.constBits(), np.uint8).reshape(200 * scale, 300 * scale, 4)[..., :3]


def changed(one: np.ndarray, other: np.ndarray) -> float:
    return float((one != other).any(axis=-1).mean())


def test_the_ground_is_dark_and_the_edges_are_on_it() -> None:
    found = painted()
    ground = (found == QColor(GROUND).getRgb()[:3]).all(axis=-1)
    assert ground[0, 0]
    assert 0.9 < ground.mean() < 0.995


def test_the_picture_covers_the_ground_but_not_the_texts() -> None:
    image = QImage(30, 20, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(0, 200, 0))
    found = painted(image)
    green = (found == (0, 200, 0)).all(axis=-1)
    assert green[0, 0]
    assert 0.9 < green.mean() < 0.999


def test_a_bar_is_drawn_for_lengths_only() -> None:
    plain, measured = painted(), painted(unit="micrometer")
    assert 0.001 < changed(plain, measured) < 0.05
    assert (plain[40:] == measured[40:]).all(), "it is at the top"
    assert (plain[:, :120] == measured[:, :120]).all(), "and on the right"


def test_the_names_of_axes_are_written() -> None:
    without = tuple(AxisText("", "", "") for _ in range(3))
    assert 0.001 < changed(painted(), painted(texts=without)) < 0.05


def test_a_figure_has_the_same_scene_with_more_pixels() -> None:
    small, large = painted(unit="micrometer"), painted(unit="micrometer", scale=3)
    means = large.reshape(200, 3, 300, 3, 3).mean(axis=(1, 3))
    assert np.abs(means - small).mean() < 3
