"""The widgets of the Image tab but the second image: controls above, colours beside, sliders below the picture."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from zarrbrowser.image.colours.painting import is_told_missing
from zarrbrowser.image.levels import Image
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.panes.data_stack import DataStack
from zarrbrowser.panes.image.colours.colour_controller import ColourController
from zarrbrowser.panes.image.colours.contrast_panel import ContrastPanel
from zarrbrowser.panes.image.colours.legend import MissingLegend
from zarrbrowser.panes.image.image_controls import ImageControls
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.panes.image.plane_controller import PlaneController
from zarrbrowser.panes.image.plane_grid import PlaneGrid
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.panes.image.tools.image_tools import ImageTools
from zarrbrowser.panes.image.tools.tool_panels import PictureWithTools
from zarrbrowser.theme import current_colours
from zarrbrowser.values.elements import elements_of
from zarrbrowser.widgets.axis_sliders import AxisSliders
from zarrbrowser.widgets.pane_column import lay_out
from zarrbrowser.workers import Workers


class ImageBody(QWidget):
    """Shows the state of an `ImageModel`, and lets the user change it.

    Args:
        retry: reads again what failed.
        press: what the button of the notice above the picture does.
        has_controls: whether the bar above the picture is shown at first: a layout keeps its width in mind.
    """

    def __init__(
        self,
        model: ImageModel,
        workers: Workers,
        cache: TileCache,
        coordinate_labels: CoordinateLabels,
        retry: Callable[[], object],
        press: Callable[[], object],
        *,
        has_controls: bool = True,
    ) -> None:
        super().__init__()
        self._model = model
        self._has_controls, self._is_drawn, self._has_choices = has_controls, False, True
        self.controls = ImageControls()
        self.grid = PlaneGrid(model, workers, cache, coordinate_labels)
        self.view = self.grid.main
        self.stack = DataStack(self.grid, retry, press)
        self.tools = ImageTools(model, workers, self.controls, self.grid, coordinate_labels, self)
        self.sliders = AxisSliders(has_statistics=True)
        self.contrast, self.missing = ContrastPanel(), MissingLegend()
        PlaneController(model, self.controls, self.sliders, self.view.canvas, coordinate_labels, self)
        colours = ColourController(model, self.contrast, self)
        self.controls.field.textActivated.connect(colours.choose_field)
        self.sliders.may_play = lambda: self.view.is_complete
        self.view.keeps_contrast = lambda: self.sliders.is_playing
        self.view.begun.connect(self.stack.make_room)
        self.view.stopped.connect(self.sliders.stop)
        self.stack.data_shown.connect(self._data_shown)
        self.controls.colours.toggled.connect(lambda _on: self._place_controls())
        model.measured_changed.connect(self._show_missing)
        tools = self.tools
        panels = tools.measurements, tools.regions, tools.series, tools.means, tools.comparison
        left = PictureWithTools(self.stack, *panels)
        self._around = lay_out(self, self.controls, left, self.contrast, self.missing, self.sliders)
        self._place_lent: Callable[[], object] | None = None
        self.controls.setVisible(has_controls)
        self.contrast.setVisible(has_controls)
        self.update_colours()

    def show_controls(self, *, is_on: bool) -> None:
        """Show or hide the bar above the picture."""
        self._has_controls = is_on
        self._place_controls()

    def lend_colours(self, place: Callable[[], object]) -> ContrastPanel:
        """Let another widget hold the panel of colours; *place* is called when that may have to show or hide it."""
        self._place_lent = place
        return self.contrast

    def take_colours_back(self) -> None:
        """Hold the panel of colours again."""
        self._place_lent = None
        self._around.addWidget(self.contrast)
        self._place_controls()

    def offer(self, image: Image, *, has_picture: bool) -> None:
        """Offer what can be chosen before an image is shown: the other variables of its pyramid."""
        self._has_choices = has_picture or len(image.variables) > 1
        self._place_controls()
        self.controls.show_variables(image.variables, image.variable)
        if not has_picture:
            self.sliders.hide()

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        for part in (self.grid, self.tools, self.contrast.histogram):
            part.set_colours(current_colours())

    def _data_shown(self, shown: bool) -> None:
        # Without a picture, colours and contrast would be those of the one before.
        self._is_drawn = shown
        self._place_controls()

    def _place_controls(self) -> None:
        state = self._model.state
        has_colours = self._is_drawn and state is not None and state.settings.axes.channel is None
        self.controls.setVisible(self._has_controls and self._has_choices)
        self.controls.colours.setEnabled(has_colours)
        if self._place_lent is not None:
            self._place_lent()
        else:
            self.contrast.setVisible(has_colours and self.controls.colours.isChecked())

    def _show_missing(self) -> None:
        state, measured = self._model.state, self._model.measured
        if state is None or measured is None or self.sliders.is_playing:
            return  # only the first plane is measured while playing
        found, axes = measured.statistics[0] if len(measured.statistics) == 1 else None, state.settings.axes
        whole = found is not None and found.size == axes.height * axes.width
        is_told = elements_of(state.image.base).has_marks
        mark = "marked as missing" if is_told else "with the fill value"
        if number := state.settings.elements.mask(state.image.base.dtype):
            mask = f"masked ({number})"
            mark = f"{mark}, or {mask}" if state.settings.elements.has_marks else mask
        self.missing.show_statistics(found, is_exact=whole, mark=mark, is_missing=is_told_missing(state))
