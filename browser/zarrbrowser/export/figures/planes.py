"""Figures of planes of an image: from the samples on the screen, or read again as finely as the figure shows them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from zarrbrowser.coordinates.coordinates import Coordinate, scale_along
from zarrbrowser.export.figures.figure import ColourBar, Figure, Layer, Picture, Rect
from zarrbrowser.export.figures.maps import ShownMap
from zarrbrowser.export.figures.scales import Scale
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.colours.colour_maps import lookup_table
from zarrbrowser.image.colours.painting import Measured, measure, paint, style_of
from zarrbrowser.image.colours.render import NOTHING
from zarrbrowser.image.contours import NOTHING as NO_CONTOURS
from zarrbrowser.image.contours import contours_of, may_contour
from zarrbrowser.image.labels import paint_labels
from zarrbrowser.image.levels import Colour, Rgba
from zarrbrowser.image.state import ImageState
from zarrbrowser.image.tiles.frames import Frame, Mosaic, View, plan, rect_of, window_of
from zarrbrowser.maps.sketch import NOTHING as NO_LINES
from zarrbrowser.maps.sketch import Sketch
from zarrbrowser.nodes.read_cost import Cancelled
from zarrbrowser.values.elements import is_complex
from zarrbrowser.values.numbers import meaning_of
from zarrbrowser.values.quantities import format_bytes

Cancellation = Callable[[], bool]
MOST_SAMPLES = 2**23
"""Samples of a plane that a figure shows at most; the reading rounds up to four times as many."""


@dataclass(frozen=True, slots=True)
class ShownPlane:
    """One plane as it is on the screen."""

    place: tuple[int, int]
    """Its row and column beside other planes."""
    state: ImageState
    view: View
    """The part in view."""
    measured: Measured
    """The statistics that its colours follow."""
    mosaics: tuple[Mosaic, ...]
    """The samples on the screen."""
    proportion: float | None
    """The ratio of width to height of an element; None if elements are stretched."""
    labels: Mosaic | None = None
    title: str = ""
    map_lines: Sketch = NO_LINES
    """The lines of a map over it."""
    projected: ShownMap | None = None
    """Its map projection; None for rows and columns."""


@dataclass(frozen=True, slots=True)
class ShownPlanes:
    """The planes of an Image tab, and what is common to them."""

    planes: tuple[ShownPlane, ...]
    """At least one, the main one first."""
    coordinates: Mapping[int, Coordinate] = field(default_factory=dict)
    """Those of the main image's axes, if the axes show them."""
    has_scale: bool = False
    """Whether the main plane has a scale bar."""
    marks: tuple[Rgba, Rgba] = (NOTHING, NOTHING)
    """The colours of NaN and of marked values."""

    @property
    def main(self) -> ShownPlane:
        """The main plane."""
        return self.planes[0]

    def as_shown(self) -> Figure:
        """The figure of the samples on the screen; reads nothing."""
        return self.figure_of([(one, one.mosaics, one.labels) for one in self.planes])

    def read(self, pixels: tuple[int, int], cancelled: Cancellation = lambda: False) -> Figure:
        """The figure with as many samples as a number of pixels can show; blocks.

        Args:
            pixels: the width and height of the whole figure.

        Raises:
            Cancelled: ``cancelled`` became true.
            ZarrError: a chunk cannot be read or decoded.
        """
        parts, notes = [], []
        for shown in self.planes:
            one = _finer(shown, pixels, cancelled)
            mosaics, labels, note = _read(one, _fitting(one, pixels), cancelled)
            parts.append((one, mosaics or one.mosaics, labels))
            notes.append(note)
        figure = self.figure_of(parts)
        return replace(figure, note=" ".join(filter(None, (next(filter(None, notes), ""), figure.note))))

    def frame(
        self,
        axes: Axes,
        pixels: tuple[int, int],
        cancelled: Cancellation = lambda: False,
        *,
        has_own_contrast: bool = False,
    ) -> Figure:
        """The main plane alone at another position, as a frame of a movie; blocks.

        Args:
            has_own_contrast: whether colours follow the numbers of this plane, not those of the plane on the screen.

        Raises:
            Cancelled: ``cancelled`` became true.
            SelectionError: more than may be read without asking would be decoded.
            ZarrError: a chunk cannot be read or decoded.
        """
        from zarrcore.errors import SelectionError  # late: for a fast start

        state = self.main.state.with_axes(axes)
        plane = replace(self.main, state=state, place=(0, 0), title="", mosaics=())
        plane = _finer(plane, pixels, cancelled)
        mosaics, labels, note = _read(plane, _fitting(plane, pixels), cancelled)
        if not mosaics:
            raise SelectionError(f"a frame cannot be read: {note.partition(': ')[2].rstrip('.')}")
        if has_own_contrast:
            plane = replace(plane, measured=measure(state.settings, mosaics))
        return replace(self, planes=(plane,)).figure_of([(plane, mosaics, labels)])

    def figure_of(self, parts: list[tuple[ShownPlane, tuple[Mosaic, ...], Mosaic | None]]) -> Figure:
        """The figure of the samples of each plane, and of its labels."""
        main = self.main.state
        panels = tuple((*one.place, self._panel(one, mosaics, labels)) for one, mosaics, labels in parts)
        bar = colour_bar_of(main, self.main.measured)
        return Figure(panels, bar, legend_of(main), self.title, mask_note(main))

    @property
    def title(self) -> str:
        """The name of the main image, and where its plane is: ``tas, time = 2020-04-16``."""
        image = self.main.state.image
        name = image.name or image.path
        return ", ".join(filter(None, (name, self.position)))

    @property
    def position(self) -> str:
        """Where the plane of the main image is, and what it is compared with: ``time = 2020-04-16``."""
        image, settings = self.main.state.image, self.main.state.settings
        parts = []
        for axis in settings.sliders(image):
            coordinate = self.coordinates.get(axis)
            text = coordinate.text(settings.axes.index[axis]) if coordinate is not None else ""
            parts.append(settings.place_along(axis, text))
        return ", ".join([*parts, settings.compared_with] if settings.compares else parts)

    def _panel(self, one: ShownPlane, mosaics: tuple[Mosaic, ...], labels: Mosaic | None) -> Picture:
        state, axes = one.state, one.state.settings.axes
        style = style_of(state, one.measured, *self.marks)
        has_lines = state.settings.contours and may_contour(state)
        plane = None if state.geography is None else state.geography.plane(axes)
        contours = contours_of(state.settings, mosaics[0], style, plane) if has_lines else NO_CONTOURS
        if one.projected is not None:
            colours = paint(state.settings, mosaics, one.measured, style)
            return one.projected.picture(colours, mosaics[0].rect, one.title, contours)
        rows, columns = _clipped(one.view.rows, axes.height), _clipped(one.view.columns, axes.width)
        box = (rows[0], columns[0], rows[1], columns[1])
        pixels = paint(state.settings, mosaics, one.measured, style)
        raster = mosaics[0].raster
        is_fine = max(raster.steps) == 1 and all(factor == 1 for factor in raster.level.factors)
        layers = [
            _cropped(Layer(pixels, mosaics[0].rect, is_smooth=not is_fine and not style.is_labels), box)
        ]
        if labels is not None and state.labels is not None and labels.values.size:
            colours = paint_labels(labels, state.labels.image)
            layer = Layer(colours, state.labels.rect(axes, labels), state.settings.labels_opacity)
            layers.append(_cropped(layer, box))
        is_main = state.shows_same_image(self.main.state)
        flip_rows, flip_columns = state.flips
        return Picture(
            tuple(layers),
            self._scale(state, axes.rows, rows, is_turned=flip_rows, is_main=is_main),
            self._scale(state, axes.columns, columns, is_turned=flip_columns, is_main=is_main),
            one.proportion,
            scale_along(state.image, axes.columns) if self.has_scale and one is self.planes[0] else None,
            one.title,
            one.map_lines,
            contours,
            tuple(dict.fromkeys(rect_of(mosaic.raster, hole) for mosaic in mosaics for hole in mosaic.holes)),
        )

    def _scale(
        self, state: ImageState, axis: int, ends: tuple[float, float], *, is_turned: bool, is_main: bool
    ) -> Scale:
        coordinate = self.coordinates.get(axis) if is_main else None
        name, units = state.settings.axes.names[axis], coordinate.units if coordinate is not None else ""
        low, high = reversed(ends) if is_turned else ends
        return Scale(f"{name} ({units})" if units else name, low, high, coordinate, is_whole=True)


