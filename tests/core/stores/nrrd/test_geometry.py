"""Axes of NRRD files."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.stores.nrrd.test_header import header
from zarrcore.stores.nrrd.geometry import axes_of, is_colour


def told(**fields: str) -> list[tuple[str, str, str, float, float]]:
    axes = axes_of(header(**fields))
    return [(axis.name, axis.kind, axis.unit, axis.scale, axis.origin) for axis in axes]


def kinds(**fields: str) -> list[str]:
    return [axis[1] for axis in told(**fields)]


SPACE = {"space": "LPS", "space_directions": "(0.5,0,0) (0,0.5,0) (0,0,2)", "space_origin": "(-10,20,30)"}


def test_a_volume_in_space() -> None:
    assert told(**SPACE, space_units='"mm" "mm" "mm"') == [
        ("x", "space", "millimeter", 0.5, -10),
        ("y", "space", "millimeter", 0.5, 20),
        ("z", "space", "millimeter", 2, 30),
    ]


@pytest.mark.parametrize(
    ("directions", "scales", "origins"),
    [
        ("(0,0,2) (3,0,0) (0,4,0)", (2, 3, 4), (30, -10, 20)),
        ("(-1,0,0) (0,1,0) (0,0,1)", (1, 1, 1), (0, 0, 0)),
        ("(3,4,0) (0,1,0) (0,0,1)", (5, 1, 1), (0, 0, 0)),
        ("(1,0,0) (2,0,0) (0,0,1)", (1, 2, 1), (0, 0, 0)),
        ("(nan,0,0) (0,1,0) (0,0,1)", (1, 1, 1), (0, 20, 30)),
    ],
)
def test_origins_are_told_only_of_axes_that_run_upwards_along_one_coordinate(
    directions: str, scales: tuple[float, ...], origins: tuple[float, ...]
) -> None:
    axes = told(**{**SPACE, "space_directions": directions}, space_units='"mm" "um" "weird"')
    assert [axis[3] for axis in axes] == [*scales]
    assert [axis[4] for axis in axes] == [*origins]
    units = {
        "(0,0,2) (3,0,0) (0,4,0)": ["", "millimeter", "micrometer"],
        "(nan,0,0) (0,1,0) (0,0,1)": ["", "micrometer", ""],
    }
    assert [axis[2] for axis in axes] == units.get(directions, [""] * 3)


def test_spacings_units_and_axis_mins() -> None:
    axes = told(
        spacings="0.5 nan 2",
        units='"mm" "seconds" "ms"',
        axis_mins="-1 0 10",
        centerings="cell cell node",
        kinds="domain domain time",
    )
    assert axes == [
        ("x", "space", "millimeter", 0.5, -0.75),
        ("y", "space", "", 1, 0),
        ("t", "time", "millisecond", 2, 10),
    ]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ["space"] * 3),
        ({"kinds": "RGB-color domain domain", "sizes": "3 6 7"}, ["channel", "space", "space"]),
        ({"kinds": "vector space ???"}, ["channel", "space", "space"]),
        ({"space_directions": "none (1,0) (0,1)"}, ["channel", "space", "space"]),
        ({"labels": '"x" "y" "time"'}, ["space", "space", "time"]),
        ({"dimension": "4", "sizes": "2 3 4 5"}, ["space", "space", "space", ""]),
        ({"dimension": "4", "sizes": "2 3 4 5", "labels": '"c" "" "" ""'}, ["channel", *["space"] * 3]),
    ],
)
def test_kinds(fields: Any, expected: list[str]) -> None:
    assert kinds(**fields) == expected


def test_names_are_labels_and_each_is_used_once() -> None:
    assert [axis[0] for axis in told(labels='"R-L" "" "y"')] == ["R-L", "dim_2", "dim_3"]
    assert [axis[0] for axis in told(labels='"a" "a" "b"')] == ["dim_1", "dim_2", "b"]
    assert [axis[0] for axis in told(dimension="2", sizes="4 4", kinds="list domain")] == ["c", "x"]


def test_colours() -> None:
    assert is_colour(header(kinds="RGB-color domain domain", sizes="3 6 7"))
    assert is_colour(header(kinds="domain domain RGBA-color", sizes="3 6 4"))
    assert not is_colour(header(kinds="RGB-color domain domain", sizes="4 6 7"))
    assert not is_colour(header(sizes="3 6 7"))
