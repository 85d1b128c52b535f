"""View settings survive as JSON; a document that is malformed or belongs to another image changes nothing."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.browser.fakes import FakeArray
from zarrbrowser.image.calculations.comparison import Comparison, Operation
from zarrbrowser.image.calculations.reduction import Reduction, Statistic
from zarrbrowser.image.colours.contrast import Contrast, ContrastMode
from zarrbrowser.image.colours.norm import Norm
from zarrbrowser.image.levels import Channel, Image, whole
from zarrbrowser.image.settings_document import apply_document, is_inside, place_of, settings_document
from zarrbrowser.image.view_settings import ViewSettings, initial_settings
from zarrbrowser.maps.projection import Projection
from zarrbrowser.values.elements import Elements, Part
from zarrcore.conventions.cf import Packing

PACKING = Packing(2.0, 1.0, (5.0,), (0.0, math.inf))


def packed() -> FakeArray:
    array = FakeArray(np.zeros((2, 5, 30, 40)))
    array.attributes = {"scale_factor": 2.0, "add_offset": 1.0, "_FillValue": 5.0, "valid_min": 0.0}
    return array


def settings_of_two_channels() -> ViewSettings:
    array = packed()
    channels = (Channel("a", (255, 0, 0)), Channel("b", (0, 255, 0)))
    return initial_settings(
        Image("/a", (whole(array),), ("c", "z", "y", "x"), channel_axis=0, channels=channels, is_blended=True)
    )


def test_settings_survive_a_round_trip_as_a_document() -> None:
    other = settings_of_two_channels()
    settings = replace(
        other,
        axes=replace(other.axes.with_rows(1), index=(1, 2, 3, 4)),
        elements=Elements(part=Part.PHASE),
        contrast=Contrast(ContrastMode.FIXED, -1.5, 3.0),
        norm=Norm.SYMLOG,
        flip_columns=True,
        colour_map="viridis",
        is_blended=False,
        coastlines=False,
        graticule=True,
        contours=True,
        projection=Projection.MOLLWEIDE,
        reduction=Reduction(2, Statistic.MEAN),
        comparison=Comparison(Operation.RATIO, 0, 1, Statistic.MAXIMUM),
    )
    settings = settings.with_channel(1, is_on=False, colour=(1, 2, 3))
    settings = settings.with_channel(0, contrast=Contrast(ContrastMode.FULL_RANGE))
    assert other.elements == Elements(packing=PACKING, fill=(5.0,), valid=(0.0, math.inf))
    document = json.loads(json.dumps(settings_document(settings)))
    assert apply_document(other, document, packed()) == settings
    assert apply_document(settings, json.loads(json.dumps(settings_document(other))), packed()) == other


@pytest.mark.parametrize(
    "change",
    [
        {"rows": 3},
        {"columns": 9},
        {"index": [1]},
        {"norm": "cubic"},
        {"contrast": None},
        {"contrast": ["fixed", "nan", 1]},
        {"labels": ["", "nan"]},
        {"channels": []},
        {"colour_map": "mud"},
        {"part": "half"},
        {"flips": [True]},
        {"map": 5},
        {"map": [True]},
        {"projection": "Peters"},
        {"projection": ["Robinson"]},
        {"reduction": [9, "mean"]},
        {"reduction": [1, "median"]},
        {"reduction": "mean"},
        {"comparison": 7},
        {"comparison": {"operation": "difference"}},
        {"comparison": {"operation": "sum", "axis": 0, "position": 0, "statistic": None, "address": ""}},
        {"comparison": {"operation": "ratio", "axis": 9, "position": 0, "statistic": None, "address": ""}},
        {"comparison": {"operation": "ratio", "axis": 0, "position": 0, "statistic": "mode", "address": ""}},
        {"comparison": {"operation": "ratio", "axis": 0, "position": 0, "statistic": None, "address": 5}},
        {
            "comparison": {
                "operation": "ratio",
                "axis": 0,
                "position": 1e400,
                "statistic": None,
                "address": "",
            }
        },
        {"reduction": [1e400, "mean"]},
        {"rows": "x"},
        {"rows": math.inf},
        {"labels": ["", 10**400]},
        {"field": "a"},
    ],
)
def test_a_document_that_does_not_fit_changes_nothing(change: dict[str, Any]) -> None:
    settings = settings_of_two_channels()
    document = {**settings_document(settings), "part": "phase", **change}
    assert apply_document(settings, document, packed()) == settings
    assert apply_document(settings, {}, packed()) == settings


def test_the_part_in_view_is_read_from_a_document() -> None:
    assert place_of({"place": [[0, 5], [1.5, 9]]}) == ((0, 5), (1.5, 9))
    for bad in (
        None,
        3,
        [],
        [[0, 5]],
        [[5, 0], [0, 5]],
        [["a", "b"], [0, 1]],
        [[0, float("inf")], [0, 1]],
        [[0, 10**400], [0, 1]],
    ):
        assert place_of({"place": bad}) is None
    assert place_of({}) is None


def test_a_part_beyond_the_plane_is_not_inside() -> None:
    assert is_inside(((0, 5), (1, 9)), (3, 4))
    assert is_inside(((-100, 0.5), (3, 9)), (3, 4))
    assert not is_inside(((3, 5), (1, 9)), (3, 4))
    assert not is_inside(((0, 5), (-9, 0)), (3, 4))


@pytest.mark.parametrize(
    ("dtype", "change"),
    [
        ([("a", "<f4"), ("b", "<i2")], {"field": None}),
        ([("a", "<f4"), ("b", "<i2")], {"field": "c"}),
        ([("a", "<f4"), ("b", "<i2")], {"field": ["a"]}),
    ],
)
def test_settings_for_elements_of_another_type_are_not_taken_over(dtype: Any, change: dict[str, Any]) -> None:
    array = FakeArray(np.zeros((30, 40), dtype))
    settings = initial_settings(Image("/a", (whole(array),), ("y", "x")))
    document = {**settings_document(settings), "norm": "log"}
    assert apply_document(settings, document, array).norm is Norm.LOG
    assert apply_document(settings, {**document, **change}, array) == settings
