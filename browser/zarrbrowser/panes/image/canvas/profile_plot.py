"""Numbers along a line of the picture."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtWidgets import QWidget

from zarrbrowser.image.measurements import Profile
from zarrbrowser.theme.colours import Colours
from zarrbrowser.values.numbers import drawing_factor, finite
from zarrbrowser.widgets.number_axis import NumberAxis
from zarrcore.conventions import symbol

_HEIGHT = 150


class ProfilePlot(pg.GraphicsLayoutWidget):  # type: ignore[misc] # pyqtgraph has no types
    """A low plot."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("profile along the line")
        self.setFixedHeight(_HEIGHT)
        self.ci.layout.setContentsMargins(8, 8, 16, 4)
        axes = {side: NumberAxis(side) for side in ("left", "bottom")}
        self.plot = self.addPlot(axisItems=axes, enableMenu=False)
        self.plot.hideButtons()
        self.plot.setMenuEnabled(False)
        self.curve = pg.PlotDataItem(connect="finite")
        self.plot.addItem(self.curve)

    def show_profile(self, profile: Profile) -> None:
        """Draw a profile."""
        known = finite(profile.numbers)  # Qt aborts when it draws points without coordinates
        factor = drawing_factor(float(np.abs(known).max())) if known.size else 1.0
        self.plot.getAxis("left").setScale(1 / factor)
        self.curve.setData(
            profile.distances if known.size else [], profile.numbers * factor if known.size else []
        )
        units = symbol(profile.units)
        coarse = f", level {profile.level}" if profile.level else ""
        self.plot.setLabel("bottom", (f"distance ({units})" if units else "distance (elements)") + coarse)
        self.plot.setLabel("left", profile.channel)

    def set_colours(self, colours: Colours) -> None:
        """Apply the colours of a theme."""
        self.setBackground(colours.surface)
        self.curve.setPen(pg.mkPen(colours.accent, width=1.5))
        for side in ("left", "bottom"):
            axis = self.plot.getAxis(side)
            axis.setPen(pg.mkPen(colours.border))
            axis.setTextPen(pg.mkPen(colours.muted))
