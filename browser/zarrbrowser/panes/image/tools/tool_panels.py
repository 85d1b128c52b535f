"""The panels of the tools below the picture. They scroll if they would leave the picture too little room."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from zarrbrowser.widgets.scrolled import Scrolled

_LEAST_PICTURE = 96
_SHARE, _PICTURE = 0.55, 220
"""The panels get this share of the height, and more if the picture keeps this height in pixels."""


class ToolPanels(Scrolled):
    """The panels, one below the other; takes no room while all of them are hidden."""

    def __init__(self, *panels: QWidget, parent: QWidget | None = None) -> None:
        super().__init__("", parent, both_ways=True)  # each panel has a line above it
        self._most = _PICTURE
        column = QVBoxLayout(self.inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for panel in panels:
            column.addWidget(panel)

    def share(self, height: int) -> None:
        """Share this height, in pixels, with the picture."""
        most = max(round(_SHARE * height), height - _PICTURE)
        if most != self._most:
            self._most = most
            self.updateGeometry()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Take more or less room when a panel is shown, hidden or changed."""
        if watched is self.inside and event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        inside = self.inside.sizeHint()
        too_wide = self.inside.minimumSizeHint().width() > self.width()
        bar = self.horizontalScrollBar().sizeHint().height() if too_wide else 0
        return QSize(inside.width(), min(self._most, inside.height() + bar))


class PictureWithTools(QWidget):
    """The picture, and below it the panels of the tools."""

    def __init__(self, picture: QWidget, *panels: QWidget) -> None:
        super().__init__()
        self.panels = ToolPanels(*panels)
        # The panels get their height first, the picture the rest.
        picture.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        picture.setMinimumHeight(_LEAST_PICTURE)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(picture, 1)
        column.addWidget(self.panels)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Share the new height."""
        super().resizeEvent(event)
        self.panels.share(self.height())
