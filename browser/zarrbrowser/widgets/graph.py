"""A plot with our axes in the colours of the theme."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QPointF
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from zarrbrowser.theme.colours import Colours
from zarrbrowser.widgets.number_axis import NumberAxis
from zarrbrowser.widgets.view_keys import ViewKeys


class Graph(pg.GraphicsLayoutWidget):  # type: ignore[misc] # pyqtgraph has no types
    """One plot. Scrolling zooms, over an axis along that axis alone; dragging moves the plot or zooms into a rectangle.

    Args:
        name: the accessible name.
        is_counted: whether the horizontal axis counts elements, so that only integers are labelled.

    Attributes:
        plot: pyqtgraph's plot.
        view: the box of its curves.
        across, up: the axes.
    """

    def __init__(self, name: str, *, is_counted: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.ci.layout.setContentsMargins(8, 8, 16, 4)
        self.across, self.up = NumberAxis("bottom", whole=is_counted), NumberAxis("left")
        self.plot = self.addPlot(axisItems={"bottom": self.across, "left": self.up}, enableMenu=False)
        self.plot.hideButtons()
        self.plot.setMenuEnabled(False)
        self.view = self.plot.getViewBox()
        self.keys = ViewKeys(self.view, (is_counted, False), self)

    def zoom_by_rectangle(self, is_on: bool) -> None:
        """Let dragging zoom into a rectangle, or move the plot."""
        self.view.setMouseMode(self.view.RectMode if is_on else self.view.PanMode)

    def place_of(self, at: QPointF) -> QPointF | None:
        """The numbers at a position of the scene; None outside the axes."""
        return self.view.mapSceneToView(at) if self.view.sceneBoundingRect().contains(at) else None

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if not self.keys.press(event):
            super().keyPressEvent(event)

    def set_colours(self, colours: Colours) -> None:
        """Apply the colours of a theme."""
        self.setBackground(colours.surface)
        for axis in (self.across, self.up):
            axis.setPen(pg.mkPen(colours.border))
            axis.setTextPen(pg.mkPen(colours.muted))
