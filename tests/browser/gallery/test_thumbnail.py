"""Thumbnails: which level they come from, what they cost, and their colours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.browser.fakes import FakeArray, FakeBroken, FakeGroup
from tests.browser.gallery.plates import image, levels, plate, plate_in_runs, well, write_plate
from tests.browser.panes.image.pictures import pyramid
from zarrbrowser.gallery import thumbnail as module
from zarrbrowser.gallery.cells import FIRST_FIELD, Cell, FieldChoice
from zarrbrowser.gallery.thumbnail import (
    Missing,
    NoThumbnail,
    SharedContrast,
    Thumbnail,
    paint_thumbnail,
    read_thumbnail,
)
from zarrbrowser.session.sources import SourceRequest, open_source
from zarrcore.errors import NodeNotFoundError


def read(group: FakeGroup, path: str = "/", side: int = 64, choice: FieldChoice = FIRST_FIELD) -> Thumbnail:
    return read_thumbnail(Cell("a", path), group.find, side, choice=choice)


@pytest.mark.parametrize(
    ("side", "shape"), [(2000, (1024, 1024)), (512, (512, 512)), (300, (512, 512)), (64, (128, 128))]
)
def test_the_coarsest_level_that_is_large_enough_is_read(side: int, shape: tuple[int, int]) -> None:
    group, arrays = pyramid(1024)  # 1024, 512, 256, 128
    found = read(group, side=side)
    assert found.mosaics[0].raster.level.array.shape == shape
    assert [bool(array.selections) for array in arrays] == [array.shape == shape for array in arrays]


def test_no_more_samples_are_kept_than_the_screen_shows() -> None:
    group, _ = pyramid(1024)
    assert read(group, side=60).mosaics[0].values.shape == (64, 64)


def test_a_level_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 1000)
    group, arrays = pyramid(1024)
    with pytest.raises(NoThumbnail, match="too large for a thumbnail: 256 KiB would be decoded"):
        read(group)
    assert not any(array.selections for array in arrays)


def test_a_coarser_level_is_read_if_the_wanted_one_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 300_000)
    group, _ = pyramid(1024)
    assert read(group, side=1024).mosaics[0].raster.level.array.shape == (256, 256)


def test_a_plate_and_a_well_stand_for_their_first_image() -> None:
    group = plate()
    assert read(group, "/A/1").image.path == "/A/1/0"
    assert read(group).image.path == "/A/1/0"


@pytest.mark.parametrize(
    ("choice", "path", "fields"),
    [
        (FieldChoice(), "/A/1/0", 3),
        (FieldChoice(2), "/A/1/2", 3),
        (FieldChoice(1, 1), "/A/1/2", 2),
        (FieldChoice(0, 4), "/A/1/1", 1),
    ],
)
def test_the_field_of_a_well_can_be_chosen(choice: FieldChoice, path: str, fields: int) -> None:
    found = read(plate_in_runs(), "/A/1", choice=choice)
    assert (found.image.path, found.fields) == (path, fields)


def test_a_well_without_the_chosen_field_says_so() -> None:
    with pytest.raises(NoThumbnail, match=r"This well has only 1 field\."):
        read(plate_in_runs(), "/A/2", choice=FieldChoice(1))
    with pytest.raises(NoThumbnail, match=r"This well has only 1 field of acquisition 4\."):
        read(plate_in_runs(), "/A/1", choice=FieldChoice(1, 4))
    with pytest.raises(NoThumbnail, match="This well has no field of acquisition 4"):
        read(plate_in_runs(), "/A/2", choice=FieldChoice(0, 4))


@pytest.mark.parametrize(
    ("node", "why"),
    [
        (FakeGroup(), "names no image"),
        (FakeGroup({}, {"well": {"images": []}}), "names no image"),
        (FakeArray(np.zeros(5)), "fewer than two axes"),
        (FakeArray(np.zeros((0, 5))), "holds no elements"),
        (FakeArray(np.zeros((2, 5), "U3")), "text"),
    ],
)
def test_nodes_without_a_picture_say_why(node: Any, why: str) -> None:
    with pytest.raises(NoThumbnail, match=why):
        read(FakeGroup({"a": node}), "/a")


def test_a_missing_well_is_told_apart_from_a_well_without_its_field() -> None:
    group = plate(left_out=("B/2",))
    with pytest.raises(Missing, match="name /B/2, but it does not exist"):
        read(group, "/B/2")
    hollow = FakeGroup({"w": FakeGroup({}, well(image()).attributes)})
    with pytest.raises(NodeNotFoundError, match="/w/0"):
        read(hollow, "/w")


def test_a_broken_node_raises_its_error() -> None:
    with pytest.raises(ValueError, match="not JSON"):
        read(FakeGroup({"a": FakeBroken(ValueError("not JSON"))}), "/a")


def test_wells_within_wells_end() -> None:
    told = {"well": {"images": [{"path": "../w"}]}}
    with pytest.raises(NoThumbnail):
        read(FakeGroup({"w": FakeGroup({}, told)}), "/w")


@pytest.mark.parametrize("window", [{"start": 0, "end": 100}, {"start": "low", "end": None}, 7])
def test_colours_are_those_of_the_metadata(window: Any) -> None:
    values = np.zeros((2, 4, 4), np.uint16)
    values[1, 0, 0], values[0, 3, 3] = 100, 100
    channels = [{"color": "FF0000", "window": window}, {"color": "0000FF", "window": window}]
    entry = {"axes": ["c", "y", "x"], "datasets": [{"path": "0"}]}
    group = FakeGroup({"0": FakeArray(values)}, {"multiscales": [entry], "omero": {"channels": channels}})
    colours = paint_thumbnail(read(group), "viridis")
    assert colours.shape == (4, 4, 4)
    assert colours[0, 0].tolist() == [0, 0, 255, 255]
    assert colours[3, 3].tolist() == [255, 0, 0, 255]
    assert colours[1, 1].tolist() == [0, 0, 0, 255]


def test_a_shared_contrast_is_the_widest() -> None:
    dark, bright = (read(FakeGroup({"a": image(value)}), "/a") for value in (10, 1000))
    shared = SharedContrast()
    assert shared.levels(dark) is None
    assert shared.add(dark)
    assert not shared.add(dark)
    assert shared.add(bright)
    levels_ = shared.levels(dark)
    assert levels_ is not None
    assert levels_ == shared.levels(bright)
    own = paint_thumbnail(dark, "gray")
    together = paint_thumbnail(dark, "gray", levels_)
    assert own[..., 0].max() == 255
    assert together[..., 0].max() < 20
    assert paint_thumbnail(bright, "gray", levels_)[..., 0].max() == 255


def test_images_of_other_types_have_their_own_contrast() -> None:
    shared = SharedContrast()
    numbers = read(FakeGroup({"a": image(10)}), "/a")
    other = read(FakeGroup({"a": FakeArray(np.eye(9))}), "/a")
    shared.add(numbers)
    assert shared.levels(other) is None


def test_red_green_and_blue_are_drawn_as_they_are() -> None:
    picture = np.random.default_rng(1).integers(0, 255, (8, 8, 3), dtype=np.uint8)
    found = read(FakeGroup({"a": FakeArray(picture)}), "/a")
    assert np.array_equal(paint_thumbnail(found, "gray", ((0, 1),))[..., :3], picture)


def test_the_proportion_follows_the_scale() -> None:
    scale = [{"type": "scale", "scale": [2.0, 1.0]}]
    entry = {"axes": ["y", "x"], "datasets": [{"path": "0", "coordinateTransformations": scale}]}
    group = FakeGroup({"0": FakeArray(np.eye(8))}, {"multiscales": [entry]})
    assert read(group).proportion == 0.5


def test_a_well_of_another_writer(tmp_path: Path) -> None:
    write_plate(tmp_path / "plate.zarr")
    source = open_source(SourceRequest(str(tmp_path / "plate.zarr")))
    found = read_thumbnail(Cell("A2", "/A/2"), source.hierarchy.node, 32)
    assert np.array_equal([mosaic.values for mosaic in found.mosaics], levels(2)[1])
    assert found.nbytes == 2 * 32 * 32 * (2 + 8), "elements, and the samples of the statistics"
