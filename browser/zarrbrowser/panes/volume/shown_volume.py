"""The volume on the screen as a value from which a figure is made."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtGui import QFont, QImage, QPainter

from zarrbrowser.export.figures.figure import ColourBar, Figure, Layer, Picture
from zarrbrowser.export.figures.scales import Scale
from zarrbrowser.image.levels import Colour
from zarrbrowser.panes.volume.renderer import NotDrawnError, View, VolumeRenderer
from zarrbrowser.panes.volume.scene_painter import Scene, paint_scene
from zarrbrowser.volume.textures import Texture

MOST_SIDE = 4096
"""Pixels along a side of a picture, which most drivers can draw."""
MOST_PIXELS = 2**23
"""Pixels of a picture: without a graphics card, more would take minutes."""


@dataclass(frozen=True, slots=True, eq=False)
class ShownVolume:
    """A volume with its box and the names of its axes, as on the screen."""

    renderer: VolumeRenderer
    view: View
    textures: tuple[Texture, ...]
    """What is drawn."""
    scene: Scene
    image: QImage
    """The picture on the screen."""
    font: QFont
    colour_bar: ColourBar | None
    legend: tuple[tuple[str, Colour], ...]
    title: str
    mask_note: str = ""
    """Which number is left out as a mask."""

    def as_shown(self) -> Figure:
        """The figure of the picture on the screen; draws no other."""
        return self._figure(self.image, self.view.ratio)

    def read(self, pixels: tuple[int, int], cancelled: Callable[[], bool] = lambda: False) -> Figure:
        """The figure with a picture that is drawn for it; blocks, and must not run in the window's thread.

        Args:
            pixels: the width and height of the whole figure.

        Raises:
            Cancelled: ``cancelled`` became true.
        """
        ratio = self._ratio(pixels)
        try:
            image = self.renderer.still(replace(self.view, ratio=ratio), self.textures, cancelled)
        except NotDrawnError as error:
            reason = str(error)
            note = f"The figure has the resolution of the screen: {reason[:1].lower()}{reason[1:]}".rstrip(
                "."
            )
            return replace(self.as_shown(), note=f"{note}. {self.mask_note}" if self.mask_note else note)
        return self._figure(image, ratio)

    def _ratio(self, pixels: tuple[int, int]) -> float:
        """Pixels of the picture per pixel of the window."""
        width, height = self.scene.projection.width, self.scene.projection.height
        return min(
            pixels[0] / width,
            pixels[1] / height,
            MOST_SIDE / max(width, height),
            math.sqrt(MOST_PIXELS / (width * height)),
        )

    def _figure(self, image: QImage, ratio: float) -> Figure:
        projection = self.scene.projection
        width, height = (max(1, round(side * ratio)) for side in (projection.width, projection.height))
        whole = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
        painter = QPainter(whole)
        painter.scale(width / projection.width, height / projection.height)
        painter.setFont(self.font)
        paint_scene(painter, self.scene, image)
        painter.end()
        plain = whole.convertToFormat(QImage.Format.Format_RGBA8888)
        rows = np.frombuffer(plain.constBits(), np.uint8).reshape(height, plain.bytesPerLine())
        pixels = rows[:, : 4 * width].reshape(height, width, 4).copy()
        panel = Picture(
            (Layer(pixels, (0.0, 0.0, float(height), float(width)), is_smooth=True),),
            Scale("", 0.0, float(height)),
            Scale("", 0.0, float(width)),
            1.0,
            has_axes=False,
        )
        return Figure(((0, 0, panel),), self.colour_bar, self.legend, self.title, self.mask_note)
