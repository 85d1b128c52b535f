"""The meanings of flags beside their colours: CF conventions 3.5 "Flags"."""

from __future__ import annotations

from itertools import islice

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from zarrbrowser.image.colours.painting import Measured, style_of
from zarrbrowser.image.colours.render import colours_of
from zarrbrowser.image.state import ImageState
from zarrbrowser.panes.image.colours.channel_list import ROW, SWATCH, swatch
from zarrbrowser.theme import current_colours
from zarrbrowser.widgets.tooltip import tooltip
from zarrcore.conventions.cf import flags_of
from zarrcore.typing import AnyArray

_MOST_ROWS = 8
_MOST = 256
"""Flags that are listed."""


class FlagList(QListWidget):
    """A row per flag, in the colour that its value has in the picture; hidden for an image without flags."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("meanings of the flags")
        self.setIconSize(SWATCH)
        self.setSelectionMode(QListWidget.SelectionMode.NoSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.hide()

    def show_flags(self, state: ImageState, measured: Measured | None) -> None:
        """Show the flags of an image. Sets of bits have no colours of their own, so they are not listed."""
        flags = {} if measured is None else _flags(state)
        self.setVisible(bool(flags))
        self.clear()
        if measured is None or not flags:
            return
        theme = current_colours()
        missing, fill = (
            (one.red(), one.green(), one.blue(), 255) for one in map(QColor, (theme.missing, theme.fill))
        )
        shown = dict(islice(flags.items(), _MOST))
        values: AnyArray = np.array([*shown], state.image.base.dtype)
        colours = colours_of(values, state.settings.elements, style_of(state, measured, missing, fill))
        for (value, meaning), colour in zip(shown.items(), colours.tolist(), strict=True):
            text = f"{value}  {meaning.replace('_', ' ')}"
            item = QListWidgetItem(swatch((colour[0], colour[1], colour[2])), text)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled)
            item.setToolTip(tooltip(text))
            item.setSizeHint(QSize(0, ROW))
            self.addItem(item)
        if len(flags) > len(shown):
            self.addItem(f"and {len(flags) - len(shown):,} more")
        self.setFixedHeight(min(_MOST_ROWS, self.count()) * ROW + 6)


def _flags(state: ImageState) -> dict[int, str]:
    """What each value of a picture means; empty if its numbers are not flags, or were computed from flags."""
    array, settings = state.image.base, state.settings
    if (
        array.dtype.kind not in "iu"
        or "flag_masks" in array.attributes
        or settings.elements.packing is not None
    ):
        return {}
    if settings.is_derived or settings.is_blended or settings.axes.channel is not None:
        return {}
    limits = np.iinfo(array.dtype)
    found = flags_of(array.attributes)
    return {value: meaning for value, meaning in found.items() if limits.min <= value <= limits.max}
