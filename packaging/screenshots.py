"""The pictures of the guide, taken of the real window without a screen, on data that is made here.

    python packaging/screenshots.py [FOLDER] [--scale 2] [--only NAME,…]

They need the test extra (nibabel, zarr). FOLDER is where they go, the guide's by default.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "browser" / "docs"
SIZE = (1280, 800)
LARGEST_BYTES = 150_000
_PATIENCE_S = 60.0
_CALM_MS = 250


def main() -> int:
    """Take all pictures."""
    parser = argparse.ArgumentParser(description="Take the pictures of the guide.")
    parser.add_argument("folder", nargs="?", default=str(DOCS))
    parser.add_argument("--scale", type=float, default=1.0, help="device pixels per pixel (%(default)s)")
    parser.add_argument("--only", default="", metavar="NAME,...", help="take these alone")
    arguments = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ["QT_SCALE_FACTOR"] = str(arguments.scale)
    with tempfile.TemporaryDirectory() as work:
        data = os.path.join(work, "data")
        write_data(data)
        os.chdir(work)
        only = set(filter(None, arguments.only.split(",")))
        for name in Photographer(data).take_all(Path(arguments.folder), only):
            print(name)
    return 0


def write_data(folder: str) -> None:
    """A folder of two hierarchies: images of a brain, and a survey of the sky with parts that are missing."""
    import demo_hierarchy  # which stands beside this file
    import numpy as np
    import zarr

    os.makedirs(folder)
    demo_hierarchy.write(os.path.join(folder, "brain.zarr"))
    random = np.random.default_rng(20)
    sky = zarr.create_group(
        os.path.join(folder, "sky.zarr"), attributes={"telescope": "none, made by arithmetic"}
    )
    for night in range(1, 13):
        group = sky.create_group(f"night_{night:02}")
        for name in ("raw", "flat", "dark"):
            group.create_array(name, data=random.poisson(9, (64, 64)).astype("uint16"), chunks=(64, 64))
    mosaic = sky.create_array(
        "mosaic", shape=(2400, 3200), chunks=(100, 100), dtype="float32", dimension_names=["dec", "ra"]
    )
    for row, column in np.argwhere(random.random((24, 32)) < _coverage()):
        field = (
            random.exponential(3, (100, 100)) * (random.random((100, 100)) < 0.02)
            + random.random((100, 100)) / 4
        )
        mosaic[row * 100 : (row + 1) * 100, column * 100 : (column + 1) * 100] = field.astype("float32")


def _coverage() -> object:
    import numpy as np

    rows, columns = np.mgrid[0:24, 0:32]
    return 1.15 - np.hypot((rows - 12) / 12, (columns - 14) / 18)


class Photographer:
    """Leads a window from view to view."""

    def __init__(self, data: str) -> None:
        from PySide6.QtWidgets import QApplication

        from zarrbrowser.settings import Settings
        from zarrbrowser.theme import Appearance, apply_theme
        from zarrbrowser.window import MainWindow

        self.application = QApplication([])
        apply_theme(self.application, Appearance.LIGHT)
        self.data = data
        self.window = MainWindow(Settings(fresh=True))
        self.window.resize(*SIZE)
        self.window.show()

    def take_all(self, folder: Path, only: set[str]) -> Iterator[str]:
        """Take each picture, or those of the given names; yields the names of the files."""
        views: tuple[tuple[str, Callable[[], object]], ...] = (
            ("welcome", lambda: None),
            ("image", lambda: self.go("/brain.zarr/functional", "Image")),
            ("plot", lambda: self.go("/brain.zarr/derived/mean_signal", "Plot")),
            ("table", self.table),
            ("metadata", lambda: self.go("/brain.zarr/functional", "Metadata")),
            ("storage", lambda: self.go("/sky.zarr/mosaic", "Storage")),
            ("search", self.search),
            ("open-location", self.location),
            ("export", self.export),
            ("keys", self.keys),
            ("dark", self.dark),
        )
        for name, prepare in [view for view in views if not only or view[0] in only]:
            shown = prepare()
            self.wait()
            yield self.save(shown or self.window, folder / f"{name}.png")
            if shown is not None:
                shown.reject()  # type: ignore[attr-defined]
        self.window.close()

    def go(self, path: str, tab: str) -> None:
        """Show a node in a tab."""
        self.window.open_text(f"data#{path}")
        self.wait(lambda: self.window.session.node is not None and self.window.session.node.path == path)
        self.window.node_pane.show_tab(tab)
        self.wait()

    def table(self) -> None:
        """Some cells selected."""
        self.go("/brain.zarr/functional", "Table")
        pane = self.window.node_pane.pane("Table")
        pane.go(40, 60)  # type: ignore[attr-defined]

    def search(self) -> None:
        """Part of a name typed, and one of the nodes chosen that have it."""
        self.window.side.box.setText("night fla")
        self.wait(lambda: self.window.side.hits.found == 12)
        self.window.side.results.setFocus()
        self.window.side.results.setCurrentIndex(self.window.side.hits.index(3, 0))
        self.wait()

    def location(self) -> object:
        """The dialog for all that may be told of a place."""
        from zarrbrowser.opening import ask_for_location
        from zarrbrowser.session.reach import Reach
        from zarrbrowser.session.sources import SourceRequest

        self.window.side.box.clear()
        reach = Reach("https://storage.example.org", "eu-central-1", anonymous=True)
        request = SourceRequest("s3://bucket/scan.zarr", options=reach)
        return ask_for_location(self.window, lambda _request: None, request, [])

    def export(self) -> object:
        """The dialog that asks what to export."""
        self.go("/brain.zarr/functional", "Image")
        return self.window.exporter.ask()

    def dark(self) -> None:
        """The other palette."""
        from zarrbrowser.theme import Appearance

        self.window.wear(Appearance.DARK)
        self.go("/brain.zarr/anatomical", "Image")

    def keys(self) -> object:
        """The list of keys."""
        from zarrbrowser.menus import show_keys
        from zarrbrowser.views.keys_dialog import KeysDialog

        show_keys(self.window)
        return next(one for one in self.window.findChildren(KeysDialog) if one.isVisible())

    def wait(self, until: Callable[[], bool] = lambda: True) -> None:
        """Let the window work until it rests and ``until`` is true."""
        from PySide6.QtTest import QTest

        QTest.qWait(_CALM_MS)
        stop_s = time.monotonic() + _PATIENCE_S
        while self.window.workers.active or not until():
            if time.monotonic() > stop_s:
                raise TimeoutError("the window does not come to rest")
            QTest.qWait(20)
        QTest.qWait(_CALM_MS)

    def save(self, widget: object, path: Path) -> str:
        """Write a picture, in 256 colours where it would be large."""
        from PySide6.QtCore import Qt
        from PySide6.QtGui import QImage

        address = self.window.top_bar.address
        address.setText(address.text().replace(os.getcwd(), ""))  # no path of this machine is in a picture
        image: QImage = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)  # type: ignore[attr-defined]
        image.save(str(path), "PNG", 0)  # type: ignore[call-overload]
        if path.stat().st_size > LARGEST_BYTES:
            few = image.convertToFormat(QImage.Format.Format_Indexed8, Qt.ImageConversionFlag.AvoidDither)
            few.save(str(path), "PNG", 0)  # type: ignore[call-overload]
        return f"{path.name}: {path.stat().st_size:,} bytes"


if __name__ == "__main__":
    sys.exit(main())
