"""What can be laid over a picture: chunks, labels, a line, a rectangle; and what the pointer finds."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from zarrbrowser.image.levels import Image
from zarrbrowser.image.look import Look
from zarrbrowser.panes.image.image_controls import ImageControls
from zarrbrowser.panes.image.plane_grid import PlaneGrid
from zarrbrowser.panes.image.tools.chunk_showing import ChunkShowing
from zarrbrowser.panes.image.tools.coordinate_labels import Locating
from zarrbrowser.panes.image.tools.labelling import Labelling
from zarrbrowser.panes.image.tools.measuring import Measuring
from zarrbrowser.panes.image.tools.pointing import Pointing
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
        self, workers: Workers, controls: ImageControls, grid: PlaneGrid, locating: Locating, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._controls = controls
        self.measuring = Measuring(workers, grid.main.canvas)
        self.chunks = ChunkShowing(workers, grid.main, self)
        self.labelling = Labelling(workers, controls.labels, grid, self)
        self.pointing = Pointing(workers, locating, self)
        grid.pointed.connect(self.pointing.move)
        grid.main.frame_shown.connect(self.measuring.refresh)
        self.pointing.said.connect(self.pointed)
        self.chunks.told.connect(self.reported)
        self.labelling.reported.connect(self.reported)
        controls.chunks.toggled.connect(self.chunks.turn)
        for name, button in controls.tools.items():
            button.toggled.connect(lambda on, name=name: self.measuring.turn(name, is_on=on))

    def show_image(self, source: Source, image: Image, look: Look) -> None:
        """Another image is looked at."""
        self.measuring.show_image(image, look)
        self.labelling.look_for(source, image, look)

    def clear(self) -> None:
        """No image is looked at."""
        self.pointing.move(None)
        self.labelling.clear()
        for button in self._controls.tools.values():
            button.setChecked(False)

    def wear(self, colours: Colours) -> None:
        """Take on an appearance."""
        self.measuring.wear(colours)
