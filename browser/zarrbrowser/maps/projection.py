"""The names of the map projections. They are part of the view settings, which the window loads at its start."""

from __future__ import annotations

from enum import Enum


class Projection(Enum):
    """The projections of the menu."""

    NONE = ""
    PLATE_CARREE = "Plate carrée"
    ROBINSON = "Robinson"
    MOLLWEIDE = "Mollweide"
    ORTHOGRAPHIC = "Orthographic"
    NORTH = "North polar stereographic"
    SOUTH = "South polar stereographic"
    MERCATOR = "Mercator"
    LAMBERT = "Lambert conformal conic"
    ALBERS = "Albers equal-area conic"
