"""PNG files of pictures; any thread may make them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage

_FORMATS = {3: QImage.Format.Format_RGB888, 4: QImage.Format.Format_RGBA8888}


def png_of_pixels(pixels: NDArray[np.uint8]) -> bytes:
    """The PNG file of pixels, shape (h, w, 3) or (h, w, 4) with opacity.

    Raises:
        OSError: it cannot be encoded.
    """
    height, width, colours = pixels.shape
    plain = np.ascontiguousarray(pixels)
    return png_of(QImage(plain.data, width, height, colours * width, _FORMATS[colours]))


def png_of(image: QImage) -> bytes:
    """The PNG file of an image.

    Raises:
        OSError: it cannot be encoded.
    """
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]
        raise OSError("the picture cannot be encoded")
    return bytes(buffer.data().data())
