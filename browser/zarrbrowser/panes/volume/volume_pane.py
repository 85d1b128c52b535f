"""The Volume tab: an array or an image with three axes in space, seen from all sides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication, QHideEvent, QImage, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from zarrbrowser.image.settings_document import apply_document, settings_document
from zarrbrowser.image.state import Change, ImageState
from zarrbrowser.nodes.protocols import NodeLike
from zarrbrowser.panes.data_stack import DataStack
from zarrbrowser.panes.image.colours.colour_controller import ColourController
from zarrbrowser.panes.image.colours.contrast_panel import ContrastPanel
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.panes.pane import Pane
from zarrbrowser.panes.volume.shared_settings import of_volume, remember
from zarrbrowser.panes.volume.volume_controls import VolumeControls
from zarrbrowser.panes.volume.volume_opener import VolumeOpener
from zarrbrowser.panes.volume.volume_reader import VolumeReader, WantedVolume
from zarrbrowser.panes.volume.volume_view import VolumeView
from zarrbrowser.session.error_text import remedy, sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.theme import current_colours
from zarrbrowser.values.quantities import count, format_bytes, format_duration, format_shape
from zarrbrowser.volume.axes import VolumeAxes, volume_axes
from zarrbrowser.volume.box import axis_texts
from zarrbrowser.volume.grid import VolumeGrid, choices
from zarrbrowser.volume.level_choice import LevelChoice
from zarrbrowser.volume.look import apply_look, chosen_level, look_document
from zarrbrowser.volume.textures import Painted, Texture
from zarrbrowser.widgets.axis_sliders import AxisSliders
from zarrbrowser.widgets.pane_column import lay_out
from zarrbrowser.widgets.save_dialog import ask_for_file
from zarrbrowser.workers import Workers

if TYPE_CHECKING:
    from zarrbrowser.panes.volume.shown_volume import ShownVolume

_CALM_MS = 700
_RETRY, _READ = "Retry", "Read"
_READ_AGAIN = Change.IMAGE | Change.AXES | Change.POSITION | Change.CHANNELS
_PAINT_AGAIN = Change.VALUES | Change.CONTRAST | Change.COLOURS | Change.MEASURE


class VolumePane(Pane):
    """Shows one volume.

    Its `ImageModel` holds the state that it shares with the Image tab, `VolumeView.look` and `LevelChoice` the rest.
    """

    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(session, workers, parent)
        # Here: the types of OpenGL are loaded in the window's thread, and only for this tab.
        from zarrbrowser.panes.volume.renderer import VolumeRenderer

        self._levels: LevelChoice | None = None
        """None until it is known what can be drawn."""
        self._awaited: Mapping[str, Any] | None = None
        """A view to restore once the image is open."""
        self._agreed_bytes = 0
        self._textures: tuple[Texture, ...] = ()
        self._most_side: int | None = None
        self._driver = ""
        self._complaint = ""
        """Why volumes cannot be drawn here; empty if they can, or if that is not known yet."""
        self._is_shown = False
        self.model = ImageModel(self)
        self.reader = VolumeReader(workers, self)
        self.renderer = VolumeRenderer(self)
        self.controls = VolumeControls()
        self.view = VolumeView()
        self.stack = DataStack(self.view, self.retry, self._notice_pressed)
        self.opener = VolumeOpener(self.model, self.stack, session, workers)
        self.contrast = ContrastPanel()
        self.colours = ColourController(self.model, self.contrast, self)
        self.sliders = AxisSliders()
        self._calm = QTimer(self, singleShot=True, interval=_CALM_MS)
        lay_out(self, self.controls, self.stack, self.contrast, self.sliders)
        self._connect()
        self.update_colours()
        self.controls.show_look(self.view.look)
        self.renderer.start()

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Show the volume of an array or an image, with the colours of the Image tab."""
        self.clear()
        if self._complaint:
            self._complain()
        else:
            self.opener.show_node(source, node)

    def clear(self) -> None:
        """Show nothing, and cancel requests."""
        self.opener.clear()
        self.reader.forget()
        self._textures = ()
        self.renderer.show(())
        self.model.clear()
        self.view.forget()
        self._calm.stop()
        self._awaited, self._levels, self._agreed_bytes, self._is_shown = None, None, 0, False
        self.controls.setEnabled(False)
        self.contrast.hide()
        self.sliders.hide()
        self.stack.notice.say("")

    def forget_tiles(self) -> None:
        self.reader.forget()

    def retry(self) -> None:
        """Repeat what failed."""
        if self.model.state is not None:
            self._read()
        else:
            self.opener.open_again()

    def step(self, by: int) -> None:
        """Show the volume at the next or previous position of a slider."""
        self.sliders.step(by)

    def fit(self) -> None:
        """Show the whole volume."""
        self.view.fit()

    def unpack(self, *, is_on: bool) -> None:
        """Show unpacked values or stored numbers."""
        if self.model.state is not None:
            self.contrast.unpacking.setChecked(is_on)

    def focus_target(self) -> QWidget:
        """The picture."""
        return self.view

    def copy(self) -> None:
        """Copy the picture."""
        if self.view.drawn is not None:
            QGuiApplication.clipboard().setImage(self.view.picture())
            self.reported.emit("Copied the picture of the volume")

    def figure(self) -> ShownVolume | None:
        """The volume on the screen, for a figure; None before it is drawn."""
        from zarrbrowser.export.figures.planes import colour_bar_of, legend_of, mask_note
        from zarrbrowser.panes.volume.shown_volume import ShownVolume

        state, measured, drawn = self.model.state, self.model.measured, self.view.drawn
        view, scene = self.view.wanted_view(), self.view.scene()
        if state is None or measured is None or drawn is None or view is None or scene is None:
            return None
        name = state.image.name or state.image.path
        return ShownVolume(
            self.renderer,
            view,
            self._textures,
            scene,
            drawn.image,
            self.view.font(),
            colour_bar_of(state, measured),
            legend_of(state),
            ", ".join([name, *self._places(state)]),
            mask_note(state),
        )

    def _places(self, state: ImageState) -> list[str]:
        """Where the volume is along the axes with sliders."""
        space = self._levels.axes.all if self._levels is not None else ()
        found = []
        for axis in state.settings.sliders(state.image):
            if axis not in space:
                coordinate, at = self.opener.coordinates.get(axis), state.settings.axes.index[axis]
                text = coordinate.text(at) if coordinate is not None else ""
                found.append(state.settings.place_along(axis, text))
        return found

    def view_state(self) -> dict[str, Any]:
        """The view as JSON: the settings that it shares with the Image tab, and the look of the volume."""
        state = self.model.state
        if state is None:
            return {}
        return {
            **settings_document(state.settings),
            "volume": look_document(self.view.look, None if self._levels is None else self._levels.chosen),
        }

    def restore(self, document: Mapping[str, Any]) -> None:
        """Restore the view from `view_state`; what does not fit is ignored."""
        state = self.model.state
        if state is None:
            self._awaited = document
            return
        volume = document.get("volume")
        self.view.set_look(apply_look(self.view.look, volume))
        settings = apply_document(state.settings, document, state.image.base)
        self.model.change(settings=of_volume(settings))
        level = None if self._levels is None else chosen_level(volume, self._levels.grids)
        if self._levels is not None and level not in (None, self._levels.grid):
            self._choose_grid(level)

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        self.contrast.histogram.set_colours(current_colours())

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        """Pause reading under another tab; a window that is hidden as a whole goes on."""
        super().hideEvent(event)
        if not event.spontaneous():
            self.reader.pause()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Take over the settings of the Image tab, and resume reading."""
        super().showEvent(event)
        state, source = self.model.state, self.opener.source
        if event.spontaneous() or state is None or source is None:
            return
        kept = self.session.view_of(source, state.image.key)
        if kept is not None:
            settings = replace(of_volume(kept), may_read_bytes=state.settings.may_read_bytes)
            self.model.change(settings=settings, colour_map=self.session.colour_map)
        if not self.reader.busy:
            self._read()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Play and stop with Space, if the focused widget does not use it."""
        if event.key() == Qt.Key.Key_Space:
            self.sliders.play()
        else:
            super().keyPressEvent(event)

    # Construction

    def _connect(self) -> None:
        self.renderer.ready.connect(self._ready)
        self.renderer.failed.connect(self._cannot_draw)
        self.renderer.drawn.connect(self._drawn)
        self.view.wanted.connect(self.renderer.look)
        self.view.look_changed.connect(self._calm.start)
        self.view.look_changed.connect(lambda: self.controls.show_look(self.view.look))
        self.opener.opened.connect(self._choose_first_level)
        self.reader.painted.connect(self._show_painted)
        self.reader.came.connect(self._came)
        self.reader.failed.connect(self._fail)
        self.stack.settled.connect(lambda: None if self.stack.shows_data else self.settled.emit())
        self.model.changed.connect(self._follow)
        self.sliders.moved.connect(self._move)
        self.sliders.may_play = lambda: not self.reader.busy
        self._calm.timeout.connect(self.view_changed)
        controls = self.controls
        controls.mode_chosen.connect(lambda mode: self.view.set_look(replace(self.view.look, mode=mode)))
        controls.strength_chosen.connect(
            lambda value: self.view.set_look(self.view.look.with_strength(value))
        )
        controls.grid_chosen.connect(self._choose_grid)
        controls.side_chosen.connect(self.view.see_from)
        controls.turn_back.clicked.connect(lambda _checked: self.view.reset())
        controls.fit.clicked.connect(lambda _checked: self.fit())
        controls.save.clicked.connect(lambda _checked: self.save())

    # Opening

    def _ready(self, most_side: int, driver: str) -> None:
        self._most_side, self._driver = most_side, driver
        self._choose_first_level()

    def _cannot_draw(self, text: str) -> None:
        self._complaint = text if self._most_side is None else ""
        self.reader.pause()
        self._complain(text)

    def _complain(self, text: str = "") -> None:
        self.contrast.hide()
        self.sliders.hide()
        self.stack.show_sentence(text or self._complaint, drawing="broken", retry=not self._complaint)

    def _choose_first_level(self) -> None:
        """Choose what to read, once the image is open and the limits of OpenGL are known."""
        state = self.model.state
        if state is None or self._most_side is None or self._levels is not None:
            return
        axes = volume_axes(state.image, state.settings, self.opener.coordinates)
        if axes is None:
            return
        image = state.settings.drawn_image(state.image)
        grids = choices(image, axes, self._most_side)
        if not grids:
            self.stack.show_sentence("This volume is too long for the graphics card.", drawing="array2")
            return
        awaited, self._awaited = self._awaited, None
        planes = len(state.settings.planes(image))
        self._levels = LevelChoice.first(axes, grids, planes, (awaited or {}).get("volume"))
        self.controls.setEnabled(True)
        if awaited is not None:
            self.restore(awaited)
        self._read()

    # Reading

    def _follow(self, change: Change) -> None:
        state = self.model.state
        if state is None:
            return
        if self.opener.source is not None:
            remember(self.session, self.opener.source, state)
        if self._levels is None:
            return
        if change & (_READ_AGAIN | Change.ORIENTATION):
            self._read()
        elif change & _PAINT_AGAIN:
            self.reader.paint(state, measures=bool(change & (Change.VALUES | Change.MEASURE)))
        self._calm.start()

    def _read(self) -> None:
        state, levels, coordinates = self.model.state, self._levels, self.opener.coordinates
        axes = None if state is None else volume_axes(state.image, state.settings, coordinates)
        if state is None or levels is None or axes is None:
            return
        self._levels = levels = levels.with_axes(axes)
        wanted = WantedVolume(state, axes, levels.grid)
        planes = len(wanted.planes)
        self.controls.show_grids(state.image, levels.grids, levels.grid, planes)
        self._show_sliders(state, axes)
        self._show_box(state, axes, levels.grid)
        cost = levels.grid.cost(planes)
        if not self.reader.has(wanted):
            if not self.stack.may_read(cost, self._agreed_bytes, "This volume"):
                self.contrast.hide()
                return
            if not self._is_shown:
                self.stack.wait_for(f"Reading {state.image.path}, {format_bytes(cost.nbytes)}")
        if self.isVisible():
            self.reader.show(wanted, f"Reading the volume {state.image.path}")

    def _show_sliders(self, state: ImageState, axes: VolumeAxes) -> None:
        others = [axis for axis in state.settings.sliders(state.image) if axis not in axes.all]
        if list(self.sliders.spins) != others:
            self.sliders.show_axes(state.settings.axes, others)
            self.sliders.show_coordinates(self.opener.coordinates)
        else:
            self.sliders.stand_at(state.settings.axes)
        self.sliders.setVisible(bool(others))

    def _show_box(self, state: ImageState, axes: VolumeAxes, grid: VolumeGrid) -> None:
        depth, rows, columns = (
            abs(high - low) * length for (low, high), length in zip(grid.extent, axes.lengths, strict=True)
        )
        back, up, left = axes.reverses
        texts = axis_texts(state.image, axes, self.opener.coordinates)
        self.view.show_box((columns, rows, depth), axes.unit, (left, up, back), texts)
        sides = " × ".join(f"{text.low} to {text.high} along {text.name}" for text in texts)
        self.view.setAccessibleDescription(", ".join([state.image.path, sides, *self._places(state)]))

    def _show_painted(self, painted: Painted) -> None:
        self._textures = tuple(painted.textures)
        self.renderer.show(self._textures)
        self.view.request_picture()
        state = self.model.state
        if state is None:
            return
        self._is_shown = True
        self.stack.show_data(*self._notice())
        self.contrast.setVisible(state.settings.axes.channel is None)
        self.model.set_measured(painted.measured)

    def _came(self) -> None:
        state, levels, cost = self.model.state, self._levels, self.reader.cost
        if state is None or levels is None:
            return
        grid = levels.grid
        if self._is_shown:
            self.stack.show_data(*self._notice())
        parts = [f"{format_shape(grid.shape)} samples"]
        if len(state.image.levels) > 1:
            parts.insert(0, f"level {grid.number} of 0–{len(state.image.levels) - 1}")
        if cost is not None:
            read = f"{format_bytes(cost.nbytes)} in {count(cost.chunks, 'chunk')}"
            parts.append(f"{read}, {format_duration(self.reader.took_s)}")
        if self._driver:
            parts.append(f"drawn by {self._driver.partition(' (')[0]}")
        self.reported.emit(f"{state.image.path}: {' · '.join(parts)}")

    def _drawn(self, drawn: Any) -> None:
        self.view.show_picture(drawn)
        if drawn.is_final and not self.reader.busy and self.stack.shows_data:
            self.settled.emit()

    def _fail(self, error: Exception) -> None:
        self.contrast.hide()
        self.stack.show_error(error)

    def _notice(self) -> tuple[str, str, str]:
        error = self.reader.error
        if error is not None:
            return f"A part of the volume is missing: {sentence(error)}", _RETRY, remedy(error)
        if not self.reader.is_whole and not self.reader.is_reading:
            return "You stopped the reading; a part of the volume is missing.", _READ, ""
        return "", "", ""

    def _notice_pressed(self) -> None:
        self._agree()
        self.stack.notice.show_text("")
        self._read()

    def _agree(self) -> None:
        """Keep that the user agrees to read the present level."""
        state, levels = self.model.state, self._levels
        if state is not None and levels is not None:
            nbytes = levels.grid.cost(len(state.settings.planes(state.image))).nbytes
            self._agreed_bytes = max(self._agreed_bytes, nbytes)

    # The user's choices

    def _move(self, axis: int, position: int) -> None:
        if self.model.state is not None:
            self.model.set(axes=self.model.state.settings.axes.at(axis, position))

    def _choose_grid(self, grid: VolumeGrid) -> None:
        """Show another level: its cost stands beside its name, so that choosing it is consent."""
        if self._levels is None:
            return
        self._levels = self._levels.choose(grid)
        self._agree()
        self._read()
        self._calm.start()

    def save(self) -> None:
        """Ask for a file, and write the picture into it."""
        from zarrbrowser.export.viewed_array import file_name_of  # late: for a fast start

        state = self.model.state
        name = file_name_of((state.image.name if state is not None else "") or "volume", "png")
        ask_for_file(self, "Save the picture", "PNG (*.png)", "png", name, self.save_to)

    def save_to(self, name: str) -> None:
        """Write the picture on the screen as PNG."""
        picture: QImage = self.view.picture()

        def work(_request: object) -> None:
            from zarrbrowser.drawing.png import png_of
            from zarrcore.filetypes import whole_or_nothing

            with whole_or_nothing(name) as stream:
                stream.write(png_of(picture))

        self.workers.submit(
            work,
            lambda _nothing: self.reported.emit(f"Saved {name}"),
            lambda error: self.stack.notice.show_text(f"{name} was not written: {sentence(error)}"),
            "Saving the picture",
        )
