"""Shows a volume in the real window, and leaves: a program, since tests run without a display.

python -m tests.browser.panes.volume.real_window FOLDER
"""

from __future__ import annotations

import os
import sys

import numpy as np
import zarr
from PySide6.QtCore import QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.panes.volume.volume_pane import VolumePane
from zarrbrowser.settings import Settings
from zarrbrowser.theme import Appearance, apply_theme
from zarrbrowser.volume.camera import Side
from zarrbrowser.window.main_window import MainWindow


def main() -> None:
    path = os.path.join(sys.argv[1], "volume.zarr")
    values = np.zeros((6, 12, 16), "u1")
    values[1, 2, 3] = 255  # near the front, at the upper left
    zarr.create_array(path, data=values, chunks=(3, 6, 8))
    application = QApplication([])
    apply_theme(application, Appearance.LIGHT)
    window = MainWindow(Settings(fresh=True))
    window.resize(1000, 700)
    window.show()
    window.open_text(path)
    ticker = QTimer(interval=30)
    ticker.timeout.connect(lambda: look(window, ticker))
    ticker.start()
    application.exec()
    assert window.workers.shut_down(30)
    print("left")


def look(window: MainWindow, ticker: QTimer) -> None:
    """Go on as soon as the window is ready for it."""
    pane = window.node_pane.current_pane
    if isinstance(pane, ImagePane) and pane.view.is_complete:
        window.node_pane.show_tab("Volume")
    elif isinstance(pane, VolumePane) and pane.view.drawn is not None and pane.view.drawn.is_final:
        front = np.eye(3)
        if not np.allclose(pane.view.drawn.view.look.camera.turn, front):
            if not np.allclose(pane.view.look.camera.turn, front):
                pane.view.see_from(Side.FRONT)
            return
        ticker.stop()
        check(pane)
        print("drawn", flush=True)
        window.close()


def check(pane: VolumePane) -> None:
    """The bright sample is where the Image tab shows it."""
    drawn = pane.view.drawn
    assert drawn is not None
    image = drawn.image.convertToFormat(QImage.Format.Format_RGBA8888)
    pixels = np.array(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)
    box = np.argwhere(pixels[..., 3])
    (top, left), (bottom, right) = box.min(axis=0), box.max(axis=0) + 1
    bright = np.argwhere(pixels[..., 0] > 200).mean(axis=0) + 0.5
    place = (bright - (top, left)) / (bottom - top, right - left)
    assert np.allclose(place, (2.5 / 12, 3.5 / 16), atol=0.02), place


if __name__ == "__main__":
    main()
