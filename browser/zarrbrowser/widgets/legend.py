"""What the colour of missing values means, beneath a picture that has some."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from zarrbrowser.session.contrast import Statistics
from zarrbrowser.session.quantities import count
from zarrbrowser.widgets.label import label


class MissingLegend(QFrame):
    """A swatch and the number of elements that are NaN; hidden where there are none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "foot")
        swatch = QFrame()
        swatch.setProperty("role", "missing")
        swatch.setFixedSize(14, 14)
        self._text = label(role="muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(8)
        row.addWidget(swatch)
        row.addWidget(self._text, 1)
        self.hide()

    @property
    def text(self) -> str:
        """The words beside the swatch."""
        return self._text.text()

    def show_statistics(self, found: Statistics | None) -> None:
        """Tell how many elements are missing from a picture."""
        missing = 0 if found is None else found.nan_count
        if found is not None:
            self._text.setText(f"{count(missing, 'element')} without a value (NaN) of {found.size:,}")
        self.setVisible(missing > 0)
