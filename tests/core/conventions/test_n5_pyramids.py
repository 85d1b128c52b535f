"""Pyramids of N5: lengths are written in the reverse order of the array's axes."""

from __future__ import annotations

from typing import Any

import pytest

import zarrcore
from zarrcore.conventions import MultiscaleImage, image_of, inferred, may_be_pyramid, recognise
from zarrcore.describe.meaning_facts import meaning_facts
from zarrcore.errors import MetadataError
from zarrcore.filetypes.tiff.ome_image import group_as_ome_tiff
from zarrcore.stores import MemoryStore


def read(
    attributes: dict[str, Any], arrays: dict[str, tuple[int, ...]], own: dict[str, Any] | None = None
) -> MultiscaleImage:
    hierarchy = zarrcore.create(MemoryStore(), format="n5")
    hierarchy.create_group("volume").attributes = attributes
    for path, shape in arrays.items():
        hierarchy.create_array(f"volume/{path}", shape=shape, dtype="uint8").attributes = (own or {}).get(
            path, {}
        )
    return image_of(hierarchy["volume"])


def test_factors_of_the_group() -> None:
    image = read({"downsamplingFactors": [[1, 1, 1], [2, 2, 1]]}, {"s0": (4, 6, 8), "s1": (4, 3, 4)})
    assert [level.factors for level in image.levels] == [(1, 1, 1), (1, 2, 2)]
    assert image.spacing == ()
    assert image.summary == "N5 pyramid image, 2 levels"


def test_factors_of_the_arrays() -> None:
    image = read({"multiScale": True}, {"s0": (4, 8), "s1": (4, 2)}, {"s1": {"downsamplingFactors": [4, 1]}})
    assert image.levels[1].factors == (1, 4)


@pytest.mark.parametrize("row", [[0, 2], [2, -1], [2], "22", None, [2, "2"]])
def test_invalid_factors_are_unknown(row: Any) -> None:
    image = read({"scales": [[1, 1], row]}, {"s0": (4, 8), "s1": (4, 2)})
    assert image.levels[1].factors is None


@pytest.mark.parametrize("place", ["group", "array"])
@pytest.mark.parametrize(
    ("told", "unit"),
    [({"pixelResolution": {"dimensions": [0.5, 2], "unit": "um"}}, "um"), ({"resolution": [0.5, 2]}, "")],
)
def test_resolution(place: str, told: dict[str, Any], unit: str) -> None:
    group, own = (told, {}) if place == "group" else ({}, {"s0": told})
    image = read({"multiScale": True, **group}, {"s0": (4, 8)}, own)
    assert (image.spacing, image.origin) == ((2, 0.5), (0, 0))
    assert {axis.unit for axis in image.axes} == {unit}


@pytest.mark.parametrize(
    ("group", "own", "spacing", "unit"),
    [
        ({"resolution": [1, 3]}, {"pixelResolution": {"dimensions": [4, 8], "unit": "nm"}}, (8, 4), "nm"),
        ({"pixelResolution": {"dimensions": [4, 8], "unit": "nm"}}, {"resolution": [1, 3]}, (8, 4), "nm"),
        ({"pixelResolution": [1, 3]}, {"pixelResolution": [4, 8]}, (8, 4), ""),
        ({"resolution": [1, 3]}, {"pixelResolution": {"dimensions": [0, 8], "unit": "nm"}}, (3, 1), ""),
    ],
)
def test_of_several_resolutions_that_of_the_array_with_a_unit_counts(
    group: dict[str, Any], own: dict[str, Any], spacing: tuple[float, ...], unit: str
) -> None:
    image = read({"multiScale": True, **group}, {"s0": (4, 8)}, {"s0": own})
    assert (image.spacing, image.axes[0].unit) == (spacing, unit)


def test_levels_of_a_set_up_are_below_its_time_points() -> None:
    image = read(
        {"downsamplingFactors": [[1, 1], [2, 2]]}, {"timepoint0/s0": (4, 8), "timepoint0/s1": (2, 4)}
    )
    assert [level.node.path for level in image.levels] == ["/volume/timepoint0/s0", "/volume/timepoint0/s1"]


def test_a_pyramid_without_levels() -> None:
    with pytest.raises(
        MetadataError, match="/volume: its metadata describe a pyramid, but its levels are missing"
    ):
        read({"scales": [[1, 1]]}, {"other": (4, 8)})


def n5(arrays: dict[str, tuple[int, ...]], format_: str = "n5") -> Any:
    hierarchy = zarrcore.create(MemoryStore(), format=format_)
    hierarchy.create_group("volume")
    for path, shape in arrays.items():
        hierarchy.create_array(f"volume/{path}", shape=shape, dtype="uint8")
    return hierarchy["volume"]


def test_levels_without_any_attributes_are_inferred() -> None:
    group = n5({"s0": (4, 9, 8), "s1": (4, 5, 4), "s2": (2, 3, 2)})
    assert recognise(group) is None
    convention, kind = inferred(group) or pytest.fail("not inferred")
    assert (convention.name, kind) == ("n5-pyramid", "image")
    image = image_of(group)
    assert len(image.levels) == 3
    assert image.summary == "N5 pyramid image, 3 levels"
    assert meaning_facts(group)[0] == ("convention", "N5 pyramid image, 3 levels")
    assert group_as_ome_tiff(group).size > 0


@pytest.mark.parametrize(
    "arrays",
    [
        {"s0": (4, 8)},
        {"s1": (4, 8), "s2": (2, 4)},
        {"s0": (4, 8), "s1": (4, 8)},
        {"s0": (4, 8), "s1": (2, 16)},
        {"s0": (4, 8), "s1": (4,)},
        {"s0/inner": (4, 8), "s1": (2, 4)},
        {"a": (4, 8), "b": (2, 4)},
    ],
)
def test_other_groups_of_n5_are_not_pyramids(arrays: dict[str, tuple[int, ...]]) -> None:
    assert inferred(n5(arrays)) is None
    with pytest.raises(MetadataError, match="describe no image"):
        image_of(n5(arrays))


def test_only_groups_of_n5_cost_a_request() -> None:
    arrays = {"s0": (4, 8), "s1": (2, 4)}
    assert not may_be_pyramid(n5(arrays, "v3"))
    assert inferred(n5(arrays, "v3"), lambda path: pytest.fail(f"asked for {path}")) is None
    assert may_be_pyramid(n5(arrays))
    assert not may_be_pyramid(n5(arrays)["s0"])
