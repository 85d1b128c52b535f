"""The Image tab: a plane of an array with two axes or more, or of a group that is one image."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from zarrbrowser.session.axes import Axes
from zarrbrowser.session.contrast import Contrast
from zarrbrowser.session.elements import Elements
from zarrbrowser.session.faults import sentence
from zarrbrowser.session.frames import Frame
from zarrbrowser.session.levels import Image, image_of_array
from zarrbrowser.session.look import Look, first_look
from zarrbrowser.session.multiscales import image_of_group
from zarrbrowser.session.nodes import NodeLike, is_array
from zarrbrowser.session.picture import drawable_fields, why_no_picture
from zarrbrowser.session.probe import probe
from zarrbrowser.session.quantities import count, format_bytes, format_duration
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.session.tile_cache import TileCache
from zarrbrowser.theme import current_colours
from zarrbrowser.views.data_stack import DataStack
from zarrbrowser.views.image_controls import ImageControls
from zarrbrowser.views.plane_view import PlaneView
from zarrbrowser.widgets.axis_sliders import AxisSliders
from zarrbrowser.widgets.canvas import Canvas
from zarrbrowser.widgets.contrast_panel import ContrastPanel
from zarrbrowser.widgets.legend import MissingLegend
from zarrbrowser.workers import Lane, Workers

_LOAD, _RETRY = "Load anyway", "Retry"


class ImagePane(QWidget):
    """Shows one image.

    Signals:
        plane_shown: the plane that was wanted is on the screen.
        pointed: coordinates and value under the pointer as text; empty off the picture.
        reported: what was read, for the status bar.
    """

    plane_shown = Signal()
    pointed = Signal(str)
    reported = Signal(str)

    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._opening = Lane(workers)
        self._source: Source | None = None
        self._node: NodeLike | None = None
        self._image: Image | None = None
        self._look: Look | None = None
        self.cache = TileCache()
        self.controls = ImageControls()
        self.view = PlaneView(workers, self.cache)
        self.stack = DataStack(self.view, self.retry, self._notice_pressed)
        self.sliders = AxisSliders()
        self.contrast = ContrastPanel()
        self.missing = MissingLegend()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.controls)
        middle = QHBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.stack, 1)
        middle.addWidget(self.contrast)
        column.addLayout(middle, 1)
        column.addWidget(self.missing)
        column.addWidget(self.sliders)
        self._connect()
        self.contrast.choose_colour_map(session.colour_map)
        self.wear()

    @property
    def canvas(self) -> Canvas:
        """The picture."""
        return self.view.canvas

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Show an array, or a group that is one image, as it was shown before if it was."""
        self.clear()
        self._source, self._node = source, node
        if is_array(node):
            self._show_image(image_of_array(node))
            return
        self.stack.wait_for(f"Opening the levels of {node.path}")
        self._opening.ask(
            lambda _request: image_of_group(node, source.hierarchy.node),
            self._show_image,
            self.stack.show_error,
            f"Opening {node.path}",
        )

    def clear(self) -> None:
        """Show nothing, want nothing."""
        self._opening.forget()
        self._source = self._node = self._image = self._look = None
        self.view.clear()
        self.cache.clear()
        self.missing.hide()
        self.stack.notice.say("")

    def retry(self) -> None:
        """Try again what failed."""
        if self._image is not None:
            self.stack.make_room()
            self.view.retry()
        elif self._source is not None and self._node is not None:
            self.show_node(self._source, self._node)

    def step(self, by: int) -> None:
        """The next or previous plane."""
        self.sliders.step(by)

    def wear(self) -> None:
        """Take on the application's appearance."""
        self.view.wear(current_colours())
        self.contrast.histogram.wear(current_colours())

    # How it is made

    def _connect(self) -> None:
        controls, canvas = self.controls, self.canvas
        controls.axes.chosen.connect(self._axes_chosen)
        controls.field.textActivated.connect(self._field_chosen)
        controls.fit.clicked.connect(lambda _checked: canvas.fit())
        controls.actual_size.clicked.connect(lambda _checked: canvas.actual_size())
        controls.square.toggled.connect(self._square_chosen)
        self.contrast.colour_map_chosen.connect(self._colours_chosen)
        self.contrast.chosen.connect(self._contrast_chosen)
        self.sliders.moved.connect(self._slider_moved)
        self.stack.data_shown.connect(self._data_shown)
        canvas.pointed.connect(self._point)
        canvas.square_changed.connect(self._show_square)
        self.view.frame_shown.connect(self._frame_shown)
        self.view.drawn.connect(self._drawn)
        self.view.failed.connect(self._fail)

    # What is shown

    def _show_image(self, image: Image) -> None:
        array, source = image.base, self._source
        reason = "This image has but one axis." if array.ndim < 2 else why_no_picture(array.dtype)
        if 0 in array.shape:
            reason = "This array holds no elements: one of its axes has length 0."
        self.controls.setVisible(not reason)
        if reason or source is None:
            self.sliders.hide()
            self.stack.show_sentence(reason, drawing="array2")
            return
        look = self._session.view_of(source, image.path)
        if look is None or look.axes.shape != tuple(array.shape):
            look = first_look(image)
        self._image, self._look = image, look
        self._session.remember(source, image.path, look)
        self.controls.show_fields(drawable_fields(array.dtype), look.elements.field)
        self._show_axes(look.axes)
        self.stack.make_room()
        self.view.show_image(image, look, self._session.colour_map)

    def _show_axes(self, axes: Axes) -> None:
        self.controls.axes.show_axes(axes)
        self.sliders.show_axes(axes)

    # What the person does

    def _axes_chosen(self, axes: Axes) -> None:
        if self._look is not None:
            self._look.axes = axes
            self._show_axes(axes)
            self.stack.make_room()
            self.view.show_axes()

    def _slider_moved(self, axis: int, position: int) -> None:
        if self._look is not None:
            self._look.axes = self._look.axes.at(axis, position)
            self.view.refresh()

    def _field_chosen(self, name: str) -> None:
        if self._look is not None:
            self._choose_elements(replace(self._look.elements, field=name))

    def _choose_elements(self, elements: Elements) -> None:
        """Other numbers of the same elements: their bounds are others too."""
        if self._look is not None:
            self._look.elements, self._look.contrast = elements, Contrast()
            self.view.measure()

    def _colours_chosen(self, name: str) -> None:
        if self._look is not None:
            self._look.colour_map = ""
        self._session.colour_map = name
        self.view.recolour(name)

    def _contrast_chosen(self, contrast: Contrast) -> None:
        measured = self.view.measured
        if self._look is None or measured is None or not measured.statistics:
            return
        levels = measured.statistics[0].levels(contrast)
        self._look.contrast = replace(contrast, low=levels[0], high=levels[1])
        self.view.recolour()

    def _square_chosen(self, square: bool) -> None:
        self.canvas.set_square(square)
        self.canvas.fit()

    # What happens

    def _data_shown(self, shown: bool) -> None:
        # Colours and contrast of nothing would be those of the picture before.
        plain = self._look is not None and self._look.axes.channel is None
        self.contrast.setVisible(shown and plain)

    def _frame_shown(self) -> None:
        broken, frame = self.view.loader.broken, self.view.frame
        if frame is None:
            return
        if broken and all(tile in broken for tile in frame.tiles):
            self.stack.show_error(next(iter(broken.values())))
            return
        self.stack.show_data(*self._notice())
        self._report(frame)
        self.plane_shown.emit()

    def _notice(self) -> tuple[str, str]:
        """What stands above the picture, and on its button."""
        view = self.view
        if view.loader.broken:
            return sentence(next(iter(view.loader.broken.values()))), _RETRY
        held = view.frame is not None and view.frame.is_held_back
        cost = view.frame.cost if held and view.frame is not None else view.withheld
        if cost is None:
            return "", ""
        what = "What is in view crosses" if held else "The middle is shown: the whole plane crosses"
        size = f"{count(cost.chunks, 'chunk')}, {format_bytes(cost.nbytes)} when decoded"
        return f"{what} {size}. Zoom in, or load it all.", _LOAD

    def _notice_pressed(self) -> None:
        if self.view.loader.broken:
            self.retry()
        elif self._look is not None and self.view.frame is not None:
            cost = self.view.withheld or self.view.frame.cost
            self._look.may_read_bytes = cost.nbytes
            if self.view.withheld is not None:
                self.view.withheld = None
                self.canvas.fit()
            self.view.refresh()

    def _drawn(self) -> None:
        look, measured = self._look, self.view.measured
        if look is None or measured is None:
            return
        if measured.statistics:
            found = measured.statistics[0]
            self.contrast.show_type(look.elements.of(self.view.mosaics[0].values).dtype)
            self.contrast.show_contrast(look.contrast, found.levels(look.contrast), found)
        self.missing.show_statistics(measured.statistics[0] if measured.statistics else None)

    def _fail(self, error: Exception) -> None:
        if not self.view.mosaics:
            self.stack.show_error(error)

    def _report(self, frame: Frame) -> None:
        image = self._image
        if image is None:
            return
        level = image.levels.index(frame.raster.level)
        where = self._look.axes.describe() if self._look is not None else ""
        parts = [frame.raster.level.array.path + (f", {where}" if where else "")]
        if len(image.levels) > 1:
            parts.append(f"level {level} of 0–{len(image.levels) - 1}")
        if max(frame.raster.steps) > 1:
            parts.append("every {} × {} elements".format(*frame.raster.steps))
        cost = frame.cost
        if cost.chunks:
            read = f"{format_bytes(cost.nbytes)} in {count(cost.chunks, 'chunk')}"
            parts.append(f"{read}, {format_duration(self.view.took_s)}")
        self.reported.emit(": ".join([parts[0], " · ".join(parts[1:])]) if parts[1:] else parts[0])

    def _show_square(self, square: bool) -> None:
        button = self.controls.square
        blocked = button.blockSignals(True)
        button.setChecked(square)
        button.blockSignals(blocked)

    def _point(self, place: tuple[float, float] | None) -> None:
        look, mosaics = self._look, self.view.mosaics
        if place is None or look is None or not mosaics:
            self.pointed.emit("")
        else:
            self.pointed.emit(probe(look, mosaics, place))