def colour_bar_of(state: ImageState, measured: Measured) -> ColourBar | None:
    """What the colours mean; None for colours without an order."""
    style, settings = style_of(state, measured), state.settings
    if settings.is_blended or settings.axes.channel is not None or style.is_labels:
        return None
    return ColourBar(lookup_table(style.colour_map), style.norm, style.levels, colour_label(state))


def legend_of(state: ImageState) -> tuple[tuple[str, Colour], ...]:
    """The names and colours of blended channels."""
    settings = state.settings
    if not settings.is_blended:
        return ()
    chosen = [settings.channels[position] for position in settings.channels_on]
    return tuple((one.channel.name, one.colour) for one in chosen)


def mask_note(state: ImageState) -> str:
    """Which number has no colour, because it marks pixels that do not count; empty if there is none."""
    number = state.settings.elements.mask(state.image.base.dtype)
    return f"Elements of {number} are masked." if number else ""


def colour_label(state: ImageState) -> str:
    """The name and unit of the numbers behind the colours."""
    array, elements = state.image.base, state.settings.elements
    dtype = array.dtype if elements.field is None else array.dtype[elements.field]
    if is_complex(dtype):
        return elements.part.value
    told = [array.attributes.get(name) for name in ("long_name", "standard_name")]
    long_name, standard_name = (one if isinstance(one, str) else "" for one in told)
    name = long_name or standard_name.replace("_", " ") or elements.field or array.name
    unit = meaning_of(dtype) or state.settings.unit(array)
    return f"{name} ({unit})" if name and unit else name or unit


