"""The displayed array: its selection as text, its file name, its levels."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import zarrcore as zc
from tests.browser.export.volume import PLANE
from tests.browser.fakes import FakeArray
from zarrbrowser.export.viewed_array import ViewedArray, selection_text
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.displayed_slice import DisplayedChannel, DisplayedSlice, ImageInfo
from zarrbrowser.image.levels import Channel

ALL = slice(None)


def test_the_text_of_a_selection_parses_back() -> None:
    for selection in (PLANE, (0, 0, 0), (slice(None, None, 2), slice(3, None), -1)):
        assert zc.parse_selection(selection_text(selection)) == selection


def test_the_selection_of_a_scalar_is_all_of_it() -> None:
    assert selection_text(ViewedArray.whole(FakeArray(np.zeros(()))).selection) == "..."


def displayed(level: int = 0, levels: int = 1, on: tuple[int, ...] = ()) -> DisplayedSlice:
    """A plane of a film of three channels, some of them visible."""
    array = FakeArray(np.zeros((9, 3, 30 >> level, 40 >> level)), ("t", "c", "y", "x"))
    array.name = str(level)
    height, width = array.shape[2:]
    shown = tuple(DisplayedChannel(Channel("", (1, 1, 1)), position, (0.0, 1.0)) for position in on)
    plane = (4, slice(0, 3), slice(0, height), slice(0, width))
    in_view = (4, slice(0, 3), slice(0, 5), slice(0, width))
    return DisplayedSlice(
        array,
        array.path,
        level,
        Axes.initial(array),
        plane,
        in_view,
        channel_axis=1 if on else None,
        channels=shown,
        image=ImageInfo("cells", levels, 1, ("DAPI", "GFP", "Texas Red")),
    )


def test_a_whole_axis_is_a_colon() -> None:
    viewed = ViewedArray.of(displayed())
    assert viewed.selection == (4, ALL, ALL, ALL)
    assert viewed.in_view == (4, ALL, slice(0, 5), ALL)


def test_an_image_is_exported_from_its_finest_level() -> None:
    viewed = ViewedArray.of_levels([displayed(0, 2), displayed(1, 2)])
    assert viewed.array.shape == (9, 3, 30, 40)
    assert [one.title for one in viewed.levels] == ["level 0: 9 × 3 × 30 × 40", "level 1: 9 × 3 × 15 × 20"]
    assert ViewedArray.of_levels([displayed()]).levels == (), "nothing to choose from"


@pytest.mark.parametrize(
    ("selection", "suffix", "on", "name"),
    [
        ((4, ALL, ALL, ALL), "tiff", (0, 2), "cells_level1_t4.tiff"),
        ((4, 1, ALL, ALL), "tiff", (), "cells_level1_t4_c1-GFP.tiff"),
        ((4, slice(1, 3), ALL, ALL), "npy", (), "cells_level1_t4_c1+2.npy"),
        ((4, ALL, ALL, ALL), "png", (0, 2), "cells_level1_t4_c0+2.png"),
        ((4, ALL, ALL, ALL), "png", (2,), "cells_level1_t4_c2-Texas_Red.png"),
    ],
)
def test_a_file_is_named_by_its_image_level_position_and_channels(
    selection: tuple[int | slice, ...], suffix: str, on: tuple[int, ...], name: str
) -> None:
    assert ViewedArray.of(displayed(1, 2, on)).file_name(selection, suffix) == name


def test_an_image_of_one_level_is_named_without_it() -> None:
    assert ViewedArray.of(displayed()).file_name((4, ALL, ALL, ALL), "npy") == "cells_t4.npy"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", "array_axis02.npy"),
        ("température", "température_axis02.npy"),
        ('a b:*?"<c>', "a_b_c__axis02.npy"),
    ],
)
def test_a_file_name_has_only_characters_that_all_systems_accept(name: str, expected: str) -> None:
    array = FakeArray(np.zeros((3, 4)))
    array.name = name
    assert ViewedArray.whole(array).file_name((2, ALL), "npy") == expected


def test_a_file_of_an_array_at_the_root_is_named_by_its_source() -> None:
    array = FakeArray(np.zeros((3, 4)))
    array.name, array.hierarchy = "", SimpleNamespace(url="/data/scan.zarr")  # type: ignore[attr-defined]
    assert ViewedArray.whole(array).file_name((2, ALL), "npy") == "scan_axis02.npy"


@pytest.mark.parametrize("letter", ["n", "é", "細", "😀"])
def test_a_long_name_is_cut_to_what_file_systems_accept(letter: str) -> None:
    array = FakeArray(np.zeros((3, 4)))
    array.name = letter * 400
    name = ViewedArray.whole(array).file_name((ALL, ALL), "npy")
    assert name.endswith(".npy")
    assert len(name.encode()) <= 255
