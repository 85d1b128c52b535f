"""Draws known volumes by OpenGL and writes the pictures: a program, since tests run without a display.

python -m tests.browser.panes.volume.drawing FILE.npz
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from PySide6.QtGui import QImage, QOffscreenSurface
from PySide6.QtWidgets import QApplication

from zarrbrowser.panes.volume.gl_scene import GlScene, Picture
from zarrbrowser.volume.camera import Camera, Projection, Side
from zarrbrowser.volume.look import Mode
from zarrbrowser.volume.rays import rays
from zarrbrowser.volume.textures import Texture

SHAPE = (6, 12, 16)
PIXELS = 9
"""Per sample: an odd number, so that one pixel is at the centre of each sample."""
GREY = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1)


def noise() -> np.ndarray:
    return np.random.default_rng(4).integers(0, 256, SHAPE).astype(np.uint8)


def texture(values: np.ndarray, colours: Any = GREY, **told: Any) -> Texture:
    return Texture(values if values.ndim == 4 else values[..., None], colours, **told)


def never() -> bool:
    return False


def draw(
    scene: GlScene,
    textures: list[Texture],
    camera: Camera,
    mode: Mode = Mode.MAXIMUM,
    lengths: tuple[float, float, float] = (1.0, 1.0, 1.0),
    reverses: tuple[bool, bool, bool] = (False, False, False),
    density: float = 1.0,
    threshold: float = 0.5,
) -> np.ndarray:
    """The picture, with `PIXELS` per unit of length, shape (h, w, 4).

    Args:
        lengths: of a sample along depth, rows and columns.
        reverses: whether columns, rows and depth run against x, y and z.
    """
    depth, rows, columns = (n * length for n, length in zip(SHAPE, lengths, strict=True))
    width = height = 20 * PIXELS
    sides = (columns, rows, depth)
    fitted = Projection(Camera(camera.turn), sides, width, height)
    seen = Camera(camera.turn, PIXELS / fitted.pixels_fitted)
    projection = Projection(seen, sides, width, height)
    scene.show(textures, never)
    picture = Picture(width, height, rays(projection, reverses), mode, density, threshold)
    image = scene.draw(picture, never).convertToFormat(QImage.Format.Format_RGBA8888_Premultiplied)
    return np.array(image.constBits(), np.uint8).reshape(height, width, 4)


def pictures(scene: GlScene) -> dict[str, np.ndarray]:
    found: dict[str, np.ndarray] = {}
    plain = texture(noise(), is_smooth=True)
    for side in Side:
        found[f"maximum {side.value}"] = draw(scene, [plain], Camera.of(side))
    found["reversed"] = draw(scene, [plain], Camera.of(Side.FRONT), reverses=(True, True, False))
    found["anisotropic"] = draw(scene, [plain], Camera.of(Side.TOP), lengths=(3.0, 1.0, 1.0))
    there = np.full((*SHAPE, 2), 255, np.uint8)
    there[..., 0] = noise()
    there[:, 3:9, 4:12] = 0
    there[2, 5, 6] = (77, 255)
    found["holes"] = draw(scene, [texture(there)], Camera.of(Side.FRONT))
    red, blue = (
        np.outer(np.arange(256) / 255, colour).astype(np.uint8) for colour in ((255, 0, 0), (0, 0, 255))
    )
    found["channels"] = draw(
        scene, [texture(noise(), red), texture(noise()[::-1, ::-1], blue)], Camera.of(Side.FRONT)
    )
    labels = np.zeros((*SHAPE, 4), np.uint8)
    labels[1:3, 2:6, 3:9] = (10, 200, 30, 255)
    labels[3:5, 4:10, 5:14] = (200, 20, 250, 255)
    found["labels"] = draw(scene, [texture(labels, None, is_smooth=False)], Camera.of(Side.FRONT))
    ball = _ball()
    found["surface"] = draw(scene, [texture(ball)], Camera.of(Side.FRONT), Mode.SURFACE)
    found["surface turned"] = draw(scene, [texture(ball)], Camera.initial(), Mode.SURFACE)
    even = np.full(SHAPE, 255, np.uint8)
    for density in (0.5, 2.0):
        found[f"translucent {density}"] = draw(
            scene, [texture(even)], Camera.of(Side.FRONT), Mode.TRANSLUCENT, density=density
        )
    found["nothing"] = draw(scene, [texture(np.zeros(SHAPE, np.uint8))], Camera.initial(), Mode.TRANSLUCENT)
    found["oblique"] = draw(scene, [texture(even)], Camera.initial())
    return found


def _ball() -> np.ndarray:
    z, y, x = np.mgrid[:6, :12, :16]
    far = np.sqrt(((z - 2.5) * 2.0) ** 2 + (y - 5.5) ** 2 + (x - 7.5) ** 2)
    return (255 * np.clip(1 - (far - 1) / 5, 0, 1)).astype(np.uint8)


def main() -> None:
    application = QApplication([])
    surface = QOffscreenSurface()
    surface.create()
    scene = GlScene(surface)
    np.savez(sys.argv[1], most_side=scene.most_side, **pictures(scene))
    print(scene.renderer)
    scene.close()
    del application


if __name__ == "__main__":
    main()
