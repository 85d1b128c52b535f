"""Turns keep lengths, a zoom keeps the place under the pointer, and documents come back as they were."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from zarrbrowser.volume.camera import Camera, Projection, Side, camera_of

SIDES = (4.0, 3.0, 2.0)
LEFT, TOP, NEAR = np.array([-1.0, 0, 0]), np.array([0, -1.0, 0]), np.array([0, 0, -1.0])


def seen(camera: Camera, *points: Any) -> Any:
    return Projection(camera, SIDES, 400, 300).place(np.array(points))


def test_the_front_is_seen_as_the_image_tab_shows_it() -> None:
    left, top, near = seen(Camera.of(Side.FRONT), LEFT, TOP, NEAR)
    assert left[0] < 200
    assert left[1] == 150
    assert top[1] < 150
    assert near[2] < 0


def test_from_above_the_far_end_is_up_and_from_the_left_it_is_left() -> None:
    left, top, near = seen(Camera.of(Side.TOP), LEFT, TOP, NEAR)
    assert left[0] < 200
    assert top[2] < 0
    assert near[1] > 150
    left, top, near = seen(Camera.of(Side.LEFT), LEFT, TOP, NEAR)
    assert left[2] < 0
    assert top[1] < 150
    assert near[0] > 200


@pytest.mark.parametrize("camera", [Camera.initial(), *(Camera.of(side) for side in Side)])
def test_no_view_is_a_mirror_image(camera: Camera) -> None:
    assert np.linalg.det(camera.turn) == pytest.approx(1)


def test_the_near_side_follows_the_hand() -> None:
    camera = Camera.of(Side.FRONT)
    assert seen(camera.turned(0.2, 0), NEAR)[0][0] > 200
    assert seen(camera.turned(0, 0.2), NEAR)[0][1] > 150
    left, top, near = seen(Camera.initial(), LEFT, TOP, NEAR)
    assert max(left[2], top[2], near[2]) < 0, "three faces are in view"


def test_many_turns_do_not_deform() -> None:
    camera = Camera.initial()
    for number in range(5000):
        camera = camera.turned(0.1 * (number % 7), 0.07)
    assert np.allclose(camera.turn @ camera.turn.T, np.eye(3), atol=1e-12)


def test_a_zoom_keeps_the_place_under_the_pointer() -> None:
    camera = Camera.initial().panned(0.1, -0.2)
    before = Projection(camera, SIDES, 400, 300)
    origin, _ = before.ray(330, 40)
    reach = before.pixels_fitted * before.diameter
    zoomed = camera.zoomed(3.0, ((330 - 200) / reach, (40 - 150) / reach))
    assert zoomed.zoom == 3.0
    place = Projection(zoomed, SIDES, 400, 300).place(origin)
    assert place[:2] == pytest.approx([330, 40])


def test_zoom_and_pan_have_ends() -> None:
    camera = Camera.initial()
    assert camera.zoomed(1e9).zoom == camera.zoomed(1e8).zoom
    assert camera.zoomed(1e-9).zoom == camera.zoomed(1e-8).zoom > 0
    assert camera.panned(99, -99).pan == (1.0, -1.0)


def test_rays_and_places_are_inverse() -> None:
    projection = Projection(Camera.initial().zoomed(2).panned(0.1, 0.1), SIDES, 400, 300)
    origin, ahead = projection.ray(17, 33)
    for far in (-1.0, 0.0, 2.5):
        assert projection.place(origin + far * ahead) == pytest.approx([17, 33, far])


def test_the_whole_volume_fits_however_it_is_turned() -> None:
    corners = np.array(
        [[x, y, z] for x in (-2, 2) for y in (-1.5, 1.5) for z in (-1, 1)],
    )
    for number in range(40):
        camera = Camera.of(Side.FRONT).turned(number * 0.4, number * 0.3)
        places = Projection(camera, SIDES, 400, 300).place(corners)
        assert places[:, 0].min() >= 0
        assert places[:, 0].max() <= 400
        assert places[:, 1].min() >= 0
        assert places[:, 1].max() <= 300


def test_a_camera_comes_back_from_its_document() -> None:
    camera = Camera.initial().zoomed(2).panned(0.25, -0.5)
    found = camera_of(camera.document())
    assert found is not None
    assert np.allclose(found.turn, camera.turn, atol=1e-5)
    assert (found.zoom, found.pan) == (2.0, pytest.approx(camera.pan))


@pytest.mark.parametrize(
    "changed",
    [
        {"turn": [1, 0, 0]},
        {"turn": [2, 0, 0, 0, 1, 0, 0, 0, 1]},
        {"turn": [-1, 0, 0, 0, 1, 0, 0, 0, 1]},
        {"turn": [float("nan")] * 9},
        {"turn": "front"},
        {"zoom": 0},
        {"zoom": float("inf")},
        {"zoom": None},
        {"pan": [9, 9]},
        {"pan": 3},
        {"pan": [float("nan"), 0]},
    ],
)
def test_a_malformed_document_is_no_camera(changed: dict[str, Any]) -> None:
    assert camera_of({**Camera.initial().document(), **changed}) is None


def test_what_is_no_document_is_no_camera() -> None:
    assert camera_of(None) is None
    assert camera_of({}) is None
