"""The drawn part of a frame: its statistics, and the pictures that fill its gaps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.browser.fakes import FakeArray
from tests.browser.image.loading import frame_of, load, loaded
from zarrbrowser.image.colours.painting import Measured, measure
from zarrbrowser.image.levels import Image, image_of_array
from zarrbrowser.image.tiles import composition as composition_module
from zarrbrowser.image.tiles.composition import Composition
from zarrbrowser.image.tiles.frames import View
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.image.view_settings import ViewSettings, initial_settings

VALUES = np.arange(3 * 600 * 600.0).reshape(3, 600, 600)


@pytest.fixture
def image() -> Image:
    return image_of_array(FakeArray(VALUES, ("z", "y", "x"), chunks=(1, 300, 300)))


@pytest.fixture
def settings(image: Image) -> ViewSettings:
    return initial_settings(image)


def maximum(composition: Composition) -> float:
    assert composition.measured is not None
    return composition.measured.statistics[0].maximum


def test_a_picture_grows_with_each_tile(image: Image, settings: ViewSettings) -> None:
    composition, cache, frame = Composition(), TileCache(), frame_of(image, settings)
    assert not composition.shows_plane_of(frame)
    there = []
    for tile in frame.tiles:
        load(tile, cache)
        composition = composition.with_frame(frame, settings, cache, is_whole=len(cache) == len(frame.tiles))
        (mosaic,) = composition.mosaics
        there.append(1.0 if mosaic.is_there is None else mosaic.is_there.mean())
    assert there == [0.25, 0.5, 0.75, 1.0]
    assert composition.is_whole
    assert maximum(composition) == VALUES[1].max(), "measured again until the plane was complete"


def test_colours_keep_their_meaning_while_one_plane_is_panned(image: Image, settings: ViewSettings) -> None:
    composition, cache = Composition(), TileCache()
    frame = loaded(image, settings, cache)
    composition = composition.with_frame(frame, settings, cache, is_whole=True)
    before = composition.measured
    corner = loaded(image, settings, cache, View((0, 50), (0, 50), 50, 50))
    composition = composition.with_frame(corner, settings, cache, is_whole=True)
    assert composition.shows_plane_of(frame)
    assert composition.measured is before
    composition = composition.measured_again(settings)
    assert maximum(composition) < VALUES[1].max(), "only what is drawn"


@pytest.mark.parametrize("keeps", [False, True])
def test_another_plane_is_measured_unless_a_film_keeps_the_contrast(
    keeps: bool, image: Image, settings: ViewSettings
) -> None:
    composition, cache = Composition(), TileCache()
    composition = composition.with_frame(loaded(image, settings, cache), settings, cache, is_whole=True)
    after = replace(settings, axes=settings.axes.at(0, 2))
    frame = loaded(image, after, cache)
    assert not composition.shows_plane_of(frame)
    composition = composition.with_frame(frame, after, cache, is_whole=True, keeps_contrast=keeps)
    assert maximum(composition) == VALUES[1 if keeps else 2].max()


def test_the_contrast_of_an_incomplete_plane_is_not_kept(image: Image, settings: ViewSettings) -> None:
    composition, cache = Composition(), TileCache()
    frame = frame_of(image, settings)
    load(frame.tiles[0], cache)
    composition = composition.with_frame(frame, settings, cache, is_whole=False)
    after = replace(settings, axes=settings.axes.at(0, 2))
    composition = composition.with_frame(
        loaded(image, after, cache), after, cache, is_whole=True, keeps_contrast=True
    )
    assert maximum(composition) == VALUES[2].max()


def test_a_plane_is_measured_again_if_only_its_middle_was_read(image: Image, settings: ViewSettings) -> None:
    composition, cache = Composition(), TileCache()
    frame = frame_of(image, settings)
    load(next(tile for tile in frame.tiles if (tile.row, tile.column) == (0, 0)), cache)
    composition = composition.with_frame(replace(frame, is_held_back=True), settings, cache, is_whole=True)
    assert maximum(composition) == VALUES[1, 299, 299]
    composition = composition.with_frame(loaded(image, settings, cache), settings, cache, is_whole=True)
    assert maximum(composition) == VALUES[1].max()


def test_a_finer_picture_is_drawn_over_the_previous_one(image: Image, settings: ViewSettings) -> None:
    composition, cache = Composition(), TileCache()
    coarse = loaded(image, settings, cache, View((0, 600), (0, 600), 150, 150))
    assert coarse.raster.steps == (4, 4)
    composition = composition.with_frame(coarse, settings, cache, is_whole=True)
    fine = frame_of(image, settings, View((0, 600), (0, 600), 600, 600))
    load(fine.tiles[0], cache)
    composition = composition.with_frame(fine, settings, cache, is_whole=False)
    (mosaic,) = composition.mosaics
    assert mosaic.is_there is None, "gaps show the coarse picture"
    rows, columns = fine.raster.samples(fine.tiles[0])
    assert np.array_equal(mosaic.values[rows, columns], VALUES[1][rows, columns])
    other = replace(settings, axes=settings.axes.at(0, 0))
    composition = composition.with_frame(frame_of(image, other), other, cache, is_whole=False)
    (mosaic,) = composition.mosaics
    assert mosaic.is_there is not None
    assert not mosaic.is_there.any(), "never that of another plane"


def test_measuring_before_the_first_frame_does_nothing(settings: ViewSettings) -> None:
    composition = Composition()
    composition = composition.measured_again(settings)
    assert (composition.measured, composition.frame, composition.mosaics) == (None, None, ())


def test_the_range_grows_as_more_of_a_plane_is_read(image: Image, settings: ViewSettings) -> None:
    composition, cache = Composition(), TileCache()
    shown = []
    for view in (
        View((0, 60), (0, 60), 60, 60),
        View((500, 600), (500, 600), 100, 100),
        View((0, 600), (0, 600), 600, 600),
    ):
        frame = loaded(image, settings, cache, view)
        composition = composition.with_frame(frame, settings, cache, is_whole=True)
        assert composition.measured is not None
        shown.append((composition.measured.statistics[0].maximum, composition.measured.description))
    assert shown[0][0] < VALUES[1].max()
    assert "% of the plane" in shown[0][1]
    assert shown[1] == (VALUES[1].max(), "the parts seen")
    assert shown[2] == (VALUES[1].max(), "")


def test_reading_more_does_not_change_the_range_of_a_part_that_the_user_wanted(
    image: Image, settings: ViewSettings
) -> None:
    composition, cache = Composition(), TileCache()
    corner = loaded(image, settings, cache, View((0, 60), (0, 60), 60, 60))
    composition = composition.with_frame(corner, settings, cache, is_whole=True)
    composition = composition.measured_again(settings, is_wish=True)
    before = composition.measured
    composition = composition.with_frame(loaded(image, settings, cache), settings, cache, is_whole=True)
    assert composition.measured is before
    composition = composition.measured_again(settings, is_wish=True)
    assert maximum(composition) == VALUES[1].max()


@pytest.mark.parametrize("keeps_range", [False, True])
def test_a_plane_that_was_seen_has_its_own_counts(
    keeps_range: bool, image: Image, settings: ViewSettings
) -> None:
    settings = replace(settings, keeps_range=keeps_range)
    composition, cache, maxima, counts = Composition(), TileCache(), [], []
    for place in (1, 2, 0, 2):
        one = replace(settings, axes=settings.axes.at(0, place))
        composition = composition.with_frame(loaded(image, one, cache), one, cache, is_whole=True)
        maxima.append(maximum(composition))
        counts.append(composition.measured and composition.measured.statistics[0].size)
    own = [VALUES[place].max() for place in (1, 2, 0, 2)]
    assert maxima == (list(np.maximum.accumulate(own)) if keeps_range else own)
    assert counts == [360_000] * 4


def test_other_numbers_have_a_range_of_their_own(image: Image, settings: ViewSettings) -> None:
    composition, cache = Composition(), TileCache()
    for place, basis in ((2, "stored"), (0, "unpacked")):
        one = replace(settings, axes=settings.axes.at(0, place))
        frame = loaded(image, one, cache)
        composition = composition.with_frame(frame, one, cache, is_whole=True, basis=basis)
    assert maximum(composition) == VALUES[0].max()


def test_the_range_grows_while_a_large_plane_arrives(image: Image, settings: ViewSettings) -> None:
    composition, cache = Composition(), TileCache()
    small = loaded(image, settings, cache, View((0, 60), (0, 60), 60, 60))
    composition = composition.with_frame(small, settings, cache, is_whole=True)
    glimpse, settled = maximum(composition), composition.measured
    frame = frame_of(image, settings)
    shown = []
    for tile in frame.tiles:
        load(tile, cache)
        is_whole = not frame.missing(cache)
        composition = composition.with_frame(frame, settings, cache, is_whole=is_whole)
        shown.append(maximum(composition))
    assert shown[0] > glimpse or shown[1] > glimpse
    assert shown == sorted(shown)
    assert shown[-2] > glimpse, "before the last tile has come"
    assert shown[-1] == VALUES[1].max()
    assert composition.measured is not None
    assert composition.measured.description == "", "what came in between counts once"
    pooled = composition.measured.statistics[0].sampled_from
    assert settled is not None
    assert pooled == VALUES[1].size


def test_a_plane_that_comes_slowly_is_measured_only_now_and_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("zarrbrowser.image.tiles.raster._TILE_BYTES", 2**12)
    image = image_of_array(FakeArray(np.zeros((1, 640, 640), "i1"), ("z", "y", "x"), chunks=(1, 64, 64)))
    settings = initial_settings(image)
    calls: list[int] = []

    def counted(*told: Any) -> Measured:
        calls.append(1)
        return measure(*told)

    monkeypatch.setattr(composition_module, "measure", counted)
    composition, cache = Composition(), TileCache()
    small = loaded(image, settings, cache, View((0, 30), (0, 30), 30, 30))
    composition = composition.with_frame(small, settings, cache, is_whole=True)
    frame = frame_of(image, settings, View((0, 640), (0, 640), 640, 640))
    calls.clear()
    for tile in frame.tiles:
        load(tile, cache)
        composition = composition.with_frame(frame, settings, cache, is_whole=not frame.missing(cache))
    assert len(frame.tiles) > 5 * len(calls)
    assert len(calls) > 3


@pytest.mark.parametrize(("is_playing", "is_of_view"), [(True, False), (False, True)])
def test_what_arrives_leaves_a_range_that_is_kept(
    is_playing: bool, is_of_view: bool, image: Image, settings: ViewSettings
) -> None:
    composition, cache = Composition(), TileCache()
    small = loaded(image, settings, cache, View((0, 60), (0, 60), 60, 60))
    composition = composition.with_frame(small, settings, cache, is_whole=True)
    if is_of_view:
        composition = composition.measured_again(settings, is_wish=True)
    before, frame = maximum(composition), frame_of(image, settings)
    for tile in frame.tiles[:2]:
        load(tile, cache)
        composition = composition.with_frame(
            frame, settings, cache, is_whole=False, keeps_contrast=is_playing
        )
        assert maximum(composition) == before


def test_a_plane_that_gave_way_does_not_count(image: Image, settings: ViewSettings) -> None:
    composition, cache = Composition(), TileCache()
    frame = loaded(image, settings, cache)
    composition = composition.with_frame(frame, settings, cache, is_whole=True).without_statistics()
    after = replace(settings, axes=settings.axes.at(0, 0), keeps_range=True)
    composition = composition.with_frame(loaded(image, after, cache), after, cache, is_whole=True)
    assert composition.measured is not None
    assert composition.measured.description == ""
    assert maximum(composition) == VALUES[0].max()
