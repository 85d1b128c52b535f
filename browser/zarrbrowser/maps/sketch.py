"""What a map shows of the part in view: coastlines and a graticule, ready to be drawn."""

from __future__ import annotations

from dataclasses import dataclass

from zarrbrowser.image.tiles.frames import View
from zarrbrowser.maps.coastlines import Scale, coastlines, scale_for
from zarrbrowser.maps.drawing import drawn
from zarrbrowser.maps.geography import PlaneMap
from zarrbrowser.maps.graticule import Graticule, Rect, graticule
from zarrbrowser.maps.lines import PlaneLines, joined

_MARGIN = 0.5
"""What is drawn beyond each edge of the view, as a fraction of it, so that panning shows no blank."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What to draw, and where."""

    view: View
    flips: tuple[bool, bool]
    has_coastlines: bool
    has_graticule: bool


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """The lines to draw."""

    coastlines: PlaneLines
    graticule: Graticule


NOTHING = Sketch(joined(()), Graticule(joined(()), ()))


class Sketcher:
    """Draws one plane; keeps its coastlines. Used by one thread at a time."""

    def __init__(self, plane: PlaneMap) -> None:
        self.plane = plane
        self._coastlines: dict[Scale, PlaneLines] = {}

    def sketch(self, wish: Wish) -> Sketch:
        """The lines in view; takes up to half a second for the first view of a projection."""
        rect = seen(self.plane, wish.view)
        if rect is None:
            return NOTHING
        coast, lines = NOTHING.coastlines, NOTHING.graticule
        if wish.has_coastlines:
            coast = self._all(self._scale(wish.view, rect)).within(*_grown(rect))
        if wish.has_graticule:
            pixels = (
                (rect[2] - rect[0]) / max(wish.view.density(0), 1e-12),
                (rect[3] - rect[1]) / max(wish.view.density(1), 1e-12),
            )
            lines = graticule(self.plane, rect, pixels, wish.flips)
        return Sketch(coast, lines)

    def _scale(self, view: View, rect: Rect) -> Scale:
        size = self.plane.degrees_per_element((rect[0] + rect[2]) / 2, (rect[1] + rect[3]) / 2)
        return scale_for(size * min(view.density(0), view.density(1)))

    def _all(self, scale: Scale) -> PlaneLines:
        if scale not in self._coastlines:
            self._coastlines[scale] = drawn(coastlines(scale), self.plane)
        return self._coastlines[scale]


def seen(plane: PlaneMap, view: View) -> Rect | None:
    """The part of the plane in view; None if it is out of view."""
    top, bottom = max(view.rows[0], -0.5), min(view.rows[1], plane.height - 0.5)
    left, right = max(view.columns[0], -0.5), min(view.columns[1], plane.width - 0.5)
    return (top, left, bottom, right) if bottom > top and right > left else None


def _grown(rect: Rect) -> Rect:
    top, left, bottom, right = rect
    down, along = (bottom - top) * _MARGIN, (right - left) * _MARGIN
    return top - down, left - along, bottom + down, right + along
