"""A panel below the picture: a row with an axis to choose, and below it a plot."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Generic, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.image.levels import Image
from zarrbrowser.image.state import Change
from zarrbrowser.nodes.read_cost import ASK_ABOVE_BYTES
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.plot.places import Places, places_along
from zarrbrowser.session.error_text import sentence
from zarrbrowser.theme.colours import Colours
from zarrbrowser.widgets.accessible_names import name_box
from zarrbrowser.widgets.buttons import push_button
from zarrbrowser.widgets.graph import Graph
from zarrbrowser.widgets.label import label
from zarrbrowser.widgets.save_dialog import ask_for_file
from zarrbrowser.workers import Lane, Workers
from zarrcore.typing import AnyArray

Plot = TypeVar("Plot", bound=Graph)


class GraphPanel(QFrame, Generic[Plot]):
    """Follows the image while it is on.

    Args:
        what: what the plot shows, as the name of its file.
        title: the words before the box with the axes.
        axis_name: the accessible name of that box.

    Signals:
        reported: a text for the status bar.
    """

    reported = Signal(str)

    def __init__(
        self,
        what: str,
        title: str,
        axis_name: str,
        model: ImageModel,
        workers: Workers,
        coordinate_labels: CoordinateLabels,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "foot")
        self._model, self._coordinate_labels = model, coordinate_labels
        self._what = what
        self._lane = Lane(workers, in_flight=1)
        self._image: Image | None = None
        self._places: tuple[Coordinate | None, Places | None] = (None, None)
        self._is_on = False
        self._agreed_bytes = ASK_ABOVE_BYTES
        self._colours: Colours | None = None
        self.axis = QComboBox()
        name_box(self.axis, axis_name)
        self.words = label(role="muted")
        self.go_on = push_button("Read", self._agree)
        self.export = push_button("Export CSV…", self._ask_where, drawing="export")
        self.export.setEnabled(False)  # nothing is drawn yet
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._row = QHBoxLayout()
        self._row.setContentsMargins(12, 6, 12, 2)
        self._row.setSpacing(8)
        self._row.addWidget(label(title))
        self._row.addWidget(self.axis)
        self._row.addWidget(self.words, 1)
        for button in (self.go_on, self.export):
            self._row.addWidget(button)
        self._column.addLayout(self._row)
        coordinate_labels.changed.connect(self._label)
        model.changed.connect(self._follow)
        self.hide()

    @cached_property
    def graph(self) -> Plot:
        """The plot, made when the panel is first shown: that takes 10 ms, and most images are never asked for one."""
        made = self._make_graph()
        if self._colours is not None:
            made.set_colours(self._colours)
        self._column.addWidget(made)
        return made

    @property
    def has_graph(self) -> bool:
        """Whether the plot is made."""
        return "graph" in vars(self)

    def set_colours(self, colours: Colours) -> None:
        """Apply the colours of a theme."""
        self._colours = colours
        if self.has_graph:
            self.graph.set_colours(colours)

    @abstractmethod
    def write(self, path: str) -> None:
        """Write what is drawn to a CSV file."""

    @abstractmethod
    def _make_graph(self) -> Plot: ...

    @abstractmethod
    def _agree(self) -> None:
        """Read, though it takes much."""

    @abstractmethod
    def _follow(self, change: Change) -> None: ...

    @abstractmethod
    def _label(self) -> None: ...

    def _find_places(self, coordinate: Coordinate | None) -> bool:
        """Find where the positions of coordinates are, which are drawn from now on; whether these are other coordinates."""
        if coordinate is self._places[0]:
            return False
        self._places = coordinate, places_along(coordinate, is_log=False)
        return True

    def _across(self, positions: AnyArray) -> AnyArray:
        """Where positions are drawn: as far apart as their coordinates."""
        places = self._places[1]
        return positions if places is None else places.of(positions)

    def _ask_where(self) -> None:
        title, filters = f"Export the {self._what} to a file", "Comma-separated values (*.csv)"
        ask_for_file(self, title, filters, "csv", f"{self._what}.csv", self.write)

    def _report_written(self, path: str, write: Callable[[], None]) -> None:
        """Write a file, and say so, or why not."""
        try:
            write()
        except OSError as error:
            self.reported.emit(f"{path} was not written: {sentence(error)}")
        else:
            self.reported.emit(f"Exported to {path}")
