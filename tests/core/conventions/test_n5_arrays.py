"""Arrays of N5 with a scale of their own."""

from __future__ import annotations

from typing import Any

import pytest

import zarrcore
from zarrcore.conventions import MultiscaleImage, n5_image, names_along
from zarrcore.filetypes.tiff.ome_image import array_as_ome_tiff
from zarrcore.stores import MemoryStore

IMAGEJ = {"pixelWidth": 0.5, "pixelHeight": 0.25, "pixelDepth": 2.0, "pixelUnit": "µm", "xOrigin": 10.0}
"""As ImageJ's N5 plugin writes them, with an origin in pixels."""


def array(attributes: dict[str, Any], shape: tuple[int, ...], format_: str = "n5") -> Any:
    made = zarrcore.create(MemoryStore(), format=format_).create_array("a", shape=shape, dtype="uint8")
    made.attributes = attributes
    return made


def read(attributes: dict[str, Any], shape: tuple[int, ...]) -> MultiscaleImage:
    return n5_image(array(attributes, shape)) or pytest.fail("it has no scale")


@pytest.mark.parametrize(
    ("counts", "shape", "names", "spacing", "origin"),
    [
        ({}, (4, 8), ["y", "x"], (0.25, 0.5), (0, -5)),
        ({"numSlices": 3}, (3, 4, 8), ["z", "y", "x"], (2, 0.25, 0.5), (0, 0, -5)),
        ({"numChannels": 3, "numSlices": 1}, (3, 4, 8), ["c", "y", "x"], (1, 0.25, 0.5), (0, 0, -5)),
        (
            {"numChannels": 2, "numSlices": 3, "numFrames": 5, "frameInterval": 0.0},
            (5, 3, 2, 4, 8),
            ["t", "z", "c", "y", "x"],
            (1, 2, 1, 0.25, 0.5),
            (0, 0, 0, 0, -5),
        ),
    ],
)
def test_imagej_names_axes_by_their_lengths(
    counts: dict[str, Any], shape: tuple[int, ...], names: list[str], spacing: Any, origin: Any
) -> None:
    found = array({**IMAGEJ, **counts}, shape)
    image = n5_image(found) or pytest.fail("it has no scale")
    assert (image.spacing, image.origin) == (spacing, origin)
    assert [axis.name for axis in image.axes] == names == names_along(found, found.hierarchy.node)
    assert {axis.name: axis.unit for axis in image.axes} == {
        name: "µm" if name in "zyx" else "" for name in names
    }
    file = array_as_ome_tiff(found)
    assert b'PhysicalSizeX="0.5"' in bytes(file.read(0, file.size))


@pytest.mark.parametrize(
    "told",
    [
        {"numSlices": 3},  # more axes than the array has
        {"pixelHeight": 0},
        {"pixelWidth": "0.5"},
        {"pixelHeight": None},
    ],
)
def test_metadata_of_imagej_that_do_not_fit_are_not_applied(told: dict[str, Any]) -> None:
    found = array({**IMAGEJ, **told}, (4, 8))
    assert n5_image(found) is None
    assert names_along(found, found.hierarchy.node) is None


def test_pixels_are_no_unit() -> None:
    assert {axis.unit for axis in read({**IMAGEJ, "pixelUnit": "pixel"}, (4, 8)).axes} == {""}


def test_the_resolution_of_a_level_is_that_of_the_first_one() -> None:
    told = {"pixelResolution": {"dimensions": [2.0, 4.0], "unit": "nm"}, "downsamplingFactors": [4, 2]}
    image = read(told, (4, 8))
    assert (image.spacing, image.origin, image.axes[0].unit) == ((8, 8), (2, 3), "nm")
    assert n5_image(array({**told, "downsamplingFactors": [0, 2]}, (4, 8))) is None


def test_other_formats_have_no_such_attributes() -> None:
    assert n5_image(array(IMAGEJ, (4, 8), "v3")) is None
    assert n5_image(array({}, (4, 8))) is None
