"""The colours of samples are those of the Image tab; missing ones are transparent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.browser.volume.volumes import group, image, image_of
from zarrbrowser.image.colours.colour_maps import LABELS, lookup_table
from zarrbrowser.image.colours.contrast import Contrast, ContrastMode
from zarrbrowser.image.colours.norm import Norm
from zarrbrowser.image.colours.render import Style, rgba
from zarrbrowser.image.levels import Image
from zarrbrowser.image.view_settings import ViewSettings, initial_settings
from zarrbrowser.values.elements import with_marks
from zarrbrowser.volume import textures
from zarrbrowser.volume.axes import volume_axes
from zarrbrowser.volume.grid import VolumeGrid
from zarrbrowser.volume.reading import VolumeSamples, read
from zarrbrowser.volume.textures import Texture, measure_volumes, paint_volumes


def painted(one: Image, settings: ViewSettings | None = None, colour_map: str = "viridis") -> list[Texture]:
    settings = settings or initial_settings(one)
    volumes = read_all(one, settings)
    return list(
        paint_volumes(one, settings, volumes, measure_volumes(settings, volumes), colour_map).textures
    )


def read_all(one: Image, settings: ViewSettings) -> list[VolumeSamples]:
    axes = volume_axes(one, settings, {})
    assert axes is not None
    volumes = [
        VolumeSamples.empty(VolumeGrid(one.levels[0], 0, axes.all), plane.at(axes.depth, 0))
        for plane in settings.planes(one)
    ]
    read(volumes)
    return volumes


def shown(texture: Texture) -> Any:
    """The colours of samples."""
    assert texture.colours is not None
    return texture.colours[texture.data[..., 0]]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("norm", list(Norm))
@pytest.mark.parametrize("dtype", ["u1", "i4", "u8", "f2", "f8", "?", "c8", "M8[s]"])
def test_colours_are_those_of_the_image_tab(norm: Norm, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textures, "_SLAB_SAMPLES", 50)
    values = np.random.default_rng(1).integers(0, 200, (5, 6, 7)).astype(dtype)
    one = image_of(values)
    settings = replace(initial_settings(one), norm=norm, contrast=Contrast(ContrastMode.FIXED, 10, 150))
    (found,) = painted(one, settings)
    numbers = settings.elements.numbers(values)[0]
    expected = rgba(numbers.reshape(5, 42), Style("viridis", norm, (10, 150)))
    difference = np.abs(shown(found).reshape(5, 42, 3).astype(int) - expected[..., :3])
    steps = np.abs(np.diff(lookup_table("viridis").astype(int), axis=0)).max()
    assert difference.max() <= steps, "rounding may choose the next of 256 colours"
    assert (difference == 0).mean() > 0.98


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", ">u2", ">i2", "f2", "?"])
def test_a_table_gives_the_same_as_computing_each(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(1).integers(-100, 100, (5, 6, 7)).astype(dtype)
    if dtype == "f2":
        values[0, 0, 0] = np.nan
    one = image_of(values)
    settings = replace(initial_settings(one), contrast=Contrast(ContrastMode.FIXED, -50, 90))
    settings = replace(settings, elements=with_marks(settings.elements, one.base, is_on=True))
    (each,) = painted(one, settings)
    monkeypatch.setattr(textures, "_TABLE_SAMPLES", 0)
    (found,) = painted(one, settings)
    assert found.data.shape == (5, 6, 7, 2), "the fill value 0 is marked"
    assert np.array_equal(found.data, each.data)


def test_numbers_beyond_the_bounds_have_the_last_colours() -> None:
    one = image_of(np.array([-5.0, 0, 1, 9, np.inf, -np.inf] * 4).reshape(2, 3, 4))
    settings = replace(initial_settings(one), contrast=Contrast(ContrastMode.FIXED, 0, 1))
    (found,) = painted(one, settings)
    assert found.data[..., 0].reshape(-1)[:6].tolist() == [0, 0, 255, 255, 255, 0]


def test_missing_samples_are_transparent() -> None:
    values = np.arange(60, dtype="f4").reshape(3, 4, 5)
    values[1, 2, 3] = np.nan
    (found,) = painted(image_of(values))
    assert found.data.shape == (3, 4, 5, 2)
    assert found.data[1, 2, 3].tolist() == [0, 0]
    assert (found.data[..., 1] == 0).sum() == 1
    (whole,) = painted(image_of(np.zeros((3, 4, 5))))
    assert whole.data.shape == (3, 4, 5, 1)


def test_marked_fill_values_are_transparent() -> None:
    one = image_of(np.arange(60, dtype="u2").reshape(3, 4, 5))
    settings = initial_settings(one)
    marked = replace(settings, elements=with_marks(settings.elements, one.base, is_on=True))
    (found,) = painted(one, marked)
    assert np.argwhere(found.data[..., 1] == 0).tolist() == [[0, 0, 0]]


def test_what_is_not_read_is_transparent_and_does_not_count() -> None:
    one = image_of(np.arange(1000, 1060, dtype="u2").reshape(3, 4, 5), None, (1, 4, 5))
    settings = initial_settings(one)
    (volume,) = read_all(one, settings)
    volume.blocks[:] = [(slice(0, 2), slice(0, 4), slice(0, 5))]
    volume.values[2] = 0
    measured = measure_volumes(settings, [volume])
    assert measured.statistics[0].minimum == 1000
    (found,) = paint_volumes(one, settings, [volume], measured, "gray").textures
    assert (found.data[:2, ..., 1] == 255).all()
    assert (found.data[2] == 0).all()


def test_each_channel_has_its_colour_and_contrast() -> None:
    one = image()
    settings = initial_settings(one).with_channel(1, is_on=False)
    found = painted(one, settings)
    assert [texture.colours[255].tolist() for texture in found if texture.colours is not None] == [
        [255, 0, 0],
        [0, 0, 255],
    ]
    assert [texture.data.shape for texture in found] == [(16, 24, 32, 1)] * 2


def test_labels_have_their_colours_and_no_background() -> None:
    values = np.zeros((3, 4, 5), "u8")
    values[1, 1, 1], values[2, 2, 2] = 7, 2**63 + 1
    one = image_of(values)
    settings = replace(initial_settings(one), colour_map=LABELS)
    (found,) = painted(one, settings)
    assert found.colours is None
    assert not found.is_smooth
    expected = rgba(np.array([[7]]), Style(LABELS))
    assert found.data[1, 1, 1].tolist() == expected[0, 0].tolist()
    assert np.argwhere(found.data[..., 3]).tolist() == [[1, 1, 1], [2, 2, 2]]


def test_colours_of_an_image_are_kept_and_dark_ones_are_transparent() -> None:
    values = np.random.default_rng(2).integers(0, 256, (3, 4, 5, 3)).astype("u1")
    values[0, 0, 0] = 0
    (found,) = painted(image_of(values))
    assert np.array_equal(found.data[..., :3], values)
    assert np.array_equal(found.data[..., 3], values.max(axis=-1))
    (wide,) = painted(image_of(values.astype("u2") * 16))
    assert np.abs(wide.data[..., :3].astype(int) - values).max() <= 1


def test_a_large_volume_is_measured_by_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textures, "_MEASURED_SAMPLES", 1000)
    one = image_of(np.arange(30**3, dtype="u2").reshape(30, 30, 30))
    settings = initial_settings(one)
    found = measure_volumes(settings, read_all(one, settings)).statistics[0]
    assert found.size == 10**3
    assert found.minimum == 0
    assert found.maximum > 25_000


def test_groups_give_their_channels() -> None:
    made = group(shape=(3, 16, 24, 32), axes="czyx", channels=False)
    from zarrbrowser.image.multiscales import image_of_group

    one = image_of_group(made, made.find)
    assert len(painted(one)) == 3


def test_missing_colours_are_transparent() -> None:
    values = np.full((2, 3, 4, 3), 99, "u1")
    values[0, 1, 2] = 7
    one = image_of(values)
    settings = initial_settings(one)
    settings = replace(settings, elements=replace(settings.elements, fill=(7,)))
    (found,) = painted(one, settings)
    assert np.argwhere(found.data[..., 3] == 0).tolist() == [[0, 1, 2]]
