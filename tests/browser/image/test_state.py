"""The state of an image pane: the parts that differ, and the states of the views beside the main one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.browser.fakes import FakeArray
from zarrbrowser.image.colours.contrast import Contrast, ContrastMode
from zarrbrowser.image.colours.norm import Norm
from zarrbrowser.image.levels import image_of_array
from zarrbrowser.image.state import EVERYTHING, NOTHING, Change, ImageState, PlaneLayout, changes
from zarrbrowser.image.view_settings import initial_settings


def state_of(shape: tuple[int, ...] = (4, 5, 6), names: tuple[str, ...] = ("z", "y", "x")) -> ImageState:
    image = image_of_array(FakeArray(np.zeros(shape), names))
    return ImageState(image, initial_settings(image), lambda _path: None)


@pytest.mark.parametrize(
    ("changed", "part"),
    [
        ({"norm": Norm.LOG}, Change.COLOURS),
        ({"colour_map": "viridis"}, Change.COLOURS),
        ({"contrast": Contrast(ContrastMode.FIXED, 0.0, 2.0)}, Change.CONTRAST),
        ({"flip_rows": True}, Change.ORIENTATION),
        ({"is_blended": True}, Change.CHANNELS),
        ({"labels": "cells"}, Change.LABELS),
        ({"contours": True}, Change.CONTOURS),
        ({"labels_opacity": 1.0}, Change.LABELS),
        ({"may_read_bytes": 5}, Change.LIMIT),
        ({}, NOTHING),
    ],
)
def test_each_setting_changes_one_part(changed: dict[str, Any], part: Change) -> None:
    state = state_of()
    assert changes(state, replace(state, settings=replace(state.settings, **changed))) == part


@pytest.mark.parametrize(
    ("flip_rows", "flip_columns", "flips"),
    [(False, False, (True, False)), (True, False, (False, False)), (False, True, (True, True))],
)
def test_the_user_turns_the_picture_from_where_its_coordinates_put_it(
    flip_rows: bool, flip_columns: bool, flips: tuple[bool, bool]
) -> None:
    state = replace(state_of(), upward=frozenset({0, 1}), leftward=frozenset({1}))
    settings = replace(state.settings, flip_rows=flip_rows, flip_columns=flip_columns)
    assert replace(state, settings=settings).flips == flips
    assert changes(state_of(), state) == EVERYTHING
    assert changes(replace(state, upward=frozenset()), state) == Change.ORIENTATION
    turned = state.with_axes(state.settings.axes.with_rows(2))
    assert turned.flips == (False, True), "the axis of rows is now that of columns"


def test_another_plane_and_other_axes_are_different_parts() -> None:
    state = state_of()
    axes = state.settings.axes
    assert changes(state, state.with_axes(axes.at(0, 1))) == Change.POSITION
    assert changes(state, state.with_axes(axes.with_rows(axes.columns))) == Change.AXES


def test_another_image_changes_everything() -> None:
    state = state_of()
    assert changes(state, state_of()) == EVERYTHING
    assert changes(state, None) == EVERYTHING
    assert changes(None, None) == NOTHING


def test_a_colour_map_of_the_image_hides_the_one_for_all_images() -> None:
    state = state_of()
    state = replace(state, settings=replace(state.settings, colour_map="viridis"))
    assert changes(state, replace(state, colour_map="magma")) == NOTHING


def test_a_plane_without_a_third_axis_has_no_orthogonal_planes() -> None:
    plane = replace(state_of((5, 6), ("y", "x")), layout=PlaneLayout.ORTHOGONAL)
    volume = replace(state_of(), layout=PlaneLayout.ORTHOGONAL)
    assert plane.settled().layout is PlaneLayout.SINGLE
    assert volume.settled().layout is PlaneLayout.ORTHOGONAL


def test_orthogonal_planes_contain_the_axis_of_depth() -> None:
    state = replace(state_of((3, 4, 5, 6), ("t", "z", "y", "x")), layout=PlaneLayout.ORTHOGONAL)
    right, below = (one.settings.axes for one in state.beside(None))
    assert (right.rows, right.columns) == (2, 1)
    assert (below.rows, below.columns) == (1, 3)


def test_a_pinned_plane_follows_the_colours_of_its_own_image_only() -> None:
    pinned = state_of()
    state = replace(pinned, layout=PlaneLayout.PAIR).with_axes(pinned.settings.axes.at(0, 3))
    state = replace(state, settings=replace(state.settings, norm=Norm.LOG))
    (beside,) = state.beside(pinned)
    assert (beside.settings.norm, beside.settings.axes) == (Norm.LOG, pinned.settings.axes)
    other = replace(state_of(), layout=PlaneLayout.PAIR)
    (beside,) = replace(other, settings=replace(other.settings, norm=Norm.LOG)).beside(pinned)
    assert beside.settings == pinned.settings


def test_a_single_plane_has_no_other_views() -> None:
    state = state_of()
    assert state.beside(state) == []
