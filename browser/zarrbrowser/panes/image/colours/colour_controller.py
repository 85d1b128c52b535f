"""The controller between the contrast panel and the state: the numbers shown and their colours."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject

from zarrbrowser.image.calculations.derivation import DTYPE
from zarrbrowser.image.colours.colour_maps import CYCLIC, LABELS
from zarrbrowser.image.colours.contrast import Contrast, ContrastMode, Statistics
from zarrbrowser.image.state import Change
from zarrbrowser.image.view_settings import symmetric
from zarrbrowser.panes.image.colours.contrast_panel import ContrastPanel
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.values.elements import Elements, Part, unpacking_of, with_marks

_IN_PANEL = Change.IMAGE | Change.AXES | Change.VALUES | Change.COLOURS | Change.CHANNELS


class ColourController(QObject):
    """Shows the state in the panel, and applies the user's choices there to the state."""

    def __init__(self, model: ImageModel, panel: ContrastPanel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model, self._panel = model, panel
        self._channel = 0
        """The channel whose contrast the panel shows."""
        self._has_flags = False
        """Whether the image may have flags: most have none, and are shown often."""
        panel.colour_map_chosen.connect(self._choose_colour_map)
        panel.chosen.connect(self._choose_contrast)
        panel.norm_chosen.connect(lambda norm: model.set(norm=norm))
        panel.part_chosen.connect(self._choose_part)
        panel.lock_toggled.connect(self._toggle_lock)
        panel.fill_toggled.connect(self._toggle_fill)
        panel.mask_toggled.connect(self._toggle_mask)
        panel.unpacking_toggled.connect(self._toggle_unpacking)
        panel.blend_toggled.connect(lambda is_on: model.set(is_blended=is_on))
        panel.channels.toggled.connect(lambda position, is_on: self._set_channel(position, is_on=is_on))
        panel.channels.coloured.connect(lambda position, colour: self._set_channel(position, colour=colour))
        panel.channels.channel_chosen.connect(self._choose_channel)
        model.changed.connect(self._follow)
        model.measured_changed.connect(self._show_measured)

    def choose_field(self, name: str) -> None:
        """Show another field of the structure."""
        if self._model.state is not None:
            self._set_elements(replace(self._model.state.settings.elements, field=name))

    def _follow(self, change: Change) -> None:
        state = self._model.state
        if state is not None and change & Change.IMAGE:
            self._has_flags = "flag_meanings" in state.image.base.attributes
            self._panel.flags.hide()
        if self._has_flags and change & (_IN_PANEL | Change.CONTRAST):
            self._show_flags()
        if state is None or not change & _IN_PANEL:
            return
        if change & (Change.IMAGE | Change.AXES):
            self._channel = state.settings.channels_on[0]
        self._panel.channels.show_channels(state.settings.channels, self._channel)
        self._panel.show_settings(state.image, state.settings, state.colour_map)

    def _show_flags(self) -> None:
        if self._model.state is not None:
            self._panel.flags.show_flags(self._model.state, self._model.measured)
            self._panel.fit_inside()

    def _show_measured(self) -> None:
        state, found = self._model.state, self._found()
        if self._has_flags:
            self._show_flags()
        if state is None or found is None:
            return
        settings, dtype, elements = state.settings, state.image.base.dtype, state.settings.elements
        shown = dtype if elements.field is None else dtype[elements.field]
        if settings.is_derived:
            shown = DTYPE
        self._panel.show_type(shown, elements.part, settings.unit(state.image.base))
        wish = settings.channels[self._channel].contrast if settings.is_blended else settings.contrast
        self._panel.show_contrast(
            wish, found.levels(wish, settings.norm), found, settings.norm, self._measured_part()
        )

    def _found(self) -> Statistics | None:
        """Statistics of the numbers whose contrast the panel shows."""
        state, measured = self._model.state, self._model.measured
        if state is None or measured is None or not measured.statistics:
            return None
        if not state.settings.is_blended:
            return measured.statistics[0]
        on = state.settings.channels_on
        fits = self._channel in on and len(on) == len(measured.statistics)
        return measured.statistics[on.index(self._channel)] if fits else None

    def _choose_colour_map(self, name: str) -> None:
        # Maps for labels and phases belong to this image; others are a preference for all images.
        if name in (LABELS, CYCLIC):
            self._model.set(colour_map=name)
        elif self._model.state is not None:
            settings = replace(self._model.state.settings, colour_map="")
            self._model.change(settings=settings, colour_map=name)

    def _choose_contrast(self, contrast: Contrast) -> None:
        state, found = self._model.state, self._found()
        if state is None or found is None:
            return
        if contrast.mode is ContrastMode.SYMMETRIC:
            contrast = symmetric(state.settings.comparison)
        low, high = found.levels(contrast)
        kept = replace(contrast, low=low, high=high)
        measures = contrast.mode is not ContrastMode.FIXED  # the part in view decides
        if state.settings.is_blended:
            channels = state.settings.with_channel(self._channel, contrast=kept).channels
            self._model.set(channels=channels, and_measure=measures)
        else:
            self._model.set(contrast=kept, and_measure=measures)

    def _choose_part(self, part: Part) -> None:
        if self._model.state is None:
            return
        settings = self._model.state.settings
        name, contrast = settings.colour_map, Contrast()
        if part is Part.PHASE:
            name = CYCLIC  # gives π and −π the same colour
            contrast = Contrast(ContrastMode.FIXED, -math.pi, math.pi)
        elif settings.elements.part is Part.PHASE:
            name = ""
        elements = replace(settings.elements, part=part)
        self._model.set(elements=elements, contrast=contrast, colour_map=name)

    def _measured_part(self) -> str:
        return "" if self._model.measured is None else self._model.measured.description

    def _toggle_lock(self, is_on: bool) -> None:
        # Without the lock, the range becomes that of the plane in view at once.
        self._model.set(keeps_range=is_on, and_measure=not is_on)

    def _toggle_fill(self, is_on: bool) -> None:
        state = self._model.state
        if state is not None:
            self._set_elements(with_marks(state.settings.elements, state.image.base, is_on=is_on))

    def _toggle_mask(self, is_on: bool) -> None:
        state = self._model.state
        if state is not None:
            self._set_elements(replace(state.settings.elements, masks_largest=is_on))

    def _toggle_unpacking(self, is_on: bool) -> None:
        state = self._model.state
        if state is not None:
            packing = unpacking_of(state.image.base) if is_on else None
            self._set_elements(replace(state.settings.elements, packing=packing))

    def _set_elements(self, elements: Elements) -> None:
        """Show other numbers of the same elements: fixed bounds do not apply to them."""
        self._model.set(elements=elements, contrast=Contrast())

    def _set_channel(self, position: int, **changes: Any) -> None:
        if self._model.state is not None:
            self._model.change(settings=self._model.state.settings.with_channel(position, **changes))

    def _choose_channel(self, position: int) -> None:
        self._channel = position
        self._show_measured()
