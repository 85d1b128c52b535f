"""A picture of the world."""

from __future__ import annotations

import numpy as np

from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.maps.grids import tripolar
from tests.browser.panes.image.pictures import VOLUME
from zarrbrowser.panes.image.tools.map_overlay import MapOverlay

NORTH, EAST = np.linspace(90, -90, 30), np.arange(0, 360, 9)


def world(north: object = NORTH, east: object = EAST) -> FakeGroup:
    array, lat, lon = FakeArray(VOLUME, ("time", "lat", "lon")), FakeArray(north), FakeArray(east)
    lat.attributes, lon.attributes = {"units": "degrees_north"}, {"units": "degrees_east"}
    return FakeGroup({"array": array, "lat": lat, "lon": lon, "other": FakeArray(VOLUME[0])})


def ocean() -> FakeGroup:
    """A tripolar grid with a hole."""
    east, north = tripolar(40, 22, 8)
    east[3:6, 10:14] = np.nan
    array, lat, lon = (
        FakeArray(VOLUME, ("time", "j", "i")),
        FakeArray(north, ("j", "i")),
        FakeArray(east, ("j", "i")),
    )
    lat.attributes, lon.attributes = {"units": "degrees_north"}, {"units": "degrees_east"}
    array.attributes = {"coordinates": "lat lon"}
    return FakeGroup({"array": array, "lat": lat, "lon": lon})


def shown(overlay: MapOverlay) -> bool:
    return overlay.lines.sketch.coastlines.rows.size > 0
