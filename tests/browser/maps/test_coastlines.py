"""The coastlines are part of the package, and are where the land is."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pytest

from zarrbrowser.maps.coastlines import Scale, coastlines, scale_for


def test_the_package_has_the_coastlines_and_tells_where_they_come_from() -> None:
    folder = files("zarrbrowser.maps")
    assert (folder / "coastlines.npz").is_file()
    words = (folder / "coastlines.txt").read_text("utf-8")
    assert all(word in words for word in ("Natural Earth", "public domain", "world-atlas@2.0.2", "ISC"))


@pytest.mark.parametrize(("scale", "most_points"), [(Scale.COARSE, 6_000), (Scale.FINE, 70_000)])
def test_lines_are_on_earth_and_have_no_long_parts(scale: Scale, most_points: int) -> None:
    lines = coastlines(scale)
    assert 4_000 < lines.longitudes.size == lines.latitudes.size == lines.connected.size < most_points
    assert lines.latitudes.min() > -86
    assert 83 < lines.latitudes.max() < 84
    assert not lines.connected[-1]
    steps = np.hypot(np.diff(lines.longitudes), np.diff(lines.latitudes))[lines.connected[:-1]]
    assert steps.max() < 10, "no line goes around the Earth, or along the edge of a map"


@pytest.mark.parametrize(
    ("longitude", "latitude"),
    [(18.47, -34.36), (-5.71, 50.06), (-67.27, -55.98), (114.16, 22.2), (-156.5, 71.3), (178.5, -37.7)],
    ids=["Good Hope", "Land's End", "Horn", "Hong Kong", "Barrow", "East Cape"],
)
def test_known_capes_are_on_a_coast(longitude: float, latitude: float) -> None:
    for scale, within in ((Scale.COARSE, 1.0), (Scale.FINE, 0.35)):
        lines = coastlines(scale)
        east = (lines.longitudes - longitude + 180) % 360 - 180
        assert np.hypot(east * np.cos(np.radians(latitude)), lines.latitudes - latitude).min() < within


@pytest.mark.parametrize(
    ("longitude", "latitude"), [(-30.0, 30.0), (80.0, -30.0), (-120.0, -40.0), (0.0, 15.0)]
)
def test_oceans_and_deserts_have_no_coast(longitude: float, latitude: float) -> None:
    lines = coastlines(Scale.COARSE)
    assert np.hypot(lines.longitudes - longitude, lines.latitudes - latitude).min() > 3


def test_the_zoom_chooses_the_scale() -> None:
    assert scale_for(0.5) is Scale.COARSE
    assert scale_for(0.01) is Scale.FINE
    assert scale_for(float("inf")) is Scale.COARSE
