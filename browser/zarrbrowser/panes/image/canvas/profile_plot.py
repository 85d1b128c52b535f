"""Numbers along a line of the picture, or along one of its axes."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
import pyqtgraph as pg
from PySide6.QtWidgets import QWidget

from zarrbrowser.image.measurements import Profile, ProfileCurve
from zarrbrowser.theme.colours import Colours
from zarrbrowser.values.numbers import drawing_factor, finite
from zarrbrowser.widgets.graph import Graph
from zarrcore.conventions import symbol
from zarrcore.typing import AnyArray

_HEIGHT = 150


class ProfilePlot(Graph):
    """A low plot."""

    def __init__(
        self,
        name: str = "profile along the line",
        *,
        is_counted: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(name, is_counted=is_counted, parent=parent)
        self.setFixedHeight(_HEIGHT)
        self.curves: list[pg.PlotDataItem] = []
        """One for each channel."""
        self._legend = self.plot.addLegend(offset=(-8, 4))
        self._line = pg.mkPen("w", width=1.5)

    def show_profile(self, profile: Profile) -> None:
        """Draw a profile."""
        units = symbol(profile.units)
        coarse = f", level {profile.level}" if profile.level else ""
        across = (f"distance ({units})" if units else "distance (elements)") + coarse
        self.show_curves(profile.distances, profile.curves, across)
        self.plot.setLabel("bottom", across)

    def show_curves(self, places: AnyArray, curves: Sequence[ProfileCurve], across: str) -> None:
        """Draw the numbers of each channel over their places."""
        known = [finite(one.numbers) for one in curves]
        # Qt aborts when it draws points without coordinates.
        largest = max((float(np.abs(one).max()) for one in known if one.size), default=0.0)
        factor = drawing_factor(largest) if largest else 1.0
        self.up.setScale(1 / factor)
        names = [one.channel for one in curves]
        if [curve.name() or "" for curve in self.curves] != names:
            self._make_curves(names)
        for curve, one, numbers in zip(self.curves, curves, known, strict=True):
            curve.setPen(self._line if one.colour is None else pg.mkPen(one.colour, width=1.5))
            curve.setData(places if numbers.size else [], one.numbers * factor if numbers.size else [])
        self.setAccessibleDescription(f"{len(places):,} points over {across}")

    def _make_curves(self, names: list[str]) -> None:
        for curve in self.curves:
            self.plot.removeItem(curve)
        self._legend.setVisible(any(names))
        # The legend would interpret markup in a stored name.
        self.curves = [pg.PlotDataItem(connect="finite", name=name or None) for name in names]
        for curve in self.curves:
            self.plot.addItem(curve)
        for _, text in self._legend.items:
            text.setText(escape(text.text))

    def set_colours(self, colours: Colours) -> None:
        """Apply the colours of a theme."""
        super().set_colours(colours)
        self._line = pg.mkPen(colours.accent, width=1.5)
        self._legend.setLabelTextColor(colours.text)
        for _, text in self._legend.items:
            text.setText(text.text, color=colours.text)  # the legend itself does so only for further curves
        for curve in self.curves:
            if not curve.name():
                curve.setPen(self._line)
