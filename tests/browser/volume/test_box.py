"""The box hides three edges when it is seen obliquely, and its texts stand outside it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.browser.volume.volumes import image
from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.image.view_settings import initial_settings
from zarrbrowser.volume.axes import volume_axes
from zarrbrowser.volume.box import AxisText, axis_texts, edges, labels
from zarrbrowser.volume.camera import Camera, Projection, Side

TEXTS = (AxisText("x", "0", "9"), AxisText("y", "0", "8"), AxisText("z", "0", "7"))


def projection(camera: Camera) -> Projection:
    return Projection(camera, (4.0, 3.0, 2.0), 400, 300)


def test_three_of_twelve_edges_are_behind() -> None:
    found = edges(projection(Camera.initial()))
    assert len(found) == 12
    assert sum(edge.is_behind for edge in found) == 3


def test_from_the_front_the_edges_coincide() -> None:
    found = edges(projection(Camera.of(Side.FRONT)))
    ends = {tuple(np.round([*edge.start, *edge.end], 6)) for edge in found}
    assert len(ends) == 8, "four edges of the frame, and four that point at the viewer"


def test_each_axis_that_is_seen_has_its_texts() -> None:
    assert [one.text.name for one in labels(projection(Camera.initial()), TEXTS)] == ["x", "y", "z"]
    assert [one.text.name for one in labels(projection(Camera.of(Side.FRONT)), TEXTS)] == ["x", "y"]
    assert [one.text.name for one in labels(projection(Camera.of(Side.TOP)), TEXTS)] == ["x", "z"]


@pytest.mark.parametrize("turn", range(12))
def test_texts_stand_outside_the_box(turn: int) -> None:
    seen = projection(Camera.of(Side.FRONT).turned(0.5 * turn + 0.1, 0.3))
    corners = np.array([one for edge in edges(seen) for one in (edge.start, edge.end)])
    for label in labels(seen, TEXTS):
        out = np.array(label.out)
        assert np.linalg.norm(out) == pytest.approx(1)
        beyond = np.array(label.middle) @ out
        assert beyond >= (corners @ out).max() - 1e-6


def test_low_is_written_at_the_low_end() -> None:
    x, y = labels(projection(Camera.of(Side.FRONT)), TEXTS)
    assert x.low[0] < x.middle[0] < x.high[0]
    assert x.low[1] > 150, "below the box"
    assert y.low[1] < y.high[1]
    assert y.low[0] < 200, "left of it"


def test_texts_are_coordinates_or_indices() -> None:
    one = image()
    axes = volume_axes(one, initial_settings(one), {})
    assert axes is not None
    coordinates = {4: Coordinate("x", "µm", np.arange(32) * 0.5)}
    found = axis_texts(one, axes, coordinates)
    assert found == (AxisText("x", "0 µm", "15.5 µm"), AxisText("y", "0", "23"), AxisText("z", "0", "15"))
    from dataclasses import replace

    turned = axis_texts(one, replace(axes, reverses=(False, False, True)), coordinates)
    assert turned[0] == AxisText("x", "15.5 µm", "0 µm")
