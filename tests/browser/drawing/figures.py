"""Small figures: four elements in four colours, and a line with gaps."""

from __future__ import annotations

import numpy as np

from zarrbrowser.export.figures.figure import ColourBar, Figure, FigureOptions, Layer, Line, Picture, Plot
from zarrbrowser.export.figures.scales import Scale
from zarrbrowser.image.colours.colour_maps import lookup_table
from zarrbrowser.image.colours.norm import Norm

RED, GREEN, BLUE, BLACK = (255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255), (0, 0, 0, 255)
PIXELS = np.array([[RED, GREEN], [BLUE, BLACK]], np.uint8)
OPTIONS = FigureOptions(80.0, 60.0, 100, title="A & <b>")


def picture(*, is_turned: bool = False) -> Picture:
    ends = (1.5, -0.5) if is_turned else (-0.5, 1.5)
    return Picture(
        (Layer(PIXELS, (-0.5, -0.5, 1.5, 1.5)),),
        Scale("lat (°N)", *ends, is_whole=True),
        Scale("lon (°E)", -0.5, 1.5, is_whole=True),
        1.0,
        (10.0, "micrometer"),
    )


def figure(panel: Picture | Plot | None = None) -> Figure:
    bar = ColourBar(lookup_table("viridis"), Norm.LINEAR, (0.0, 10.0), "temperature (°C)")
    return Figure(((0, 0, panel or picture()),), bar, title="t")


def line() -> Plot:
    y = np.array([1.0, 3.0, np.nan, 2.0, np.inf, 5.0])
    return Plot(
        (Line(np.arange(6.0), y, (200, 30, 40), has_points=True),),
        Scale("time", 0, 5, is_whole=True),
        Scale("m/s", 6, 0),
    )
