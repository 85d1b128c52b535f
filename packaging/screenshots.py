"""The pictures of the guide, taken from the real window without a screen, with data made here.

    xvfb-run -a python packaging/screenshots.py [FOLDER] [--scale 2] [--only NAME,…]

They need the test extra (nibabel, zarr); all but the volume need no X server. FOLDER is the destination, by default the guide's
folder.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

DOCS = Path(__file__).resolve().parents[1] / "browser" / "docs"
SIZE = (1280, 800)
SCREEN = {"name": "screen", "x": 0, "y": 0, "width": 1600, "height": 1200}
"""Larger than any picture: without a screen Qt has one of 800 × 800 pixels, on which dialogs scroll."""
QUALITY = 60  # of WebP: text stays sharp, and the window's guide small, which each wheel carries
_PATIENCE_S = 60.0
_CALM_MS = 250


def main() -> int:
    """Take all pictures."""
    parser = argparse.ArgumentParser(description="Take the pictures of the guide.")
    parser.add_argument("folder", nargs="?", default=str(DOCS))
    parser.add_argument("--scale", type=float, default=1.0, help="device pixels per pixel (%(default)s)")
    parser.add_argument("--only", default="", metavar="NAME,...", help="take only these")
    arguments = parser.parse_args()
    os.environ["QT_SCALE_FACTOR"] = str(arguments.scale)
    folder = Path(arguments.folder).resolve()
    with tempfile.TemporaryDirectory() as work:
        if os.environ.get("QT_QPA_PLATFORM", "offscreen") == "offscreen":
            (Path(work) / "screen.json").write_text(json.dumps({"screens": [SCREEN]}))
            os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={work}/screen.json"
        data = os.path.join(work, "data")
        from screenshot_data import write_data  # the module beside this file

        write_data(data)
        os.chdir(work)
        only = set(filter(None, arguments.only.split(",")))
        from PySide6.QtWidgets import QApplication

        application = QApplication([])  # a local of this function, so that it outlives the window
        for name in Photographer(application, data).take_all(folder, only):
            print(name)
    return 0


class Photographer:
    """Moves a window from view to view."""

    def __init__(self, application: QApplication, data: str) -> None:
        from zarrbrowser.settings import Settings
        from zarrbrowser.theme import Appearance, apply_theme
        from zarrbrowser.window.main_window import MainWindow
        from zarrbrowser.workers.garbage import collect_in_this_thread

        apply_theme(application, Appearance.LIGHT)
        collect_in_this_thread(application)
        self.data = data
        self.window = MainWindow(Settings(fresh=True))
        self.window.resize(*SIZE)
        self.window.show()

    def take_all(self, folder: Path, only: set[str]) -> Iterator[str]:
        """Take all pictures, or those with the given names; yields the names of the files."""
        views: tuple[tuple[str, Callable[[], object]], ...] = (
            ("welcome", lambda: None),
            ("image", lambda: self.go("/brain.zarr/functional", "Image")),
            ("channels", lambda: self.go("/cells.zarr", "Image")),
            ("labels", self.labels),
            ("volume", self.volume),
            ("plate", lambda: self.go("/plate.zarr", "Thumbnails")),
            ("coordinates", self.coordinates),
            ("maps", self.maps),
            ("projection", self.projection),
            ("curved", self.curved),
            ("statistics", self.statistics),
            ("compare", self.compare),
            ("beside", self.beside),
            ("series", self.series),
            ("orthogonal", self.orthogonal),
            ("regions", self.regions),
            ("plot", lambda: self.go("/brain.zarr/derived/mean_signal", "Plot")),
            ("table", self.table),
            ("columns", lambda: self.go("/climate.zarr/stations", "Table")),
            ("columns-plot", self.plotted_columns),
            ("metadata", lambda: self.go("/brain.zarr/functional", "Metadata")),
            ("storage", lambda: self.go("/sky.zarr/mosaic", "Storage")),
            ("search", self.search),
            ("open-location", self.location),
            ("editing", self.editing),
            ("export", self.export),
            ("figure", self.figure),
            ("movie", self.movie),
            ("palette", self.palette),
            ("keys", self.keys),
            ("bookmarks", self.bookmarks),
            ("recent", self.recent),
            ("dark", self.dark),
        )
        folder.mkdir(parents=True, exist_ok=True)
        for name, prepare in [view for view in views if not only or view[0] in only]:
            shown = prepare()
            self.wait()
            yield self.save(shown or self.window, folder / f"{name}.webp")
            if name in ("maps", "projection"):
                self.map_off()
            if name == "statistics":
                self.window.node_pane.pane("Image").body.sliders.reduced.emit(0, None)  # type: ignore[attr-defined]
            if name == "compare":
                self.window.node_pane.pane("Image").body.controls.compare.click()  # type: ignore[attr-defined]
            if name == "beside":
                self.window.beside.close()
            if name == "series":
                self.window.node_pane.pane("Image").body.controls.series.setChecked(False)  # type: ignore[attr-defined]
            if name == "regions":
                self.window.node_pane.pane("Image").body.controls.tools["region"].setChecked(False)  # type: ignore[attr-defined]
            if name == "orthogonal":
                self.window.node_pane.pane("Image").body.controls.layouts["single"].click()  # type: ignore[attr-defined]
            if name == "editing":
                self.edited().editor.cancel_button.click()  # type: ignore[attr-defined]
            if name in ("curved", "editing"):
                self.window.sources.close_current()
                self.wait(lambda: len(self.window.session.sources) <= 1)
            if shown is not None:
                shown.reject()  # type: ignore[attr-defined]
        self.window.close()

    def go(self, path: str, tab: str) -> None:
        """Show a node in a tab."""
        self.window.open_text(f"data#{path}")
        self.wait(lambda: self.window.session.node is not None and self.window.session.node.path == path)
        self.window.node_pane.show_tab(tab)
        self.wait()

    def labels(self) -> None:
        """Labels over their image, zoomed in."""
        self.go("/cells.zarr", "Image")
        pane = self.window.node_pane.pane("Image")
        pane.body.tools.labels.choose("cells")  # type: ignore[attr-defined]
        pane.canvas.show_range((120, 620), (300, 900))  # type: ignore[attr-defined]

    def plotted_columns(self) -> None:
        """Two columns of a group as points against a third."""
        self.go("/climate.zarr/stations", "Table")
        pane = self.window.node_pane.pane("Table")
        chosen = {"x": "lat", "y": ["summer", "winter"], "log": [False, False]}
        pane.restore({"plot": chosen})
        self.wait(lambda: pane.figure() is not None)

    def volume(self) -> None:
        """Two channels of a volume, which OpenGL draws: it needs a display, such as that of xvfb-run."""
        from zarrbrowser.volume.look import Mode

        self.go("/nuclei.zarr", "Volume")
        pane = self.window.node_pane.pane("Volume")
        pane.controls.mode_chosen.emit(Mode.TRANSLUCENT)  # type: ignore[attr-defined]
        pane.controls.strength.setValue(62)  # type: ignore[attr-defined]
        self.wait()
        self.wait(lambda: pane.view.drawn is not None and pane.view.drawn.is_final)  # type: ignore[attr-defined]

    def coordinates(self) -> None:
        """A month of temperatures, in colours."""
        self.go("/climate.zarr/tas", "Image")
        pane = self.window.node_pane.pane("Image")
        pane.body.sliders.step(3)  # type: ignore[attr-defined]

    def maps(self) -> None:
        """The same temperatures as a map."""
        self.go("/climate.zarr/tas", "Image")
        pane = self.window.node_pane.pane("Image")
        pane.model.set(colour_map="cmocean:thermal", graticule=True)  # type: ignore[attr-defined]
        self.wait()

    def projection(self) -> None:
        """The same temperatures in another projection."""
        from zarrbrowser.maps.projection import Projection

        self.maps()
        pane = self.window.node_pane.pane("Image")
        pane.model.set(projection=Projection.ROBINSON)  # type: ignore[attr-defined]
        self.wait()

    def curved(self) -> None:
        """Pressure on the curved grid of a regional model, in the projection of Mercator."""
        from screenshot_data import write_weather  # the module beside this file

        from zarrbrowser.maps.projection import Projection

        write_weather("weather.zarr")  # not beside the other hierarchies, whose tree is in their pictures
        self.window.open_text("weather.zarr#/psl")
        self.wait(lambda: self.window.session.node is not None and self.window.session.node.path == "/psl")
        self.window.node_pane.show_tab("Image")
        pane = self.window.node_pane.pane("Image")
        self.wait(lambda: pane.body.controls.map.isEnabled())  # type: ignore[attr-defined]
        pane.model.set(  # type: ignore[attr-defined]
            colour_map="crameri:batlow", graticule=True, projection=Projection.MERCATOR
        )
        self.wait(lambda: bool(pane.view.projection.lines.sketch.graticule.labels))  # type: ignore[attr-defined]

    def statistics(self) -> None:
        """The mean of the year."""
        from zarrbrowser.image.calculations.reduction import Statistic

        self.go("/climate.zarr/tas", "Image")
        pane = self.window.node_pane.pane("Image")
        pane.body.sliders.reduced.emit(0, Statistic.MEAN)  # type: ignore[attr-defined]
        self.wait()

    def compare(self) -> None:
        """A month compared with the mean of the year."""
        from zarrbrowser.image.calculations.comparison import Comparison
        from zarrbrowser.image.calculations.reduction import Statistic

        self.go("/climate.zarr/tas", "Image")
        pane = self.window.node_pane.pane("Image")
        pane.body.sliders.spins[0].setValue(3)  # type: ignore[attr-defined]
        pane.body.controls.compare.click()  # type: ignore[attr-defined]
        pane.model.set(comparison=Comparison(axis=0, statistic=Statistic.MEAN))  # type: ignore[attr-defined]
        self.wait()

    def beside(self) -> None:
        """Cells, and their labels beside them, with the pointer over a cell."""
        self.go("/cells.zarr", "Image")
        pane = self.window.node_pane.pane("Image")
        assert self.window.session.source is not None
        self.window.beside.show(self.window.session.source, "/cells.zarr/labels/cells")
        area = pane.beside.area  # type: ignore[union-attr]
        assert area is not None
        self.wait(lambda: area.pane.view.is_complete)
        pane.canvas.show_range((300, 620), (300, 620))  # type: ignore[attr-defined]
        self.wait(lambda: area.pane.view.is_complete)
        pane.canvas.pointed.emit((430.0, 470.0))  # type: ignore[attr-defined]

    def map_off(self) -> None:
        """Back to the picture as it was."""
        from zarrbrowser.maps.projection import Projection

        model = self.window.node_pane.pane("Image").model  # type: ignore[attr-defined]
        model.set(colour_map="", graticule=False, projection=Projection.NONE)

    def series(self) -> None:
        """The year at two places."""
        self.go("/climate.zarr/tas", "Image")
        pane = self.window.node_pane.pane("Image")
        pane.body.controls.series.setChecked(True)  # type: ignore[attr-defined]
        for place in ((20.0, 40.0), (60.0, 140.0)):
            pane.canvas.picked.emit(place)  # type: ignore[attr-defined]

    def orthogonal(self) -> None:
        """Three planes through one point."""
        self.go("/brain.zarr/functional", "Image")
        pane = self.window.node_pane.pane("Image")
        pane.body.controls.layouts["orthogonal"].click()  # type: ignore[attr-defined]
        self.wait()

    def regions(self) -> None:
        """Three regions of one well, and the table of their statistics."""
        from zarrbrowser.image.regions.shapes import Region, Shape

        self.go("/plate.zarr/B/10/0", "Image")
        pane = self.window.node_pane.pane("Image")
        self.wait(lambda: pane.view.is_complete)  # type: ignore[attr-defined]
        pane.body.controls.tools["region"].setChecked(True)  # type: ignore[attr-defined]
        panel = pane.body.tools.regions  # type: ignore[attr-defined]
        panel.clear()
        panel.add(Region("background", Shape.RECTANGLE, ((20.5, 8.5), (96.5, 60.5))))
        panel.add(Region("left cells", Shape.ELLIPSE, ((70.0, 70.0), (150.0, 130.0))))
        corners = ((105.0, 138.0), (110.0, 168.0), (165.0, 174.0), (160.0, 122.0))
        panel.add(Region("right cells", Shape.POLYGON, corners))
        self.wait(lambda: all(entry.found for entry in panel.entries))

    def table(self) -> None:
        """Some cells selected."""
        self.go("/brain.zarr/functional", "Table")
        pane = self.window.node_pane.pane("Table")
        pane.go(40, 60)  # type: ignore[attr-defined]

    def search(self) -> None:
        """Part of a name typed, and one of the matching nodes chosen."""
        self.go("/sky.zarr/mosaic", "Image")
        self.window.view.side.box.setText("night fla")
        self.wait(lambda: self.window.view.side.hits.found == 12)
        self.window.view.side.results.setFocus()
        self.window.view.side.results.setCurrentIndex(self.window.view.side.hits.index(3, 0))
        self.wait()

    def location(self) -> object:
        """The dialog for a location and its options."""
        from zarrbrowser.session.connection import Connection
        from zarrbrowser.session.sources import SourceRequest
        from zarrbrowser.window.opening import ask_for_location

        self.window.view.side.box.clear()
        connection = Connection("https://storage.example.org", "eu-central-1", anonymous=True)
        request = SourceRequest("s3://bucket/scan.zarr", options=connection)
        return ask_for_location(self.window, lambda _request: None, request, [])

    def editing(self) -> None:
        """Attributes with a mistake."""
        self.window.open_text("data/climate.zarr#/tas")
        self.wait(lambda: "climate" in self.window.view.top_bar.address.text())
        self.window.editor.toggle()
        self.wait(lambda: self.window.node_pane.header.change_chip.isVisible())
        self.window.node_pane.show_tab("Attributes")
        self.wait()
        attributes = self.edited()
        attributes.edit()  # type: ignore[attr-defined]
        text = attributes.editor.text  # type: ignore[attr-defined]
        attributes.editor.edit.setPlainText(text.replace('",\n', '"\n', 1))  # type: ignore[attr-defined]

    def edited(self) -> object:
        """The attributes in their tab."""
        return self.window.node_pane.pane("Attributes").attributes  # type: ignore[attr-defined]

    def export(self) -> object:
        """The dialog that asks what to export."""
        self.go("/brain.zarr/functional", "Image")
        return self.window.exports.data.show_dialog()

    def figure(self) -> object:
        """The dialog for figures, with a map."""
        self.coordinates()
        pane = self.window.node_pane.pane("Image")
        pane.model.set(colour_map="cmocean:thermal")  # type: ignore[attr-defined]
        self.wait()
        return self.window.exports.figures.show_dialog()

    def movie(self) -> object:
        """The dialog for movies, with the same map."""
        self.figure().reject()  # type: ignore[attr-defined]
        return self.window.exports.movies.show_dialog()

    def dark(self) -> None:
        """The other palette."""
        from zarrbrowser.theme import Appearance

        self.window.view.appearance.choose(Appearance.DARK)
        self.go("/brain.zarr/anatomical", "Image")

    def bookmarks(self) -> object:
        """The list of bookmarks."""
        from zarrbrowser.session.saved_views.view import SavedView
        from zarrbrowser.session.sources import SourceRequest

        views = [
            SavedView(title, SourceRequest(address, path), "Image")
            for title, address, path in (
                ("Spring in the north", "s3://climate/era5.zarr", "/tas"),
                ("tas, time = 2000-07-16", "s3://climate/era5.zarr", "/tas"),
                ("Cells with three channels", "https://example.org/cells.zarr", "/"),
                ("Lesion, left side", "/data/brain.zarr", "/anatomical"),
            )
        ]
        self.window.saved_views.bookmarker.bookmarks.add(views)
        return self.window.saved_views.bookmarker.show()

    def recent(self) -> None:
        """The start page after some images."""
        from PySide6.QtCore import QSize

        from zarrbrowser.drawing.png import png_of
        from zarrbrowser.session.saved_views.recent_views import RecentView
        from zarrbrowser.window.saved_views.present_view import present_view
        from zarrbrowser.window.saved_views.view_cards import PICTURE

        recent = []
        for path in (
            "/brain.zarr/anatomical",
            "/plate.zarr/B/10/0",
            "/cells.zarr",
            "/climate.zarr/tas",
            "/sky.zarr/mosaic",
        ):
            self.go(path, "Image")
            self.wait(lambda: self.window.node_pane.pane("Image").view.is_complete)  # type: ignore[attr-defined]
            pane, view = (
                self.window.node_pane.pane("Image"),
                present_view(self.window.session, self.window.node_pane),
            )
            image = pane.thumbnail(QSize(PICTURE) * self.window.devicePixelRatioF())
            if image is not None and view is not None:
                recent.append(RecentView(view, png_of(image)))
        while self.window.model.rowCount():
            self.window.sources.close_current()
        self.window.view.empty.show_recent([])  # they are in a temporary folder
        self.window.view.empty.show_views(recent)

    def keys(self) -> object:
        """The list of keys."""

        return self.window.help.show_keys()

    def palette(self) -> object:
        """The commands that fit some letters."""
        self.go("/brain.zarr/functional", "Image")
        dialog = self.window.show_palette()
        dialog.box.setText("cop")
        return dialog

    def wait(self, until: Callable[[], bool] = lambda: True) -> None:
        """Let the window work until it is idle and ``until`` is true."""
        _turn(_CALM_MS)
        stop_s = time.monotonic() + _PATIENCE_S
        while self.window.workers.active or not until():
            if time.monotonic() > stop_s:
                raise TimeoutError("the window does not become idle")
            _turn(20)
        _turn(_CALM_MS)

    def save(self, widget: object, path: Path) -> str:
        """Write a picture."""
        from PySide6.QtGui import QImage

        address = self.window.view.top_bar.address
        address.setText(address.text().replace(os.getcwd(), ""))  # pictures show no path of this machine
        image: QImage = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)  # type: ignore[attr-defined]
        image.save(str(path), "WEBP", QUALITY)  # type: ignore[call-overload]
        return f"{path.name}: {path.stat().st_size:,} bytes"


def _turn(milliseconds: int) -> None:
    """Let the event loop turn; `QTest.qWait` would keep Python's lock meanwhile, and threads would stand still."""
    from PySide6.QtCore import QEventLoop, QTimer

    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


if __name__ == "__main__":
    sys.exit(main())
