"""A program for a virtual display: drops a path on napari's window, and prints what the window then shows.

python window.py PATH PICTURE
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any


def main() -> None:
    import napari  # here, because pytest imports this module when it looks for doctests, and napari's import warns
    from napari.settings import get_settings

    path, picture = sys.argv[1:]
    # As if the user had answered napari's question which reader to use, with "Remember this choice".
    get_settings().plugins.extension2reader = {"*.zarr/": "zarrscope"}
    viewer = napari.Viewer()
    drop(viewer, path)
    show(viewer)
    viewer.window.screenshot(picture, flash=False, canvas_only=False)
    canvas = viewer.window.screenshot(flash=False, canvas_only=True)
    height, width = canvas.shape[:2]
    told = {
        "layers": [
            [layer.name, layer.source.reader_plugin, int(layer.data_level)] for layer in viewer.layers
        ],
        "left": canvas[height // 2, width // 2 - 60, :3].tolist(),
        "right": canvas[height // 2, width // 2 + 60, :3].tolist(),
    }
    print(json.dumps(told), flush=True)
    os._exit(0)  # napari 0.6 crashes with PySide6 6.7 when it closes its window


def drop(viewer: Any, path: str) -> None:
    """What Qt sends when the user drops a file."""
    from qtpy.QtCore import QMimeData, QPointF, Qt, QUrl
    from qtpy.QtGui import QDropEvent

    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(path)])
    left, nothing = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    event = QDropEvent(QPointF(50, 50), Qt.DropAction.CopyAction, mime, left, nothing)
    viewer.window._qt_viewer.dropEvent(event)


def show(viewer: Any) -> None:
    """Let the window draw what it has to."""
    from qtpy.QtWidgets import QApplication

    viewer.reset_view()
    for _ in range(20):
        QApplication.processEvents()
        time.sleep(0.02)


if __name__ == "__main__":
    main()
