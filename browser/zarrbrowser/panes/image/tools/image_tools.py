"""What can be laid over a picture: chunks, labels, a line, a rectangle; and what the pointer finds."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from zarrbrowser.image.levels import Image
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.panes.image.image_controls import ImageControls
from zarrbrowser.panes.image.plane_grid import PlaneGrid
from zarrbrowser.panes.image.tools.chunk_overlay_controller import ChunkOverlayController
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.panes.image.tools.labels_controller import LabelsController
from zarrbrowser.panes.image.tools.measurement_panel import MeasurementPanel
from zarrbrowser.panes.image.tools.pointer_readout import PointerReadout
from zarrbrowser.session.sources import Source
from zarrbrowser.theme.colours import Colours
from zarrbrowser.workers import Workers


class ImageTools(QObject):
    """The tools of one image pane.

    Signals:
        pointed: coordinates and value under the pointer; empty off all pictures.
        reported: what is found, for the status bar.
    """

    pointed = Signal(str)
    reported = Signal(str)

    def __init__(
        self,
        workers: Workers,
        controls: ImageControls,
        grid: PlaneGrid,
        coordinate_labels: CoordinateLabels,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._controls = controls
        self.measuring = MeasurementPanel(workers, grid.main.canvas)
        self.chunks = ChunkOverlayController(workers, grid.main, self)
        self.labelling = LabelsController(workers, controls.labels, grid, self)
        self.pointing = PointerReadout(workers, coordinate_labels, self)
        grid.pointed.connect(self.pointing.move)
        grid.main.frame_shown.connect(self.measuring.refresh)
        self.pointing.said.connect(self.pointed)
        self.chunks.told.connect(self.reported)
        self.labelling.reported.connect(self.reported)
        controls.chunks.toggled.connect(self.chunks.turn)
        for name, button in controls.tools.items():
            button.toggled.connect(lambda on, name=name: self.measuring.turn(name, is_on=on))

    def show_image(self, source: Source, image: Image, settings: ViewSettings) -> None:
        """Another image is looked at."""
        self.measuring.show_image(image, settings)
        self.labelling.look_for(source, image, settings)

    def clear(self) -> None:
        """No image is looked at."""
        self.pointing.move(None)
        self.labelling.clear()
        for button in self._controls.tools.values():
            button.setChecked(False)

    def set_colours(self, colours: Colours) -> None:
        """Take on an appearance."""
        self.measuring.set_colours(colours)
