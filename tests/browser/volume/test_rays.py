"""Rays hit the samples that lie under their pixels."""

from __future__ import annotations

import numpy as np
import pytest

from zarrbrowser.volume.camera import Camera, Projection, Side
from zarrbrowser.volume.rays import rays


@pytest.mark.parametrize("scale", [1.0, 0.25, 2.0])
@pytest.mark.parametrize("reverses", [(False, False, False), (True, False, False), (False, True, True)])
def test_a_ray_meets_the_corner_under_its_pixel(scale: float, reverses: tuple[bool, bool, bool]) -> None:
    projection = Projection(Camera.initial().zoomed(1.5).panned(0.1, 0), (4.0, 3.0, 2.0), 400, 300)
    found = rays(projection, reverses, scale)
    corner = np.array([2.0, -1.5, 1.0])
    right, down, _ = projection.place(corner) * scale
    place = np.array(found.start) + right * np.array(found.right) + down * np.array(found.down)
    expected = np.where(reverses, [0.0, 1.0, 0.0], [1.0, 0.0, 1.0])
    away = (expected - place) / np.array(found.ahead)
    assert np.ptp(away) < 1e-9, "one distance along the ray for all three axes"


def test_lengths_are_those_of_the_world() -> None:
    projection = Projection(Camera.of(Side.FRONT), (4.0, 3.0, 2.0), 400, 300)
    found = rays(projection, (False, True, False))
    assert found.lengths == (4.0, -3.0, 2.0)
    assert found.ahead == pytest.approx((0.0, 0.0, 0.5))
    assert found.down[1] < 0
