"""The panel of means: a curve with the mean of each row, or of each column, of the plane."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QWidget

from zarrbrowser.image.plane_mean import Means, PlaneMean
from zarrbrowser.image.series_at_point import write_csv
from zarrbrowser.image.state import Change
from zarrbrowser.nodes.read_cost import ASK_ABOVE_BYTES, ReadCost
from zarrbrowser.panes.image.canvas.profile_plot import ProfilePlot
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.panes.image.tools.graph_panel import GraphPanel
from zarrbrowser.session.error_text import sentence
from zarrbrowser.values.quantities import count, format_bytes
from zarrbrowser.workers import Request, Workers
from zarrcore.typing import AnyArray


class MeansPanel(GraphPanel[ProfilePlot]):
    """Follows the plane while it is on."""

    def __init__(
        self,
        model: ImageModel,
        workers: Workers,
        coordinate_labels: CoordinateLabels,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("means", "Mean over", "axis of the mean", model, workers, coordinate_labels, parent)
        self._asks: ReadCost | None = None
        self._key: object = None
        self.shown: tuple[PlaneMean, Means] | None = None
        """The means that are drawn; None before any are read."""
        self.axis.activated.connect(lambda _row: self.refresh())

    def _make_graph(self) -> ProfilePlot:
        return ProfilePlot("means of the plane", is_counted=True)

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
        self.axis.setCurrentIndex(max(0, self.axis.findData(axis)))
        self.refresh()

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

    # The picture

    def _follow(self, change: Change) -> None:
        state = self._model.state
        image = state.image if state is not None else None
        if image is not self._image:
            self._image, self._agreed_bytes = image, ASK_ABOVE_BYTES
            self.axis.clear()  # the choice was one of another image
        if not self._is_on:
            return
        if change & (Change.IMAGE | Change.AXES | Change.MAP):
            self._offer_axes()
        self.refresh()

    def _offer_axes(self) -> None:
        """Offer both axes of the plane: on maps longitudes first, else columns."""
        state = self._model.state
        chosen = self.axis.currentData()
        with QSignalBlocker(self.axis):
            self.axis.clear()
            if state is not None:
                settings, geography = state.settings, state.geography
                axes = [settings.axes.columns, settings.axes.rows]
                if geography is not None and set(axes) == set(geography.axes):
                    axes = list(reversed(geography.axes))
                for axis in axes:
                    one = PlaneMean(state.image, settings, axis, geography)
                    name = settings.axes.names[axis]
                    told = "" if one.name.startswith("mean over") else f" ({one.name})"
                    self.axis.addItem(name + told, axis)
            self.axis.setCurrentIndex(max(0, self.axis.findData(chosen)))

    def _wanted(self) -> PlaneMean | None:
        state, over = self._model.state, self.axis.currentData()
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
            self._draw(shown)
            self._label()
        elif self.has_graph:
            for curve in self.graph.curves:
                curve.setData([], [])

    def _draw(self, shown: tuple[PlaneMean, Means]) -> None:
        self.graph.show_curves(self._across(shown[1].positions), shown[1].curves, shown[0].name)

    def _label(self) -> None:
        state = self._model.state
        if self.shown is None or state is None:
            return
        along = self.shown[0].along
        name, coordinate = state.settings.axes.names[along], self._coordinate_labels.coordinates.get(along)
        if self._find_places(coordinate):
            self._draw(self.shown)
        self.graph.across.show_coordinate(name, self._places[1] or coordinate)
        falls = coordinate is not None and _falls(coordinate.values)
        self.graph.view.invertX(falls)  # greater coordinates are on the right: the south is on the left
        name, unit = state.image.name or "mean", state.settings.unit(state.image.base)
        self.graph.plot.setLabel("left", f"{name} ({unit})" if unit else name)

    # Export

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
        name = settings.axes.names[mean.along]
        self._report_written(path, lambda: write_csv(path, name, coordinate, series, positions))


def _falls(values: AnyArray) -> bool:
    return values.dtype.kind in "iuf" and values.size > 1 and bool(values[-1] < values[0])
