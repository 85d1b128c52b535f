"""The tools of the Image tab: chunks, contours, labels, a profile, regions, series, means, and the value under the pointer."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSignalBlocker, Signal

from zarrbrowser.image.contours import may_contour
from zarrbrowser.image.state import Change
from zarrbrowser.maps.projection import Projection
from zarrbrowser.panes.image.image_controls import ImageControls
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.panes.image.plane_grid import PlaneGrid
from zarrbrowser.panes.image.tools.chunk_overlay_controller import ChunkOverlayController
from zarrbrowser.panes.image.tools.comparison_panel import ComparisonPanel
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.panes.image.tools.labels_controller import LabelsController
from zarrbrowser.panes.image.tools.map_controller import MapController
from zarrbrowser.panes.image.tools.means_panel import MeansPanel
from zarrbrowser.panes.image.tools.measurement_panel import MeasurementPanel
from zarrbrowser.panes.image.tools.pointer_readout import PointerReadout
from zarrbrowser.panes.image.tools.regions_panel import RegionsPanel
from zarrbrowser.panes.image.tools.series_panel import SeriesPanel
from zarrbrowser.theme.colours import Colours
from zarrbrowser.workers import Workers


class ImageTools(QObject):
    """The tools of one image pane.

    Signals:
        pointed: coordinates and value under the pointer; empty off all pictures.
        reported: results, for the status bar.
    """

    pointed = Signal(str)
    reported = Signal(str)

    def __init__(
        self,
        model: ImageModel,
        workers: Workers,
        controls: ImageControls,
        grid: PlaneGrid,
        coordinate_labels: CoordinateLabels,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._model, self._controls, self._grid = model, controls, grid
        self._is_pointed = False
        self.measurements = MeasurementPanel(model, workers, grid.main.canvas)
        self.regions = RegionsPanel(model, workers, grid.main.canvas)
        self.series = SeriesPanel(model, workers, grid.main.canvas, grid.main.projection, coordinate_labels)
        self.means = MeansPanel(model, workers, coordinate_labels)
        self.comparison = ComparisonPanel(model, workers, coordinate_labels, controls.compare)
        self.chunks = ChunkOverlayController(workers, grid.main, self)
        self.labels = LabelsController(model, workers, controls.labels, self)
        self.map = MapController(model, coordinate_labels, controls.map, self)
        self.pointer = PointerReadout(workers, coordinate_labels, self)
        grid.pointed.connect(self.pointer.move)
        grid.begun.connect(self.pointer.leave)
        grid.main.canvas.keys.held.connect(self._tell_held)
        grid.drawn.connect(self.pointer.update)
        grid.main.frame_shown.connect(self.measurements.refresh)
        grid.main.frame_shown.connect(self.regions.refresh)
        grid.main.overlay.loader.failed.connect(self.labels.fail)
        self.pointer.text_changed.connect(self.pointed)
        self.pointer.text_changed.connect(self._describe)
        self.chunks.text_changed.connect(self.reported)
        grid.main.projection.failed.connect(self.reported)
        self.labels.reported.connect(self.reported)
        controls.chunks.toggled.connect(self.chunks.turn)
        self.series.reported.connect(self.reported)
        controls.contours.toggled.connect(lambda on: model.set(contours=on))
        controls.series.toggled.connect(lambda on: self.series.turn(is_on=on))
        self.means.reported.connect(self.reported)
        controls.means.toggled.connect(lambda on: self.means.turn(is_on=on))
        self.map.mean_asked.connect(self._show_mean)
        self.regions.reported.connect(self.reported)
        controls.tools["profile"].toggled.connect(lambda on: self.measurements.turn(is_on=on))
        controls.tools["region"].toggled.connect(lambda on: self.regions.turn(is_on=on))
        model.changed.connect(self._follow)

    def set_colours(self, colours: Colours) -> None:
        """Apply the colours of a theme."""
        self.measurements.set_colours(colours)
        self.series.set_colours(colours)
        self.means.set_colours(colours)

    def leave(self) -> None:
        """Put the tools away, and show no value: the image is left."""
        self.pointer.move(None)
        for button in (*self._controls.tools.values(), self._controls.series, self._controls.means):
            button.setChecked(False)

    def _describe(self, text: str) -> None:
        if text or self._is_pointed:
            for view in self._grid.views:
                view.describe(text if view is self.pointer.view else "")
        self._is_pointed = bool(text)

    def _tell_held(self, text: str) -> None:
        """Say what the keys move, in the place of the value under the pointer."""
        self.pointed.emit(text)
        self._grid.main.describe(text)

    def _show_mean(self, over: int) -> None:
        self._controls.means.setChecked(True)
        self.means.choose(over)

    def _follow(self, _change: Change) -> None:
        state = self._model.state
        is_flat = state is None or state.settings.projection is Projection.NONE or state.geography is None
        for button in (*self._controls.tools.values(), self._controls.chunks):
            if not is_flat:  # their marks are in rows and columns, which a projected map does not have
                button.setChecked(False)
            button.setEnabled(is_flat)
        if state is None:
            self.leave()
            return
        contours = self._controls.contours
        with QSignalBlocker(contours):
            contours.setChecked(state.settings.contours)
        contours.setEnabled(may_contour(state))
