"""Looks come back from their documents; what is malformed stays as it was."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.browser.volume.volumes import image
from zarrbrowser.volume.camera import Camera, Side
from zarrbrowser.volume.grid import VolumeGrid
from zarrbrowser.volume.look import Look, Mode, apply_look, chosen_level, look_document


def test_a_look_comes_back() -> None:
    look = Look(Camera.of(Side.TOP), Mode.SURFACE, 0.25, 0.75)
    found = apply_look(Look(), look_document(look, None))
    assert np.allclose(found.camera.turn, look.camera.turn)
    assert (found.mode, found.opacity, found.threshold) == (Mode.SURFACE, 0.25, 0.75)


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"camera": 3, "mode": 3, "opacity": "x", "threshold": None},
        {"opacity": True, "threshold": float("nan")},
    ],
)
def test_what_is_malformed_changes_nothing(document: Any) -> None:
    look = Look()
    assert apply_look(look, document) == look


def test_parts_are_clipped() -> None:
    found = apply_look(Look(), {"opacity": 7, "threshold": -7})
    assert (found.opacity, found.threshold) == (1.0, 0.0)


def test_a_level_is_found_among_those_offered() -> None:
    one = image()
    grids = [VolumeGrid(level, number, (2, 3, 4)) for number, level in enumerate(one.levels)]
    grids.append(VolumeGrid(one.levels[1], 1, (2, 3, 4), (1, 2, 2)))
    for grid in grids:
        assert chosen_level(look_document(Look(), grid), grids) is grid
    assert chosen_level(look_document(Look(), None), grids) is None
    assert chosen_level(look_document(Look(), replace(grids[0], steps=(4, 4, 4))), grids) is None
    assert chosen_level(None, grids) is None


def test_more_opacity_is_a_denser_fog() -> None:
    densities = [Look(opacity=part / 10).density for part in range(11)]
    assert densities == sorted(densities)
