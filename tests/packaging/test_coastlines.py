"""The script that makes the coastlines decodes TopoJSON, and leaves out the edges of polygons."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np

SCRIPT: dict[str, Any] = runpy.run_path(str(Path(__file__).parents[2] / "packaging" / "coastlines.py"))


def lines(*arcs: list[list[float]]) -> list[list[list[float]]]:
    """The lines of a topology of arcs, whose points are in degrees."""
    grid = [(np.array(arc) - [-180, -90]) / [0.5, 0.25] for arc in arcs]
    steps = [np.diff(one, axis=0, prepend=np.zeros((1, 2))).tolist() for one in grid]
    topology = {"transform": {"scale": [0.5, 0.25], "translate": [-180, -90]}, "arcs": steps}
    return [(line / SCRIPT["PER_DEGREE"]).tolist() for line in SCRIPT["coastlines"](topology)]


def test_arcs_are_sums_of_their_steps() -> None:
    assert lines([[10, 20], [11, 20.5], [9, 21]], [[0, 0], [1, 1]]) == [
        [[10, 20], [11, 20.5], [9, 21]],
        [[0, 0], [1, 1]],
    ]


def test_edges_of_polygons_are_no_coasts() -> None:
    found = lines([[178, 70], [180, 71], [180, 65], [170, 60]], [[5, -89], [4, -90], [-4, -90], [-5, -89]])
    assert found == [
        [[178, 70], [180, 71]],
        [[180, 65], [170, 60]],
        [[5, -89], [4, -90]],
        [[-4, -90], [-5, -89]],
    ]


def test_a_line_that_crosses_the_antimeridian_goes_on() -> None:
    assert lines([[178, 0], [179, 0], [-179, 1], [-178, 1]]) == [[[178, 0], [179, 0], [181, 1], [182, 1]]]


def test_points_in_the_same_place_count_once() -> None:
    assert lines([[1, 1], [1, 1], [2, 2]], [[3, 3], [3, 3]]) == [[[1, 1], [2, 2]]]
