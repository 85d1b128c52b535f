"""What the person chooses beside the picture, put into the look of the image."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from zarrbrowser.image.colours.colour_maps import CYCLIC, LABELS
from zarrbrowser.image.colours.contrast import Contrast, ContrastMode, Statistics
from zarrbrowser.image.colours.painting import Measured
from zarrbrowser.image.colours.render import Norm
from zarrbrowser.image.levels import Colour, Image
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.panes.image.colours.contrast_panel import ContrastPanel
from zarrbrowser.session.state import Session
from zarrbrowser.values.elements import Elements, Part, fill_of, packing_of


class ColourController(QObject):
    """Between the contrast panel and the look of an image.

    Signals:
        repainted: the same numbers in other colours.
        renumbered: other numbers of the same elements.
        rechannelled: other channels are blended.
    """

    repainted = Signal()
    renumbered = Signal()
    rechannelled = Signal()

    def __init__(self, session: Session, panel: ContrastPanel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.panel = panel
        self._image: Image | None = None
        self._settings: ViewSettings | None = None
        self._measured: Measured | None = None
        self._channel = 0
        panel.choose_colour_map(session.colour_map)
        panel.colour_map_chosen.connect(self._choose_colours)
        panel.chosen.connect(self._choose_contrast)
        panel.norm_chosen.connect(self._choose_norm)
        panel.part_chosen.connect(self._choose_part)
        panel.fill_toggled.connect(self._toggle_fill)
        panel.unpacking_toggled.connect(self._toggle_unpacking)
        panel.blend_toggled.connect(self._toggle_blend)
        panel.channels.toggled.connect(self._toggle_channel)
        panel.channels.channel_chosen.connect(self._choose_channel)
        panel.channels.coloured.connect(self._colour_channel)

    def show_image(self, image: Image | None, settings: ViewSettings | None) -> None:
        """Another image is looked at."""
        self._image, self._settings, self._measured = image, settings, None
        on = settings.channels_on if settings is not None else [0]
        self._channel = on[0]
        self._show_settings()

    def show_measured(self, measured: Measured) -> None:
        """The numbers of the picture are these."""
        self._measured = measured
        settings, image = self._settings, self._image
        found = self._found()
        if settings is None or image is None or found is None:
            return
        array = image.base
        dtype = array.dtype if settings.elements.field is None else array.dtype[settings.elements.field]
        self.panel.show_type(dtype, settings.elements.part)
        wish = settings.channels[self._channel].contrast if settings.is_blended else settings.contrast
        self.panel.show_contrast(wish, found.levels(wish), found)

    def choose_field(self, name: str) -> None:
        """Another field of the structure."""
        if self._settings is not None:
            self._renumber(replace(self._settings.elements, field=name))

    def _show_settings(self) -> None:
        if self._image is not None and self._settings is not None:
            self.panel.channels.show_channels(self._settings.channels, self._channel)
            self.panel.show_settings(self._image, self._settings, self._session.colour_map)

    def _found(self) -> Statistics | None:
        """Statistics of what the panel is about."""
        settings, measured = self._settings, self._measured
        if settings is None or measured is None or not measured.statistics:
            return None
        if not settings.is_blended:
            return measured.statistics[0]
        on = settings.channels_on
        fits = self._channel in on and len(on) == len(measured.statistics)
        return measured.statistics[on.index(self._channel)] if fits else None

    def _choose_colours(self, name: str) -> None:
        if self._settings is None:
            return
        # Labels and phases are a matter of this image; other maps one of taste.
        special = name in (LABELS, CYCLIC)
        self._settings.colour_map = name if special else ""
        if not special:
            self._session.colour_map = name
        self._show_settings()
        self.repainted.emit()

    def _choose_contrast(self, contrast: Contrast) -> None:
        settings, found = self._settings, self._found()
        if settings is None or found is None:
            return
        low, high = found.levels(contrast)
        kept = replace(contrast, low=low, high=high)
        if settings.is_blended:
            settings.channels[self._channel].contrast = kept
        else:
            settings.contrast = kept
        if contrast.mode is ContrastMode.FIXED:
            self.repainted.emit()
        else:
            self.renumbered.emit()  # what is in view now decides

    def _choose_norm(self, norm: Norm) -> None:
        if self._settings is not None:
            self._settings.norm = norm
            self.repainted.emit()

    def _choose_part(self, part: Part) -> None:
        settings = self._settings
        if settings is None:
            return
        was_phase = settings.elements.part is Part.PHASE
        if part is Part.PHASE:
            settings.colour_map = CYCLIC  # where π and −π are the same colour
        elif was_phase:
            settings.colour_map = ""
        turn = Contrast(ContrastMode.FIXED, -math.pi, math.pi)
        self._renumber(replace(settings.elements, part=part), turn if part is Part.PHASE else Contrast())

    def _toggle_fill(self, is_on: bool) -> None:
        if self._settings is None or self._image is None:
            return
        packing = packing_of(self._image.base)
        told = packing.missing if packing is not None and packing.missing else fill_of(self._image.base)
        self._renumber(replace(self._settings.elements, fill=told if is_on else ()))

    def _toggle_unpacking(self, is_on: bool) -> None:
        if self._settings is not None and self._image is not None:
            packing = packing_of(self._image.base) if is_on else None
            self._renumber(replace(self._settings.elements, packing=packing))

    def _renumber(self, elements: Elements, contrast: Contrast | None = None) -> None:
        """Other numbers of the same elements: fixed bounds mean nothing to them."""
        if self._settings is not None:
            self._settings.elements, self._settings.contrast = elements, contrast or Contrast()
            self._show_settings()
            self.renumbered.emit()

    def _toggle_blend(self, is_on: bool) -> None:
        if self._settings is not None:
            self._settings.is_blended = is_on
            self._show_settings()
            self.rechannelled.emit()

    def _toggle_channel(self, position: int, is_on: bool) -> None:
        if self._settings is not None:
            self._settings.channels[position].is_on = is_on
            self.rechannelled.emit()

    def _choose_channel(self, position: int) -> None:
        self._channel = position
        if self._measured is not None:
            self.show_measured(self._measured)

    def _colour_channel(self, position: int, colour: Colour) -> None:
        if self._settings is not None:
            self._settings.channels[position].colour = colour
            self._show_settings()
            self.repainted.emit()