def _finer(one: ShownPlane, pixels: tuple[int, int], cancelled: Cancellation) -> ShownPlane:
    """A plane with a projection at the resolution of a figure; any other as it is."""
    if one.projected is None:
        return one
    found = one.projected.finer(pixels, cancelled)
    return replace(one, projected=found, view=found.view(pixels) or one.view)


def _fitting(one: ShownPlane, pixels: tuple[int, int]) -> View:
    """The part of the plane in view at the resolution of a figure."""
    axes, (width, height) = one.state.settings.axes, pixels
    shrunk = min(1.0, math.sqrt(MOST_SAMPLES / max(1, width * height)))
    rows, columns = _clipped(one.view.rows, axes.height), _clipped(one.view.columns, axes.width)
    return View(rows, columns, max(1, height * shrunk), max(1, width * shrunk))


def _read(
    one: ShownPlane, view: View, cancelled: Cancellation
) -> tuple[tuple[Mosaic, ...], Mosaic | None, str]:
    """The samples of a plane and of its labels for a view; no samples if they cost too much to read."""
    image, settings = one.state.image, one.state.settings
    planes = settings.planes(image)
    frame = plan(settings.drawn_image(image), planes, view, may_read_bytes=settings.may_read_bytes)
    labels = _read_labels(one, view, cancelled)
    if frame.is_held_back:
        size = format_bytes(frame.cost.nbytes)
        return (), labels, f"The figure has the resolution of the screen: a finer one must decode {size}."
    return _mosaics(frame, view, cancelled), labels, ""


def _read_labels(one: ShownPlane, view: View, cancelled: Cancellation) -> Mosaic | None:
    labels, axes = one.state.labels, one.state.settings.axes
    theirs = labels.axes(axes) if labels is not None else None
    if labels is None or theirs is None or one.labels is None:
        return None
    mine = labels.view(axes, view)
    frame = plan(labels.image, [theirs.as_plane()], mine)
    if frame.is_held_back:
        return one.labels if one.mosaics else None  # the labels on the screen belong to its plane
    return _mosaics(frame, mine, cancelled)[0]


def _mosaics(frame: Frame, view: View, cancelled: Cancellation) -> tuple[Mosaic, ...]:
    """Read the samples in view; chunks that do not decode stay transparent."""
    found, window = [], window_of(frame.raster, view)
    for raster in frame.rasters:
        if cancelled():
            raise Cancelled
        values, holes, _ = raster.read_parts(window, cancelled)
        is_there = None
        if holes:
            is_there = np.ones(values.shape[:2], bool)
            for hole in holes:
                rows, columns = (
                    slice(part.start - whole.start, part.stop - whole.start)
                    for part, whole in zip(hole, window, strict=True)
                )
                is_there[rows, columns] = False
        found.append(Mosaic(raster, window, values, is_there, holes))
    return tuple(found)


def _clipped(ends: tuple[float, float], length: int) -> tuple[float, float]:
    """The part of an axis in view, without the blank beside the plane."""
    low, high = max(ends[0], -0.5), min(ends[1], length - 0.5)
    return (low, high) if high > low else (-0.5, length - 0.5)


def _cropped(layer: Layer, box: Rect) -> Layer:
    """The pixels that overlap a box: samples around it were read with it."""
    top, left, bottom, right = layer.rect
    height, width = layer.pixels.shape[:2]
    if not height or not width:
        return layer
    down, along = (bottom - top) / height, (right - left) / width
    first_row = min(max(int(np.floor((box[0] - top) / down + 1e-6)), 0), height - 1)
    last_row = min(max(int(np.ceil((box[2] - top) / down - 1e-6)), first_row + 1), height)
    first = min(max(int(np.floor((box[1] - left) / along + 1e-6)), 0), width - 1)
    last = min(max(int(np.ceil((box[3] - left) / along - 1e-6)), first + 1), width)
    rect = (top + first_row * down, left + first * along, top + last_row * down, left + last * along)
    return replace(layer, pixels=layer.pixels[first_row:last_row, first:last], rect=rect)
