"""Pyramids of the convention "multiscales" and of ndpyramid: levels lie where their grids say."""

from __future__ import annotations

from typing import Any

import pytest

import zarrcore
from zarrcore.conventions import MultiscaleImage, Pyramid, meaning, pyramid_image, recognise
from zarrcore.errors import MetadataError, NodeNotFoundError


def layout(*levels: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"multiscales": {"layout": [*levels]}, **more}


def hierarchy_of(attributes: dict[str, Any], **shapes: tuple[int, ...]) -> zarrcore.Hierarchy:
    hierarchy = zarrcore.create("memory://")
    hierarchy["/"].attributes = attributes
    for path, shape in shapes.items():
        names = ["band", "y", "x"][-len(shape) :]
        hierarchy.create_array(path.replace("__", "/"), shape=shape, dtype="uint8", dimension_names=names)
    return hierarchy


def image(attributes: dict[str, Any], **shapes: tuple[int, ...]) -> MultiscaleImage:
    found = meaning(hierarchy_of(attributes, **shapes)["/"])
    assert isinstance(found, MultiscaleImage)
    return found


HALVED = {"derived_from": "a", "transform": {"scale": [2.0, 2.0]}}


def test_levels_that_are_arrays_are_one_image() -> None:
    found = image(
        layout({"asset": "a"}, {"asset": "b", **HALVED}, {"asset": "c", **HALVED, "derived_from": "b"}),
        a=(3, 8, 8),
        b=(3, 4, 4),
        c=(3, 2, 2),
    )
    assert [level.factors for level in found.levels] == [(1, 1, 1), (1, 2, 2), (1, 4, 4)]
    # The centre of the first element of a level of half the size is between the first two.
    assert [level.offsets for level in found.levels] == [(0, 0, 0), (0, 0.5, 0.5), (0, 1.5, 1.5)]
    assert found.summary == "multiscales image, 3 levels"


def test_translations_are_between_corners() -> None:
    moved = {"derived_from": "a", "transform": {"scale": [2.0, 2.0], "translation": [1.0, 0.0]}}
    found = image(layout({"asset": "a"}, {"asset": "b", **moved}), a=(8, 8), b=(3, 4))
    assert found.levels[1].offsets == (1.5, 0.5)


def test_grids_of_levels_count() -> None:
    grids = [[10, 0, 500, 0, -10, 900], [20, 0, 500, 0, -20, 900]]
    levels = [
        {"asset": name, "spatial:transform": grid, **(HALVED if name == "b" else {})}
        for name, grid in zip("ab", grids, strict=True)
    ]
    found = image(
        layout(*levels, **{"proj:code": "EPSG:32632", "spatial:dimensions": ["Y", "X"]}), a=(8, 8), b=(4, 4)
    )
    assert found.levels[1].factors == (2, 2)
    assert found.levels[1].offsets == (0.5, 0.5)
    assert found.georeference is not None
    assert found.georeference.bounds == (500, 820, 580, 900)
    assert found.summary == "multiscales image, 2 levels, EPSG:32632"


@pytest.mark.parametrize(
    "second",
    [
        {"asset": "b"},
        {"asset": "b", "derived_from": "gone", "transform": {"scale": [2, 2]}},
        {"asset": "b", "derived_from": "a", "transform": {"scale": [2]}},
        {"asset": "b", "derived_from": "a", "transform": {"scale": "2"}},
        {"asset": "b", "derived_from": "a", "transform": 7},
    ],
    ids=str,
)
def test_levels_without_a_valid_transformation_have_no_factors(second: dict[str, Any]) -> None:
    assert image(layout({"asset": "a"}, second), a=(8, 8), b=(4, 4)).levels[1].factors is None


def test_missing_levels() -> None:
    found = image(layout({"asset": "a"}, {"asset": "b", **HALVED}), a=(8, 8))
    assert found.missing == ("b",)
    with pytest.raises(MetadataError, match="its levels are missing"):
        meaning(hierarchy_of(layout({"asset": "a"}))["/"])


BANDS: dict[str, tuple[int, ...]] = {
    "r10__b02": (8, 8),
    "r10__b03": (8, 8),
    "r10__x": (8,),
    "r20__b02": (4, 4),
}
GROUPS = layout(
    {"asset": "r10"},
    {"asset": "r20", "derived_from": "r10", "transform": {"scale": [2, 2]}},
    {"asset": "r60"},
    **{"proj:code": "EPSG:32633"},
)


def test_levels_that_are_groups_are_a_pyramid_of_variables() -> None:
    hierarchy = hierarchy_of(GROUPS, **BANDS)
    found = meaning(hierarchy["/"])
    assert isinstance(found, Pyramid)
    assert found.summary == "multiscales pyramid, 2 levels, 2 variables, EPSG:32633"
    assert (found.variables, found.missing) == (("b02", "b03"), ("r60",))
    assert dict(found.facts())["levels"] == "r10, r20, r60 (missing)"


def test_one_variable_of_a_pyramid_is_an_image() -> None:
    hierarchy = hierarchy_of(GROUPS, **BANDS)
    group = hierarchy["/"]
    found = pyramid_image(group, "b02")
    assert [level.node.path for level in found.levels] == ["/r10/b02", "/r20/b02"]
    assert pyramid_image(group, "b03").missing == ("r20/b03", "r60/b03")
    with pytest.raises((MetadataError, NodeNotFoundError)):
        pyramid_image(group, "b99")


def test_a_pyramid_of_ndpyramid() -> None:
    datasets = [{"path": path, "pixels_per_tile": 128, "crs": "EPSG:3857"} for path in ("0", "1")]
    attributes = {"multiscales": [{"datasets": datasets, "type": "reduce", "metadata": {"version": "0.1"}}]}
    found = meaning(hierarchy_of(attributes, **{"0__air": (4, 4), "1__air": (8, 8)})["/"])
    assert isinstance(found, Pyramid)
    assert found.summary == "ndpyramid pyramid, 2 levels, 1 variable, EPSG:3857"


@pytest.mark.parametrize(
    "told", [{"layout": []}, {"layout": "a"}, {"layout": [{"path": "a"}]}, [], [{"datasets": 7}], 7, None]
)
def test_what_is_not_a_pyramid(told: Any) -> None:
    group = hierarchy_of({"multiscales": told})["/"]
    recognised = recognise(group)
    assert recognised is None or recognised[0].name == "ome-ngff"
