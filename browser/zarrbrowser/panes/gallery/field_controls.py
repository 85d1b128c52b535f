"""The choice of the field and the acquisition that thumbnails show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from zarrbrowser.gallery.cells import FieldChoice, Gallery
from zarrbrowser.widgets.accessible_names import name_box

_MOST_FIELDS = 1000
"""A longer list cannot be used; no microscope takes as many fields of a well."""


class FieldControls(QWidget):
    """Two lists; each is hidden if there is nothing to choose.

    Signals:
        chosen: a `FieldChoice`.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.acquisition, self.field = QComboBox(), QComboBox()
        name_box(self.acquisition, "acquisition")
        self.acquisition.setToolTip("The acquisition whose fields are shown")
        name_box(self.field, "field of each well")
        self.field.setToolTip("The field that the thumbnail of each well shows")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for box in (self.acquisition, self.field):
            row.addWidget(box)
            box.activated.connect(lambda _at: self.chosen.emit(self.choice))
        self.offer(None)

    @property
    def choice(self) -> FieldChoice:
        """What is chosen."""
        return FieldChoice(max(0, self.field.currentIndex()), self.acquisition.currentData())

    def offer(self, gallery: Gallery | None) -> None:
        """Offer what a gallery has, and choose the first field of all acquisitions."""
        with QSignalBlocker(self.acquisition), QSignalBlocker(self.field):
            self.acquisition.clear()
            self.field.clear()
            self.acquisition.addItem("All acquisitions", None)
            for number, title in gallery.acquisitions if gallery is not None else ():
                self.acquisition.addItem(title, number)
        self.acquisition.setVisible(self.acquisition.count() > 1)
        self.offer_fields(gallery.most_fields if gallery is not None and gallery.noun == "well" else 1)

    def offer_fields(self, number: int) -> None:
        """Offer at least this number of fields; those that are offered stay."""
        for field in range(self.field.count(), min(number, _MOST_FIELDS)):
            self.field.addItem(f"Field {field}")
        self.field.setVisible(self.field.count() > 1)

    def document(self) -> dict[str, Any]:
        """The choice as JSON."""
        return {"field": self.choice.number, "acquisition": self.choice.acquisition}

    def restore(self, document: Mapping[str, Any]) -> None:
        """Choose what a document of `document` names; what is not offered is ignored."""
        run, field = document.get("acquisition"), document.get("field")
        at = self.acquisition.findData(run) if run is not None else 0
        self.acquisition.setCurrentIndex(max(0, at))
        if isinstance(field, int) and not isinstance(field, bool) and 0 <= field < _MOST_FIELDS:
            if not self.field.isHidden() or field:
                self.offer_fields(field + 1)
            self.field.setCurrentIndex(field)
