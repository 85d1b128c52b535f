"""A menu of colour maps, each with a preview; the last entry opens the list of all."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from zarrbrowser.image.colours.colour_maps import COLOUR_MAPS, title_of
from zarrbrowser.panes.image.colours.colour_map_dialog import ColourMapDialog
from zarrbrowser.panes.image.colours.colour_map_preview import PREVIEW, preview
from zarrbrowser.widgets.accessible_names import name_box

_MORE = "More…"


class ColourMapBox(QComboBox):
    """The curated colour maps.

    Signals:
        picked: the catalogue name of the chosen colour map.
    """

    picked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setIconSize(PREVIEW)
        name_box(self, "colour map")
        self.setToolTip("Colour map")
        self.setMaxVisibleItems(len(COLOUR_MAPS) + 4)
        for name, title in COLOUR_MAPS.items():
            self.addItem(preview(name), title, name)
        self.addItem(_MORE)
        self._chosen = self.itemData(0)
        self.activated.connect(self._activated)

    def choose(self, name: str) -> None:
        """Show ``name`` as the current one."""
        if self.findData(name) < 0:
            self.insertItem(self.count() - 1, preview(name), title_of(name), name)
        self._chosen = name
        self.setCurrentIndex(self.findData(name))

    def _activated(self, row: int) -> None:
        name = self.itemData(row)
        if name is not None:
            self._chosen = name
            self.picked.emit(name)
            return
        self.choose(self._chosen)  # until another one is picked
        dialog = ColourMapDialog(self._chosen, self)
        dialog.picked.connect(self._pick)
        dialog.open()

    def _pick(self, name: str) -> None:
        self.choose(name)
        self.picked.emit(name)
