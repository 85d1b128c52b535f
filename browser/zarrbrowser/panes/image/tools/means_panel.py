"""The panel of means: a curve with the mean of each row, or of each column, of the plane."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from zarrbrowser.image.levels import Image
from zarrbrowser.image.plane_mean import Means, PlaneMean
from zarrbrowser.image.series_at_point import write_csv
from zarrbrowser.image.state import Change
from zarrbrowser.nodes.read_cost import ASK_ABOVE_BYTES, ReadCost
from zarrbrowser.panes.image.canvas.profile_plot import ProfilePlot
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.session.error_text import sentence
from zarrbrowser.theme.colours import Colours
from zarrbrowser.values.quantities import count, format_bytes
from zarrbrowser.widgets.accessible_names import name_box
from zarrbrowser.widgets.buttons import push_button
from zarrbrowser.widgets.label import label
from zarrbrowser.widgets.save_dialog import ask_for_file
from zarrbrowser.workers import Lane, Request, Workers
from zarrcore.typing import AnyArray


class MeansPanel(QFrame):
    """Follows the plane while it is on.

    Signals:
        reported: a text for the status bar.
    """

    reported = Signal(str)

    def __init__(
        self,
        model: ImageModel,
        workers: Workers,
        coordinate_labels: CoordinateLabels,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "foot")
        self._model, self._coordinate_labels = model, coordinate_labels
        self._lane = Lane(workers, in_flight=1)
        self._image: Image | None = None
        self._is_on = False
        self._agreed_bytes = ASK_ABOVE_BYTES
        self._asks: ReadCost | None = None
        self._key: object = None
        self.shown: tuple[PlaneMean, Means] | None = None
        """The means that are drawn; None before any are read."""
        self._colours: Colours | None = None
        self.over = QComboBox()
        name_box(self.over, "axis of the mean")
        self.words = label(role="muted")
        self.go_on = push_button("Read", self._agree)
        self.export = push_button("Export CSV…", self._ask_where, drawing="export")
        self._lay_out()
        self.over.activated.connect(lambda _row: self.refresh())
        coordinate_labels.changed.connect(self._label)
        model.changed.connect(self._follow)
        self.hide()

    @cached_property
    def graph(self) -> ProfilePlot:
        """The plot, made when the panel is first shown."""
        made = ProfilePlot("means of the plane", is_counted=True)
        if self._colours is not None:
            made.set_colours(self._colours)
        self._column.addWidget(made)
        return made

    def turn(self, *, is_on: bool) -> None:
        """Show or hide the means."""
        self._is_on = is_on
        if is_on:
            self.graph.show()
            self._offer_axes()
        self.refresh()
        self.setVisible(is_on)

    def choose(self, axis: int) -> None:
        """Take the mean over an axis of the plane."""
        self.over.setCurrentIndex(max(0, self.over.findData(axis)))
        self.refresh()

    def set_colours(self, colours: Colours) -> None:
        """Apply the colours of a theme."""
        self._colours = colours
        if "graph" in vars(self):
            self.graph.set_colours(colours)

    def refresh(self) -> None:
        """Read the means, if others are shown."""
        wanted = self._wanted()
        key = None if wanted is None else wanted.key
        if key == self._key:
            return
        self._key, self._asks = key, None
        self._lane.forget()
        self.go_on.hide()
        if wanted is None:
            self._show(None)
            return
        limit = self._agreed_bytes

        def work(asked: Request) -> Means | ReadCost:
            cost = wanted.cost()
            return cost if cost.nbytes > limit else wanted.read(asked.is_cancelled, asked.progress)

        self.words.setText("Reading…")
        self._lane.ask(
            work, lambda found: self._take(wanted, found), self._fail, f"Reading the {wanted.name}"
        )

    def _lay_out(self) -> None:
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        row = QHBoxLayout()
        row.setContentsMargins(12, 6, 12, 2)
        row.setSpacing(8)
        row.addWidget(label("Mean over"))
        row.addWidget(self.over)
        row.addWidget(self.words, 1)
        for button in (self.go_on, self.export):
            row.addWidget(button)
        column.addLayout(row)

    # The picture

    def _follow(self, change: Change) -> None:
        state = self._model.state
        image = state.image if state is not None else None
        if image is not self._image:
            self._image, self._agreed_bytes = image, ASK_ABOVE_BYTES
            self.over.clear()  # the choice was one of another image
        if not self._is_on:
            return
        if change & (Change.IMAGE | Change.AXES | Change.MAP):
            self._offer_axes()
        self.refresh()

    def _offer_axes(self) -> None:
        """Offer both axes of the plane: on maps longitudes first, else columns."""
        state = self._model.state
        chosen = self.over.currentData()
        with QSignalBlocker(self.over):
            self.over.clear()
            if state is not None:
                settings, geography = state.settings, state.geography
                axes = [settings.axes.columns, settings.axes.rows]
                if geography is not None and set(axes) == set(geography.axes):
                    axes = list(reversed(geography.axes))
                for axis in axes:
                    one = PlaneMean(state.image, settings, axis, geography)
                    name = settings.axes.names[axis]
                    told = "" if one.name.startswith("mean over") else f" ({one.name})"
                    self.over.addItem(name + told, axis)
            self.over.setCurrentIndex(max(0, self.over.findData(chosen)))

    def _wanted(self) -> PlaneMean | None:
        state, over = self._model.state, self.over.currentData()
        if (
            not self._is_on
            or state is None
            or over not in (state.settings.axes.rows, state.settings.axes.columns)
        ):
            return None
        return PlaneMean(state.image, state.settings, over, state.geography)

    # Reading

    def _take(self, wanted: PlaneMean, found: Means | ReadCost) -> None:
        if isinstance(found, ReadCost):
            self._asks = found
            self._show(None)
            self.go_on.show()
            size = format_bytes(found.nbytes)
            self.words.setText(f"This reads {count(found.chunks, 'chunk')}, {size} of decoded data.")
        else:
            self._show((wanted, found))

    def _fail(self, error: Exception) -> None:
        self._show(None)
        self.go_on.show()  # it may succeed now; and the user may have stopped it
        self.words.setText(sentence(error))

    def _agree(self) -> None:
        if self._asks is not None:
            self._agreed_bytes = max(self._agreed_bytes, self._asks.nbytes)
        self._key = None
        self.refresh()

    # Showing

    def _show(self, shown: tuple[PlaneMean, Means] | None) -> None:
        self.shown = shown
        self.export.setEnabled(shown is not None)
        self.words.setText("Weighted by area" if shown is not None and shown[1].is_by_area else "")
        if shown is not None:
            self.graph.show_curves(shown[1].positions, shown[1].curves, shown[0].name)
            self._label()
        elif "graph" in vars(self):
            for curve in self.graph.curves:
                curve.setData([], [])

    def _label(self) -> None:
        state = self._model.state
        if self.shown is None or state is None:
            return
        along = self.shown[0].along
        name, coordinate = state.settings.axes.names[along], self._coordinate_labels.coordinates.get(along)
        self.graph.across.show_coordinate(name, coordinate)
        falls = coordinate is not None and _falls(coordinate.values)
        self.graph.view.invertX(falls)  # greater coordinates are on the right: the south is on the left
        name, unit = state.image.name or "mean", state.settings.unit(state.image.base)
        self.graph.plot.setLabel("left", f"{name} ({unit})" if unit else name)

    # Export

    def _ask_where(self) -> None:
        title, filters = "Export the means to a file", "Comma-separated values (*.csv)"
        ask_for_file(self, title, filters, "csv", "means.csv", self.write)

    def write(self, path: str) -> None:
        """Write the means to a CSV file."""
        if self.shown is None:
            return
        mean, found = self.shown
        settings = mean.settings
        place = settings.describe(mean.image)
        told = ", ".join(filter(None, (mean.name, place)))
        series = [(f"{told}, {one.channel}" if one.channel else told, one.numbers) for one in found.curves]
        coordinate = self._coordinate_labels.coordinates.get(mean.along)
        is_whole = found.positions.size == settings.axes.shape[mean.along]
        positions = None if is_whole else found.positions.tolist()
        try:
            write_csv(path, settings.axes.names[mean.along], coordinate, series, positions)
        except OSError as error:
            self.reported.emit(f"{path} was not written: {sentence(error)}")
        else:
            self.reported.emit(f"Exported to {path}")


def _falls(values: AnyArray) -> bool:
    return values.dtype.kind in "iuf" and values.size > 1 and bool(values[-1] < values[0])
