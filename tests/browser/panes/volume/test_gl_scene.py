"""What OpenGL draws is what NumPy computes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.browser.conftest import environment
from tests.browser.panes.volume.drawing import PIXELS, SHAPE, noise

Pictures = dict[str, Any]
ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def drawn(display: str, tmp_path_factory: pytest.TempPathFactory) -> Pictures:
    folder = tmp_path_factory.mktemp("drawn")
    done = subprocess.run(
        [sys.executable, "-m", "tests.browser.panes.volume.drawing", str(folder / "drawn.npz")],
        env=environment(display, folder),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    with np.load(folder / "drawn.npz") as found:
        return dict(found)


def samples(picture: Any, height: int, width: int, pixels: tuple[int, int] = (PIXELS, PIXELS)) -> Any:
    """The colours at the centres of samples."""
    down, right = pixels
    top, left = (picture.shape[0] - height * down) // 2, (picture.shape[1] - width * right) // 2
    part = picture[top : top + height * down, left : left + width * right]
    return part[down // 2 :: down, right // 2 :: right].astype(int)


def assert_like(found: Any, expected: Any) -> None:
    """Equal, but for rounding: the card mixes the sample at the centre of a pixel with next to nothing of its neighbours."""
    assert np.abs(found - expected.astype(int)).max() <= 1


def test_the_front_shows_the_largest_sample_behind_each_pixel(drawn: Pictures) -> None:
    _, rows, columns = SHAPE
    found = samples(drawn["maximum front"], rows, columns)
    assert (found[..., 3] == 255).all()
    assert_like(found[..., 0], noise().max(axis=0))


def test_no_side_is_a_mirror_image(drawn: Pictures) -> None:
    depth, rows, columns = SHAPE
    top = samples(drawn["maximum top"], depth, columns)[..., 0]
    assert_like(top, noise().max(axis=1)[::-1])
    left = samples(drawn["maximum left"], rows, depth)[..., 0]
    assert_like(left, noise().max(axis=2).T[:, ::-1])


def test_axes_that_run_the_other_way_are_turned(drawn: Pictures) -> None:
    _, rows, columns = SHAPE
    assert_like(
        samples(drawn["reversed"], rows, columns)[..., 0], noise().max(axis=0)[::-1, ::-1].astype(float)
    )


def test_samples_are_as_long_as_their_scale_says(drawn: Pictures) -> None:
    depth, _, columns = SHAPE
    found = samples(drawn["anisotropic"], depth, columns, (3 * PIXELS, PIXELS))[..., 0]
    assert_like(found, noise().max(axis=1)[::-1])
    covered = np.argwhere(drawn["anisotropic"][..., 3])
    assert np.ptp(covered, axis=0).tolist() == [3 * depth * PIXELS - 1, columns * PIXELS - 1]


def test_missing_samples_are_transparent(drawn: Pictures) -> None:
    picture = drawn["holes"]
    found = samples(picture, *SHAPE[1:])
    assert (found[5:7, 8:10, 3] == 0).all()
    assert found[5, 6].tolist() == [77, 77, 77, 255], "a sample among missing ones keeps its value"
    assert (found[0, :, 3] == 255).all()


def test_channels_add_up(drawn: Pictures) -> None:
    found = samples(drawn["channels"], *SHAPE[1:])
    assert_like(found[..., 0], noise().max(axis=0))
    assert_like(found[..., 2], noise().max(axis=0)[::-1])
    assert (found[..., 1] == 0).all()


def test_the_nearest_label_is_seen(drawn: Pictures) -> None:
    found = samples(drawn["labels"], *SHAPE[1:])
    assert (found[2:6, 3:9] == (10, 200, 30, 255)).all()
    assert (found[6:10, 5:14] == (200, 20, 250, 255)).all()
    assert (found[0] == 0).all()


def test_a_surface_is_where_the_threshold_is(drawn: Pictures) -> None:
    found = drawn["surface"]
    middle = found.shape[0] // 2
    across = np.flatnonzero(found[middle, :, 3])
    assert np.ptp(across) / PIXELS == pytest.approx(2 * 3.5, abs=0.5), "its radius at half of the contrast"
    assert found[middle, middle, 0] > found[middle, across[0] + 1, 0], "the rim is darker"
    assert drawn["surface turned"][..., 3].any()


def test_a_fog_lets_through_what_its_density_says(drawn: Pictures) -> None:
    depth, rows, columns = SHAPE
    thickness = depth / np.sqrt(depth**2 + rows**2 + columns**2)
    for density in (0.5, 2.0):
        picture = drawn[f"translucent {density}"]
        opacity = 255 * (1 - np.exp(-density * thickness))
        middle = picture.shape[0] // 2
        assert picture[middle, middle].tolist() == pytest.approx([opacity] * 4, abs=2)
    assert not drawn["nothing"].any()


def test_only_the_box_is_drawn_on(drawn: Pictures) -> None:
    picture = drawn["oblique"]
    assert set(np.unique(picture)) == {0, 255}
    share = (picture[..., 3] > 0).mean()
    assert 0.2 < share < 0.8


def test_large_textures_are_possible(drawn: Pictures) -> None:
    assert drawn["most_side"] >= 256
