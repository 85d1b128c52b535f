"""The colour settings beside the picture: the numbers shown, their colour map and bounds."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import numpy as np
from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from zarrbrowser.image.colours.colour_maps import LABELS
from zarrbrowser.image.colours.contrast import (
    PERCENTILES,
    WIDE_PERCENTILES,
    Contrast,
    ContrastMode,
    Statistics,
)
from zarrbrowser.image.colours.norm import Norm
from zarrbrowser.image.levels import Image
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.panes.image.colours.bound_edits import BoundEdits
from zarrbrowser.panes.image.colours.channel_list import ChannelList
from zarrbrowser.panes.image.colours.colour_map_box import ColourMapBox
from zarrbrowser.panes.image.colours.flag_list import FlagList
from zarrbrowser.panes.image.colours.histogram import Histogram
from zarrbrowser.theme.fonts import scaled
from zarrbrowser.values.elements import Part, elements_of, fill_of, is_complex, largest, may_mask
from zarrbrowser.values.numbers import meaning_of
from zarrbrowser.values.packing import says_packing
from zarrbrowser.widgets.accessible_names import name_box
from zarrbrowser.widgets.buttons import tool_button
from zarrbrowser.widgets.label import label
from zarrbrowser.widgets.scrolled import Scrolled

WIDTH = 192


def _automatic(percentiles: tuple[float, float]) -> str:
    return "Auto ({:g}–{:g} %)".format(*percentiles)


_MODES = {
    ContrastMode.PERCENTILES: _automatic(PERCENTILES),
    ContrastMode.WIDE_PERCENTILES: _automatic(WIDE_PERCENTILES),
    ContrastMode.FULL_RANGE: "Full range",
    ContrastMode.SYMMETRIC: "Symmetric",
    ContrastMode.FIXED: "Fixed",
}
_NORMS = {
    Norm.LINEAR: "Linear",
    Norm.LOG: "Logarithm",
    Norm.SQRT: "Square root",
    Norm.SYMLOG: "Symmetric log",
}


class ContrastPanel(Scrolled):
    """Highest value at the top, lowest at the bottom, like the colours. Typing or dragging a bound fixes the contrast.

    Signals:
        chosen: a `Contrast`.
        colour_map_chosen: the catalogue name of a colour map.
        norm_chosen: a `Norm`.
        part_chosen: a `Part` of complex numbers.
        fill_toggled: whether missing values are shown apart.
        mask_toggled: whether the largest number of the type is left out.
        unpacking_toggled: whether numbers are unpacked according to their attributes.
        blend_toggled: whether channels are blended.
        lock_toggled: whether one range is kept for all planes.
    """

    chosen = Signal(object)
    colour_map_chosen = Signal(str)
    norm_chosen = Signal(object)
    part_chosen = Signal(object)
    fill_toggled = Signal(bool)
    mask_toggled = Signal(bool)
    unpacking_toggled = Signal(bool)
    blend_toggled = Signal(bool)
    lock_toggled = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("side", parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self._width = scaled(WIDTH)
        self.setFixedWidth(self._width)
        self.inside.setFixedWidth(self._width)
        self.verticalScrollBar().rangeChanged.connect(self._make_room)
        self.blend, self.channels = QCheckBox("Blend channels"), ChannelList()
        self.colour_map, self.histogram = ColourMapBox(), Histogram()
        self.part = _box("part of complex numbers", {part: part.value.capitalize() for part in Part})
        self.norm = _box("how values are spread over the colours", _NORMS)
        self.mode = _box("how the bounds of the contrast are chosen", _MODES)
        self.measured = label(role="muted")
        self.lock = tool_button(
            "lock",
            "One range for all planes: it grows with each that is shown. Off: each plane has its own range",
        )
        self.lock.setCheckable(True)
        self.bounds = BoundEdits()
        self.low, self.high = self.bounds.low, self.bounds.high
        self.unit = label(role="muted")
        self.flags = FlagList()
        self.fill = QCheckBox("Mark fill value")
        self.masked = QCheckBox()
        self.masked.hide()  # until it has a text
        self.unpacking = QCheckBox("Unpack values")
        self._headings = label("Colours", "heading"), label("Contrast", "heading")
        self._lay_out()
        self._connect()

    def show_settings(self, image: Image, settings: ViewSettings, colour_map: str) -> None:
        """Show the controls that apply to an image, with its settings."""
        array, elements = image.base, settings.elements
        dtype = array.dtype if elements.field is None else array.dtype[elements.field]
        told = elements_of(array, is_picture=not image.is_labels)
        unpacking, has_marks = told.packing, told.has_marks
        name = settings.colour_map or colour_map
        boxes = (self.blend, self.fill, self.masked, self.unpacking)
        with ExitStack() as blocked:
            for box in boxes:
                blocked.enter_context(QSignalBlocker(box))
            self.masked.setChecked(elements.masks_largest)
            self.blend.setChecked(settings.is_blended)
            self.fill.setChecked(elements.has_marks)
            self.unpacking.setChecked(elements.packing is not None)
        self.blend.setVisible(image.channel_axis is not None)
        self.channels.setVisible(settings.is_blended)
        self.colour_map.setVisible(not settings.is_blended)
        self.part.setVisible(is_complex(dtype))
        self.part.setCurrentIndex(list(Part).index(elements.part))
        self.lock.setChecked(settings.keeps_range)
        self.norm.setCurrentIndex(list(_NORMS).index(settings.norm))
        self.fill.setText("Mark missing values" if has_marks else "Mark fill value")
        self.fill.setVisible(elements.packing is None and (has_marks or bool(fill_of(array))))
        self._write_masked(dtype)
        may_be_masked = may_mask(dtype) and name != LABELS
        self.masked.setVisible(may_be_masked and (elements.packing is None or told.masks_largest))
        self.unpacking.setVisible(unpacking is not None)
        if unpacking is not None:
            self.unpacking.setToolTip(f"{unpacking.description}, from {says_packing(array)}")
        self.choose_colour_map(name)
        has_bounds = settings.is_blended or name != LABELS
        for widget in (self._headings[1], self.norm, self.mode, self.histogram, self.low, self.high):
            widget.setVisible(has_bounds)
        self.unit.setVisible(has_bounds and bool(self.unit.text()))
        self.measured.setVisible(has_bounds and self.measured.isVisibleTo(self))
        self.lock.setVisible(has_bounds and bool(settings.sliders(image)))
        self.fit_inside()

    def show_type(self, dtype: np.dtype[Any], part: Part, unit: str = "") -> None:
        """Show bounds as values of this type (dates as dates), with their unit, or what the numbers are a part of."""
        self.bounds.dates = dtype if dtype.kind == "M" else None
        self.histogram.item.axis.setStyle(showValues=self.bounds.dates is None)
        meaning = "radians" if is_complex(dtype) and part is Part.PHASE else meaning_of(dtype)
        self.unit.setText(unit if is_complex(dtype) and part is not Part.PHASE else meaning or unit)
        self.unit.setVisible(bool(self.unit.text()) and self.mode.isVisibleTo(self))

    def show_contrast(
        self, contrast: Contrast, levels: tuple[float, float], found: Statistics, norm: Norm, measured: str
    ) -> None:
        """Show a mode, the resulting bounds, and the statistics that they come from.

        Args:
            measured: what was measured; empty for all of the plane.
        """
        self.mode.setCurrentIndex(list(_MODES).index(contrast.mode))
        self.bounds.show_bounds(levels)
        self.histogram.show_statistics(found, levels, norm)
        self.measured.setText(f"of {measured}")
        self.measured.setVisible(
            bool(measured) and contrast.mode is not ContrastMode.FIXED and self.mode.isVisibleTo(self)
        )

    def choose_colour_map(self, name: str) -> None:
        """Show a colour map as the current one."""
        self.colour_map.choose(name)
        self.histogram.show_colour_map(name)

    def _write_masked(self, dtype: np.dtype[Any]) -> None:
        """Name the number that may be a mask; the 20 digits of the largest one are wider than the panel."""
        number = largest(dtype)
        self.masked.setText(f"Mask {number:,}" if dtype.itemsize < 8 else "Mask 2⁶⁴ − 1")
        self.masked.setToolTip(
            f"{number:,}: detectors write the largest number of the type for pixels that do not count"
        )

    def _make_room(self, _least: int, most: int) -> None:
        """Place the scroll bar beside the controls, not on them."""
        self.setFixedWidth(self._width + (self.verticalScrollBar().sizeHint().width() if most > 0 else 0))

    def _lay_out(self) -> None:
        column = QVBoxLayout(self.inside)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(6)
        above: tuple[QWidget, ...] = (
            self._headings[0],
            self.blend,
            self.channels,
            self.part,
            self.colour_map,
            self.flags,
            self.norm,
        )
        for widget in above:
            column.addWidget(widget)
        column.addSpacing(6)
        column.addWidget(self._headings[1])
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.mode, 1)
        row.addWidget(self.lock)
        column.addLayout(row)
        for widget in (self.measured, self.unit, self.high):
            column.addWidget(widget)
        column.addWidget(self.histogram, 1)
        for widget in (self.low, self.fill, self.masked, self.unpacking):
            column.addWidget(widget)
        column.addStretch(0)

    def _connect(self) -> None:
        self.colour_map.picked.connect(self._colours_chosen)
        self.mode.activated.connect(lambda _row: self._mode_chosen())
        self.norm.activated.connect(lambda row: self.norm_chosen.emit(list(_NORMS)[row]))
        self.part.activated.connect(lambda row: self.part_chosen.emit(list(Part)[row]))
        self.bounds.typed.connect(self._fix)
        self.histogram.dragged.connect(self._fix)
        self.lock.clicked.connect(self.lock_toggled)
        self.fill.toggled.connect(self.fill_toggled)
        self.masked.toggled.connect(self.mask_toggled)
        self.unpacking.toggled.connect(self.unpacking_toggled)
        self.blend.toggled.connect(self.blend_toggled)

    def _fix(self, low: float, high: float) -> None:
        self.chosen.emit(Contrast(ContrastMode.FIXED, low, high))

    def _colours_chosen(self, name: str) -> None:
        self.histogram.show_colour_map(name)
        self.colour_map_chosen.emit(name)

    def _mode_chosen(self) -> None:
        self.chosen.emit(Contrast(list(_MODES)[self.mode.currentIndex()], *self.bounds.levels))


def _box(name: str, titles: dict[Any, str]) -> QComboBox:
    box = QComboBox()
    name_box(box, name)
    box.setToolTip(name[0].upper() + name[1:])
    for value, title in titles.items():
        box.addItem(title, value)
    return box
