"""A figure as a value: panels with axes, a colour bar, a title; and the choices of its user."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from zarrbrowser.export.figures.scales import Scale
from zarrbrowser.image.colours.norm import Norm
from zarrbrowser.image.contours import NOTHING as NO_CONTOURS
from zarrbrowser.image.contours import Contours
from zarrbrowser.image.levels import Colour
from zarrbrowser.maps.sketch import NOTHING, Sketch
from zarrcore.typing import AnyArray

MM_PER_INCH = 25.4
MOST_PIXELS = 2**26
"""A limit on the pixels of a figure, because it is drawn in memory."""
SIZES_MM = (10.0, 2000.0)
DPIS = (36, 2400)

Rect = tuple[float, float, float, float]
"""Top, left, bottom, right, in elements."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Colours over a part of a panel."""

    pixels: NDArray[np.uint8]
    """Shape (h, w, 4), rows as in the array."""
    rect: Rect
    opacity: float = 1.0
    is_smooth: bool = False
    """Whether pixels are means of several samples, not single elements."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A panel with colours. Positions are elements; element ``i`` covers ``[i − ½, i + ½)``."""

    layers: tuple[Layer, ...]
    """The lowest first."""
    rows: Scale
    """Its ``low`` is at the top: greater than ``high`` if rows run up."""
    columns: Scale
    """Its ``low`` is at the left."""
    proportion: float | None
    """The ratio of width to height of an element; None if the picture fills its place."""
    scale: tuple[float, str] | None = None
    """The length of an element to the right, and its unit; None without a scale bar."""
    title: str = ""
    map_lines: Sketch = NOTHING
    """Coastlines, and lines of longitude and latitude."""
    contours: Contours = NO_CONTOURS
    holes: tuple[Rect, ...] = ()
    """Parts that could not be read."""
    has_axes: bool = True
    """Whether rows and columns mean something: not those of a projected map."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a plot; NaN is a gap."""

    x: AnyArray
    y: AnyArray
    colour: Colour = (11, 110, 128)
    has_points: bool = False
    has_line: bool = True
    name: str = ""


@dataclass(frozen=True, slots=True)
class Plot:
    """A panel with lines."""

    lines: tuple[Line, ...]
    x: Scale
    y: Scale
    """Its ``low`` is at the top, so it is the greater number."""
    title: str = ""
    points: Layer | None = None
    """Points that are too many for lines, as a picture below these; its rows run up."""


@dataclass(frozen=True, slots=True)
class ColourBar:
    """What the colours mean."""

    table: NDArray[np.uint8]
    """Shape (n, 3), from the lowest value to the highest."""
    norm: Norm
    levels: tuple[float, float]
    label: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """Panels in rows and columns."""

    panels: tuple[tuple[int, int, Picture | Plot], ...]
    """Row, column, and what is there."""
    colour_bar: ColourBar | None = None
    legend: tuple[tuple[str, Colour], ...] = ()
    """Names of blended channels, or of lines."""
    title: str = ""
    """What is shown, as a suggestion for the title."""
    note: str = ""
    """What the user should know, such as that samples are coarser than the figure could show."""

    @property
    def has_scale(self) -> bool:
        """Whether a panel can have a scale bar."""
        return any(isinstance(panel, Picture) and panel.scale is not None for _, _, panel in self.panels)

    @property
    def has_labels(self) -> bool:
        """Whether labels are drawn over a picture."""
        return any(isinstance(panel, Picture) and len(panel.layers) > 1 for _, _, panel in self.panels)


@dataclass(frozen=True, slots=True)
class FigureOptions:
    """The size of a figure, and what belongs to it.

    Raises:
        ValueError: the size or the resolution is out of range; the text says which.
    """

    width_mm: float = 160.0
    height_mm: float = 120.0
    dpi: int = 300
    font_pt: float = 9.0
    title: str = field(default="")
    """Empty for no title."""
    has_axes: bool = True
    has_colour_bar: bool = True
    has_scale_bar: bool = True
    has_labels: bool = True
    is_transparent: bool = False
    """Whether the background is transparent, not white."""

    def __post_init__(self) -> None:
        low, high = SIZES_MM
        for name, length in (("width", self.width_mm), ("height", self.height_mm)):
            if not low <= length <= high:
                raise ValueError(f"the {name} must be between {low:.0f} and {high:.0f} mm")
        if not DPIS[0] <= self.dpi <= DPIS[1]:
            raise ValueError(f"the resolution must be between {DPIS[0]} and {DPIS[1]} dpi")
        width, height = self.pixels
        if width * height > MOST_PIXELS:
            raise ValueError(
                f"{width:,} × {height:,} pixels are too many (at most {MOST_PIXELS:,}): choose a smaller size or fewer dpi"
            )

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return (
            max(1, round(self.width_mm / MM_PER_INCH * self.dpi)),
            max(1, round(self.height_mm / MM_PER_INCH * self.dpi)),
        )


class FigureSource(Protocol):
    """What a figure is made of."""

    def as_shown(self) -> Figure:
        """The figure of the samples on the screen; reads nothing."""

    def read(self, pixels: tuple[int, int], cancelled: Callable[[], bool] = ...) -> Figure:
        """The figure with as many samples as a number of pixels can show; blocks.

        Args:
            pixels: the width and height of the whole figure.

        Raises:
            Cancelled: ``cancelled`` became true.
            ZarrError: a chunk cannot be read or decoded.
        """
